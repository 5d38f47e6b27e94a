# The arguments, and the server that runs. Does not depend on what the proxy does (clients/proxy/), whose packages are
# optional and imported when it starts.
"""`toolglean proxy`: a server that repairs the responses of another server."""

from __future__ import annotations

import argparse
import logging
import socket
import sys
from typing import Any
from urllib.parse import urlsplit

from toolglean._install import needs
from toolglean.batch.lines import InputError
from toolglean.cli.options import add_format_options, made_with
from toolglean.cli.usage import exit_codes

__all__ = ["add_arguments"]

PORT = 8001
LAST_PORT = 65535
MIB = 1024 * 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Passes requests on to a server with OpenAI's API, Anthropic's or Ollama's, and repairs its responses: calls "
        "that the model leaked into its text come as tool calls, streamed and whole. Everything else passes unchanged. "
        "It keeps no keys and logs no bodies. /healthz shows that it runs, /metrics counts what it did."
    )
    parser.add_argument("--upstream", required=True, metavar="URL", help="the server, such as http://localhost:8000/v1")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: 127.0.0.1, this machine alone)")
    parser.add_argument("--port", type=int, default=PORT, help=f"where to listen (default: {PORT}; 0: any free port)")
    parser.epilog = exit_codes(1, 4, 141, _0="never returned: it serves until it is interrupted", _130="interrupted")
    add_format_options(parser, for_server=True)
    group = parser.add_argument_group("what is passed on")
    group.add_argument(
        "--stream-arguments",
        action="store_true",
        help="stream the arguments of a call as they are written (default: a call comes once it is whole, because some "
        "clients run a call that was cut off)",
    )
    group.add_argument(
        "--history",
        choices=["messages", "text"],
        default="messages",
        help="text: write tools, calls and results of a request as text, for servers whose template has no tools",
    )
    group.add_argument(
        "--serve",
        choices=["same", "messages"],
        default="same",
        help="messages: requests of Anthropic's Messages API become requests of OpenAI's chat API, for servers that "
        "have only that one (default: same, every request goes to the path that it names)",
    )
    group.add_argument(
        "--body-limit",
        type=int,
        default=64,
        metavar="MIB",
        help="the largest size of a request's body, in MiB (default: 64)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted.

    Raises:
        InputError: an argument is wrong, or the port is taken.
    """
    try:
        from toolglean.clients.proxy import application, serve  # noqa: PLC0415  # only this command needs its packages
    except ImportError as error:
        raise InputError(needs(f"`toolglean proxy` needs {error.name}", "proxy")) from error
    if args.body_limit < 1:
        raise InputError(f"--body-limit {args.body_limit}: expected 1 MiB or more")
    repair = _repair(args)
    served = application(
        args.upstream,
        repair,
        history=args.history,
        serve_messages=args.serve == "messages",
        body_limit=args.body_limit * MIB,
    )
    with _listening(args.host, args.port) as listening:
        _check_not_itself(args.upstream, listening)
        logging.basicConfig(format="%(name)s: %(message)s", level=logging.WARNING)
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"toolglean proxy: http://{shown}:{port} -> {args.upstream}", file=sys.stderr, flush=True)
        serve(served, listening)
    return 0


def _repair(args: argparse.Namespace) -> Any:
    from toolglean.clients.repair import Repair  # noqa: PLC0415

    def made(_: object, *, prompt: str, **parsing: Any) -> Repair:  # noqa: ARG001  # each request brings its own
        return Repair(whole_calls=not args.stream_arguments, **parsing)

    return made_with(args, made)


def _check_not_itself(upstream: str, listening: socket.socket) -> None:
    # Each request would come back as another request, until no connection is left.
    host, port = listening.getsockname()[:2]
    parts = urlsplit(upstream)
    if parts.port != port:
        return
    try:
        found = {each[4][0] for each in socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)}
    except OSError:  # no such host: the first request will say so
        return
    if host in found or (host in {"0.0.0.0", "::"} and found & {"127.0.0.1", "::1"}):  # noqa: S104  # compared
        raise InputError(
            f"--upstream {upstream}: the proxy itself would listen there; pass the URL of the server, or another --port"
        )


def _listening(host: str, port: int) -> socket.socket:
    host = host.removeprefix("[").removesuffix("]")  # as in a URL
    if not host:
        raise InputError(
            "--host '': expected an address, such as 127.0.0.1; 0.0.0.0 means all addresses of this machine"
        )
    if not 0 <= port <= LAST_PORT:
        raise InputError(f"--port {port}: expected a number from 0 to {LAST_PORT}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        reason = str(error.strerror or error).partition(" (while ")[0]  # the rest says the address once more
        raise InputError(f"--host {host} --port {port}: {reason}") from error
