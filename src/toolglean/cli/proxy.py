# The arguments, and the server that runs. Does not depend on what the proxy does (clients/proxy/), whose packages are
# optional and imported when it starts.
"""`toolglean proxy`: a server that repairs the responses of another server."""

from __future__ import annotations

import argparse
import logging
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from toolglean._install import needs
from toolglean.batch.lines import InputError
from toolglean.cli.options import add_format_options, at_least_one, made_with
from toolglean.cli.usage import add_options, exit_codes

__all__ = ["add_arguments"]

PORT = 8001
LAST_PORT = 65535
MIB = 1024 * 1024
PASSED_ON = {
    "--stream-arguments": "stream the arguments of a call as they are written (default: a call comes once it is whole, "
    "because some clients run a call that was cut off)",
    "--history messages|text": "text: write tools, calls and results of a request as text, for servers whose template "
    "has no tools",
    "--serve same|messages": "messages: requests of Anthropic's Messages API become requests of OpenAI's chat API, for "
    "servers that have only that one (default: same, every request goes to the path that it names)",
    "--body-limit MIB": "the largest size of a request's body, in MiB (default: 64)",
}
OPERATION = {
    "--config FILE": "a TOML file with options by their names, such as no-repair = true; the command line comes first",
    "--workers N": "how many processes serve the port (default: 1)",
    "--request-limit N": "how many requests each process answers at once; others get status 503 (default: any number)",
    "--silence-limit SECONDS": "how long the server may be silent before an answer breaks off (default: as long as it "
    "likes)",
    "--drain SECONDS": "how long open answers may go on after SIGTERM or an interrupt (default: 20)",
    "--log-format text|json": "json: one line of JSON for each request and each warning, without keys and bodies "
    "(default: text, warnings only)",
    "--otel": "send traces and metrics to the OTLP endpoint of OTEL_EXPORTER_OTLP_ENDPOINT (needs toolglean[otel])",
}
"""The options, and what the help says."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Passes requests on to a server with OpenAI's API, Anthropic's or Ollama's, and repairs its responses: calls "
        "that the model leaked into its text come as tool calls, streamed and whole. Everything else passes unchanged. "
        "It keeps no keys and logs no bodies. /healthz shows that it runs, /metrics counts what it did."
    )
    about = {
        "--upstream URL": "the server, such as http://localhost:8000/v1",
        "--host HOST": "where to listen (default: 127.0.0.1, this machine alone)",
        "--port PORT": f"where to listen (default: {PORT}; 0: any free port)",
    }
    port = {"type": int, "default": PORT}
    add_options(parser, about, upstream={"required": True}, host={"default": "127.0.0.1"}, port=port)
    parser.epilog = exit_codes(4, 141, _0="ended by SIGTERM", _1="one of several processes ended by an error")
    add_format_options(parser, for_server=True)
    add_options(parser.add_argument_group("what is passed on"), PASSED_ON, body_limit={"type": int})
    numbers = {name: {"type": at_least_one} for name in ("workers", "request_limit", "silence_limit", "drain")}
    add_options(parser.add_argument_group("how it runs"), OPERATION, **numbers)
    parser.set_defaults(history="messages", serve="same", body_limit=64, workers=1, drain=20, log_format="text")


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted.

    Raises:
        InputError: an argument is wrong, or the port is taken.
    """
    if args.body_limit < 1:
        raise InputError(f"--body-limit {args.body_limit}: expected 1 MiB or more")
    _application(args)  # for its errors
    if args.otel:
        _telemetry()
    with _listening(args.host, args.port) as listening:
        _check_not_itself(args.upstream, listening)
        args.port = listening.getsockname()[1]
        if args.workers == 1:
            _say_where(args, listening)
            _serve(args, listening)
            return 0
    from toolglean.clients.proxy.workers import run_workers  # noqa: PLC0415  # only this command needs its packages

    sockets = [_listening(args.host, args.port, shared=True) for _ in range(args.workers)]
    _say_where(args, sockets[0])
    return run_workers(sockets, _work, args)


def _say_where(args: argparse.Namespace, listening: socket.socket) -> None:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"toolglean proxy: http://{shown}:{port} -> {args.upstream}", file=sys.stderr, flush=True)


def _work(args: argparse.Namespace, listening: socket.socket, slots: Any, number: int) -> None:
    """Serve as one of several processes."""
    from toolglean.clients.proxy.metrics import Board  # noqa: PLC0415
    from toolglean.clients.proxy.workers import end_with_parent  # noqa: PLC0415

    end_with_parent()
    with suppress(KeyboardInterrupt):
        _serve(args, listening, Board(slots, number))


def _serve(args: argparse.Namespace, listening: socket.socket, board: Any = None) -> None:
    from toolglean.clients.proxy import JsonLines, RequestLog, serve  # noqa: PLC0415

    watchers: list[Any] = []
    logging.basicConfig(format="%(name)s: %(message)s", level=logging.WARNING)
    if args.log_format == "json":
        logging.getLogger().handlers[0].setFormatter(JsonLines())
        logging.getLogger("toolglean.proxy.requests").setLevel(logging.INFO)
        watchers.append(RequestLog())
    if args.otel:
        telemetry = _telemetry()
        telemetry.export()
        watchers.append(telemetry.Telemetry(args.upstream))
    # After the answers that were open: the traces that are not sent yet are sent as the process ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve(_application(args, watchers, board), listening, drain=args.drain)


def _application(args: argparse.Namespace, watchers: Sequence[Any] = (), board: Any = None) -> Any:
    return _with_extra("toolglean.clients.proxy", "`toolglean proxy`", "proxy").application(
        args.upstream,
        _repair(args),
        history=args.history,
        serve_messages=args.serve == "messages",
        body_limit=args.body_limit * MIB,
        request_limit=args.request_limit,
        silence_limit=args.silence_limit,
        watchers=watchers,
        board=board,
    )


def _telemetry() -> Any:
    return _with_extra("toolglean.clients.proxy.telemetry", "`toolglean proxy --otel`", "otel")


def _with_extra(module: str, what: str, extra: str) -> Any:
    try:
        return import_module(module)  # only this command needs its packages
    except ImportError as error:
        raise InputError(needs(f"{what} needs {error.name}", extra)) from error


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


def _listening(host: str, port: int, *, shared: bool = False) -> socket.socket:
    host = host.removeprefix("[").removesuffix("]")  # as in a URL
    if not host:
        raise InputError(
            "--host '': expected an address, such as 127.0.0.1; 0.0.0.0 means all addresses of this machine"
        )
    if not 0 <= port <= LAST_PORT:
        raise InputError(f"--port {port}: expected a number from 0 to {LAST_PORT}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=1024, reuse_port=shared)
    except (OSError, ValueError) as error:  # ValueError: this system cannot share a port
        reason, *_ = str(getattr(error, "strerror", "") or error).split(" (while ")  # the rest says the address again
        raise InputError(f"--host {host} --port {port}: {reason}") from error
