# The one way to render a chat template in either language: it chooses the file that does it, and the process in which
# it runs. Does not depend on how a template is run.
#
# Go templates always run in this process, even untrusted ones, because the executor counts its steps. Untrusted Jinja
# templates run in a child process.
"""Renders chat templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from toolglean.errors import UsageError
from toolglean.sources.templates.golang.ollama import OllamaTemplate
from toolglean.sources.templates.language import Language, template_language

if TYPE_CHECKING:
    from toolglean.sources.templates.jinja_render import JinjaTemplate
    from toolglean.sources.templates.process import ChildTemplate
    from toolglean.sources.templates.time_budget import TimeBudget

__all__ = ["Renderer", "renderer"]


def renderer(
    source: str,
    language: str | None = None,
    *,
    untrusted: bool = False,
    now: datetime | None = None,
    lax: bool = False,
    time_budget: TimeBudget | None = None,
) -> Renderer:
    """A renderer for a chat template.

    Args:
        source: the template's text.
        language: "go" or "jinja"; None: detected from the text.
        untrusted: limit time and memory, because you do not trust the template. A Jinja template then renders in a
            child process; a Go template is always limited.
        now: the date and time for the template; None: the clock's, at each rendering.
        lax: Jinja only: let a template change the lists that are passed to it, and provide `from_json`, as some
            engines do.
        time_budget: how long all renderings in a child process may take together; None: only each one is limited.

    Raises:
        TemplateError: the template is broken.
        UsageError: the language is unknown, or jinja2 is not installed.
    """
    language = language or template_language(source)
    if language == "go":
        return Renderer("go", OllamaTemplate(source), now)
    if language != "jinja":
        raise UsageError(f"language={language!r} is not valid: pass 'go' or 'jinja'")
    if untrusted:
        from toolglean.sources.templates.process import ChildTemplate  # noqa: PLC0415  few need processes

        return Renderer("jinja", ChildTemplate(source, lax=lax, time_budget=time_budget), now)
    from toolglean.sources.templates.jinja_render import JinjaTemplate  # noqa: PLC0415  a Go template does not need jinja2

    return Renderer("jinja", JinjaTemplate(source, lax=lax), now)


class Renderer:
    """A template that renders conversations. Made by `renderer`; close it, or use it in a `with` statement.

    Attributes:
        language: the template's language.
        source: its text.
    """

    def __init__(
        self, language: Language, template: OllamaTemplate | JinjaTemplate | ChildTemplate, now: datetime | None
    ) -> None:
        self.language, self.source, self._template, self._now = language, template.source, template, now

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        add_generation_prompt: bool = False,
        **variables: Any,
    ) -> str:
        """The text that the model would read.

        Args:
            messages: the conversation as OpenAI's dicts: role, content, reasoning_content or thinking, tool_calls (with
                arguments as an object or as a JSON string), tool_call_id, name. Jinja templates get them unchanged.
            tools: the tools as OpenAI's dicts.
            add_generation_prompt: end with the text that opens the model's answer. Ollama's templates always do so,
                if the last message is not the assistant's.
            variables: further variables of the template. Jinja: any, such as `bos_token` and `enable_thinking`. Go:
                `think` or `enable_thinking` (a bool, or a level), `prompt` and `suffix` (to fill in the middle); others
                are ignored.

        Returns:
            The text.

        Raises:
            TemplateError: the template refuses this conversation, fails, or passes a limit; with the line if known.
            UsageError: messages or tools are not of the shape above.
        """
        given = {"add_generation_prompt": add_generation_prompt, **variables}
        return self._template.render(messages, tools, given, self._now or datetime.now().astimezone())

    def close(self) -> None:
        """Release the renderer's resources. It may be called more than once; a later rendering takes new resources."""
        close = getattr(self._template, "close", None)
        if close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
