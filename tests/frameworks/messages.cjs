// Asks with the anthropic package of JavaScript, and prints what the answers say, and their bytes.
//
//   node messages.cjs URL < requests.json      a list of requests: {"stream": …}; a line for each
"use strict";

const { createHash } = require("node:crypto");
const Anthropic = require("@anthropic-ai/sdk");

const [, , url] = process.argv;
const tools = [{
  name: "get_weather",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
}];

// The body of each response is read twice: by the package, and here.
const hashes = [];
async function copied(...given) {
  const response = await fetch(...given);
  const hash = createHash("sha256");
  hashes.push(response.clone().arrayBuffer().then((data) => hash.update(Buffer.from(data)).digest("hex")));
  return response;
}

const client = new Anthropic({ baseURL: url, apiKey: "x", maxRetries: 0, fetch: copied });

function joined(blocks, type, field) {
  return blocks.filter((block) => block.type === type).map((block) => block[field]).join("");
}

async function main() {
  let given = "";
  for await (const data of process.stdin) given += data;
  for (const { stream } of JSON.parse(given)) {
    const body = { model: "m", max_tokens: 99, messages: [{ role: "user", content: "Is it sunny?" }], tools };
    const message = await (stream ? client.messages.stream(body).finalMessage() : client.messages.create(body));
    console.log(JSON.stringify({
      content: joined(message.content, "text", "text"),
      reasoning: joined(message.content, "thinking", "thinking"),
      calls: message.content.filter((block) => block.type === "tool_use").map((block) => [block.name, block.input]),
      reason: message.stop_reason,
      bytes: await hashes.at(-1),
    }));
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
