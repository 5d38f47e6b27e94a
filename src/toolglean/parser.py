# What this file knows: the arguments that a user may give, and the parser that they make.
# What it must not know: how anything is read.
"""The parser that users make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from toolglean.arguments import check_arguments
from toolglean.limits import Limits
from toolglean.machine import Machine
from toolglean.precedence import Given, choose
from toolglean.tools import ToolLike, ToolSet

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["Parser"]


class Parser(Machine):
    """Turns one turn of a model, chunk by chunk, into content, reasoning and tool calls.

    Args:
        tools: what the model was told that it may call: names, functions, `Tool` objects or tool dicts; a `ToolSet`;
            or None (or nothing) where that is not known.
        format: a `Format`, the name of one (`toolglean formats` lists them), or "auto": the openers of all formats are
            looked for at once. Given nothing else, this is what happens.
        model: a model's name, such as `Qwen/Qwen3-8B` or `qwen3:8b`, whose format is known.
        template: the model's chat template (Go or Jinja), or an Ollama Modelfile, from which the format is read: known
            by what it writes, or inferred and proven by round trip; if neither, only its tag. Jinja needs
            `toolglean[jinja]`. Read once for each text: about a second.
        tokenizer_config: Hugging Face's `tokenizer_config.json`, as a dict or a path: its `response_template`, else its
            `chat_template`.
        response_template: a response template of Hugging Face, version 1.
        tag: the marker that starts a call, such as `<tool_call>`; `{` or `[` for bare JSON at the start of the turn.
        closer: the marker that ends what the tag started; None: read from the template, or derived from the tag.
        start: "content", or "reasoning" where the prompt has opened the reasoning; None: as the chat template says,
            else content.
        prompt: the end of the prompt, from which that is read; its events are dropped, and places count from its end.
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
        UsageError: an argument is wrong, or a name is not known.
        FormatError: the declaration of a format is wrong.
        ToolError: an entry of `tools` is no tool.
        TemplateError: the template cannot be read.
    """

    def __init__(
        self,
        tools: Iterable[ToolLike] | ToolSet | None = None,
        *,
        format: str | Format | None = None,  # noqa: A002  # the field's own word for it
        model: str | None = None,
        template: str | None = None,
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
            Given(format, response_template, tokenizer_config, template, model, tag, closer), known, untrusted=untrusted
        )
        super().__init__(
            chosen.plan,
            known,
            unknown_tools=unknown_tools,
            coerce=coerce,
            markup=markup,
            id_prefix=id_prefix,
            limits=limits or Limits(),
        )
        if start == "reasoning" or (start is None and not prompt and chosen.starts_reasoning):
            self.begin_reasoning()
        if prompt:
            self.read_prompt(chosen.prompt(prompt))

    @property
    def format(self) -> Format | None:
        """The format: the one that was given, or with "auto" the one that the turn has shown; None while not known."""
        formats: tuple[Format, ...] = getattr(self.plan, "formats", ())
        if len(formats) == 1:
            return formats[0]
        return formats[self.only[0]] if formats and self.only else None

    @property
    def tag(self) -> str | None:
        """The tag for which the parser looks, where only a tag is known."""
        found: str | None = getattr(self.plan, "tag_text", None)
        return found
