// The form of the playground: its fields go to Python (worker.js), and the answer goes to the player. Does not depend on
// how a turn is read or shown, or on how a link is written (share.js).
//
// The first answer is in the page: it was made with the site, so that there is something to see while Python loads.
"use strict";

(() => {
  const WAIT = 250; // milliseconds between the last key and the request to Python
  const FIELDS = ["own_tools", "format"]; // fields with a place for errors
  const get = (id) => document.getElementById(id);
  const { about, answer: first, digest } = JSON.parse(get("first-answer").textContent);
  const player = new toolgleanReplay.Player(get("player"));
  let worker = null;
  let ready = false;
  let asking = true; // whether a request waits for Python
  let timer = null;
  let busy = false;
  let waiting = false;
  let askedTurn = null; // and how it is cut
  let shownTurn = null;

  const say = (text) => {
    if (get("status").textContent !== text) get("status").textContent = text;
  };
  const turnOf = ({ turn, cut }) => JSON.stringify([turn, cut]);

  // -- the form --------------------------------------------------------------------------------------------------------

  function question() {
    const form = new FormData(get("asked"));
    const cut = form.get("cut");
    return {
      turn: form.get("turn").replace(/\r\n/g, "\n"), // FormData writes line breaks as forms send them
      tools: form.getAll("tool"), own_tools: form.get("own_tools"), format: form.get("format"), start: form.get("start"),
      cut: cut ? Number(cut) : null,
    };
  }

  function fill({ version, formats, tools, streams }) {
    get("version").textContent = version;
    get("format").append(...formats.map((name) => new Option(name, name)));
    get("example").append(...streams.map(({ name, about: text }) => new Option(`${name}: ${text}`, name)));
    get("tools").append(...tools.map(({ name, about: text }) => {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "tool", value: name, checked: true });
      const label = Object.assign(document.createElement("label"), { title: text });
      label.append(box, name);
      return label;
    }));
    get("turn").value = streams[0].turn;
    if (matchMedia("(max-width: 60rem)").matches) get("options").open = false; // so that the answer is in sight
  }

  function choose(name) {
    get("turn").value = about.streams.find((each) => each.name === name).turn;
    get("format").value = "auto";
    get("start").value = "content";
    soon(0);
  }

  function set({ turn, tools, own_tools, format, start, cut }) {
    for (const box of get("tools").querySelectorAll("input")) box.checked = tools.includes(box.value);
    Object.entries({ turn, own_tools, format, start, cut: cut ?? "" }).forEach(([name, value]) => { get(name).value = value; });
    get("own").open = own_tools !== "";
  }

  function showError(found) {
    for (const name of FIELDS) {
      const wrong = found?.field === name;
      const place = get(`${name}-error`);
      place.hidden = !wrong;
      place.textContent = wrong ? found.message : "";
      if (wrong) get(name).setAttribute("aria-invalid", "true");
      else get(name).removeAttribute("aria-invalid");
    }
    if (!found) return;
    get("options").open = true;
    if (found.field === "own_tools") get("own").open = true;
    say(`Not read: ${found.message}`);
  }

  // -- links -----------------------------------------------------------------------------------------------------------

  function offered() {
    const choices = (id) => [...get(id).options].map(({ value }) => value);
    return {
      tools: about.tools.map(({ name }) => name), formats: choices("format"), starts: choices("start"),
      cuts: choices("cut").map((value) => (value ? Number(value) : null)),
    };
  }

  // Takes the turn of the page's own link, if it has one.
  function follow() {
    try {
      const found = toolgleanShare.decode(location.hash, offered());
      if (found) set(found);
      get("shared").textContent = "";
      return Boolean(found);
    } catch (error) {
      get("shared").textContent = `The turn of this link cannot be shown: ${error.message}`;
      return false;
    }
  }

  async function share() {
    try {
      const link = new URL(toolgleanShare.encode(question()), location.href.replace(/#.*/s, "")).href;
      history.replaceState(null, "", link);
      get("link").value = link;
      get("link-box").hidden = false;
      get("shared").textContent = (await copied(link)) ? "Copied. Whoever has the link can read the whole turn." : "Copy the link from here. Whoever has it can read the whole turn.";
    } catch (error) {
      get("shared").textContent = `No link was made: ${error.message}`;
    }
  }

  async function copied(link) {
    try {
      await navigator.clipboard.writeText(link);
      return true;
    } catch {
      get("link").select(); // no permission, or no clipboard
      return false;
    }
  }

  // -- Python ----------------------------------------------------------------------------------------------------------

  function ask() {
    timer = null;
    if (busy) {
      waiting = true;
      return;
    }
    busy = true;
    const asked = question();
    askedTurn = turnOf(asked);
    worker.postMessage(JSON.stringify(asked));
  }

  function soon(wait = WAIT) {
    clearTimeout(timer);
    if (ready) timer = setTimeout(ask, wait);
    else asking = true;
  }

  function showAnswer({ data, error }) {
    showError(error);
    if (!data) return;
    // The step stays where it is if only the reading has changed. An outdated answer has not been shown.
    player.load(data, askedTurn === shownTurn ? player.step : data.steps);
    shownTurn = askedTurn;
    const calls = player.output.calls.length;
    say(`Read: ${calls === 1 ? "1 call" : `${calls} calls`}. Drag the step to see how it arrived.`);
  }

  function onMessage({ ready: loaded, answer, failed }) {
    if (loaded) {
      ready = true;
      if (asking) soon(0);
    }
    if (failed && !ready) say(`Python could not be loaded: ${failed}`);
    else if (failed) restart(failed);
    if (!answer) return;
    busy = false;
    if (waiting) {
      waiting = false;
      soon(0);
    } else showAnswer(JSON.parse(answer));
  }

  function start() {
    worker = new Worker(`worker.js?${digest}`, { type: "module" });
    worker.onmessage = ({ data }) => onMessage(data);
    worker.onerror = (event) => say(`Python could not be loaded: ${event.message ?? "the page must be served over HTTP"}.`);
  }

  // If the stack of the browser overflows, Python dies for good. So the same request is not sent again.
  function restart(why) {
    worker.terminate();
    busy = waiting = ready = asking = false;
    start();
    say(`This stopped Python, which is restarting: ${why}. Change the turn to read it again.`);
  }

  start();
  fill(about);
  if (!follow()) {
    askedTurn = turnOf(question());
    showAnswer(first);
  }
  say("Loading Python, to read turns of your own (14 MB, only once).");
  get("asked").addEventListener("input", (event) => { if (!["example", "link"].includes(event.target.id)) soon(); });
  get("asked").addEventListener("submit", (event) => event.preventDefault());
  get("example").addEventListener("change", () => choose(get("example").value));
  get("share").addEventListener("click", share);
  addEventListener("hashchange", () => { if (follow()) soon(0); });
})();
