# In which of the ways that a format can express a call carries its name and arguments, and where in a turn each call
# begins and ends. Does not depend on the text around and between calls (fit.py).
#
#   whole      {"name": NAME, "arguments": {…}}        one JSON object, or nested in one: {call}
#   arguments  NAME … {"key": "value"}                  an object after the name: {arguments}; bare keys: ScriptObject()
#              {NAME: {…}}                              the same, in an object whose key the name is
#   keywords   NAME(key='value')                        Python: {keywords}
#   quoted     NAME{key:<|"|>value<|"|>}                bare keys, strings between markers: {arguments} in Quoted(…)
#   tree       NAME … ⟨<key>value⟨</key>                nested tags: {arguments} in Tree(…)
#   parameters NAME … key … value                       texts, or JSON (parameter.py): {parameters}
"""How a call carries its name and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.spec import JSON, Codec, Quoted, ScriptObject, Tree
from toolglean.scan.by_schema.literals import literal_at
from toolglean.scan.python import KeywordsReader
from toolglean.scan.quoted import QuotedReader
from toolglean.scan.scanner import DONE
from toolglean.scan.values import value_of
from toolglean.sources.templates.infer.parameter import Parameter, parameter_of
from toolglean.sources.templates.infer.probes import Call
from toolglean.sources.templates.infer.texts import markers_of

__all__ = ["KEYWORDS", "Body", "CallSyntax", "as_list", "beside_fields", "call_syntax_of", "enclosing", "keys_in"]

MAX_OBJECTS = 60  # how many brackets are tried as the start of the object around a leaf
KEYWORDS = "({keywords})"
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Body:
    """One call in a turn: from its first slot to its last.

    Attributes:
        start, end: its place in the turn.
        pattern: the text there, with slots.
    """

    start: int
    end: int
    pattern: str


@dataclass(frozen=True, slots=True)
class CallSyntax:
    """How calls carry their name and arguments.

    Attributes:
        slot: the slot of the arguments, or of the whole call, with the text that belongs to it.
        codec: the codec of {arguments}.
        parameter: for {parameters}, and for a tree: how one is written.
        keys: for {call}: the keys of name and arguments.
    """

    slot: str
    codec: Codec = JSON
    parameter: Parameter | None = None
    keys: tuple[str, str] = ("name", "arguments")

    def bodies(self, text: str, calls: tuple[Call, ...]) -> list[Body]:
        """The place of each call.

        Raises:
            FormatError: one of the calls is not in the text.
        """
        found: list[Body] = []
        for each in calls:
            found.append(self._body(text, each, found[-1].end if found else 0, calls))
        return found

    def _body(self, text: str, each: Call, here: int, calls: tuple[Call, ...]) -> Body:
        start = text.find(each.name, here)
        from_here = here if self.slot == "{call}" else start  # the name may come after the arguments
        places = [_after(text, leaf, from_here) for leaf in each.arguments.values()]
        if start == -1 or -1 in places:
            raise FormatError(f"it does not write the whole call of {each.name}")
        if self.slot == "{call}":
            return _object(text, each, start, calls)
        begin, end = self._place(text, each, start)
        return Body(start, end, text[start:begin].replace(each.name, "{name}") + self.slot)

    def _place(self, text: str, each: Call, start: int) -> tuple[int, int]:
        # The place of the arguments, with the text that belongs to them.
        key, last = next(iter(each.arguments)), list(each.arguments)[-1]
        begin = text.find(key, start)
        if self.parameter is not None:
            opener, closer = self.parameter.opener, self.parameter.closer.replace("{key}", last)
            end = _after(text, each.arguments[last], text.find(last, start))
            return begin - len(opener), end + self.parameter.is_json + len(closer)
        if self.slot == KEYWORDS:
            begin = text.rfind("(", 0, begin)
            return begin, _read_to(KeywordsReader(), text, begin + 1)
        if isinstance(self.codec, Quoted):
            begin = text.rfind("{", 0, begin)
            return begin, _read_to(QuotedReader(self.codec.quote), text, begin)
        return _arguments(text, each, start, self.codec)


def call_syntax_of(text: str, two: Call, typed: Mapping[str, str]) -> CallSyntax:
    """The syntax of the call in a turn with one call of two arguments.

    Args:
        text: the turn.
        two: the call.
        typed: for each JSON type, a turn with one call whose only argument is of it (`probes.TYPED`); "" if there is
            none.

    Raises:
        FormatError: no format can express it.
    """
    start = text.find(two.name)
    first = next(iter(two.arguments))
    around = next((value for begin, end, value in enclosing(text, start) if first in text[begin:end]), None)
    if around is not None and two.name not in around:
        keys = keys_in(around, two.name, lambda found: bool(found == two.arguments))
        return CallSyntax("{call}", keys=keys or ("name", "arguments"))
    for codec in (JSON, ScriptObject()):
        with suppress(FormatError):
            _arguments(text, two, start, codec)
            return CallSyntax("{arguments}", codec)
    return _textual(text, two, start, typed)


def enclosing(text: str, place: int, codec: Codec = JSON) -> Iterator[tuple[int, int, Any]]:
    """The objects around a place, innermost first: (start, end, value)."""
    begin, read = place, _json_at if codec == JSON else literal_at
    for _ in range(MAX_OBJECTS):
        begin = text.rfind("{", 0, begin)
        if begin == -1:
            return
        found = read(text, begin)
        if found is not None and found[0] > place:
            yield begin, *found


def _json_at(text: str, begin: int) -> tuple[int, Any] | None:
    try:
        value, end = _decoder.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    return end, value


def _after(text: str, leaf: Any, start: int) -> int:
    at = text.find(str(leaf), max(start, 0))
    return -1 if at == -1 else at + len(str(leaf))


def keys_in(value: Any, name: str, fits: Callable[[Any], bool]) -> tuple[str, str] | None:
    """The keys of the name and of the arguments, in an object or in one that is a value of it; None if it has none.

    Args:
        value: the object.
        name: the name.
        fits: whether a value can be the arguments, which may also be a text that contains them.
    """
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            named = next((key for key, inner in each.items() if inner == name), None)
            for key, inner in each.items() if named is not None else ():
                if fits(value_of(inner) if isinstance(inner, str) else inner):
                    return str(named), key
            pending += reversed(each.values())
    return None


def _object(text: str, each: Call, start: int, calls: tuple[Call, ...]) -> Body:
    # The outermost object around a name that has no other call in it.
    key = next(iter(each.arguments))
    others = [other.name for other in calls if other.name != each.name]
    found = None
    for begin, end, _ in enclosing(text, start):
        inside = text[begin:end]
        if key not in inside or any(other in inside for other in others) or inside.count(each.name) > 1:
            if found:
                break
            continue
        found = (begin, end)
    if found is None:
        raise FormatError(f"the call of {each.name} is not a separate object")
    return Body(*found, "{call}")


def _arguments(text: str, each: Call, start: int, codec: Codec = JSON) -> tuple[int, int]:
    # The place of the arguments, an object.
    key = next(iter(each.arguments))
    at = text.find(key, start)
    for begin, end, value in enclosing(text, at, codec):
        if begin >= start and isinstance(value, dict) and value.keys() == each.arguments.keys():
            return begin, end
        break
    raise FormatError(f"the arguments of {each.name} are not a JSON object")


def _read_to(reader: Any, text: str, begin: int) -> int:
    end, _, status = reader.read(text, begin)
    if status != DONE:
        fault, shown = reader.fault or "no end found", text[begin : begin + 80]
        mend = "write each value with |tojson, and a comma between two"
        raise FormatError(f"the arguments end early: {fault}: {shown!r}; {mend}")
    return int(end)


def _textual(text: str, two: Call, start: int, typed: Mapping[str, str]) -> CallSyntax:
    keys, values = list(two.arguments), list(two.arguments.values())
    places = []
    here = start + len(two.name)
    for leaf in (keys[0], values[0], keys[1], values[1]):
        at = text.find(leaf, here)
        if at == -1:
            raise FormatError(_not_found(leaf, text, start, is_key=leaf in keys))
        places.append((at, at + len(leaf)))
        here = at + len(leaf)
    name_end = text.rfind(two.name, 0, places[0][0]) + len(two.name)
    head, middle = text[name_end : places[0][0]], text[places[0][1] : places[1][0]]
    between, post = text[places[1][1] : places[2][0]], text[places[3][1] :]
    if re.fullmatch(r"\s*\(\s*", head) and middle.strip(" '\"") == "=":
        return CallSyntax(KEYWORDS)
    quote = middle.partition(":")[2].strip()
    if head.rstrip().endswith("{") and middle.lstrip().startswith(":") and quote and post.startswith(quote):
        return CallSyntax("{arguments}", Quoted(quote))
    between = between.replace(keys[0], "{key}")
    parameter = parameter_of(head, middle, between, post.replace(keys[1], "{key}"), typed)
    prefix = _tree_prefix(parameter, typed.get("object", ""))
    if prefix is None:
        return CallSyntax("{parameters}", parameter=parameter)
    return CallSyntax("{arguments}", Tree(prefix), Parameter(f"{prefix}<", ">", f"{prefix}</{{key}}>"))


def _not_found(leaf: str, text: str, start: int, *, is_key: bool) -> str:
    # Why a key or a value is not where it should be.
    what = "a key" if is_key else "a value"
    if -1 < text.find(leaf) < start:
        return (
            "it writes the arguments before the tool's name, and not in one JSON object with it: write the name first"
        )
    if leaf in text:
        return f"it does not write {what} where it is expected: write each key, and its value after it"
    return f"it does not write {what} of the arguments as it is"


def _tree_prefix(parameter: Parameter, nested: str) -> str | None:
    # Tags named after the parameters, with nested objects as tags too.
    if not parameter.middle.startswith(">") or not re.search(r"</\{key\}>", parameter.closer):
        return None
    prefix = parameter.closer[: parameter.closer.find("</{key}>")]
    inner = re.search(re.escape(prefix) + r"<zqxinner>zqxdeep" + re.escape(prefix) + "</zqxinner>", nested)
    return prefix if inner else None


def has_marker(text: str) -> bool:
    """Whether a text has a marker that is more than brackets, commas and white space."""
    return any(re.search(r"\w", each) for each in markers_of(text))


def beside_fields(pattern: str, keys: tuple[str, str]) -> str:
    """The pattern, with the object written out in place of `{call}` if an id or a number of the call is beside it."""
    if "{id}" not in pattern and "{index}" not in pattern:
        return pattern
    return pattern.replace("{call}", f'{{"{keys[0]}": "{{name}}", "{keys[1]}": {{arguments}}}}')


def as_list(before: str, after: str) -> str | None:
    """`{calls}`, which reads a JSON list with its brackets, in place of a `{call}` between these; None without them."""
    if before.rstrip().endswith("[") and after.lstrip().startswith("]"):
        return before.rstrip()[:-1] + "{calls}" + after.lstrip()[1:]
    return None
