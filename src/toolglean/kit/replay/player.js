// Shows a recorded turn step by step, on the page that `toolglean replay` writes and in the playground. Does not depend on
// how a turn is read (Python does that), or on where its data comes from.
//
// The turn may be hostile: text is added to the page only as text nodes, never as markup.
// A step changes only the parts that are fed, given out or found wrong between the old step and the new one, so that a
// long turn stays usable. Only the end of long outputs is shown.
"use strict";

globalThis.toolgleanReplay = (() => {
  const KIND_LABELS = {
    content: "content", reasoning: "reasoning", name: "call: name", arguments: "call: arguments", markup: "markup",
    held: "held back", unfinished: "unfinished call", problem: "problem", quoted: "quoted", future: "not fed yet",
  };
  const TAIL = 800; // characters of an output that are shown
  const MOST_ROWS = 400; // of the table of parts
  const MOST_CALLS = 20;
  const MOST_EVENTS = 60; // of one step
  const CLIP = 300; // characters of a text in a row
  // Control characters, marks that are invisible or change the direction of text, and halves of surrogate pairs.
  const ODD = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

  const shown = (odd) => `\u27e8U+${odd.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  const visible = (text) => text.replace(ODD, shown);
  const inOneLine = (text) => visible(text).replace(/\n/g, "\u21b5").replace(/\t/g, "\u2192");
  const clipped = (text, most = CLIP) => (text.length > most ? `${whole(text.slice(0, most))} \u2026` : text);
  const whole = (text) => text.replace(/[\ud800-\udbff]$/, "");
  const many = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

  function element(name, className = "", text = null, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== null) made.textContent = text;
    made.append(...children);
    return made;
  }

  // -- the turn --------------------------------------------------------------------------------------------------------

  class Turn {
    constructor(box, data) {
      this.box = box;
      this.kinds = data.kinds;
      this.parts = data.parts;
      this.changes = Array.from({ length: data.steps + 1 }, () => []); // at each step, the parts that change
      this.spans = data.parts.map(([text, , fed, given, problem = 0, unfinished = 0, quoted = 0], index) => {
        for (const step of new Set([fed, given, problem, unfinished, fed + 1])) {
          if (step > 0 && step <= data.steps) this.changes[step].push(index);
        }
        const span = element("span", "", visible(text).replace(/\n/g, "\u21b5\n"));
        if (quoted) span.title = data.quotations[quoted - 1];
        return span;
      });
      this.held = 0;
      this.step = null;
      box.replaceChildren(...this.spans);
      this.go(0);
    }

    classAt(index, step) {
      const [, kind, fed, given, problem = 0, unfinished = 0, quoted = 0] = this.parts[index];
      if (step < fed) return "future";
      const base = step < given ? "held" : unfinished && step >= unfinished ? "unfinished" : this.kinds[kind];
      return `${base}${quoted ? " quoted" : ""}${problem && step >= problem ? " problem" : ""}${step === fed ? " latest" : ""}`;
    }

    isHeld(index, step) {
      const [, , fed, given] = this.parts[index];
      return fed <= step && step < given;
    }

    go(step) {
      const old = this.step;
      const touched = new Set();
      if (old === null) this.spans.forEach((_, index) => touched.add(index));
      else {
        for (let each = Math.min(old, step); each <= Math.max(old, step); each += 1) {
          for (const index of this.changes[each] ?? []) touched.add(index);
        }
      }
      for (const index of touched) {
        if (old !== null && this.isHeld(index, old)) this.held -= this.parts[index][0].length;
        if (this.isHeld(index, step)) this.held += this.parts[index][0].length;
        this.spans[index].className = this.classAt(index, step);
      }
      this.step = step;
    }

    follow(index) {
      const span = this.spans[index];
      if (!span) return;
      const top = span.offsetTop; // the box is positioned
      const { scrollTop, clientHeight } = this.box;
      if (top < scrollTop + 8 || top > scrollTop + clientHeight - 48) this.box.scrollTop = Math.max(0, top - clientHeight / 2);
    }
  }

  // -- what came of it -------------------------------------------------------------------------------------------------

  // Texts that grow: what has come of one by a step is found by bisection.
  class Growing {
    constructor() {
      this.pieces = [];
      this.steps = [];
      this.ends = [];
    }

    add(step, text) {
      this.pieces.push(text);
      this.steps.push(step);
      this.ends.push((this.ends.at(-1) ?? 0) + text.length);
    }

    countAt(step) {
      return upTo(this.steps, step, (each) => each);
    }

    lengthAt(step) {
      return this.ends[this.countAt(step) - 1] ?? 0;
    }

    tailAt(step) {
      const end = this.countAt(step);
      let first = end;
      for (let found = 0; first > 0 && found <= TAIL; first -= 1) found += this.pieces[first - 1].length;
      const text = this.pieces.slice(first, end).join("");
      return text.length > TAIL ? `\u2026 ${text.slice(-TAIL).replace(/^[\udc00-\udfff]/, "")}` : text;
    }
  }

  // How many of these, in order of their steps, have come by that step.
  function upTo(rows, step, stepOf) {
    let low = 0;
    for (let high = rows.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (stepOf(rows[middle]) <= step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function describe([, name, ...rest]) {
    if (name === "call_start") {
      const unknown = rest[3] === false ? ", not one of the tools" : "";
      return { label: "call starts", kind: "name", text: `${rest[1]}${unknown}` };
    }
    if (name === "call_delta") return { label: "arguments", kind: "arguments", text: rest[1] };
    if (name === "call_end") {
      const repairs = rest[5].length ? `, repaired: ${rest[5].join(", ")}` : "";
      return { label: "call ends", kind: rest[4] === "ok" ? "name" : "unfinished", text: `${rest[1]}: ${rest[4]}${repairs}` };
    }
    if (name === "problem") return { label: "problem", kind: "problem", text: rest[0] };
    return { label: name, kind: name, text: rest[0] };
  }

  class Output {
    constructor(data) {
      this.events = data.events;
      this.content = new Growing();
      this.reasoning = new Growing();
      this.calls = [];
      this.problems = [];
      for (const [step, name, ...rest] of data.events) {
        if (name === "content" || name === "reasoning") this[name].add(step, rest[0]);
        else if (name === "problem") this.problems.push({ step, text: rest[0] });
        else if (name === "call_start") {
          this.calls.push({ index: rest[0], step, name: rest[1], known: rest[3], ended: Infinity, args: new Growing() });
        } else if (name === "call_delta") this.call(rest[0]).args.add(step, rest[1]);
        else if (name === "call_end") Object.assign(this.call(rest[0]), { ended: step, status: rest[4] });
      }
    }

    call(index) {
      return this.calls[index - this.calls[0].index];
    }

    at(step) {
      return this.events.slice(upTo(this.events, step - 1, (row) => row[0]), upTo(this.events, step, (row) => row[0]));
    }

    rows(step) {
      const rows = [];
      for (const name of ["reasoning", "content"]) {
        const length = this[name].lengthAt(step);
        if (length) rows.push([name, `${name}, ${many(length, "character")}`, this[name].tailAt(step)]);
      }
      const calls = this.calls.slice(0, upTo(this.calls, step, (call) => call.step));
      if (calls.length > MOST_CALLS) rows.push(["name", `${many(calls.length - MOST_CALLS, "earlier call")}`, ""]);
      for (const call of calls.slice(-MOST_CALLS)) {
        const status = call.ended > step ? "being written" : call.status === "ok" ? "ready to run" : `${call.status}: do not run`;
        const known = call.known === false ? ", not one of the tools" : "";
        const kind = call.ended <= step && call.status !== "ok" ? "unfinished" : "name";
        rows.push([kind, `call ${call.index}, ${status}${known}`, `${call.name} ${call.args.tailAt(step)}`]);
      }
      const problems = upTo(this.problems, step, (each) => each.step);
      if (problems) rows.push(["problem", many(problems, "problem"), clipped(this.problems[problems - 1].text)]);
      return rows;
    }
  }

  // -- the panels ------------------------------------------------------------------------------------------------------

  const badge = (kind, text) => element("span", `badge ${kind}`, text);

  function row(kind, label, text) {
    return element("div", "row", null, badge(kind, label), element("div", "text", text === "" ? null : inOneLine(text)));
  }

  function legend(box, data) {
    const counts = {};
    for (const [text, kind, fed, given, problem, unfinished, quoted] of data.parts) {
      const add = (name) => { counts[name] = (counts[name] ?? 0) + [...text].length; };
      add(unfinished ? "unfinished" : data.kinds[kind]);
      if (problem) add("problem");
      if (quoted) add("quoted");
      if (given > fed) add("held");
    }
    box.replaceChildren(...Object.entries(KIND_LABELS).filter(([name]) => name !== "future" && counts[name]).map(([name, label]) =>
      element("li", "", null, badge(name, label), element("span", "number", many(counts[name], "character") + (name === "held" ? ", for a while" : "")))));
  }

  function findings(box, found) {
    const part = (title, items) => (items.length ? [element("h3", "", title), element("ul", "", null, ...items)] : []);
    const item = (strong, text) => element("li", "", null, ...(strong ? [element("strong", "", visible(strong)), " "] : []), inOneLine(text));
    const left = (count, what) => (count ? [item("", `and ${many(count, `more ${what}`)}`)] : []);
    box.replaceChildren(
      element("p", "", inOneLine(found.summary) + (found.complete ? " Every call was read." : "")),
      ...part("Likely cause", found.causes.map((each) => item(`${each.name}, at ${each.at}`, each.text))),
      ...part("Tried, and reads better", found.advice.map((each) => item(each.text, each.effect))),
      ...part("Problems", [...found.problems.map((each) => item(each.at, each.text)), ...left(found.problems_left_out, "problem")]),
      ...part("Markers", [...found.openers.map((each) => item(`${each.at} ${each.text}`,
        `read as ${each.read_as}; fits ${each.fits}${each.best ? `; ${each.best}` : ""}`)), ...left(found.openers_left_out, "marker")]),
    );
  }

  // Neighbours of one kind are one row.
  function partRows(data) {
    const rows = [];
    for (const [text, kind, fed, given, problem, unfinished, quoted] of data.parts) {
      const label = KIND_LABELS[unfinished ? "unfinished" : data.kinds[kind]];
      const name = `${label}${quoted ? `, ${data.quotations[quoted - 1]}` : ""}${problem ? ", problem" : ""}`;
      const last = rows.at(-1);
      if (last?.name === name) {
        if (last.texts.length < CLIP) last.texts.push(text);
        Object.assign(last, { to: fed, given });
      } else if (rows.length < MOST_ROWS) rows.push({ name, texts: [text], from: fed, to: fed, given });
      else return { rows, more: true };
    }
    return { rows, more: false };
  }

  function table(box, data) {
    const { rows, more } = partRows(data);
    const cells = (tag, texts, scope) => texts.map((text) => Object.assign(element(tag, "", text), scope ? { scope } : {}));
    const body = rows.map(({ name, texts, from, to, given }) => element("tr", "", null,
      ...cells("td", [name, inOneLine(clipped(texts.join(""))), from === to ? `${from}` : `${from} to ${to}`, `${given}`])));
    box.replaceChildren(element("table", "", null,
      element("thead", "", null, element("tr", "", null, ...cells("th", ["became", "text", "fed at step", "known by step"], "col"))),
      element("tbody", "", null, ...body)), ...(more ? [element("p", "", `The first ${MOST_ROWS} parts.`)] : []));
  }

  // -- the player ------------------------------------------------------------------------------------------------------

  class Player {
    constructor(root) {
      this.root = root;
      this.boxes = Object.fromEntries([...root.querySelectorAll("[data-part]")].map((each) => [each.dataset.part, each]));
      this.timer = null;
      const go = { first: () => this.jump(0), last: () => this.jump(this.last), back: () => this.jump(this.step - 1), on: () => this.jump(this.step + 1), play: () => this.toggle() };
      this.actions = go;
      for (const button of root.querySelectorAll("[data-go]")) button.addEventListener("click", go[button.dataset.go]);
      this.boxes.slider.addEventListener("input", () => this.jump(Number(this.boxes.slider.value)));
      this.boxes.pace.addEventListener("change", () => { if (this.timer !== null) this.play(); });
      this.boxes.states.addEventListener("change", () => { if (this.data) this.go(this.step); });
      this.boxes.turn.addEventListener("click", (event) => {
        const index = this.turn.spans.indexOf(event.target);
        if (index >= 0) this.jump(this.data.parts[index][2]);
      });
      this.boxes["table-box"].addEventListener("toggle", () => this.showTable());
      document.addEventListener("keydown", (event) => this.onKey(event));
    }

    load(data, step = 0) {
      this.pause();
      this.data = data;
      this.last = data.steps;
      this.firstOf = []; // of each step, the first part that it fed
      data.parts.forEach(([, , fed], index) => { this.firstOf[fed] ??= index; });
      this.root.hidden = false;
      this.turn = new Turn(this.boxes.turn, data);
      this.output = new Output(data);
      this.boxes.slider.max = this.last;
      const facts = [data.format ?? "no format", many(this.last - 1, "token"), many(data.parts.reduce((sum, [text]) => sum + [...text].length, 0), "character"), many(this.output.calls.length, "call")];
      this.boxes.facts.textContent = facts.join(" \u00b7 ");
      this.boxes.notes.replaceChildren(...data.notes.map((note) => element("p", "note", inOneLine(note))));
      legend(this.boxes.legend, data);
      findings(this.boxes.findings, data.findings);
      this.showTable();
      this.go(Math.min(step, this.last));
    }

    showTable() {
      if (this.data && this.boxes["table-box"].open) table(this.boxes.table, this.data);
      else this.boxes.table.replaceChildren();
    }

    go(step) {
      this.step = step;
      this.turn.go(step);
      this.turn.follow(step === this.last ? this.data.parts.length - 1 : this.firstOf[step]);
      const token = step === 0 || step === this.last ? null : this.tokenAt(step);
      const name = step === 0 ? "start" : token === null ? "end of the turn" : `token ${step} of ${this.last - 1}`;
      const events = this.output.at(step).map(describe);
      this.boxes.slider.value = step;
      this.boxes.slider.setAttribute("aria-valuetext", token === null ? name : `${name}: ${inOneLine(clipped(token, 60))}`);
      this.boxes.count.textContent = `${step} / ${this.last}`;
      this.showNow(step, token, name, events);
      const rows = this.output.rows(step).map((each) => row(...each));
      this.boxes["so-far"].replaceChildren(...(rows.length ? rows : [element("p", "quiet", "nothing yet")]));
      this.announce(events);
    }

    tokenAt(step) {
      let text = "";
      for (let index = this.firstOf[step] ?? Infinity; this.data.parts[index]?.[2] === step; index += 1) text += this.data.parts[index][0];
      return text;
    }

    showNow(step, token, name, events) {
      const rows = events.slice(0, MOST_EVENTS).map(({ kind, label, text }) => row(kind, label, clipped(text)));
      if (events.length > MOST_EVENTS) rows.push(element("p", "quiet", `and ${many(events.length - MOST_EVENTS, "more event")}`));
      if (this.turn.held) rows.push(row("held", "held back", many(this.turn.held, "character")));
      this.boxes.now.replaceChildren(
        element("p", "token", null, `${name}${token === null ? "" : ": "}`, ...(token === null ? [] : [element("code", "", inOneLine(clipped(token)))])),
        ...(rows.length ? rows : [element("p", "quiet", step === 0 ? "Nothing has been fed." : "No event.")]),
        ...(this.boxes.states.checked ? [this.stateAt(step)] : []));
    }

    // What goes on inside the parser: a reader of the turn need not know it, so it is shown only if asked for.
    stateAt(step) {
      const [, state, format] = this.data.marks[upTo(this.data.marks, step, (mark) => mark[0]) - 1] ?? [0, "LOOKING_FOR_TAG", null];
      return element("p", "quiet", `parser: ${state}, ${format ?? "format not known"}`);
    }

    // What a screen reader says besides the slider's own value. While the turn plays, only what matters.
    announce(events) {
      const announced = this.timer === null ? events : events.filter(({ label }) => label.startsWith("call ") || label === "problem");
      if (this.timer !== null && !announced.length) return;
      const held = this.timer === null && this.turn.held ? `${many(this.turn.held, "character")} held back.` : "";
      const texts = announced.slice(0, 6).map(({ label, text }) => `${label} ${inOneLine(clipped(text, 80))}.`);
      this.boxes.live.textContent = [...texts, ...(announced.length > 6 ? [`${many(announced.length - 6, "more event")}.`] : []), held || (announced.length ? "" : "No event.")].join(" ").trim();
    }

    jump(step) {
      this.pause();
      this.go(Math.max(0, Math.min(this.last, step)));
    }

    toggle() {
      if (this.timer !== null) return this.pause();
      if (this.step >= this.last) this.go(0);
      return this.play();
    }

    play() {
      clearInterval(this.timer);
      this.timer = setInterval(() => {
        if (this.step < this.last) this.go(this.step + 1);
        if (this.step >= this.last) this.pause();
      }, Number(this.boxes.pace.value));
      this.root.querySelector("[data-go=play]").textContent = "Pause";
    }

    pause() {
      clearInterval(this.timer);
      this.timer = null;
      this.root.querySelector("[data-go=play]").textContent = "Play";
    }

    onKey(event) {
      if (!this.data || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      const { target } = event;
      if (target.matches("textarea, select, input:not([type=range]), [contenteditable]")) return;
      if (event.key === " " && target.matches("button, summary, a, label")) return;
      const action = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play" }[event.key];
      if (!action) return;
      event.preventDefault();
      this.actions[action]();
    }
  }

  return {
    Player,
    start() {
      const data = JSON.parse(document.getElementById("replay-data").textContent);
      new Player(document.getElementById("player")).load(data);
    },
  };
})();
