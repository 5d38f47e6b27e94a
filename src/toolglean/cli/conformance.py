# The arguments, and where the reports go. Does not depend on what the kit does (toolglean.kit.conformance).
"""`toolglean conformance`: any parser, or any server, on cases whose calls and text are known."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from toolglean.batch.lines import InputError, values_in
from toolglean.cli.output import check_new, for_people, write_file
from toolglean.cli.progress import clear_line, show_line
from toolglean.cli.usage import add_options, did_you_mean
from toolglean.formats.registry import find_format
from toolglean.kit import conformance
from toolglean.kit.conformance import Case, CaseSet, ParserTarget, Report, Result, Target, engines
from toolglean.kit.conformance.badge import as_badge, as_badge_json
from toolglean.kit.conformance.page import TITLE, as_html, as_markdown
from toolglean.kit.conformance.parsers import open_target
from toolglean.kit.conformance.report import as_json, as_junit, as_text
from toolglean.kit.conformance.results import TIERS
from toolglean.kit.conformance.results import as_text as results_text
from toolglean.kit.conformance.targets import TARGETS
from toolglean.kit.conformance.upstream import Upstream

__all__ = ["add_arguments"]

MODES = ("upstream", "vllm", "sglang", "echo")
HOST, PORT, LAST_PORT = "127.0.0.1", 9911, 65535
NEEDS: Mapping[str, Sequence[str]] = {
    "mode": MODES,
    "model": ("upstream", "vllm", "echo"),
    "host": ("upstream",),
    "port": ("upstream",),
    "tool_call_parser": ("sglang",),
    "reasoning_parser": ("sglang",),
}
"""Options that need --engine, and the modes that use them."""
OF_A_RUN = ("target", "parser", "engine", "output", "junit")
"""Options that RESULTS would leave without effect, so that their user would miss a run or a file."""
SUFFIXES = {
    "output": (".json",),
    "junit": (),
    "page": (".html", ".md"),
    "badge": (".svg", ".json"),
}
"""The suffixes of the files that each option writes; (): any."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Tries a parser, or the parser of a server, on turns whose calls and text are known: each turn whole, "
        "piece by piece and at random cuts. There are two scores: core, for cases in which every sound parser gives "
        "the same result, and policy, for questions on which sound parsers differ. With RESULTS, it runs nothing and "
        "makes a page, or a badge, of results that were saved before."
    )
    parser.epilog = (
        "exit codes: 0 if nothing is wrong (see --fail-on); 1 if something is, or no case could be judged; 2 for "
        "wrong usage, a parser that cannot be imported, or a server that cannot be reached"
    )
    parser.add_argument("results", nargs="*", metavar="RESULTS", help="files of --output, for --page or --badge")
    _add_targets(parser)
    _add_cases(parser)
    _add_reports(parser)


def _add_targets(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what to test")
    one = {
        "--target NAME": f"a parser with an adapter in toolglean: {', '.join(TARGETS)} (default: toolglean)",
        "--parser MODULE:NAME": "a function of a text and tools, a generator of chunks and tools, or a class with feed "
        "and finish; FILE.py:NAME works as well",
        "--engine URL": "a server with OpenAI's API, such as http://localhost:8000/v1",
    }
    add_options(group.add_mutually_exclusive_group(), one)
    about = {
        "--python FILE": "the Python that runs --target or --parser (default: this one)",
        f"--mode {'|'.join(MODES)}": "how a text gets to --engine: upstream: the server passes requests on to the kit; "
        "vllm, sglang: through endpoints of the server's own; echo: its model is asked to repeat the text (default: "
        "upstream)",
        "--host HOST": f"upstream: where the kit listens (default: {HOST})",
        "--port PORT": f"upstream: on which port (default: {PORT})",
        "--model NAME": "the name of the model in requests to --engine",
        "--tool-call-parser NAME": "sglang: the name of its parser of calls",
        "--reasoning-parser NAME": "sglang: the name of its parser of reasoning",
        "--timeout SECONDS": "the time limit for one turn (default: 10)",
        "--target-name NAME": "what results call the target (default: its own name)",
        "--target-version VERSION": "its version in results, if the kit cannot know it",
    }
    add_options(group, about, port={"type": int}, timeout={"type": float, "default": 10.0})


def _add_cases(parser: argparse.ArgumentParser) -> None:
    about = {
        "--cases FILE": "a file of cases, as JSON lines, or the name of an installed set, instead of the shipped cases"
        "; can be repeated",
        "--format NAME": "only cases of this format; can be repeated",
        "--kind KIND": "only cases of this kind; can be repeated",
        f"--tier {'|'.join(TIERS)}": "only core cases, or only policy cases",
        "--only START": "only cases whose id begins with this",
        f"--ways {'|'.join(conformance.WAYS)}": "how each text is given: whole; pieces: also piece by piece, and a few "
        "pieces at once, as servers send it; all: also in one chunk and at random cuts (default: all)",
        "--cuts N": "how many random cuts of each text to try (default: 3)",
    }
    more: dict[str, Any] = {"ways": {"default": "all"}, "cuts": {"type": int, "default": 3}}
    repeated = {name: {"action": "append"} for name in ("cases", "format", "kind")}
    add_options(parser.add_argument_group("which cases, and how"), about, **more, **repeated)


def _add_reports(parser: argparse.ArgumentParser) -> None:
    about = {
        "--json": "print the results as JSON, instead of text",
        "--output FILE.json": "also write the results as JSON, to a new file",
        "--junit FILE": "also write them as JUnit XML, which CI systems read",
        "--page FILE": "also write them as a page, by the suffix .html or .md",
        "--badge FILE": "also write a badge: .svg, or .json for shields.io",
        "--brief": "print only the table and the scores",
        f"--fail-on {'|'.join(TIERS)}": "what makes the exit code 1: core: only core faults; policy: also another "
        "answer to a question of policy (default: core)",
        "--list": "list the cases that would run, and run none",
        "--print-schema case|results": "print the JSON schema of a case (default), or of results, and run none",
    }
    more: dict[str, Any] = {"fail_on": {"default": "core"}, "print_schema": {"nargs": "?", "const": "case"}}
    add_options(parser.add_argument_group("the report"), about, **more)


def run(args: argparse.Namespace) -> int:
    """Try, and report. Returns 1 if something is wrong."""
    for_people()
    if args.print_schema:
        schemas = {"case": conformance.case_schema, "results": conformance.results_schema}
        print(json.dumps(schemas[args.print_schema](), indent=1))
        return 0
    _check_pairs(args)
    _check_files(args)
    if args.results:
        _write_views(args, [conformance.read_results(path) for path in args.results])
        return 0
    used, cases = _cases(args)
    if args.list:
        _list(args, used, cases)
        return 0
    report = _run(args, cases)
    if args.json:
        print(as_json(report, case_set=used), end="")
    else:
        print(as_text(report, failures=not args.brief, case_set=used))
    results = conformance.results_of(report, case_set=used)
    _write(args, "output", lambda: results_text(results))
    _write(args, "junit", lambda: as_junit(report, fail_on=args.fail_on, case_set=used))
    _write_views(args, [results])
    policy = report.score("policy")
    return 0 if report.passed and (args.fail_on == "core" or policy.right == policy.judged) else 1


# -- cases -------------------------------------------------------------------------------------------------------------


def _cases(args: argparse.Namespace) -> tuple[CaseSet, list[Case]]:
    if args.cuts < 0:
        raise InputError(f"--cuts {args.cuts}: expected 0 or more")
    if not args.timeout > 0:
        raise InputError(f"--timeout {args.timeout:g}: expected a number of seconds above 0")
    used = conformance.sets_of(args.cases) if args.cases else conformance.shipped_set()
    kinds = {case.kind for case in used.cases}
    for kind in args.kind or ():
        if kind not in kinds:
            raise InputError(f"--kind {kind}: no case has this kind; expected one of {', '.join(sorted(kinds))}")
    formats = {_format_of(name, used) for name in args.format or ()}
    chosen = [
        case
        for case in used.cases
        if (not formats or case.format in formats)
        and (not args.kind or case.kind in args.kind)
        and args.tier in {None, case.tier}
        and case.id.startswith(args.only or "")
    ]
    if not chosen:
        raise InputError(
            "no case matches --format, --kind, --tier and --only; `toolglean conformance --list` shows all cases"
        )
    return used, chosen


def _format_of(name: str, used: CaseSet) -> str:
    formats = sorted({case.format for case in used.cases if case.format})
    found = getattr(find_format(name), "name", name)
    if found not in formats:
        near = did_you_mean(name, formats) or "; `toolglean conformance --list` shows the formats of the cases"
        raise InputError(f"--format {name}: no case has this format{near}")
    return found


def _list(args: argparse.Namespace, used: CaseSet, cases: list[Case]) -> None:
    if args.json:
        print(json.dumps(_listed(used, cases), indent=1))
        return
    version = f" {used.version}" if used.version else ""
    print(f"# {used.name}{version}, {used.digest}, {len(cases)} of {len(used.cases)} cases")
    for case in cases:
        tier = f"{case.tier}: {case.question}" if case.question else case.tier
        disputed = "  (disputed)" if case.disputed else ""
        print(f"{case.id:48} {case.kind:20} {tier:20} {case.format or ''}{disputed}".rstrip())


def _listed(used: CaseSet, cases: list[Case]) -> dict[str, Any]:
    names = ("id", "kind", "format", "tier", "question", "disputed", "source", "license", "third_party")
    listed = [{name: getattr(case, name) or None for name in (*names, "third_party_license")} for case in cases]
    return {**values_in(used, ("name", "version", "digest", "licenses")), "cases": listed}


# -- the run -----------------------------------------------------------------------------------------------------------


def _run(args: argparse.Namespace, cases: list[Case]) -> Report:
    target = _target(args)
    try:
        report = conformance.run(target, cases, ways=args.ways, random_cuts=args.cuts, progress=_progress(len(cases)))
    finally:
        target.close()
        clear_line()
    about = report.about
    if about is not None:
        about = replace(about, name=args.target_name or about.name, version=args.target_version or about.version)
        report = replace(report, target=about.name, about=about)
    return report


def _target(args: argparse.Namespace) -> Target:
    if args.engine is None:
        if args.parser is not None:
            return ParserTarget(args.parser, python=args.python, timeout=args.timeout)
        return open_target(args.target or "toolglean", python=args.python, timeout=args.timeout)
    how: dict[str, Any] = {"timeout": args.timeout}
    mode = args.mode or MODES[0]
    if mode == "vllm":
        return engines.Derender(args.engine, model=args.model, **how)
    if mode == "echo":
        return engines.Echo(args.engine, model=args.model, **how)
    if mode == "sglang":
        if args.tool_call_parser is None:
            raise InputError("--mode sglang needs --tool-call-parser NAME, as for `sglang serve`")
        return engines.NativeParse(args.engine, args.tool_call_parser, reasoning=args.reasoning_parser, **how)
    port = PORT if args.port is None else args.port
    if not 0 <= port <= LAST_PORT:
        raise InputError(f"--port {port}: expected a number from 0 to {LAST_PORT}")
    upstream = Upstream(args.host or HOST, port)
    print(
        f"toolglean conformance: start the proxy at {args.engine} with `--upstream {upstream.url}`; the kit is "
        "listening there",
        file=sys.stderr,
    )
    return engines.Proxied(args.engine, upstream, model=args.model, **how)


def _progress(total: int) -> Callable[[Result], None]:
    done = count(1)
    return lambda _: show_line(f"{next(done)} of {total}")


def _check_pairs(args: argparse.Namespace) -> None:
    # An option that does nothing would leave its user with the results of something else.
    if args.results:
        for name in OF_A_RUN:
            if getattr(args, name) is not None:
                raise InputError(f"{_option(name)} is for a run, and RESULTS run nothing: leave out one of them")
    for name, modes in NEEDS.items():
        if getattr(args, name) is None:
            continue
        if args.engine is None:
            raise InputError(f"{_option(name)} needs --engine")
        if (args.mode or MODES[0]) not in modes:
            raise InputError(f"{_option(name)} needs --mode {' or '.join(modes)}")
    if args.python is not None and args.engine is not None:
        raise InputError("--python needs --target or --parser: a server is not started")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


# -- files -------------------------------------------------------------------------------------------------------------


def _check_files(args: argparse.Namespace) -> None:
    # Before the run, which may take an hour.
    for option, suffixes in SUFFIXES.items():
        path = getattr(args, option)
        if path is None:
            continue
        if Path(path).is_dir() or not Path(path).parent.is_dir():
            raise InputError(f"--{option} {path}: cannot be written; expected a file in a folder that exists")
        if suffixes and Path(path).suffix not in suffixes:
            raise InputError(f"--{option} {path}: expected a file that ends with {' or '.join(suffixes)}")
    check_new(args.output)  # the others are views of it, which can be made again
    if args.results and args.json:
        raise InputError(f"{args.results[0]}: --json takes no file; use --output FILE to write the results")
    if args.results and args.page is None and args.badge is None:
        raise InputError(f"{args.results[0]}: RESULTS need --page FILE or --badge FILE; a run has no such argument")
    if args.badge is not None and len(args.results) > 1:
        raise InputError(f"--badge {args.badge}: a badge is about one file of results, not {len(args.results)}")


def _write_views(args: argparse.Namespace, results: list[conformance.Results]) -> None:
    _write(args, "page", lambda: _markdown(results) if args.page.endswith(".md") else as_html(results))
    _write(args, "badge", lambda: (as_badge if args.badge.endswith(".svg") else as_badge_json)(results[0]))


def _markdown(results: list[conformance.Results]) -> str:
    return f"# {TITLE}\n\n{as_markdown(results)}"


def _write(args: argparse.Namespace, option: str, text: Callable[[], str]) -> None:
    path: str | None = getattr(args, option)
    if path is not None:
        write_file(f"--{option}", path, text().encode("utf-8", "backslashreplace"))
