// Asks the proxy, with the openai package if node finds it, otherwise with fetch alone, and prints what the answers say.
//
//   node client.cjs URL openai|fetch < requests.json      a list of requests: {"stream": …, "n": …}; a line for each
"use strict";

const [, , url, way] = process.argv;
const tools = [{
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}];

function empty() {
  return { content: "", reasoning: "", calls: [], reason: null };
}

function add(found, delta) {
  found.content += delta.content ?? "";
  found.reasoning += delta.reasoning_content ?? "";
  for (const fragment of delta.tool_calls ?? []) {
    const call = (found.calls[fragment.index] ??= { name: "", arguments: "" });
    call.name += fragment.function?.name ?? "";
    call.arguments += fragment.function?.arguments ?? "";
  }
}

function said(choices) {
  return choices.map(({ message, finish_reason: reason }) => ({
    content: message.content ?? "",
    reasoning: message.reasoning_content ?? "",
    calls: (message.tool_calls ?? []).map((call) => call.function),
    reason,
  }));
}

async function* events(response) {
  let left = "";
  for await (const data of response.body.pipeThrough(new TextDecoderStream())) {
    left += data;
    const blocks = left.split("\n\n");
    left = blocks.pop();
    for (const block of blocks) {
      const line = block.split("\n").find((each) => each.startsWith("data: "));
      if (line !== undefined && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
    }
  }
}

async function joined(chunks) {
  const found = [];
  for await (const chunk of chunks) {
    for (const choice of chunk.choices) {
      const own = (found[choice.index] ??= empty());
      add(own, choice.delta);
      own.reason = choice.finish_reason ?? own.reason;
    }
  }
  return found;
}

async function withFetch(body) {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return body.stream ? joined(events(response)) : said((await response.json()).choices);
}

function withPackage() {
  const { OpenAI } = require("openai");
  const client = new OpenAI({ baseURL: url, apiKey: "x", maxRetries: 0 });
  return async (body) => {
    if (!body.stream) return said((await client.chat.completions.create(body)).choices);
    // The package's own helper joins a stream, and checks it while it does.
    const stream = client.chat.completions.stream(body);
    const parts = [];
    stream.on("chunk", (chunk) => parts.push(structuredClone(chunk)));
    const whole = said((await stream.finalChatCompletion()).choices);
    const reasoning = await joined(parts);
    return whole.map((each, place) => ({ ...each, reasoning: reasoning[place].reasoning }));
  };
}

async function main() {
  let given = "";
  for await (const data of process.stdin) given += data;
  const ask = way === "openai" ? withPackage() : withFetch;
  for (const request of JSON.parse(given)) {
    const body = { model: "m", messages: [{ role: "user", content: "Is it sunny?" }], tools, ...request };
    console.log(JSON.stringify(await ask(body)));
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
