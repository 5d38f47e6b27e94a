# The arguments that a user may give, and the parser that they make. Does not depend on how anything is read.
"""The parser that users make."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, TypedDict

from toolglean.engine.modes import CALL, DONE, REPAIR, SKIP
from toolglean.engine.weighing import Weighing
from toolglean.events import Content, Event, Output, fold, plain_output
from toolglean.options import DEFAULT, ParserOptions
from toolglean.sources.choose import choose_for_parser
from toolglean.sources.choose.arguments import atomic_of, check_arguments, text_of
from toolglean.tools import ToolLike, ToolSet

if TYPE_CHECKING:
    from toolglean.engine.evidence.kinds import Special
    from toolglean.engine.plan import Plan
    from toolglean.formats.spec import Format

__all__ = ["FormatLike", "Parser", "ParserArguments", "State"]

FormatLike: TypeAlias = "str | Format | Sequence[str | Format]"
"""What is accepted as a format: a `Format`, the name of one, "auto", or a list of these, of which the first takes
precedence."""


class ParserArguments(TypedDict, total=False):
    """The arguments of `Parser` besides `tools`, for functions that pass them on.

    Attributes:
        format, model, template, start, prompt, options, atomic: as for `Parser`.
    """

    format: FormatLike | None
    model: str | None
    template: str | PathLike[str] | None
    start: Literal["content", "reasoning"] | None
    prompt: str
    options: ParserOptions | None
    atomic: Iterable[str] | None


class State(enum.Enum):
    """Where the parser is."""

    LOOKING_FOR_TAG = 0
    """In text: content or reasoning."""
    TOOL_CALLING = 1
    """In a call."""
    DONE = 2
    """In text after which no call is looked for."""


class Parser(Weighing):
    """Turns one turn of a model, chunk by chunk, into content, reasoning and tool calls.

    A parser reads one turn, and belongs to one thread at a time. Any number of parsers may run in any number of
    threads, also without the GIL, and share a `ToolSet`, a `Format` and `ParserOptions`.

    Args:
        tools: the tools that the model may call: names, functions, `Tool` objects or tool dicts; or a `ToolSet`, best
            shared by all turns. None or an empty list means that they are not known.
        format: how the model writes: a `Format` (see its constructors `from_model`, `from_template`, `from_tag`, …),
            the name of one (`toolglean formats` lists them), or "auto", which looks for the openers of all formats at
            once. A list of formats reads all of them; where two of them fit, the first is used. "auto" is the default
            if neither `model` nor `template` shows the format.
        model: a model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`, whose format is known: short for
            `format=Format.from_model(model)`.
        template: the model's chat template (Go or Jinja) or an Ollama Modelfile, as text or as a path object
            (`pathlib.Path`): short for `format=Format.from_template(template)`. If you pass `model` too, it is used if
            no format can be read from the template.
        start: "reasoning" if the prompt has opened the reasoning, "content" if not; None: as the chat template shows,
            or else content.
        prompt: the prompt, or its end, which shows whether the reasoning is open. Only the text after the header of the
            model's own message is read. It gives no events, and positions count from the end of the prompt.
        options: what is done with calls that could be read in more than one way, and the limits; None: the default
            ones.
        atomic: the markers that are one token in the model's vocabulary, best as a `frozenset` that all turns share;
            texts that are not markers are ignored. With `feed(chunk, special=…)`, a marker among these that is spelled
            out in ordinary tokens is doubted. None: not known.

    Raises:
        UsageError: an argument is wrong, a name is unknown, or a file cannot be read.
        FormatError: the declaration of a format is wrong, or no way of writing calls can be read from the template.
        ToolError: an entry of `tools` is not a tool.
        TemplateError: `template` is not a chat template, or cannot be rendered.
    """

    __slots__ = ()

    def __init__(
        self,
        tools: Iterable[ToolLike] | ToolSet | None = None,
        *,
        format: FormatLike | None = None,  # noqa: A002  # the field's own word for it
        model: str | None = None,
        template: str | PathLike[str] | None = None,
        start: Literal["content", "reasoning"] | None = None,
        prompt: str = "",
        options: ParserOptions | None = None,
        atomic: Iterable[str] | None = None,
    ) -> None:
        check_arguments(format=format, model=model, start=start, prompt=prompt, options=options)
        known = (tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)) or None
        options = options or DEFAULT
        chosen = choose_for_parser(format, model, template)
        plan = chosen.plan(known, strict=options.strict)
        own, is_own = chosen.own_prompt(prompt, plan) if prompt else ("", True)
        super().__init__(
            plan,
            known,
            options,
            reasoning=start == "reasoning" or (start is None and not prompt and chosen.starts_reasoning),
            prompt=own,
            is_own=is_own,
        )
        single = None if atomic is None else atomic_of(atomic)
        self._know(single if options.quoted == "content" else None)
        self._choose(options, _json_plan(known, options))

    def feed(self, chunk: str | None, special: Special = None) -> list[Event]:
        """Read one chunk.

        Args:
            chunk: the next piece of the model's text: of any length, cut anywhere, possibly empty. None counts as empty
                text, because clients pass it for a chunk without text (`delta.content`).
            special: which characters of the chunk were written by special tokens, or by tokens that are one marker: all
                of them (True), none (False), or those in the spans `(start, end)`, which count the characters of the
                chunk. None: not known, as if there were no ids. A marker that its token wrote is a marker, also in
                code; for one that is spelled out see `atomic`.

        Returns:
            The events that have become certain, in the order in which the model wrote them. Often this is a single
            `Content`, or an empty list while text is held back.

        Raises:
            UsageError: the turn was ended by `finish` or `close` (make a new parser for each turn), the chunk is not
                text (the message says what to do instead), or a span is not within it.
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if special is not None:
            return self._weigh(chunk, special)
        # Most chunks stop here.
        if self._guard not in chunk and self._second not in chunk and self._third not in chunk:
            if not chunk:
                return []
            start = self._pos
            self._pos = end = start + len(chunk)
            self._fresh.append(chunk)
            if end > self._due:
                self._catch_up()
            return [Content(chunk, start)]
        return self._feed(chunk) if self._evidence is None and self._sieve is None else self._feed_aside(chunk)

    def add(self, chunk: str | None, special: Special = None) -> Output:
        """Read one chunk and fold its events: its content, its reasoning, and the calls that it completed.

        Arguments and errors are those of `feed`.
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if special is not None:
            return fold(self._weigh(chunk, special))
        if self._guard not in chunk and self._second not in chunk and self._third not in chunk:
            if not chunk:
                return Output()
            start = self._pos
            self._pos = end = start + len(chunk)
            self._fresh.append(chunk)
            if end > self._due:
                self._catch_up()
            return plain_output(chunk, start)
        plain = self._evidence is None and self._sieve is None
        events = self._feed(chunk) if plain else self._feed_aside(chunk)
        if len(events) == 1 and type(event := events[0]) is Content:
            return plain_output(event.text, event.start)
        return fold(events)

    def finish(self) -> list[Event]:
        """End the turn.

        Returns:
            The last events: text that was held back; calls that are certain only now, such as one in bare JSON; and a
            call that was cut off, as a `CallEnd` with status "incomplete". A second `finish` returns an empty list.
        """
        return super().finish()

    def close(self) -> Output:
        """End the turn, and fold its last events: text that was held back, calls that are certain only now, which must
        be run like those of `add`, and in `unfinished` a call that was cut off.
        """
        return fold(self.finish())

    def fork(self) -> Self:
        """Copy the parser, at any point; the copies then continue separately. For beam search, replay and retries."""
        twin = super().fork()
        twin._vocabulary, twin._evidence = self._vocabulary, self._evidence and self._evidence.copy()
        twin._sieve = self._sieve and self._sieve.copy()
        return twin

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __repr__(self) -> str:
        found = self.format or self._plan.described
        tools = "" if self.tools is None else f", tools={list(self.tools.names)}"
        return f"<Parser format={'auto' if found is None else found.name!r}{tools}, state={self.state.name}>"

    @property
    def state(self) -> State:
        """Where the parser is: looking for a tag, in a call, or done looking."""
        mode = self._mode()
        if mode in {CALL, REPAIR, SKIP}:
            return State.TOOL_CALLING
        return State.DONE if mode == DONE else State.LOOKING_FOR_TAG

    @property
    def tools(self) -> ToolSet | None:
        """The tools; None if you passed none."""
        return self._turn.names.tools

    @property
    def format(self) -> Format | None:
        """The format that you passed or, with "auto" or a list, that was detected from the turn.

        None while it is not known, and where only a tag or a response template shows how calls are written.
        """
        formats = self._plan.formats
        if len(formats) == 1:
            return formats[0]
        only = self._as_read().narrowed_to
        return formats[only[0]] if formats and only else None


def _json_plan(tools: ToolSet | None, options: ParserOptions) -> Plan | None:
    # What reads JSON at the end of a turn, if it is read.
    if options.trailing_json != "call" or options.strict or tools is None or not tools.has_parameters:
        return None
    from toolglean.sources.choose.plans import json_plan  # noqa: PLC0415  # only with this option

    return json_plan(tools.known)
