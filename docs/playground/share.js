// A turn as a link: its fields are JSON in the fragment of the address, which browsers do not send to any server.
//
// A link may come from anybody. So it is limited in length, each of its fields must be one that the form could have sent, and
// the rest is text: it goes into fields of the form, and from there the way of any text that is pasted into them.
"use strict";

globalThis.toolgleanShare = (() => {
  const MARK = "#turn=";
  const MOST = 64000; // characters of the fragment
  const FIELDS = ["turn", "tools", "own_tools", "format", "start", "cut"];

  const fail = (text) => { throw new Error(text); };

  // The fragment for a question, as playground.js writes it. Throws an Error with a message for the reader.
  function encode(question) {
    const bytes = new TextEncoder().encode(JSON.stringify(question)); // lone surrogates are escaped
    if (bytes.length * 4 / 3 > MOST - MARK.length) fail("the turn is too long for a link.");
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return MARK + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  // The question in a fragment; null if it has none. `offered`: the choices of each field that has some.
  // Throws an Error with a message for the reader, which has nothing of the link in it.
  function decode(fragment, offered) {
    if (!fragment.startsWith(MARK)) return null;
    if (fragment.length > MOST) fail("it is too long.");
    const text = fragment.slice(MARK.length);
    if (!/^[\w-]+$/.test(text)) fail("it was damaged on its way.");
    return checked(parsed(text), offered);
  }

  function parsed(text) {
    try {
      const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      return fail("it was damaged on its way.");
    }
  }

  function checked(found, offered) {
    const wrong = () => fail("this playground does not understand it.");
    if (typeof found !== "object" || found === null || Array.isArray(found)) wrong();
    if (Object.keys(found).sort().join() !== [...FIELDS].sort().join()) wrong();
    const { turn, tools, own_tools, format, start, cut } = found;
    if (typeof turn !== "string" || typeof own_tools !== "string") wrong();
    if (!Array.isArray(tools) || !tools.every((name) => offered.tools.includes(name))) wrong();
    if (!offered.formats.includes(format) || !offered.starts.includes(start) || !offered.cuts.includes(cut)) wrong();
    return { turn, tools: [...new Set(tools)], own_tools, format, start, cut };
  }

  return { encode, decode };
})();
