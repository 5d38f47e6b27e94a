# What this file knows: the outputs of tools, alone and for one answer of a model.
# Does not depend on how tools are run (tools.py).
"""Outputs of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from toolglean.llm.errors import LLMError, OutputError, ToolExecutionError
from toolglean.llm.types import ToolCallChunk

__all__ = ["AgentChatResponse", "ToolOutput"]


class ToolOutput(BaseModel):
    """The output of a tool.

    Attributes:
        content: the output as text, for the model.
        tool_name: the tool.
        raw_input: the arguments.
        raw_output: the output itself; None if there is none.
        is_error: whether it failed; `content` says how.
        error: the error, if it failed: an `InvalidObjectError`, a `ToolExecutionError` or an `UnknownToolError`.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    content: str
    tool_name: str
    raw_input: dict[str, Any] = Field(default_factory=dict)
    raw_output: Any = None
    is_error: bool = False
    error: LLMError | None = Field(default=None, exclude=True, repr=False)

    def __str__(self) -> str:
        return self.content

    @classmethod
    def failed(cls, tool_name: str, arguments: Mapping[str, Any], error: LLMError) -> ToolOutput:
        """The output of the tool `tool_name`, which was called with `arguments`, and failed with `error`."""
        content = f"Encountered error: {error}"
        return cls(content=content, tool_name=tool_name, raw_input=dict(arguments), is_error=True, error=error)


class AgentChatResponse(BaseModel):
    """The outputs of the tools for one answer of the model.

    Attributes:
        response: the contents of all outputs, separated by blank lines; the model's text if no tool was run.
        sources: the outputs, in the order of the calls.
        unfinished: calls that were not run, because they were cut off or cannot be read.
        events: the toolglean events of the answer. Not in `model_dump`.
    """

    response: str = ""
    sources: list[ToolOutput] = Field(default_factory=list)
    unfinished: list[ToolCallChunk] = Field(default_factory=list)
    events: list[Any] = Field(default_factory=list, exclude=True, repr=False)

    def __str__(self) -> str:
        return self.response

    def parse_tool_outputs(
        self,
        allow_parallel_tool_calls: bool = False,  # noqa: FBT001, FBT002  # a public signature, which stays
        *,
        allow_parallel: bool | None = None,
    ) -> Any:
        """The value of the first output, or of all of them.

        Args:
            allow_parallel_tool_calls: whether to return the list of all values.
            allow_parallel: the same under another name, which takes precedence.

        Raises:
            OutputError: there is no output, or an output has no value.
            InvalidObjectError, ToolExecutionError, UnknownToolError: an output is an error.
        """
        parallel = allow_parallel_tool_calls if allow_parallel is None else allow_parallel
        wanted = self.sources if parallel else self.sources[:1]
        if not wanted:
            raise OutputError("no tool was run, so there is no output", response=self)
        for output in wanted:
            if output.error is not None:
                raise output.error
            if output.is_error:
                raise ToolExecutionError(output.content, tool_name=output.tool_name, output=output)
            if output.raw_output is None:
                raise OutputError(f"tool {output.tool_name!r} returned no value", response=self)
        values = [output.raw_output for output in wanted]
        return values if parallel else values[0]
