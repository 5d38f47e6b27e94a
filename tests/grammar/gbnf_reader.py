# How llama.cpp reads GBNF and walks it: rules, and a set of stacks of what is still expected.
# Does not depend on how our GBNF is written. It is a reader of its own, so that the tests do not ask the writer.
"""A reader of GBNF, as llama.cpp's works: for tests where neither xgrammar nor llguidance is installed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
# What a rule's alternative is made of: characters (with whether they are left out), or the name of a rule.
Element: TypeAlias = "tuple[Ranges, bool] | str"

MAX_COUNT = 2000
EMPTY = 0
"""The number of the empty stack: where it is expected, the turn may end."""
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}
HEX = {"x": 2, "u": 4, "U": 8}


class GbnfError(ValueError):
    """llama.cpp would refuse it."""


@dataclass
class Reader:
    """Reads the text of a grammar."""

    text: str
    at: int = 0
    rules: dict[str, list[list[Element]]] = field(default_factory=dict)
    made: int = 0

    def read(self) -> dict[str, list[list[Element]]]:
        self.space(newlines=True)
        while self.at < len(self.text):
            name = self.name()
            self.space()
            self.expect("::=")
            self.space(newlines=True)
            if name in self.rules:
                raise GbnfError(f"{name} is there twice")
            self.rules[name] = []
            self.rules[name] = self.alternatives(name, nested=False)
            self.space(newlines=True)
        for name, ways in list(self.rules.items()):
            for each in (element for way in ways for element in way if isinstance(element, str)):
                if each not in self.rules:
                    raise GbnfError(f"{name}: no rule {each}")
        return self.rules

    def space(self, *, newlines: bool = False) -> None:
        while self.at < len(self.text) and self.text[self.at] in (" \t\r\n" if newlines else " \t"):
            self.at += 1

    def expect(self, text: str) -> None:
        if not self.text.startswith(text, self.at):
            raise GbnfError(f"{text} was expected at {self.text[self.at : self.at + 30]!r}")
        self.at += len(text)

    def name(self) -> str:
        begin = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] == "-"):
            self.at += 1
        if begin == self.at:
            raise GbnfError(f"a name was expected at {self.text[begin : begin + 30]!r}")
        return self.text[begin : self.at]

    def char(self) -> int:
        char = self.text[self.at]
        if char != "\\":
            self.at += 1
            return ord(char)
        code = self.text[self.at + 1]
        if code in HEX:
            digits = self.text[self.at + 2 : self.at + 2 + HEX[code]]
            self.at += 2 + HEX[code]
            return int(digits, 16)
        if code not in ESCAPES:
            raise GbnfError(f"unknown escape \\{code}")
        self.at += 2
        return ord(ESCAPES[code])

    def alternatives(self, name: str, *, nested: bool) -> list[list[Element]]:
        ways = [self.sequence(name, nested=nested)]
        while self.at < len(self.text) and self.text[self.at] == "|":
            self.at += 1
            self.space(newlines=True)
            ways.append(self.sequence(name, nested=nested))
        return ways

    def sequence(self, name: str, *, nested: bool) -> list[Element]:
        found: list[Element] = []
        last = 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in '"[(' or char.isalnum():
                last = len(found)
                found += self.item(name)
            elif char in "*+?{":
                found[last:] = self.repeated(name, found[last:])
                last = len(found) - 1 if len(found) > last else last
            else:
                break
            self.space(newlines=nested)
        return found

    def item(self, name: str) -> list[Element]:
        char = self.text[self.at]
        if char == '"':
            self.at += 1
            text: list[Element] = []
            while self.text[self.at] != '"':
                code = self.char()
                text.append((((code, code),), False))
            self.at += 1
            return text
        if char == "[":
            return [self.char_class()]
        if char == "(":
            self.at += 1
            self.space(newlines=True)
            inner = self.new(name)
            self.rules[inner] = self.alternatives(name, nested=True)
            self.expect(")")
            return [inner]
        return [self.name()]

    def char_class(self) -> tuple[Ranges, bool]:
        self.at += 1
        negated = self.text[self.at] == "^"
        self.at += negated
        ranges = []
        while self.text[self.at] != "]":
            low = high = self.char()
            if self.text[self.at] == "-" and self.text[self.at + 1] != "]":
                self.at += 1
                high = self.char()
            ranges.append((low, high))
        self.at += 1
        return tuple(ranges), negated

    def new(self, name: str) -> str:
        self.made += 1
        return f"{name}_{self.made}"

    def repeated(self, name: str, item: list[Element]) -> list[Element]:
        char = self.text[self.at]
        self.at += 1
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(char) or self.bounds()
        if max(least, most or 0) > MAX_COUNT:
            raise GbnfError("number of repetitions exceeds sane defaults")
        found = item * least
        if most is None:
            again = self.new(name)
            self.rules[again] = [[*item, again], []]
            return [*found, again]
        last = ""
        for _ in range(most - least):
            more = self.new(name)
            self.rules[more] = [[*item, *([last] if last else [])], []]
            last = more
        return [*found, *([last] if last else [])]

    def bounds(self) -> tuple[int, int | None]:
        end = self.text.index("}", self.at)
        low, comma, high = self.text[self.at : end].partition(",")
        self.at = end + 1
        return int(low), (int(high) if high.strip() else None) if comma else int(low)


class Gbnf:
    """A grammar, and a walk through it.

    A stack is a number: that of the sequence on top, how much of it has been read, and the number of the stack below, which
    are the same number each time. What is expected is a set of stacks.
    """

    def __init__(self, text: str) -> None:
        self._ways: list[list[Element]] = []
        self._rules: dict[str, range] = {}
        for name, ways in Reader(text).read().items():
            self._rules[name] = range(len(self._ways), len(self._ways) + len(ways))
            self._ways += ways
        self._stacks: list[tuple[int, int, int]] = [(0, 0, 0)]  # the first one is the empty stack
        self._numbers: dict[tuple[int, int, int], int] = {}
        self.start = self._ready([self._stack(way, 0, EMPTY) for way in self._rules["root"]])
        self._known: dict[frozenset[int], dict[str, frozenset[int]]] = {}

    def _stack(self, way: int, at: int, rest: int) -> int:
        # What has been read to its end is left out.
        if at == len(self._ways[way]):
            return rest
        stack = (way, at, rest)
        number = self._numbers.get(stack)
        if number is None:
            number = self._numbers[stack] = len(self._stacks)
            self._stacks.append(stack)
        return number

    def _top(self, stack: int) -> Element:
        way, at, _ = self._stacks[stack]
        return self._ways[way][at]

    def _ready(self, todo: list[int]) -> frozenset[int]:
        # The stacks on whose top characters are, and the empty one.
        found: set[int] = set()
        seen: set[int] = set()
        while todo:
            stack = todo.pop()
            if stack in seen:
                continue
            seen.add(stack)
            top = self._top(stack) if stack else ""
            if stack and isinstance(top, str):
                way, at, rest = self._stacks[stack]
                after = self._stack(way, at + 1, rest)
                todo += [self._stack(each, 0, after) for each in self._rules[top]]
            else:
                found.add(stack)
        return frozenset(found)

    def fits(self, stacks: frozenset[int], char: str) -> bool:
        """Whether the character is one of those expected."""
        return any(stack and _fits(self._top(stack), ord(char)) for stack in stacks)

    def step(self, stacks: frozenset[int], char: str) -> frozenset[int]:
        """What is expected after that character; nothing: it does not fit."""
        known = self._known.setdefault(stacks, {})
        if char not in known:
            after: list[int] = []
            for stack in stacks:
                if stack and _fits(self._top(stack), ord(char)):
                    way, at, rest = self._stacks[stack]
                    after.append(self._stack(way, at + 1, rest))
            known[char] = self._ready(after)
        return known[char]

    def accepts(self, text: str) -> bool:
        """Whether the whole text is a turn."""
        stacks = self.start
        for char in text:
            stacks = self.step(stacks, char)
            if not stacks:
                return False
        return EMPTY in stacks


def _fits(element: Element, code: int) -> bool:
    assert not isinstance(element, str)
    ranges, negated = element
    return any(low <= code <= high for low, high in ranges) != negated
