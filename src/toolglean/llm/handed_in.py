# What this file knows: which objects a user may pass as the clients of a model.
# Does not depend on what a client is used for.
"""Clients that the user passes, checked when the model is made."""

from __future__ import annotations

from typing import Any

from toolglean.llm.errors import ConfigurationError
from toolglean.llm.replay import AsyncReplayClient, ReplayClient, replaying

__all__ = ["clients_of"]


def clients_of(client: Any, async_client: Any, kinds: tuple[Any, Any], needed: tuple[str, ...]) -> tuple[Any, Any]:
    """The two clients of a model.

    Args:
        client, async_client: what the user passed; None: nothing.
        kinds: the classes that the model makes its clients of.
        needed: the methods that a client must have.

    Raises:
        ConfigurationError: one is not such a client, or is passed as the other one.
    """
    _check("client", client, (kinds[0], ReplayClient), (kinds[1], AsyncReplayClient), "async_client", needed)
    _check("async_client", async_client, (kinds[1], AsyncReplayClient), (kinds[0], ReplayClient), "client", needed)
    return replaying(client, async_client)


def _check(
    name: str, given: Any, wanted: tuple[Any, Any], others: tuple[Any, Any], other: str, needed: tuple[str, ...]
) -> None:
    if given is None:
        return
    if isinstance(given, others):
        kind = "an asynchronous client" if name == "client" else "not an asynchronous client"
        raise ConfigurationError(f"{name}={given!r:.80} is {kind}: pass it as {other}", field=name, value=given)
    missing = next((each for each in needed if not callable(getattr(given, each, None))), None)
    if missing is not None:
        package = wanted[0].__module__.partition(".")[0]
        replay = f"{'a' if name == 'client' else 'an'} {wanted[1].__name__}"
        expected = f"pass an {package}.{wanted[0].__name__} or {replay}, or leave it out"
        message = f"{name}={given!r:.80} has no method {missing!r}: {expected}"
        raise ConfigurationError(message, field=name, value=given)
