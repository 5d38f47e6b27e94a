# What this file knows: the arguments that a user may give, and the parser that they make.
# What it must not know: how anything is read.
"""The parser that users make."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

from toolglean.engine.machine import Machine
from toolglean.engine.modes import CALL, DONE, REPAIR, SKIP
from toolglean.events import Content, Event, Output, fold
from toolglean.limits import Limits
from toolglean.sources.choose import Given, choose
from toolglean.sources.choose.arguments import check_arguments, text_of
from toolglean.tools import ToolLike, ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["Parser", "State"]

_LIMITS = Limits()


class State(enum.Enum):
    """Where the parser is, in Ollama's words."""

    LookingForTag = 0
    ToolCalling = 1
    Done = 2


class Parser(Machine):
    """Turns one turn of a model, chunk by chunk, into content, reasoning and tool calls.

    Args:
        tools: the tools that the model may call: names, functions, `Tool` objects or tool dicts; or a `ToolSet`, best
            shared by all turns. None or an empty list means that they are not known.
        format: a `Format`, the name of one (`toolglean formats` lists them), or "auto", which looks for the openers of
            all formats at once. "auto" is the default if no other argument tells the format.
        model: a model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`, whose format is known.
        template: the model's chat template (Go or Jinja) or an Ollama Modelfile, as text or as a path object
            (`pathlib.Path`). The format is read from it: a known format is recognised, another one is inferred and
            proven by a round trip. If neither works, only its tag is used. Jinja needs `toolglean[jinja]`. Reading a
            template takes about a second, once for each text.
        variables: JSON values for the template, as your server passes them besides the messages:
            `{"enable_thinking": True}`. If the answer depends on such a variable, nothing is concluded without it.
        tokenizer_config: Hugging Face's `tokenizer_config.json`, as a dict or a path. Its `response_template` is used,
            or else its `chat_template`.
        response_template: a response template of Hugging Face, version 1.
        tag: the marker that starts a call, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
        closer: the marker that ends a call; None: read from the template, or derived from the tag.
        strict: whether the format is read alone that `format`, `model` or a template names. By default its calls come
            first, and what it does not read is read as another format of the library, or as bare or fenced JSON at the
            start of the turn, if that is a call of one of `tools`. "auto" and a tag are not affected.
        start: "reasoning" if the prompt has opened the reasoning, "content" if not; None: as the chat template shows,
            or else content.
        prompt: the prompt, or its end, which shows whether the reasoning is open. Only the text after the header of the
            model's own message is read. It gives no events, and positions count from the end of the prompt.
        unknown_tools: what to do with a call to a tool that is not in `tools`: "call" reports it with `known=False`;
            "content" returns its text as content.
        calls_in_reasoning: what to do with calls inside the reasoning. "draft" keeps them back, up to `call_chars`: if
            more reasoning follows, or its closing marker, they are reasoning; if the turn ends, they are calls. "call"
            returns them at once, "text" never.
        quoted: what to do with calls in quotations: between backticks, in a fence that opened after other text, in a
            line that begins with `>`, in an HTML comment, `pre`, `code` or `script`, or in a tool's result that the
            model made up. "content" returns them as content, "call" reads them. A fence that opens the turn, and
            contains calls, is markup.
        repair: whether to mend malformed calls that can be meant in one way only. `ToolCall.repairs` names what was
            mended, and a `Problem` says where. If False, such calls stay "malformed".
        coerce: whether values written as text are typed by the tool's JSON schema; if False, they stay text.
        markup: whether to report the format's own text outside calls as `Markup`. The events then cover every
            character of the turn.
        id_prefix: the beginning of a call's id, before its index, if the model writes no ids.
        limits: how much a turn may use.
        untrusted: whether to render the template in a child process with limits on time and memory, because you do not
            trust it.

    If you pass several of these, the first counts, in this order: format or tag; response_template; template (or what
    tokenizer_config contains); model.

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
        format: str | Format | None = None,  # noqa: A002  # the field's own word for it
        model: str | None = None,
        template: str | PathLike[str] | None = None,
        variables: Mapping[str, Any] | None = None,
        tokenizer_config: Mapping[str, Any] | str | PathLike[str] | None = None,
        response_template: Mapping[str, Any] | None = None,
        tag: str | None = None,
        closer: str | None = None,
        strict: bool = False,
        start: Literal["content", "reasoning"] | None = None,
        prompt: str = "",
        unknown_tools: Literal["call", "content"] = "call",
        calls_in_reasoning: Literal["draft", "call", "text"] = "draft",
        quoted: Literal["content", "call"] = "content",
        repair: bool = True,
        coerce: bool = True,
        markup: bool = False,
        id_prefix: str = "call_",
        limits: Limits | None = None,
        untrusted: bool = False,
    ) -> None:
        check_arguments(
            format=format,
            model=model,
            tokenizer_config=tokenizer_config,
            response_template=response_template,
            tag=tag,
            closer=closer,
            strict=strict,
            start=start,
            prompt=prompt,
            unknown_tools=unknown_tools,
            calls_in_reasoning=calls_in_reasoning,
            quoted=quoted,
            repair=repair,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits,
            untrusted=untrusted,
        )
        known = (tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)) or None
        chosen = choose(
            Given(format, response_template, tokenizer_config, template, variables, model, tag, closer, strict),
            known,
            untrusted=untrusted,
        )
        super().__init__(
            chosen.plan,
            known,
            unknown_tools=unknown_tools,
            calls_in_reasoning=calls_in_reasoning,
            quoted=quoted,
            repair=repair,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits or _LIMITS,
            reasoning=start == "reasoning" or (start is None and not prompt and chosen.starts_reasoning),
            prompt=prompt and chosen.prompt(prompt),
        )

    def feed(self, chunk: str | None) -> list[Event]:
        """Read one chunk.

        Args:
            chunk: the next piece of the model's text: of any length, cut anywhere, possibly empty. None counts as empty
                text, because clients pass it for a chunk without text (`delta.content`).

        Returns:
            The events that have become certain, in the order in which the model wrote them. Often this is a single
            `Content`, or an empty list while text is held back.

        Raises:
            UsageError: the turn was ended by `finish` or `close` (make a new parser for each turn), or the chunk is not
                text (the message says what to do instead).
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        # Most chunks stop here.
        if (
            self._guard not in chunk
            and self._second not in chunk
            and "`" not in chunk
            and "~" not in chunk
            and ">" not in chunk
            and "{" not in chunk
            and "[" not in chunk
        ):
            if not chunk:
                return []
            start = self._pos
            self._pos = start + len(chunk)
            self._last = chunk
            return [Content(chunk, start)]
        return self._feed(chunk)

    def add(self, chunk: str | None) -> Output:
        """Read one chunk and fold its events: its content, its reasoning, and the calls that it completed.

        Arguments and errors are those of `feed`.
        """
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if (
            self._guard not in chunk
            and self._second not in chunk
            and "`" not in chunk
            and "~" not in chunk
            and ">" not in chunk
            and "{" not in chunk
            and "[" not in chunk
        ):
            if chunk:
                self._pos += len(chunk)
                self._last = chunk
            return Output(chunk)
        events = self._feed(chunk)
        if len(events) == 1 and type(event := events[0]) is Content:
            return Output(event.text)
        return fold(events)

    def finish(self) -> list[Event]:
        """End the turn.

        Returns:
            The last events: text that was held back, and a call that was cut off, as a `CallEnd` with status
            "incomplete". A second `finish` returns an empty list.
        """
        return super().finish()

    def close(self) -> Output:
        """End the turn: returns text that was held back and, in `unfinished`, a call that was cut off."""
        return fold(super().finish())

    def fork(self) -> Self:
        """Copy the parser, at any point; the copies then go on separately. For beam search, replay and retries."""
        return super().fork()

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    @property
    def state(self) -> State:
        """Where the parser is: looking for a tag, in a call, or done looking."""
        mode = self._turn.mode
        if mode in {CALL, REPAIR, SKIP}:
            return State.ToolCalling
        return State.Done if mode == DONE else State.LookingForTag

    @property
    def tools(self) -> ToolSet | None:
        """The tools; None if you passed none."""
        return self._turn.names.tools

    @property
    def limits(self) -> Limits:
        """How much the turn may use."""
        return self._turn.limits

    @property
    def format(self) -> Format | None:
        """The format that you passed or, with "auto", that the turn has shown; None while it is not known."""
        formats: tuple[Format, ...] = getattr(self._plan, "formats", ())
        if len(formats) == 1:
            return formats[0]
        only = self._turn.only
        return formats[only[0]] if formats and only else None

    @property
    def tag(self) -> str | None:
        """The tag that the parser looks for, if only a tag is known."""
        found: str | None = getattr(self._plan, "tag_text", None)
        return found
