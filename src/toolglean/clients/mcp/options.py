# The arguments that are passed on to classes of the mcp package (2.3). Does not depend on what they mean.
"""Arguments of `mcp.Client` and of `MCPServer.tool`, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from mcp.client.caching import CacheConfig
    from mcp.client.extension import ClientExtension
    from mcp.client.session import ElicitationFnT, ListRootsFnT, LoggingFnT, MessageHandlerFnT, SamplingFnT
    from mcp.types import DiscoverResult, Icon, Implementation, LoggingLevel, SamplingCapability, ToolAnnotations

__all__ = ["ClientOptions", "ToolOptions"]


class ClientOptions(TypedDict, total=False):
    """Further arguments of `mcp.Client`."""

    raise_exceptions: bool
    sampling_callback: SamplingFnT | None
    sampling_capabilities: SamplingCapability | None
    list_roots_callback: ListRootsFnT | None
    logging_callback: LoggingFnT | None
    log_level: LoggingLevel | None
    message_handler: MessageHandlerFnT | None
    client_info: Implementation | None
    mode: str
    prior_discover: DiscoverResult | None
    elicitation_callback: ElicitationFnT | None
    input_required_max_rounds: int
    extensions: Sequence[ClientExtension] | None
    cache: CacheConfig | None


class ToolOptions(TypedDict, total=False):
    """Further arguments of `MCPServer.tool` and `MCPServer.add_tool`."""

    title: str | None
    description: str | None
    annotations: ToolAnnotations | None
    icons: list[Icon] | None
    meta: dict[str, Any] | None
    structured_output: bool | None
