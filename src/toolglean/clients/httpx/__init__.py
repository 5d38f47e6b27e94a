"""An HTTP client whose answers have leaked calls repaired: for openai, anthropic and all that is built on them."""

from toolglean.clients.httpx.client import (
    in_front_of,
    library_of,
    toolglean_async_client,
    toolglean_async_transport,
    toolglean_client,
    toolglean_transport,
)

library_of(None)  # a missing extra is reported by the import, as in the other clients

__all__ = [
    "in_front_of",
    "toolglean_async_client",
    "toolglean_async_transport",
    "toolglean_client",
    "toolglean_transport",
]
