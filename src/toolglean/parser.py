# What this file knows: the arguments that a user may give, and the parser that they make.
# What it must not know: how anything is read.
"""The parser that users make."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

from toolglean.choose import Given, choose
from toolglean.choose.arguments import check_arguments, text_of
from toolglean.engine.machine import Machine
from toolglean.engine.modes import CALL, DONE, SKIP
from toolglean.events import Content, Event, Output, fold
from toolglean.limits import Limits
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


class Parser:
    """Turns one turn of a model, chunk by chunk, into content, reasoning and tool calls.

    Args:
        tools: what the model was told that it may call: names, functions, `Tool` objects or tool dicts; a `ToolSet`;
            or None (or nothing) where that is not known.
        format: a `Format`, the name of one (`toolglean formats` lists them), or "auto": the openers of all formats are
            looked for at once. Given nothing else, this is what happens.
        model: a model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`, whose format is known.
        template: the model's chat template (Go or Jinja), or an Ollama Modelfile, as text or as a path object
            (`pathlib.Path`) of its file. The format is read from it: known by what it writes, or inferred and proven by
            round trip; if neither, only its tag. Jinja needs `toolglean[jinja]`. Read once for each text: about a
            second.
        variables: what the template is given beside the messages, as your server gives it: `{"enable_thinking": True}`.
            Values of JSON. Without them nothing is concluded where the answer depends on whether the model thinks.
        tokenizer_config: Hugging Face's `tokenizer_config.json`, as a dict or a path: its `response_template`, else its
            `chat_template`.
        response_template: a response template of Hugging Face, version 1.
        tag: the marker that starts a call, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
        closer: the marker that ends what the tag started; None: read from the template, or derived from the tag.
        start: "content", or "reasoning" where the prompt has opened the reasoning; None: as the chat template says,
            else content.
        prompt: the prompt, whole or its end, from which that is read: the model's own message in it, behind its header.
            What others wrote before that header is never read. Its events are dropped, and places count from its end.
        unknown_tools: what becomes of a call to a tool that is not in `tools`: "call" reports it with `known=False`,
            "content" gives its text back.
        coerce: whether values written as text are typed by the tool's JSON schema; False: they stay text.
        markup: report the format's own text outside calls as `Markup`, so that the events tile the turn.
        id_prefix: ids of calls are this and the index, where the model writes none of its own.
        limits: how much a turn may ask for.
        untrusted: the template is a stranger's: it is rendered in a child process with limits of time and memory.

    Of several of these the first counts, in this order: format; tag; response_template; template (or what
    tokenizer_config holds); model.

    Raises:
        UsageError: an argument is wrong, or a name is not known; a file cannot be read.
        FormatError: the declaration of a format is wrong, or no way of writing calls can be read from the template.
        ToolError: an entry of `tools` is no tool.
        TemplateError: `template` is no chat template, or it cannot be rendered.
    """

    __slots__ = ("_machine",)

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
        start: Literal["content", "reasoning"] | None = None,
        prompt: str = "",
        unknown_tools: Literal["call", "content"] = "call",
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
            start=start,
            prompt=prompt,
            unknown_tools=unknown_tools,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits,
            untrusted=untrusted,
        )
        known = (tools if tools is None or isinstance(tools, ToolSet) else ToolSet(tools)) or None
        chosen = choose(
            Given(format, response_template, tokenizer_config, template, variables, model, tag, closer),
            known,
            untrusted=untrusted,
        )
        machine = self._machine = Machine(
            chosen.plan,
            known,
            unknown_tools=unknown_tools,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits or _LIMITS,
        )
        if start == "reasoning" or (start is None and not prompt and chosen.starts_reasoning):
            machine.begin_reasoning()
        if prompt:
            machine.read_prompt(chosen.prompt(prompt))

    def feed(self, chunk: str | None) -> list[Event]:
        """Read one chunk.

        Args:
            chunk: the next piece of what the model writes: any length, cut anywhere, also empty. None is no text: that
                is what clients have where a chunk holds none (`delta.content`).

        Returns:
            The events that have become certain, in the order in which the model wrote them; often a single `Content`,
            or nothing while text is held back.

        Raises:
            UsageError: the turn was ended by `finish` or `close`: use one parser for each turn. Or the chunk is not
                text: the message says what to do with what it is.
        """
        machine = self._machine
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if machine.guard not in chunk and machine.second not in chunk:  # most chunks stop here
            start = machine.pos
            machine.pos = start + len(chunk)
            return [Content(chunk, start)] if chunk else []
        return machine.feed(chunk)

    def add(self, chunk: str | None) -> Output:
        """Read one chunk, folded: its content, its reasoning, and the calls that it finished.

        Args, errors: as for `feed`.
        """
        machine = self._machine
        if type(chunk) is not str:
            chunk = text_of(chunk)
        if machine.guard not in chunk and machine.second not in chunk:
            machine.pos += len(chunk)
            return Output(chunk)
        return fold(machine.feed(chunk))

    def finish(self) -> list[Event]:
        """End the turn.

        Returns:
            The last events: text that was held back, and a call that was cut off, as `CallEnd` with status
            "incomplete". A second `finish` gives none.
        """
        return self._machine.finish()

    def close(self) -> Output:
        """End the turn, folded: what was held back, and in `unfinished` a call that was cut off."""
        return fold(self._machine.finish())

    def fork(self) -> Self:
        """The same parser at the same place; both go on apart. At every moment: beam search, replay, retries."""
        twin = object.__new__(type(self))
        twin._machine = self._machine.fork()
        return twin

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    @property
    def state(self) -> State:
        """Where the parser is: looking for a tag, in a call, or done looking."""
        mode = self._machine.turn.mode
        if mode in {CALL, SKIP}:
            return State.ToolCalling
        return State.Done if mode == DONE else State.LookingForTag

    @property
    def tools(self) -> ToolSet | None:
        """The tools; None where none were given."""
        return self._machine.turn.names.tools

    @property
    def limits(self) -> Limits:
        """How much the turn may ask for."""
        return self._machine.turn.limits

    @property
    def format(self) -> Format | None:
        """The format: the one that was given, or with "auto" the one that the turn has shown; None while not known."""
        formats: tuple[Format, ...] = getattr(self._machine.plan, "formats", ())
        if len(formats) == 1:
            return formats[0]
        only = self._machine.turn.only
        return formats[only[0]] if formats and only else None

    @property
    def tag(self) -> str | None:
        """The tag for which the parser looks, where only a tag is known."""
        found: str | None = getattr(self._machine.plan, "tag_text", None)
        return found
