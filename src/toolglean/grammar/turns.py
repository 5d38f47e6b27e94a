# How a format's calls, text and reasoning make up a turn. Does not depend on how arguments are written (arguments.py),
# or on the notations.
#
# The law: what `render` writes for valid calls is in the grammar, and `parse` reads whatever is in the grammar. So
# calls are written in the main spelling of the format, and text must not contain anything with which a reader would
# begin a call, a section or reasoning, in any spelling.
"""A turn of a format, as a grammar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from toolglean.errors import UsageError
from toolglean.formats.compile import Program, compiled
from toolglean.formats.patterns import is_bare
from toolglean.formats.render import render
from toolglean.formats.spec import Format, Json, Literal, Pairs, PythonDict, Quoted, Slot, Token, tokens_of
from toolglean.grammar.arguments import Arguments
from toolglean.grammar.dialects import JsonDialect, PythonDialect
from toolglean.grammar.nodes import EMPTY, Lit, Node, Rules, Seq, Terminal, Text, alt, chars, opt, repeat, seq
from toolglean.grammar.prose import QUOTES_CLOSED, WORD, WORD_END, FirstWord, NoCall, NotStartingWith
from toolglean.grammar.regexes import FirstChar
from toolglean.grammar.shapes import Notes, Schemas
from toolglean.grammar.texts import Avoid, Constraint
from toolglean.scan.names import NAMESPACES, namespaces_of
from toolglean.tools import Tool, ToolSet

__all__ = ["Turn"]

INDEX = Terminal(alt(Lit("0"), seq(chars(("1", "9")), repeat(chars(("0", "9")), 0, 3))))
ID = Terminal(repeat(chars(("0", "9"), ("A", "Z"), "_.:-", ("a", "z")), 1, 128))
MANY = 40  # with more parameter names, only their first letters are forbidden after the opener of a parameter
QUOTING = (
    "<!--",
    "~~~",
    *(f"<{each}" for name in ("pre", "code", "script") for each in (name, name.upper(), name.title())),
)
"""With these, readers take what follows for quoted text."""
FOLLOWING = "({:<"  # after a tool's name at the start of a turn, with or without white space, it is a call
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


class Turn:
    """The turns of one format with some tools.

    Args:
        declared: the format.
        tools: the tools.
        notes: collects what is left out of the schemas.
    """

    def __init__(self, declared: Format, tools: ToolSet, notes: Notes) -> None:
        self.format, self.tools, self.notes = declared, tools, notes
        self.rules = Rules()
        self._calls: dict[str, Node] = {}
        self.schemas = {tool.name: Schemas(tool.parameters, notes) for tool in tools}
        self.spellings = declared.for_tools(tools.names) or declared
        self.program: Program = compiled((self.spellings,))

    def _error(self, reason: str) -> UsageError:
        return UsageError(f"format {self.format.name!r}: {reason}")

    # -- the turn ------------------------------------------------------------------------------------------------------

    def whole(self, choice: str, *, parallel: bool, reasoning: bool) -> Node:
        """A turn: see `grammar_of`."""
        chosen = [tool for tool in self.tools if choice in {"auto", "required", tool.name}]
        if choice == "none" or not chosen:
            turn = self.text()
        else:
            calls = self.calls(chosen, parallel=parallel)
            ways = [self.text(), self._after_text(calls)] if choice == "auto" else [calls]
            turn = alt(*ways, *self._continued_calls(chosen, parallel=parallel))
        return seq(opt(self.reasoning()), turn) if reasoning else turn

    def reasoning(self) -> Node:
        """The reasoning, with its markers."""
        opener, closer = self.format.reasoning
        if not opener:
            raise self._error("it has no markers for reasoning: leave out reasoning=True")
        channel = self.program.channel(self.program.reasoning_channel(0, 0), ())
        avoid = tuple(dict.fromkeys((closer.strip(), *channel.finder.literals)))
        return seq(Lit(opener), Text((Avoid(avoid),), closer))

    def text(self) -> Node:
        """A turn of text alone."""
        return Text((Avoid(self.markers), *self._start_constraints))

    def _after_text(self, calls: Node) -> Node:
        # Calls, with text before them if the format's calls have a marker.
        if self._is_bare:
            return calls
        found: dict[str, list[Node]] = {}
        for opener, rest in _split(calls):
            ends = [opener.find(mark) + len(mark) for mark in self.markers if mark in opener]
            if not ends:  # nothing separates text from a call, so the call must begin the turn
                return calls
            found.setdefault(opener[: min(ends)], []).append(seq(Lit(opener[min(ends) :]), rest))
        return alt(*(seq(self._before(mark), alt(*rests)) for mark, rests in found.items()))

    def _before(self, mark: str) -> Node:
        # Any text, and the marker: a marker that begins with a letter is one only at the start of a word.
        ends: tuple[Constraint, ...] = (WORD_END,) if mark[0] in PLAIN else ()
        return Text((Avoid((*self.markers, *QUOTING)), *self._start_constraints, QUOTES_CLOSED, *ends), mark)

    # -- what text must not contain ------------------------------------------------------------------------------------

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """What text must not contain: the marker of each call, section and reasoning."""
        declared = self.spellings
        openers = (opener for opener, _ in declared.all_sections)
        patterns = (*openers, *declared.calls, *chain.from_iterable(declared.all_reasonings))
        found = dict.fromkeys(mark for pattern in patterns if (mark := _marker(pattern)))
        return tuple(each for each in found if not any(other != each and other in each for other in found))

    @cached_property
    def _is_bare(self) -> bool:
        # Whether the main spelling has no marker, so that it is a call only at the start of the turn.
        opening = next(iter(tokens_of((self.format.section[0] or self.spellings.call).strip())), None)
        return not isinstance(opening, Literal) or is_bare(opening.text)

    @cached_property
    def _start_constraints(self) -> tuple[Constraint, ...]:
        # What the turn must not begin with, because a call may begin it without a marker. Readers take bare JSON, or a
        # known name, at the start of a turn for a call in every format: to them, the format is advice.
        place = self.program.bare_start(())
        signs = "".join(char for char in "{[(\"'`" if self.program.nfa.step(place, char) is not None)
        signs = "".join(dict.fromkeys(signs + "{["))
        names = self._first_word
        dropped = tuple(filter(_marker, self.format.drop))  # after one of them, the turn still begins
        return (FirstChar(signs, spaces=True), *([NotStartingWith(dropped)] if dropped else []), *names)

    @cached_property
    def _first_word(self) -> tuple[Constraint, ...]:
        # In a format whose calls begin with the name, no other word may begin the turn like a call either: the reader
        # takes it for text, but it is a call that the model got wrong.
        names = self.tools.names
        initials = dict.fromkeys(name[:1] for name in (*names, *sorted(namespaces_of(names)))) if names else {}
        others = ""
        if self._is_bare and self.spellings.call.startswith("{name}"):
            after = self.spellings.call.removeprefix("{name}").strip()
            others = "{" if after.startswith("{") else after[:1]
        letters = "".join(dict.fromkeys(("".join(WORD) + "".join(names)).replace("(", "")))
        return (FirstWord("".join(initials), letters, FOLLOWING, others),) if initials or others else ()

    # -- calls ---------------------------------------------------------------------------------------------------------

    def calls(self, tools: Sequence[Tool], *, parallel: bool) -> Node:
        """One call or several, with the section around them."""
        opener, closer = map(_text_of, self.format.section)
        if "{calls}" in self.format.call:
            before, after = self.format.call.split("{calls}")
            return seq(Lit(opener + before), self._list(tools, parallel=parallel), Lit(after + closer))
        first = alt(*(self._call(tool) for tool in tools))
        return seq(Lit(opener), first, self._more(tools) if parallel else EMPTY, Lit(closer))

    def _more(self, tools: Sequence[Tool]) -> Node:
        # Lexers do not backtrack, so the separator of two calls is part of the second one.
        separator = Lit(_text_of(self.format.separator))
        return repeat(self.rules.named(alt(*(seq(separator, self._call(tool)) for tool in tools))))

    def _list(self, tools: Sequence[Tool], *, parallel: bool) -> Node:
        dialect = JsonDialect()
        before, after, _ = dialect.list_brackets
        one = self.rules.named(alt(*(self._object(tool) for tool in tools)))
        return seq(before, one, repeat(seq(dialect.comma, one)) if parallel else EMPTY, after)

    def _object(self, tool: Tool) -> Node:
        dialect = JsonDialect()
        before, after, _ = dialect.object_brackets
        name, arguments = self.format.keys
        named = seq(dialect.key(name), dialect.literal(tool.name) or EMPTY)
        return seq(before, named, dialect.comma, dialect.key(arguments), self._arguments(tool).nested(dialect), after)

    def _arguments(self, tool: Tool) -> Arguments:
        path = f"tools.{tool.name}.parameters"
        return Arguments(self.format, self.schemas[tool.name], self.rules, path, self._value_constraints)

    @cached_property
    def _value_constraints(self) -> tuple[Constraint, ...]:
        # A value must not contain the beginning of a call, which readers distrust and `render` refuses. Nor may it
        # contain the opener of one of the tools' parameters: readers would repair a missing closer before it.
        if not self.format.parameters:
            return ()
        before = self.program.before_names(0)
        found: list[Constraint] = [NoCall(before, self.tools.names)] if before else []
        heads = dict.fromkeys(filter(None, map(_first_of, self.format.parameters)))
        names = dict.fromkeys(self.format.escaped(name) for tool in self.tools for name in tool.properties)
        ends = names if len(names) <= MANY else dict.fromkeys(name[:1] for name in names)
        openers = tuple(head + end for head in heads for end in ends)
        return (*found, Avoid(openers)) if openers else tuple(found)

    def _call(self, tool: Tool) -> Node:
        if tool.name not in self._calls:  # the first call of a turn, and each further one
            self._calls[tool.name] = self._call_of(tool)
        return self._calls[tool.name]

    def _call_of(self, tool: Tool) -> Node:
        self._check(tool)
        declared = self.format.for_tools([tool.name]) or self.format
        call = self._filled(declared.call, tool)
        parts = call.parts if isinstance(call, Seq) else (call,)
        return seq(parts[0], self.rules.named(seq(*parts[1:])))

    def _continued_calls(self, tools: Sequence[Tool], *, parallel: bool) -> list[Node]:
        # Calls whose first opener was already in the prompt: functionary's `>>>`, a message's header.
        first = next(iter(tokens_of(self.format.call)))
        rest = self.format.call[len(first.text) :] if isinstance(first, Literal) else ""
        second = next(iter(tokens_of(rest.strip())), None)
        plain = isinstance(second, Slot) or (isinstance(second, Literal) and second.text[0] in PLAIN)
        if not plain or rest.strip() not in self.format.also or self.format.section[0]:
            return []
        spellings = dict.fromkeys((rest, rest.strip()))
        ways = [self._filled(each, tool) for tool in tools for each in spellings]
        return [seq(alt(*ways), self._more(tools) if parallel else EMPTY)]

    def _filled(self, pattern: str, tool: Tool) -> Node:
        found: list[Node] = []
        before: Token | None = None
        for token in tokens_of(pattern):
            if isinstance(token, Slot):
                found.append(self._slot(token.name, tool))
            else:  # the parenthesis after the keywords is part of them
                found.append(Lit(token.text[1:] if before == Slot("keywords") else token.text))
            before = token
        return seq(*found)

    def _slot(self, slot: str, tool: Tool) -> Node:
        if slot == "name":
            return Lit(self.format.escaped(tool.name))
        if slot in {"index", "id"}:
            return INDEX if slot == "index" else ID
        if slot == "server":  # any other name would be one that the reader ignores, with a `Problem`
            return alt(*map(Lit, sorted(NAMESPACES)))
        if slot == "call":
            return self._object(tool)
        arguments, codec = self._arguments(tool), self.format.arguments
        if slot == "keywords":
            return arguments.keywords()
        if slot == "parameters":
            return arguments.parameters()
        if isinstance(codec, Pairs):
            reason = "a grammar cannot say where {value} ends, so it cannot express its pairs of key and value"
            raise self._error(f"{reason}: use {{parameters}}, with {{json}}")
        if isinstance(codec, Json):
            return arguments.nested(JsonDialect())
        if isinstance(codec, PythonDict):
            return arguments.nested(PythonDialect())
        return arguments.quoted(codec) if isinstance(codec, Quoted) else arguments.elements(codec)

    # -- names that the format can write -------------------------------------------------------------------------------

    def _check(self, tool: Tool) -> None:
        """Refuse names of tools and parameters that the format cannot write."""
        odd = [name for name in tool.properties if not _is_plain(name)]
        if _is_plain(tool.name) and not odd:
            return
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in odd}}
        for name in (None, *odd):
            arguments = {} if name is None else {name: "x"}
            try:
                render(self.format, [(tool.name, arguments)], tools=ToolSet([Tool(tool.name, schema)]))
            except UsageError as error:
                raise UsageError(f"{error}: rename it, or use another format") from error


def _is_plain(name: str) -> bool:
    return bool(name) and not set(name) - PLAIN and not name[0].isdigit()


def _first_of(pattern: str) -> str:
    # The text before the first slot.
    return pattern.strip().partition("{key}")[0].replace("{ws}", "")


def _text_of(pattern: str) -> str:
    return "".join("" if isinstance(token, Slot) else token.text for token in tokens_of(pattern))


def _marker(pattern: str) -> str:
    # The text with which everything that matches the pattern begins: the first literal, or a later one that is a better
    # marker.
    literals: list[str] = []
    for token in tokens_of(pattern.strip()):
        if isinstance(token, Slot) and token.name not in {"name", "id", "index", "server"}:
            break
        literals += [token.text] if isinstance(token, Literal) else []
    bare = not literals or is_bare(literals[0]) or pattern.lstrip().startswith(("{name}", "{id}"))
    if bare:
        return ""
    if literals[0][0] not in PLAIN:
        return literals[0]
    return next((each for each in literals if each.startswith("<")), literals[0])


def _split(calls: Node) -> Iterable[tuple[str, Node]]:
    # The literal with which each alternative of the calls begins, and the rest of it.
    parts = calls.parts if isinstance(calls, Seq) else (calls,)
    first, rest = parts[0], seq(*parts[1:])
    if isinstance(first, Lit):
        yield first.text, rest
        return
    for way in getattr(first, "ways", (first,)):
        for opener, inner in _split(way) if not isinstance(way, Lit) else [(way.text, EMPTY)]:
            yield opener, seq(inner, rest)
