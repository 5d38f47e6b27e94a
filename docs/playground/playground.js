// The form of the playground: its fields go to Python (worker.js), and the answer goes to the player. Does not depend on
// how a turn is read or shown.
"use strict";

(() => {
  const WAIT = 250; // milliseconds between the last key and the request to Python
  const FIELDS = ["own_tools", "format"]; // fields with a place for errors
  const get = (id) => document.getElementById(id);
  const player = new toolgleanReplay.Player(get("player"));
  let worker = null;
  let filled = false;
  let timer = null;
  let busy = false;
  let waiting = false;
  let askedTurn = null; // and how it is cut
  let shownTurn = null;

  const say = (text) => {
    if (get("status").textContent !== text) get("status").textContent = text;
  };

  function question() {
    const form = new FormData(get("asked"));
    const cut = form.get("cut");
    return {
      turn: form.get("turn").replace(/\r\n/g, "\n"), // FormData writes line breaks as forms send them
      tools: form.getAll("tool"), own_tools: form.get("own_tools"), format: form.get("format"), start: form.get("start"),
      cut: cut ? Number(cut) : null,
    };
  }

  function ask() {
    timer = null;
    if (busy) {
      waiting = true;
      return;
    }
    busy = true;
    const asked = question();
    askedTurn = JSON.stringify([asked.turn, asked.cut]);
    worker.postMessage(JSON.stringify(asked));
  }

  function soon(wait = WAIT) {
    clearTimeout(timer);
    timer = setTimeout(ask, wait);
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
    if (found) say(`Not read: ${found.message}`);
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

  function fill({ version, formats, tools, streams }) {
    get("version").textContent = version;
    get("format").append(...formats.map((name) => new Option(name, name)));
    get("example").append(...streams.map(({ name, about }) => new Option(`${name}: ${about}`, name)));
    get("tools").append(...tools.map(({ name, about }) => {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "tool", value: name, checked: true });
      const label = Object.assign(document.createElement("label"), { title: about });
      label.append(box, name);
      return label;
    }));
    get("example").addEventListener("change", () => {
      const { turn } = streams.find(({ name }) => name === get("example").value);
      get("turn").value = turn;
      Object.assign(get("format"), { value: "auto" });
      soon(0);
    });
    if (!get("turn").value) get("turn").value = streams[0].turn; // keep what was typed while Python loaded
    soon(0);
  }

  function onMessage({ about, answer, failed }) {
    if (about && !filled) fill(JSON.parse(about));
    filled ||= Boolean(about);
    if (failed && !filled) say(`Python could not be loaded: ${failed}`);
    else if (failed) restart(failed);
    if (!answer) return;
    busy = false;
    if (waiting) {
      waiting = false;
      soon(0);
    } else showAnswer(JSON.parse(answer));
  }

  function start() {
    worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }) => onMessage(data);
    worker.onerror = (event) => say(`Python could not be loaded: ${event.message ?? "the page must be served over HTTP"}.`);
  }

  // If the stack of the browser overflows, Python dies for good. So the same request is not sent again.
  function restart(why) {
    worker.terminate();
    busy = waiting = false;
    start();
    say(`This stopped Python, which is restarting: ${why}. Change the turn to read it again.`);
  }

  start();
  get("asked").addEventListener("input", (event) => { if (event.target.id !== "example") soon(); });
  get("asked").addEventListener("submit", (event) => event.preventDefault());
})();
