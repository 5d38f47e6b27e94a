# What this package knows: language models that call tools and fill typed objects, with pydantic.
# The parser turns text into calls, and toolglean.conversation writes messages in wire formats.
"""Language models, prompts, tools, and objects that are filled while the model writes. Needs the extra `[llm]`."""

from toolglean._install import needs

try:
    import docstring_parser as _docstring_parser  # noqa: F401
    import httpx as _httpx  # noqa: F401
    import jinja2 as _jinja2  # noqa: F401
    import ollama as _ollama  # noqa: F401
    import pydantic as _pydantic  # noqa: F401
    import tenacity as _tenacity  # noqa: F401
except ImportError as error:
    raise ImportError(needs(f"toolglean.llm needs {error.name}", "llm"), name=error.name) from error

from toolglean.llm.again import Attempt
from toolglean.llm.base import (
    LLM,
    FunctionCallingLLM,
    achat_to_completion,
    astream_chat_to_completion,
    chat_to_completion_decorator,
    force_single_tool_call,
    stream_chat_to_completion,
)
from toolglean.llm.compatible import OpenAICompatible
from toolglean.llm.completions import PydanticParser, TextCompletionLLM
from toolglean.llm.errors import (
    ClientError,
    ConfigurationError,
    IncompleteObjectError,
    InvalidObjectError,
    LLMError,
    MalformedObjectError,
    MissingLLMError,
    MissingVariablesError,
    NoToolCallError,
    ObjectError,
    OutputError,
    ParseError,
    PromptError,
    RequestConnectionError,
    RequestError,
    RequestTimeoutError,
    ServerError,
    StreamInterruptedError,
    ToolExecutionError,
    ToolSchemaError,
    UnknownToolError,
    UnsetFieldError,
)
from toolglean.llm.faults import RetryPolicy
from toolglean.llm.objects.partial import Partial, PartialDict, PartialList
from toolglean.llm.objects.processor import Partials, StreamingObjectProcessor
from toolglean.llm.ollama import Ollama
from toolglean.llm.orchestrators import ToolOrchestratingLLM
from toolglean.llm.outputs import AgentChatResponse, ToolOutput
from toolglean.llm.prompts import BasePromptTemplate, ChatPromptTemplate, Configs, PromptTemplate
from toolglean.llm.replay import AsyncReplayClient, ReplayClient
from toolglean.llm.tools import CallableTool, ToolExecutor, ToolMetadata
from toolglean.llm.types import (
    ChatResponse,
    Chunk,
    CompletionResponse,
    Message,
    MessageList,
    Metadata,
    OtherChunk,
    ReasoningChunk,
    Role,
    TextChunk,
    ToolCallChunk,
    ToolResultChunk,
)

__all__ = [
    "LLM",
    "AgentChatResponse",
    "AsyncReplayClient",
    "Attempt",
    "BasePromptTemplate",
    "CallableTool",
    "ChatPromptTemplate",
    "ChatResponse",
    "Chunk",
    "ClientError",
    "CompletionResponse",
    "Configs",
    "ConfigurationError",
    "FunctionCallingLLM",
    "IncompleteObjectError",
    "InvalidObjectError",
    "LLMError",
    "MalformedObjectError",
    "Message",
    "MessageList",
    "Metadata",
    "MissingLLMError",
    "MissingVariablesError",
    "NoToolCallError",
    "ObjectError",
    "Ollama",
    "OpenAICompatible",
    "OtherChunk",
    "OutputError",
    "ParseError",
    "Partial",
    "PartialDict",
    "PartialList",
    "Partials",
    "PromptError",
    "PromptTemplate",
    "PydanticParser",
    "ReasoningChunk",
    "ReplayClient",
    "RequestConnectionError",
    "RequestError",
    "RequestTimeoutError",
    "RetryPolicy",
    "Role",
    "ServerError",
    "StreamInterruptedError",
    "StreamingObjectProcessor",
    "TextChunk",
    "TextCompletionLLM",
    "ToolCallChunk",
    "ToolExecutionError",
    "ToolExecutor",
    "ToolMetadata",
    "ToolOrchestratingLLM",
    "ToolOutput",
    "ToolResultChunk",
    "ToolSchemaError",
    "UnknownToolError",
    "UnsetFieldError",
    "achat_to_completion",
    "astream_chat_to_completion",
    "chat_to_completion_decorator",
    "force_single_tool_call",
    "stream_chat_to_completion",
]
