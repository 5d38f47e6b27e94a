# Python's keyword arguments, which are the text between the parentheses of a call, as JSON text. Does not depend on
# calls and their names. literals.py reads the literals.
#
#   city='Paris', n=3, deep={"a": [1, None]}, t=(1, 2))   →   {"city": "Paris", "n": 3, "deep": {"a": [1, null]}, …}
#
# Two brackets do not show at once what they open: `{` a dict or a set, `(` a tuple or only a value in parentheses. What
# follows each of them is held back in a rope until the first comma, colon or closing bracket decides. Everything else
# is emitted as it is read.
#
# Departures from Python, and why:
# - one positional dict, f({"a": 1}), is accepted as the keywords: models write it
# - the name of a keyword may be a reserved word, and may contain `-` and `.`: some tools have such parameters
# - tuples and sets become lists, and keys of dicts become their JSON text: JSON has nothing else
# - a repeated keyword is written twice: decoding takes the last one, and reports it
# - comments, operators, calls and names as values are refused
"""Python keyword arguments, incrementally."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TypeAlias

from toolglean.scan.literals import AFTER, BODY, KEYWORD, STOPS, Literals
from toolglean.scan.plain import Rope, flat, joined
from toolglean.scan.reader import string_text
from toolglean.scan.scanner import DONE, SCALAR, SHORT, STRING, loop, numbers
from toolglean.scan.text import passing

__all__ = ["KeywordsReader", "literal_text"]

# States, named for what has been read. White space is skipped before all of these; the others are in literals.py.
VALUE = 2  # `a=`: a value
ITEM = 3  # `[` or `[1,`: a value or the closing bracket
START = 4  # nothing: a name, a dict or `)`
NEXT = 5  # `a=1,`: a name or `)`
NAMED = 6  # `city `: the `=`
LONE = 7  # `{"a": 1}`, the positional dict
LONE_COMMA = 8  # `{"a": 1},`

# Open containers, one character each. A dict changes its character between key and value.
CALL = "k"
SOLE = "="  # nothing but one value: see `literal_text`
BRACE = "?"  # `{`: a dict or a set
DICT = "{"  # a key is read
DICT_VALUE = ":"
SET = "s"
PARENS = "("  # a tuple or a value
TUPLE = "t"
LIST = "["
LONE_DICT = "d"  # nothing but one dict, without a parenthesis after it

_CLOSERS = {
    CALL: ")", SOLE: ")", BRACE: "}", DICT: "}", DICT_VALUE: "}", SET: "}", PARENS: ")", TUPLE: ")", LIST: "]",
    LONE_DICT: "",
}  # fmt: skip
_OPENERS = {"{": BRACE, "(": PARENS, "[": LIST}
_UNDECIDED = frozenset({BRACE, PARENS})

_name = passing(r"[\w.-]*")
_name_start = re.compile(r"[^\W\d]").match

Pending: TypeAlias = "tuple[()] | tuple[Pending, Rope]"


class KeywordsReader(Literals):
    """Reads keyword arguments and the parenthesis that closes them.

    Args:
        max_depth: how many containers may be open, including parentheses.
        sole: whether to read nothing but one value and a closing parenthesis: see `literal_text`.
        lone: whether to read one dict, and nothing after it.
    """

    __slots__ = ("_pending",)

    closers: ClassVar = _CLOSERS

    def __init__(self, max_depth: int = 256, *, sole: bool = False, lone: bool = False) -> None:
        super().__init__(max_depth)
        self.stack, self.state = (SOLE, VALUE) if sole else (LONE_DICT if lone else CALL, START)
        self._pending: Pending = ()  # what undecided brackets hold back, the innermost last

    def stops(self) -> str:
        """See `DialectReader`."""
        return STOPS[self._quote] if self.state == BODY and not self._pending else ""

    def write(self, text: str) -> None:
        """JSON text that has become certain, unless a bracket holds it back."""
        if self._pending:
            outer, rope = self._pending
            self._pending = (outer, (rope, text))
        else:
            self.out.append(text)

    def scalar(self, text: str) -> None:
        """A number, true, false or null, whole. As a key it becomes a string."""
        self.write_item(f'"{text}"' if self.stack[-1] == DICT else text)

    def opens(self, kind: str) -> None:
        """See `Scanner`."""
        if self.stack[-1] == BRACE:  # no key: the first item of a set
            self.decide(SET, "[")
        if kind in _UNDECIDED:
            self.write_item("")
            self._pending = (self._pending, ())
        else:
            self.write_item("[")

    def decide(self, kind: str, opener: str) -> None:
        """The innermost bracket is of that kind: write its opener, and what was held back after it."""
        self._pending, rope = self._pending  # type: ignore[misc]  # an undecided bracket has a rope
        held = joined(rope)
        self.stack = self.stack[:-1] + kind
        self.write(opener + (held if kind != DICT_VALUE or self.kind == STRING else f'"{held}"'))

    def pop(self, pos: int) -> int:
        """Close the innermost container, whose bracket is at `pos`."""
        top = self.stack[-1]
        if top in {CALL, SOLE}:
            self.write("}" if top == CALL else "")
            self.token = DONE
            return pos + 1
        if top == PARENS:
            self.decide(top, "")  # a value in parentheses is the value
        elif self.stack[:-1] not in {"", LONE_DICT}:  # else the lone dict: it is closed below, or in `_read_lone`
            self.write("}" if top in {DICT, DICT_VALUE} else "]")
        self.stack, self.lead = self.stack[:-1], ""
        self.state = AFTER if self.stack else LONE
        if self.stack == LONE_DICT:
            self.write("}")
            self.token = DONE
        return pos + 1

    def brackets(self) -> str:
        """See `Scanner`. Behind a comma, more than brackets may be missing."""
        return "" if self.lead else super().brackets()

    def __getstate__(self) -> dict[str, Any]:
        # A flat tuple, because nested ones would be too deep for pickle.
        ropes = []
        pending = self._pending
        while pending:
            pending, rope = pending
            ropes.append(flat(rope))
        return super().__getstate__() | {"_pending": tuple(reversed(ropes))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._pending = ()
        for rope in state["_pending"]:
            self._pending = (self._pending, rope)

    def _read_after(self, text: str, pos: int) -> int:
        char, top = text[pos], self.stack[-1]
        if char == ":" and top in {BRACE, DICT}:
            return self._colon(top, pos)
        if char == "," and top not in {DICT, SOLE}:
            return self._comma(top, pos)
        if char == _CLOSERS[top] and top != DICT:
            if top == BRACE:
                self.decide(SET, "[")
            return self.pop(pos)
        if top == DICT:
            return self.fail("a colon was expected", pos)
        return self.fail(f"a comma or {_CLOSERS[top]} was expected", pos)

    def _colon(self, top: str, pos: int) -> int:
        if top == BRACE:
            self.decide(DICT_VALUE, "{")
        else:
            self.stack = self.stack[:-1] + DICT_VALUE
        self.write(": ")
        self.state = VALUE
        return pos + 1

    def _comma(self, top: str, pos: int) -> int:
        if top == BRACE:
            self.decide(SET, "[")
        elif top == PARENS:
            self.decide(TUPLE, "[")
        elif top == DICT_VALUE:
            self.stack = self.stack[:-1] + DICT
        self.lead = ", "
        self.state = NEXT if top == CALL else ITEM
        return pos + 1

    def _read_value(self, text: str, pos: int) -> int:
        char, top = text[pos], self.stack[-1]
        if char in _OPENERS:
            return self.fail("a key was expected", pos) if top == DICT else self.push(_OPENERS[char], ITEM, pos)
        if char == _CLOSERS[top] and self.state == ITEM:
            if top == BRACE:
                self.decide(DICT, "{")
            elif top == PARENS:
                self.decide(TUPLE, "[")
            return self.pop(pos)
        if top == LIST and len(text) - pos > SHORT and (end := numbers(text, pos).end()) > pos:
            self.write_item(", ".join(map(str.strip, text[pos:end].split(",")[:-1])))
            self.lead, self.kind, self.state = ", ", SCALAR, ITEM
            return end
        return self.begin_literal(char, pos)

    def _read_start(self, text: str, pos: int) -> int:
        char = text[pos]
        first = self.state == START
        if self.stack == LONE_DICT and char != "{":
            return self.fail("a dict was expected", pos)
        if char == ")" or (char == "{" and first) or _name_start(char):
            if first:
                self.write("{")
            if char == ")":
                return self.pop(pos)
            if char == "{":
                self.stack, self.state = (LONE_DICT if self.stack == LONE_DICT else "") + DICT, ITEM
                return pos + 1
            self.state, self.held = KEYWORD, ""
            return pos
        return self.fail("the name of a keyword argument was expected", pos)

    def _read_keyword(self, text: str, pos: int) -> int:
        pos = self.take_name(text, pos, _name(text, pos).end())
        if pos < len(text) and not self.token:
            self.state = NAMED
        return pos

    def _read_name_end(self, text: str, pos: int) -> int:
        if text[pos] != "=":
            return self.fail("= was expected", pos)
        self.write_item(string_text(self.held) + ": ")
        self.state = VALUE
        return pos + 1

    def _read_lone(self, text: str, pos: int) -> int:
        if text[pos] == "," and self.state == LONE:
            self.state = LONE_COMMA
        elif text[pos] == ")":
            self.write("}")
            self.token = DONE
        else:
            return self.fail(") was expected", pos)
        return pos + 1

    states = (
        _read_after, Literals.read_after_string, _read_value, _read_value, _read_start, _read_start, _read_name_end,
        _read_lone, _read_lone, *Literals.literal_states, _read_keyword,
    )  # fmt: skip
    advance = loop(states, LONE_COMMA + 1, passing(r"[ \t\n\r\f]*"))


def literal_text(text: str, max_depth: int = 256) -> tuple[str | None, str]:
    """The JSON text of the Python literal of which the text consists: lists for tuples and sets, text for keys.

    Returns:
        As `value_text` in tokens.py: the JSON text and "", or None and what was expected.
    """
    reader = KeywordsReader(max_depth + 1, sole=True)
    pos, found, token = reader.read(text + ")", 0)
    return (found, "") if token is DONE and pos > len(text) else (None, reader.fault or "the rest was expected")
