# Writes a turn in a format: reasoning, content, section, calls, closers. Does not depend on how it is read
# (write_check.py asks the compiled format), or on what tools are.
#
# The main spelling is written, with the white space that the patterns declare. Of several parameter patterns, the first
# that can write a value is used. A value that would not be read back as it is meant is refused, never rewritten:
#
#   parse(render(format, calls, tools=tools), tools, format=format).calls == calls, or an error
#
# This is decided slot by slot, by rules; no turn is parsed (`toolglean.render` also does that). The same is true for
# content and reasoning, except for white space next to a marker, which belongs to the format.
"""Turns, as the model would have written them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from toolglean.errors import UsageError, shown
from toolglean.events import ToolCall
from toolglean.formats.compile import Program, compiled
from toolglean.formats.parameters import followers_of
from toolglean.formats.patterns import begins_with_objects, ends_of_pairs
from toolglean.formats.registry import get_format
from toolglean.formats.spec import Format, Pairs, PythonDict, Quoted, Slot, Token, Tree, tokens_of
from toolglean.formats.write_check import Piece, check_slots
from toolglean.formats.write_parameters import literal_texts, parameter_pieces
from toolglean.formats.write_values import (
    MAX_DEPTH,
    json_text,
    keywords_text,
    misfit,
    pairs_text,
    python_text,
    quoted_item,
    tree_item,
)
from toolglean.scan.coerce import properties
from toolglean.scan.data import DEFINITION, fault_of_arguments, is_definition
from toolglean.scan.json import decode
from toolglean.scan.names import has_name_after, is_word, namespaces_of, without_namespace
from toolglean.scan.text import is_code
from toolglean.scan.tokens import object_text

__all__ = ["CallLike", "Tools", "fields_of", "render"]

SERVER = "tools"  # where a format names the server of a tool
MAX_CALLS = 1024  # a parser's default limit

CallLike: TypeAlias = "ToolCall | tuple[str, Mapping[str, Any]] | Mapping[str, Any]"


class Tools(Protocol):
    """Tools by name: a `ToolSet`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names."""

    def get(self, name: str, /) -> Any:
        """The tool of that name, which has `parameters`; or None."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to write. `of` names it in messages."""

    name: str
    arguments: dict[str, Any]
    id: str
    index: int
    of: str


def render(
    format: str | Format,  # noqa: A002  # the field's own word for it
    calls: Iterable[CallLike] = (),
    *,
    content: str = "",
    reasoning: str = "",
    tools: Tools | None = None,
) -> str:
    """The turn that a model of that family would have written.

    Args:
        format: a `Format`, or the name of one.
        calls: `ToolCall` objects; pairs of name and arguments; or dicts with `name` and `arguments` (also in OpenAI's
            `{"id": …, "function": {…}}`, and with the arguments as a JSON string). Ids are written where the format's
            main spelling has them: the call's own, else `call_0`, `call_1`, …
        content: text before the calls.
        reasoning: text between the format's reasoning markers, before everything else.
        tools: the tools with which the turn will be read. Formats that write values as text need them for values that
            are not strings, because only the schema distinguishes `3` from `"3"`.

    Returns:
        The turn. Parsed with the same format and tools, it gives the same calls, content and reasoning, except for
        white space next to a marker.

    Raises:
        UsageError: parsing would not return something unchanged; the message names the call, the parameter and the
            reason. For a history that will not be parsed, leave the parameter out, or pass the text as content.
        FormatError: the declaration is wrong.
    """
    declared = get_format(format) if isinstance(format, str) else format.declared("write calls")
    return _Turn(declared, tools).written(_calls(calls, declared), content, reasoning)


def _calls(given: Iterable[CallLike], declared: Format) -> list[Call]:
    found = [_call(each, index, declared) for index, each in enumerate(given)]
    if len(found) > MAX_CALLS:
        raise UsageError(f"a turn has at most {MAX_CALLS:,} calls, not {len(found):,}")
    return found


def _call(given: CallLike, index: int, declared: Format) -> Call:
    if isinstance(given, ToolCall) and given.status != "ok":
        of = f"format {declared.name!r}, call {index} ({given.name!r})"
        raise UsageError(f"{of}: it is {given.status}, and only complete calls can be written")
    name, arguments, own_id = fields_of(given)
    of = f"format {declared.name!r}, call {index} ({name!r})"
    if not isinstance(name, str) or not name.strip() or misfit(name):
        raise UsageError(f"{of}: the name is empty or not text: pass the name of a tool")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise UsageError(
                f"{of}: arguments={shown(arguments)} are not JSON ({error}): pass a dict or JSON text"
            ) from error
        except RecursionError:
            arguments = _deep_object(arguments, of)
    if not isinstance(arguments, Mapping):
        raise UsageError(f"{of}: arguments={shown(arguments)} are not an object: pass a dict or JSON text")
    reason = misfit(dict(arguments))
    if reason:
        wrong = next((key for key, value in arguments.items() if misfit(key) or misfit(value)), "")
        raise UsageError(f"{of}, argument {wrong!r}: {reason}")
    return Call(name, dict(arguments), own_id if isinstance(own_id, str) else f"call_{index}", index, of)


def _deep_object(text: str, of: str) -> Any:
    found, fault = object_text(text, MAX_DEPTH + 1)  # one more than may be written: `misfit` says so
    if found is None:
        raise UsageError(f"{of}: the arguments cannot be written as JSON: {fault}")
    return decode(found)[0]


def fields_of(given: Any) -> tuple[Any, Any, Any]:
    """The name, the arguments and the id of a call. Raises UsageError: it is not a call."""
    if isinstance(given, ToolCall):
        return given.name, given.arguments, given.id
    if isinstance(given, Mapping):
        inner = given.get("function", given)
        if isinstance(inner, Mapping):
            return inner.get("name"), inner.get("arguments", {}), given.get("id")
    elif isinstance(given, tuple) and len(given) == 2:
        return given[0], given[1], None
    raise UsageError(f"not a call (a ToolCall, a pair of name and arguments, or a dict with both): {given!r:.200}")


class _Turn:
    # Writes one turn, as pieces.

    def __init__(self, declared: Format, tools: Tools | None) -> None:
        self.format, self.tools = declared, tools
        names = () if tools is None else tools.names
        self.program: Program = compiled((declared.for_tools(names) or declared,))

    def written(self, calls: list[Call], content: str, reasoning: str) -> str:
        """The whole turn."""
        for each in calls:
            self._check_name(each)
            self._check_arguments(each)
        before = self._reasoning(reasoning) if reasoning else ""
        pieces = list(self._section(calls)) if calls else []
        after = "".join(piece.whole for piece in pieces)
        self._check_content(content, after)
        if pieces:
            self._check(pieces, content)
            for each in calls[:-1]:
                self._check_end(each)
        return before + content + after

    def _error(self, reason: str) -> UsageError:
        return UsageError(f"format {self.format.name!r}: {reason}")

    # -- what is before the calls --------------------------------------------------------------------------------------

    def _reasoning(self, text: str) -> str:
        opener, closer = self.format.reasoning
        if not opener:
            raise self._error("it has no markers for reasoning: leave out reasoning")
        channel = self.program.channel(self.program.reasoning_channel(0, 0), ())
        place, found = channel.finder.find(text + closer.lstrip(), 0)
        if place != len(text) or misfit(text):
            raise self._error(f"the reasoning contains a marker: {found or text[place:]!r}")
        return f"{opener}{text}{closer}"

    def _check_content(self, text: str, after: str) -> None:
        place, found = self.program.channel(0, ()).finder.find(text + after, 0)
        cut_off = text.startswith(
            self.format.headers, place
        )  # a turn that ends within a message's header shows none of it
        if misfit(text) or (place < len(text) and (found or after or cut_off)):
            raise self._error(f"the content contains a marker: {found or text[place:]!r}")
        if text and not found and self._has_marker(after):
            raise self._error(f"the content ends within a word, which the marker would continue: {text[-40:]!r}")
        if after.lstrip().startswith("```") and is_code(after.split(maxsplit=1)[0]) and text.strip():
            raise self._error(
                "its calls are in a code fence, which is a quotation after other text: there can be no content"
            )
        if self.program.has_bare and text.strip():
            if after and not self._has_marker(after):
                raise self._error("its calls come at the start of the turn: there can be no content before them")
            if self._may_be_call(text.lstrip()):
                raise self._error(f"the content begins like a call: {text.lstrip()[:40]!r}")

    def _has_marker(self, after: str) -> bool:
        place, found = self.program.channel(0, ()).finder.find(after, 0)
        return bool(found) and not after[:place].strip()

    def _may_be_call(self, text: str) -> bool:
        place = self.program.bare_start(())
        edges = place.slot_for(text[0])
        literals = self.program.nfa.terminals(place.key).literals
        if any(text[: len(each)] == each[: len(text)] for each in literals):
            return True
        if not edges or edges[0].kind != "name":
            return bool(edges)
        end = next((at for at, char in enumerate(text) if not is_word(char)), len(text))
        terminals = self.program.nfa.terminals([edge.target for edge in edges])
        rest = text[end:].lstrip()
        return rest[:1] in terminals.chars or any(
            rest[: len(each)] == each[: len(rest)] for each in terminals.literals if rest
        )

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _check_name(self, call: Call) -> None:
        if self.tools is None:
            if self.format.registered_only:
                raise UsageError(f"{call.of}: this format reads only calls to known tools: pass tools")
            return
        found = self._read_as(call.name)
        if found is None and (self.program.has_bare or self.format.registered_only):
            raise UsageError(
                f"{call.of}: no such tool, and this format reads only calls to known tools: pass the tool in tools"
            )
        if found not in {None, call.name}:
            raise UsageError(f"{call.of}: it would be read as a call of {found!r}")

    def _check_arguments(self, call: Call) -> None:
        # Refuse what would be read as the definition of a tool, or as data: see scan/data.py.
        if "{call" not in self.format.call:
            return
        tool: Any = self.tools.get(call.name) if self.tools is not None else None
        unmarked = begins_with_objects(self.format.call) and (not self.format.section[0] or self.program.has_bare)
        schema = None if tool is None else tool.parameters
        fault = fault_of_arguments(call.arguments, schema) if unmarked else ""
        if fault or is_definition(call.arguments, schema):
            raise UsageError(f"{call.of}: it would not be read as a call: {fault or DEFINITION}")

    def _check(self, pieces: list[Piece], content: str) -> None:
        channel = self.program.channel(0, ())
        opening = channel.states_after(content)
        bare = self.program.has_bare and not content.strip()
        start = self.program.written_start() if bare else opening
        spaced = bool(getattr(self.tools, "spaced", False))
        self._check_quotes(pieces)
        followers = followers_of(self.format)
        check_slots(self.program.nfa, start, opening, pieces, spaced=spaced, followers=followers)

    def _check_quotes(self, pieces: list[Piece]) -> None:
        literals = self.program.before_names(0)
        for piece in pieces:
            if piece.kind in {"key", "value", "open value"} and has_name_after(piece.text, literals, self._may_name):
                what = piece.kind.removeprefix("open ")
                raise UsageError(f"{piece.of}: the {what} contains the beginning of a call: {piece.text[:40]!r}")

    def _may_name(self, word: str) -> bool:
        return self.tools is None or self._read_as(word) is not None

    def _read_as(self, name: str) -> str | None:
        """The tool as whose call that name is read, with or without a namespace; None if there is none."""
        if self.tools is None or self.tools.get(name) is not None:
            return name
        names = self.tools.names
        return without_namespace(name, namespaces_of(names), frozenset(names))

    def _section(self, calls: list[Call]) -> Iterator[Piece]:
        opener, closer = self.format.section
        of = f"format {self.format.name!r}"
        yield from (Piece("", token, of) for token in literal_texts(opener))
        if "{calls}" in self.format.call:
            yield from self._call(calls)
        else:
            for number, call in enumerate(calls):
                if number:
                    yield from (Piece("", text, call.of) for text in literal_texts(self.format.separator))
                yield from self._call([call])
        yield from (Piece("", token, of) for token in literal_texts(closer))

    def _call(self, calls: list[Call]) -> Iterator[Piece]:
        call, first = calls[0], True
        before: Token | None = None
        for token in tokens_of((self.format.for_tools([call.name]) or self.format).call):
            if not isinstance(token, Slot):
                # The parenthesis after {keywords} is the end of the keywords themselves.
                text = token.text[1:] if before == Slot("keywords") else token.text
                yield Piece("", text, call.of, opens=first)
                first = first and text.isspace()
            elif token.name == "parameters":
                yield from self._parameters(call)
            elif token.name in {"call", "calls"}:
                yield Piece("call", self._objects(calls, listed=token.name == "calls"), call.of)
            else:
                yield Piece(token.name, self._filled(token.name, call), call.of)
            before = token

    def _objects(self, calls: list[Call], *, listed: bool) -> str:
        name, arguments = self.format.keys
        found: list[Any] = [{name: call.name, arguments: call.arguments} for call in calls]
        return json_text(found if listed else found[0])

    def _filled(self, slot: str, call: Call) -> str:
        if slot == "keywords":
            return keywords_text(call.arguments) + ")"
        if slot == "arguments":
            return self._arguments(call)
        return {"name": self.format.escaped(call.name), "id": call.id, "index": str(call.index), "server": SERVER}[slot]

    def _schema(self, call: Call) -> Any:
        tool = self.tools.get(call.name) if self.tools is not None else None
        return getattr(tool, "parameters", None) or {}

    # -- arguments -----------------------------------------------------------------------------------------------------

    def _arguments(self, call: Call) -> str:
        codec, root = self.format.arguments, self._schema(call)
        if isinstance(codec, Pairs):
            written, wrong = pairs_text(call.arguments, codec, root, ends_of_pairs(self.program.formats[0]))
            if wrong is not None:
                raise self._unwritable(call, wrong)
            return written
        if isinstance(codec, Quoted):
            items = [(key, quoted_item(key, value, codec, root)) for key, value in call.arguments.items()]
        elif isinstance(codec, Tree):
            named = self.format.is_for_tools
            items = [
                (key, tree_item(key, value, codec, root, named_tag=named)) for key, value in call.arguments.items()
            ]
        else:
            return python_text(call.arguments) if isinstance(codec, PythonDict) else json_text(call.arguments)
        for key, text in items:
            if text is None:
                raise self._unwritable(call, key)
        texts = [text for _, text in items if text is not None]
        return "{" + ",".join(texts) + "}" if isinstance(codec, Quoted) else "".join(texts)

    def _unwritable(self, call: Call, key: str) -> UsageError:
        known = key in properties(self._schema(call))
        why = "with its schema" if known else "without a schema: pass tools"
        shown = f"{call.arguments[key]!r:.60}"
        return UsageError(f"{call.of}, argument {key!r}: this format has no text that is read as {shown} {why}")

    def _check_end(self, call: Call) -> None:
        # Without arguments and without a closer, nothing but a name is there.
        if not call.arguments and self.format.call.rstrip().endswith("{parameters}"):
            raise UsageError(f"{call.of}: without arguments, nothing shows that it is a call when another one follows")

    def _parameters(self, call: Call) -> Iterator[Piece]:
        root = self._schema(call)
        for number, (key, value) in enumerate(call.arguments.items()):
            of = f"{call.of}, argument {key!r}"
            schema = properties(root).get(key) if root else None
            pieces = parameter_pieces(self.format, key, value, root, schema, of)
            if pieces is None:
                raise self._unwritable(call, key)
            if number:
                yield from (Piece("", text, of) for text in literal_texts(self.format.parameter_separator))
            yield from pieces
