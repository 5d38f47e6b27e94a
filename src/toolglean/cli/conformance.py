# The arguments, and where the reports go. Does not depend on what the kit does (toolglean.kit.conformance).
"""`toolglean conformance`: any parser, or any server, on our cases."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolglean.batch.lines import InputError
from toolglean.cli.output import for_people
from toolglean.cli.progress import clear_line, show_line
from toolglean.formats.registry import find_format
from toolglean.kit import conformance
from toolglean.kit.conformance import Case, ParserTarget, Result, Target, engines
from toolglean.kit.conformance.report import as_json, as_junit, as_text
from toolglean.kit.conformance.upstream import Upstream

__all__ = ["add_arguments"]

OWN = "toolglean.kit.conformance.own:Own"
MODES = ("upstream", "vllm", "sglang", "echo")
LAST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Tries a parser, or the parser of a server, on turns whose calls and text are known: each turn whole, "
        "piece by piece and at random cuts. The report distinguishes what is right, what ran and should not, what is "
        "lost, missed or dependent on the cuts, crashes and timeouts."
    )
    parser.epilog = (
        "exit codes: 0 if every case that was judged is right; 1 if one is not, or none could be judged; 2 for "
        "wrong usage, a parser that cannot be imported, or a server that cannot be reached"
    )
    _add_targets(parser)
    _add_cases(parser)
    group = parser.add_argument_group("the report")
    group.add_argument(
        "--json", metavar="FILE", help="also write the report as JSON; - for standard output, instead of text"
    )
    group.add_argument("--junit", metavar="FILE", help="also write the report as JUnit XML, which CI systems read")
    group.add_argument("--brief", action="store_true", help="print only the table, without the cases that fail")
    group.add_argument("--list", action="store_true", help="list the cases that would run, and run none")
    group.add_argument("--print-schema", action="store_true", help="print the JSON schema of a case, and run none")
    parser.set_defaults(run=run)


def _add_targets(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to test")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--parser",
        metavar="MODULE:NAME",
        default=OWN,
        help="a function of a text and tools, a generator of chunks and tools, or a class with feed and finish "
        "(default: toolglean's own parser)",
    )
    one.add_argument("--engine", metavar="URL", help="a server with OpenAI's API, such as http://localhost:8000/v1")
    group.add_argument("--python", metavar="FILE", help="the Python that runs --parser (default: this one)")
    group.add_argument(
        "--mode",
        choices=MODES,
        default="upstream",
        help="how a text gets to --engine: upstream: the server passes requests on to the kit; vllm, sglang: through "
        "endpoints of the server's own; echo: its model is asked to repeat the text (default: upstream)",
    )
    group.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:9911",
        help="upstream: where the kit listens, as the server's model (default: 127.0.0.1:9911)",
    )
    group.add_argument("--model", metavar="NAME", help="the name of the model in requests to --engine")
    group.add_argument("--tool-call-parser", metavar="NAME", help="sglang: the name of its parser of calls")
    group.add_argument("--reasoning-parser", metavar="NAME", help="sglang: the name of its parser of reasoning")
    group.add_argument(
        "--timeout", type=float, default=10.0, metavar="SECONDS", help="the time limit for one turn (default: 10)"
    )


def _add_cases(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which cases")
    group.add_argument(
        "--cases",
        action="append",
        metavar="FILE",
        help="your own cases, as JSON lines, instead of ours; can be repeated",
    )
    group.add_argument("--format", action="append", metavar="NAME", help="only cases of this format; can be repeated")
    group.add_argument("--kind", action="append", metavar="KIND", help="only cases of this kind; can be repeated")
    group.add_argument("--only", metavar="START", help="only cases whose id begins with this")
    group.add_argument(
        "--cuts", type=int, default=3, metavar="N", help="how many random cuts of each text to try (default: 3)"
    )


def run(args: argparse.Namespace) -> int:
    """Try, and report. Returns 1 if a case is not right."""
    for_people()
    if args.print_schema:
        print(json.dumps(conformance.case_schema(), indent=1))
        return 0
    cases = _cases(args)
    if args.list:
        for case in cases:
            print(f"{case.id:48} {case.kind:20} {case.format or ''}".rstrip())
        return 0
    target = _target(args)
    try:
        report = conformance.run(target, cases, random_cuts=args.cuts, progress=_progress(len(cases)))
    finally:
        target.close()
        clear_line()
    if args.json == "-":
        print(as_json(report))
    else:
        print(as_text(report, failures=not args.brief))
        _write(args.json, lambda: as_json(report))
    _write(args.junit, lambda: as_junit(report))
    return 0 if report.passed else 1


def _cases(args: argparse.Namespace) -> list[Case]:
    if args.cuts < 0:
        raise InputError(f"--cuts {args.cuts}: expected 0 or more")
    if not args.timeout > 0:
        raise InputError(f"--timeout {args.timeout:g}: expected a number of seconds above 0")
    found = [case for path in args.cases for case in conformance.read_cases(path)] if args.cases else None
    cases = conformance.load_cases() if found is None else found
    formats = {getattr(find_format(name), "name", name) for name in args.format or ()}
    chosen = [
        case
        for case in cases
        if (not formats or case.format in formats)
        and (not args.kind or case.kind in args.kind)
        and case.id.startswith(args.only or "")
    ]
    if not chosen:
        raise InputError("no case matches --format, --kind and --only; `toolglean conformance --list` shows all cases")
    return chosen


def _target(args: argparse.Namespace) -> Target:
    if args.engine is None:
        return ParserTarget(args.parser, python=args.python, timeout=args.timeout)
    how: dict[str, Any] = {"timeout": args.timeout}
    if args.mode == "vllm":
        return engines.Derender(args.engine, model=args.model, **how)
    if args.mode == "echo":
        return engines.Echo(args.engine, model=args.model, **how)
    if args.mode == "sglang":
        if args.tool_call_parser is None:
            raise InputError("--mode sglang needs --tool-call-parser NAME, as for `sglang serve`")
        return engines.NativeParse(args.engine, args.tool_call_parser, reasoning=args.reasoning_parser, **how)
    host, port = _address(args.listen)
    upstream = Upstream(host, port)
    print(
        f"toolglean conformance: start the proxy at {args.engine} with `--upstream {upstream.url}`; the kit is "
        "listening there",
        file=sys.stderr,
    )
    return engines.Proxied(args.engine, upstream, model=args.model, **how)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > LAST_PORT:
        raise InputError(f"--listen {text}: expected HOST:PORT, such as 127.0.0.1:9911")
    return host, int(port)


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path is None or path == "-":
        return
    try:
        Path(path).write_text(text(), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error}") from error


def _progress(count: int) -> Callable[[Result], None]:
    done = 0

    def told(_: Result) -> None:
        nonlocal done
        done += 1
        show_line(f"{done} of {count}")

    return told
