# SGLang's interface for parsers of reasoning, and what its server expects of one.
# Does not depend on how reasoning is separated from content (../reading.py).
#
# The server does not pass the prompt. It says whether the prompt has opened the reasoning (`force_reasoning`), which it
# has learned from the chat template, or from `reasoning_default` of the parser. The text without the reasoning goes to
# the parser of calls if the request has tools, otherwise to the client. White space next to the markers is kept, as by
# SGLang's own parsers, unless the format declares it as part of them.
"""Reasoning, for SGLang."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sglang.srt.parser.reasoning_parser import BaseReasoningFormatDetector, StreamingParseResult

from toolglean.engines.reading import TurnReader
from toolglean.engines.syntax import THINK, opens_reasoning, syntax_of, template_of

__all__ = ["ThoughtDetector"]

TOGGLES = ("enable_thinking", "thinking")
"""The variables of chat templates that SGLang knows by name."""


class ThoughtDetector(BaseReasoningFormatDetector):  # type: ignore[misc]  # SGLang has no types for us
    """Separates the reasoning from a turn.

    Attributes:
        format_name: the format in the parser's name; "" if it is learned from the tokenizer.
    """

    format_name = ""

    def __init__(
        self,
        stream_reasoning: bool = True,  # noqa: FBT001, FBT002  # SGLang's interface
        force_reasoning: bool = False,  # noqa: FBT001, FBT002
        continue_final_message: bool = False,  # noqa: FBT001, FBT002
        previous_content: Any = "",  # a message's content: text, or a list of parts
        force_nonempty_content: bool = False,  # noqa: FBT001, FBT002
        tokenizer: Any = None,
        **_: Any,  # what later versions add
    ) -> None:
        self._syntax = syntax_of(self.format_name, tokenizer)
        opener, closer = self._syntax.pairs[0] if self._syntax.pairs else THINK
        super().__init__(
            opener,
            closer,
            force_reasoning=force_reasoning,
            stream_reasoning=stream_reasoning,
            continue_final_message=continue_final_message,
            previous_content=previous_content if isinstance(previous_content, str) else "",
            reasoning_default=reasoning_default(template_of(tokenizer)) if self._syntax.pairs else None,
            force_nonempty_content=force_nonempty_content,
        )
        self._starts_inside = bool(self._in_reasoning)  # as the class above has found
        self._reader = self._new()
        self._waiting: list[str] = []  # reasoning that is sent as a whole, at its end
        self._thoughts: list[str] = []  # all of it
        self._said = False  # whether there was content

    def detect_and_parse(self, text: str) -> Any:
        piece = self._new().read(text)
        found = StreamingParseResult(normal_text=piece.content, reasoning_text=piece.reasoning)
        return self._maybe_apply_force_nonempty_content(found)

    def parse_streaming_increment(self, new_text: str) -> Any:
        piece = self._reader.feed(new_text)
        return self._sent(piece.content, piece.reasoning, over=self._reader.ended)

    def finish(self) -> Any:
        piece = self._reader.finish()
        found = self._sent(piece.content, piece.reasoning, over=True)
        if self._force_nonempty_content and not self._said:
            return StreamingParseResult(normal_text="".join(self._thoughts))
        return found

    def _new(self) -> TurnReader:
        return TurnReader(self._syntax, in_reasoning=self._starts_inside, calls=False, spaces=True)

    def _sent(self, content: str, reasoning: str, *, over: bool) -> Any:
        self._said = self._said or bool(content)
        if self._force_nonempty_content:
            self._thoughts.append(reasoning)
        if not self.stream_reasoning:
            self._waiting.append(reasoning)
            reasoning = "".join(self._waiting) if over else ""
            if over:
                self._waiting.clear()
        return StreamingParseResult(normal_text=content, reasoning_text=reasoning)


@lru_cache(maxsize=64)
def reasoning_default(template: str) -> str | None:
    """When the prompt opens the reasoning, in SGLang's terms, for templates from which SGLang cannot learn it.

    Args:
        template: the model's chat template; "" if it is not known.

    Returns:
        None: never. "always". `enable_thinking` or `thinking`: unless the template's variable of that name is false;
        with `explicit_` before it: if it is true.
    """
    known = [name for name in TOGGLES if name in template]
    if opens_reasoning(template):
        return next((name for name in known if not opens_reasoning(template, {name: False})), "always")
    return next((f"explicit_{name}" for name in known if opens_reasoning(template, {name: True})), None)
