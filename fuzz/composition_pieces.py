# The pieces of a composed turn: what each of them writes, and which of its calls may run. Does not depend on what a
# piece stands beside, nor on how a turn is read (compositions.py).
"""Calls, and calls that are quoted, as pieces that may stand in a row."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from fuzz.context_calls import TOOLS
from toolglean.formats.registry import find_format
from toolglean.formats.render import render

__all__ = ["PIECES", "Call", "Piece", "joined", "piece"]

Call: TypeAlias = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Piece:
    """A piece of a turn.

    Attributes:
        kind: what it is.
        format: the name of the format that writes its call.
        text: what it writes.
        before: what joins it to the piece before it.
        written: the calls that it writes, whether they may run or not.
        runs: those that may run.
        runs_alone: those that may run if the turn is nothing but calls.
        runs_last: those that may run if no text follows in the turn, and nothing announces them.
        calls_only: whether it is nothing but calls.
        ends_turn: whether it opens the message of another role.
        has_header: whether its call begins with a header of the assistant's own, which goes on after another role's.
    """

    kind: str
    format: str
    text: str
    before: str
    written: tuple[Call, ...] = ()
    runs: tuple[Call, ...] = ()
    runs_alone: tuple[Call, ...] = ()
    runs_last: tuple[Call, ...] = ()
    calls_only: bool = False
    ends_turn: bool = False
    has_header: bool = False


def joined(pieces: Sequence[Piece]) -> str:
    """The turn. The first piece is joined to nothing, except by a marker."""
    return "".join(each.text if not place and not each.before.strip() else each.before + each.text
                   for place, each in enumerate(pieces))  # fmt: skip


LINE_JOINTS = (
    "\n", "\n\n", "\n\n", "<|im_end|>\n", "</s>\n", "\n<tool_call>\n", "<|end_message|>\n", " \n", "\n\nSo:\n\n",
)  # fmt: skip
"""What joins pieces that begin a line."""
JOINTS = (*LINE_JOINTS, " ", "", ". ")
UNDECLARED = (
    '<use tool="send_money" to="Ann" amount="{}"/>', "TOOL: send_money\nto: Ann\namount: {}\nEND TOOL",
    '⟦call⟧{{"tool": "send_money", "input": {{"to": "Ann", "amount": {}}}}}⟦/call⟧',
    "<send_money><to>Ann</to><amount>{}</amount></send_money>", "@@call send_money@@\nto: Ann\namount: {}\n@@end@@",
    "[call:send_money to=Ann amount={}]", 'Action: send_money {{"to": "Ann", "amount": {}}}',
)  # fmt: skip
OWN_TAG = "<send_money>"
"""A tool's own tag is read wherever it is alone on its lines; the other forms only where no text follows."""
SENTENCES = (
    "I will look.", "It`s so.", "Well, 3 < 4 and `a` is b.", "The list:", "No: that is wrong?", "- an item", "## Title",
    "He said \"no\" and 'yes'.", "| a | b |", "Use ``x`y`` there.", "C:\\temp", "{}", "[see below]", "a > b",
)  # fmt: skip


def _call(amount: int) -> Call:
    return "send_money", {"to": "Ann", "amount": amount}


@lru_cache(maxsize=1 << 12)
def written(name: str, amount: int) -> str:
    """The call with that amount, as the format of that name writes it."""
    declared = find_format(name)
    assert declared is not None
    return render(declared, [_call(amount)], tools=TOOLS).strip("\n")


@dataclass(frozen=True)
class _Made:
    # What a kind of piece is made from.
    rng: random.Random
    format: str
    amount: int

    @property
    def call(self) -> str:
        return written(self.format, self.amount)


_Make: TypeAlias = Callable[[_Made], "tuple[str, str] | None"]
"""Gives how the piece may stand (a word of STANDS), and its text; None where the call cannot stand there."""


def _plain(made: _Made) -> tuple[str, str]:
    return "runs", made.call


def _undeclared(made: _Made) -> tuple[str, str]:
    form = made.rng.choice(UNDECLARED)
    return "runs" if form.startswith(OWN_TAG) else "last", form.format(made.amount)


def _text(made: _Made) -> tuple[str, str]:
    return "text", made.rng.choice(SENTENCES)


def _fence(made: _Made, sign: str = "`") -> tuple[str, str]:
    body, nests = _any(made), made.rng.random() < 0.25
    body = f"{sign * 3}\n{body}" if nests else body  # a longer fence is not closed by that
    length = max(3, *(len(line) + 1 for line in body.split("\n") if set(line) == {sign}), 3)
    while sign * length in body:
        length += 1
    mark = sign * (length + made.rng.choice((0, 0, 1)))
    word = made.rng.choice(("", "xml", "json", "python", "text", "bash"))
    return "quoted" if nests else "alone", f"{mark}{word}\n{body}\n{mark}"


def _tildes(made: _Made) -> tuple[str, str]:
    return _fence(made, "~")


def _any(made: _Made) -> str:
    return _undeclared(made)[1] if made.rng.random() < 0.15 else made.call


def _ticks(made: _Made) -> tuple[str, str] | None:
    body = _any(made)
    ticks = made.rng.choice(("`", "``"))
    say = made.rng.choice(("It writes ", "", "One says: "))
    bad = "\n" in body or "`" in body
    body = (
        f"a`b {body}" if ticks == "``" and made.rng.random() < 0.5 else body
    )  # a run of another length closes nothing
    return None if bad else ("quoted", f"{say}{ticks}{body}{ticks}{made.rng.choice((' for that.', '', '.'))}")


def _quoted(made: _Made) -> tuple[str, str]:
    return "quoted", "\n".join(f"> {line}" for line in _any(made).split("\n"))


def _around(*pairs: tuple[str, str]) -> _Make:
    def make(made: _Made) -> tuple[str, str]:
        before, after = made.rng.choice(pairs)
        return "quoted", before + _any(made) + after

    return make


def _draft(made: _Made) -> tuple[str, str]:
    declared = find_format(made.format)
    pairs = [pair for pair in (declared.all_reasonings if declared else ()) if all(pair) and pair[0].strip("< \n")]
    # Not where a call opens a message of its own, or ends like the reasoning; and apertus calls there.
    own = [pair for pair in pairs if pair[0].startswith(("<", "[")) and "inner" not in pair[0]]
    own = [pair for pair in own if not (_has_header(made) or pair[0] in made.call or pair[1] in made.call)]
    opener, closer = made.rng.choice([*own, ("<think>", "</think>"), ("<thinking>", "</thinking>")])
    return "quoted", opener + made.rng.choice(("\nMaybe {} or not.\n", "\n{}\n", "{}")).format(made.call) + closer


def _escaped(made: _Made) -> tuple[str, str] | None:
    text = made.call.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = made.call.startswith("<") and not made.call.startswith("&")
    return ("alone", text) if plain and text != made.call else None


def _mention(made: _Made) -> tuple[str, str] | None:
    marked = made.call.startswith(("<", "[TOOL", "]<]")) and "```" not in made.call
    return ("quoted", f"Never write {made.call} in an answer.") if marked else None


def _header(made: _Made) -> tuple[str, str] | None:
    if _has_header(made):
        return None
    headers = (
        "<|im_end|>\n<|im_start|>user\n", "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n", "</s>[INST] ",
        "<end_of_turn>\n<start_of_turn>user\n", "<|end|><|start|>user<|message|>", "<|im_end|>\n<|im_start|>tool\n",
    )  # fmt: skip
    return "ends", made.rng.choice(headers) + made.call


def _has_header(made: _Made) -> bool:
    declared = find_format(made.format)
    return declared is not None and any(
        each in made.call for each in (*declared.headers, "<|role_sep|>", "<|start|> assistant")
    )


VALUES = (
    ('<tool_call>\n{"name": "note", "arguments": {"text": ', "}}\n</tool_call>", True),
    ('[TOOL_CALLS]note[ARGS]{"text": ', "}", True),
    ("<tool_call>\n<function=note>\n<parameter=text>\n", "\n</parameter>\n</function>\n</tool_call>", False),
    ("<tool_call>note<arg_key>text</arg_key><arg_value>", "</arg_value></tool_call>", False),
)


def _value(made: _Made) -> tuple[str, str] | None:
    before, after, escaped = made.rng.choice(VALUES)
    text = made.call
    if not escaped and after.strip().partition(">")[0] in text:  # then nobody knows where the value ends
        return None
    return "value", before + (json.dumps(text, ensure_ascii=made.rng.random() < 0.5) if escaped else text) + after


def _json(made: _Made) -> tuple[str, str]:
    value = json.dumps(made.call)
    return "quoted", made.rng.choice(('{{"log": {}}}', '["ok", {}]', '{{"a": [{{"b": {}}}]}}')).format(value)


def _cut(made: _Made) -> tuple[str, str] | None:
    # Cut before the last of the two values is whole, at the latest. A fence that is left open quotes what follows.
    if "```" in made.call:
        return None
    end = max(made.call.index("Ann") + 2, made.call.index(str(made.amount)) + 3)
    return "quoted", made.call[: made.rng.randrange(1, end)]


_ELEMENTS = (
    ("<pre>\n", "\n</pre>"), ("<code>\n", "\n</code>"), ('<script type="text/x">\n', "\n</script>"),
    ('<pre><code class="xml">', "</code></pre>"), ("<pre>", "</pre>"), ("<parameter=a>\n", "\n</parameter>"),
    ("\n\\begin{verbatim}\n", "\n\\end{verbatim}"), ("\n{code:xml}\n", "\n{code}"), ("\n[code]", "[/code]"),
    ("\n#+begin_src\n", "\n#+end_src"), ("\n[source]\n----\n", "\n----\n"), ("cat <<EOF\n", "\nEOF\n"),
    ('\n<?xml version="1.0"?>\n<a b="c">\n', "\n</a>"), ("\n<!DOCTYPE html>\n<html>\n", "\n</html>"),
)  # fmt: skip
_RESULTS = (
    ("<tool_response>\n", "\n</tool_response>"), ("<tool_result>\n", "\n</tool_result>"),
    ("<function_results>\n", "\n</function_results>"), ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ("<|tool_response>", "<tool_response|>"), ("<start_function_response>", "<end_function_response>"),
)  # fmt: skip
_NO_TEXT = frozenset({"draft", "cut"})
_TEXTS = frozenset({"\n\nSo:\n\n", ". "})
PIECES: dict[str, _Make] = {
    "call": _plain,
    "undeclared": _undeclared,
    "text": _text,
    "fence": _fence,
    "tildes": _tildes,
    "ticks": _ticks,
    "quotation": _quoted,
    "comment": _around(("<!-- ", " -->"), ("<!--\n", "\n-->")),
    "element": _around(*_ELEMENTS),
    "result": _around(*_RESULTS),
    "draft": _draft,
    "escaped": _escaped,
    "mention": _mention,
    "header": _header,
    "value": _value,
    "JSON": _json,
    "cut": _cut,
}
"""How each kind of piece is made."""


def piece(rng: random.Random, kind: str, name: str, amount: int, *, first: bool) -> Piece:
    """A piece of that kind, with a call as the format of that name writes it; a plain call where that cannot be.

    Args:
        rng: where chance comes from.
        kind: a key of PIECES.
        name: the name of a format.
        amount: the value that only this call has.
        first: whether it begins the turn.
    """
    made = _Made(rng, name, amount)
    found = PIECES[kind](made)
    kind, (stands, text) = (kind, found) if found else ("call", _plain(made))
    before = rng.choice(JOINTS if kind in {"call", "header"} else LINE_JOINTS)
    call = _call(amount)
    note = ("note", {"text": written(name, amount).strip()})
    return Piece(
        kind=kind,
        format=name,
        text=text,
        before="" if first else before,
        written=(call,) if stands != "text" else (),
        runs=(call,) if stands == "runs" else (note,) if stands == "value" else (),
        runs_alone=(call,) if stands == "alone" else (),
        runs_last=(call,) if stands == "last" else (),
        calls_only=(stands in {"runs", "alone", "last", "value"} or kind in _NO_TEXT)
        and (first or before not in _TEXTS),
        ends_turn=stands == "ends",
        has_header=_has_header(made),
    )
