// The other half of ai_sdk.py: a line of JSON in, a line of JSON out. The folder that has @ai-sdk-tool/parser is the
// first argument. What it answers are the parts of the AI SDK, as the package makes them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.argv[2]}/package.json`));
const made = require("@ai-sdk-tool/parser");
const options = {};
let protocol, tools, writer, parts, reading;

const soon = () => new Promise((resolve) => setTimeout(resolve, 0));
const taken = () => parts.splice(0);
const steps = {
  version: () => JSON.parse(readFileSync(`${process.argv[2]}/node_modules/@ai-sdk-tool/parser/package.json`)).version,
  open: (asked) => {
    protocol = made[asked.protocol]();
    tools = asked.tools;
    parts = [];
    const stream = protocol.createStreamParser({ tools, options });
    writer = stream.writable.getWriter();
    reading = (async () => {
      for await (const part of stream.readable) parts.push(part);
    })();
  },
  whole: (asked) => protocol.parseGeneratedText({ text: asked.text, tools, options }),
  feed: async (asked) => {
    await writer.write({ type: "text-delta", id: "1", delta: asked.text });
    await soon();
    return taken();
  },
  finish: async () => {
    await writer.write({ type: "finish", finishReason: "stop", usage: {} });
    await writer.close();
    await reading;
    return taken();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  let answer;
  try {
    answer = { answer: (await steps[asked.step](asked)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
