# vLLM's ToolParser, and its classes for the deltas of an answer.
# Does not depend on how calls are found (engines/reading.py reads the turn), or on how the prompt is read
# (reasoning_parser.py passes it on).
#
# With `engine_based_streaming`, vLLM passes each piece of text once, without joining them, and asks for the rest at the
# end (`finish_streaming`).
"""toolglean as vLLM's tool parser."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from toolglean.engines.environment import options_from_environment
from toolglean.engines.reading import TurnDelta, TurnReader
from toolglean.engines.vllm.interface import ToolParser, deltas, envs
from toolglean.engines.vllm.pairing import last_made
from toolglean.engines.vllm.tags import request_tools, structural_tag_of
from toolglean.engines.vllm.tokens import Tokens, special_tokens_of

__all__ = ["ToolgleanToolParser", "delta_of", "with_special_tokens"]


class ToolgleanToolParser(ToolParser):
    """Calls and content of one request, as vLLM asks for them.

    Attributes:
        format_name: the format; "": it is learned from the tokenizer.
        reads_without_tools: whether calls are read for a request without tools, or with `tool_choice="none"`. vLLM
            discards such calls, so their text is content unless this is true.
        skip_reasoning_parsing: set by vLLM if it has no reasoning parser: reasoning is then content.
    """

    engine_based_streaming = True
    structural_tag_model: str | None = "toolglean"
    format_name = ""
    reads_without_tools = False
    skip_reasoning_parsing = False

    def __init__(self, tokenizer: Any, tools: Any = None, **_: Any) -> None:
        super().__init__(tokenizer, tools)
        self.syntax = Tokens(tokenizer).syntax(self.format_name)
        if self.syntax.format is None:
            # The model's format is not known, so for a forced call vLLM itself asks for JSON, and reads it.
            self.structural_tag_model = None
            self.supports_required_and_named = True
        self._reader: TurnReader | None = None
        self._begin: dict[str, Any] = {}
        self._special = special_tokens_of(tokenizer)
        self._first_ids: list[int] = []  # of the first piece, if the reasoning parser has seen more of them
        self._known: tuple[str, TurnDelta] | None = None
        partner = last_made(tokenizer)
        if partner is not None:
            partner.meet(self)

    @property
    def reads_reasoning(self) -> bool:
        """Whether this parser may get a whole turn: vLLM then asks it for every piece of content."""
        return not self.supports_required_and_named

    def begin(self, *, keep_reasoning: bool = False, ids: Sequence[int] = (), **begin: Any) -> None:
        """The turn begins here, and not after its reasoning.

        Args:
            keep_reasoning: whether the reasoning is content.
            ids: the ids of the first piece: vLLM leaves out those that it takes for reasoning.
            begin: where it begins: `prompt` or `in_reasoning`, as for `TurnReader`.
        """
        self._begin = begin
        self._first_ids = list(ids)
        self.skip_reasoning_parsing = self.skip_reasoning_parsing or keep_reasoning

    def read_whole(self, model_output: str, request: Any, **begin: Any) -> TurnDelta:
        """A whole turn, from its beginning.

        Args:
            model_output: the text of the turn.
            request: the request.
            begin: where it begins: `prompt` or `in_reasoning`, as for `TurnReader`.
        """
        return self._new_reader(request, whole_calls=True, **begin).read(model_output)

    def know(self, rest: str, piece: TurnDelta) -> None:
        """Remember the reading of that text, which vLLM will pass to `extract_tool_calls`."""
        self._known = (rest, piece)

    # -- requests

    def adjust_request(self, request: Any) -> Any:
        request = super().adjust_request(request)
        return with_special_tokens(request) if request.tools and request.tool_choice != "none" else request

    def get_structural_tag(self, request: Any, *, reasoning: bool = False, strict_level: int = 0) -> Any:
        if self.syntax.format is None or not envs.VLLM_ENFORCE_STRICT_TOOL_CALLING:
            return None
        return structural_tag_of(self.syntax.format, request, reasoning=reasoning, strict_level=strict_level)

    def _new_reader(self, request: Any, **options: Any) -> TurnReader:
        tools = getattr(request, "tools", None)
        wanted = bool(tools) and getattr(request, "tool_choice", None) != "none"
        return TurnReader(
            self.syntax,
            request_tools(tools or self.tools),
            calls=self.reads_without_tools or wanted,
            spaces=True,
            options=options_from_environment(),
            single_call=getattr(request, "parallel_tool_calls", True) is False,
            new_id=_new_id,
            **options,
        )

    # -- whole answers

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        known, self._known = self._known, None
        if known is not None and known[0] == model_output:
            piece = known[1]
        else:  # this answer has no field for reasoning
            piece = self._new_reader(request, whole_calls=True, reasoning=False).read(model_output)
        calls = [
            deltas.ToolCall(
                id=part.id, type="function", function=deltas.FunctionCall(name=part.name, arguments=part.arguments)
            )
            for part in piece.calls
        ]
        content = None if calls and piece.content.isspace() else piece.content or None
        return deltas.ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=content)

    # -- streams

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        if self._reader is None:
            self._reader = self._new_reader(
                request, reasoning=not self.skip_reasoning_parsing, special=self._special, **self._begin
            )
            delta_token_ids = self._first_ids or delta_token_ids
        return delta_of(self._reader.feed(delta_text, delta_token_ids))

    def finish_streaming(self) -> Any:
        """What was held back until the end of the stream."""
        reader, self._reader = self._reader, None
        return delta_of(reader.finish()) if reader is not None else None

    def get_remaining_unstreamed_args(self) -> str:
        return ""  # everything that was parsed has been streamed


def with_special_tokens(request: Any) -> Any:
    """The request, changed to keep special tokens in the text: most markers are special tokens."""
    request.skip_special_tokens = False
    if hasattr(request, "spaces_between_special_tokens"):
        request.spaces_between_special_tokens = False
    return request


def _new_id() -> str:
    return f"chatcmpl-tool-{uuid.uuid4().hex}"  # as vLLM makes them


def delta_of(piece: TurnDelta) -> Any:
    """A delta of a turn as vLLM's class; None if it is empty."""
    if not piece:
        return None
    said: dict[str, Any] = {}
    if piece.content:
        said["content"] = piece.content
    if piece.reasoning:
        said["reasoning"] = piece.reasoning
    if piece.calls:
        said["tool_calls"] = [
            deltas.DeltaToolCall(
                index=part.index,
                id=part.id or None,
                type="function" if part.id else None,
                function=deltas.DeltaFunctionCall(name=part.name or None, arguments=part.arguments),
            )
            for part in piece.calls
        ]
    return deltas.DeltaMessage(**said)
