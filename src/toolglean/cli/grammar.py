# Does not depend on how a grammar is made (grammar/), or on how a format is read from a template (templates/infer).
"""`toolglean grammar`: what a model may write, for an engine that constrains decoding."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from toolglean.batch.lines import InputError
from toolglean.cli.options import add_set_option, read_template, read_text, read_tools, variables_of
from toolglean.cli.output import for_machines
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.formats import Format, format_of_model, get_format
from toolglean.grammar import grammar_of

__all__ = ["add_arguments"]

TARGETS = ("structural-tag", "lark", "gbnf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Writes the grammar of the turns that a model may write with these tools: a structural tag "
        "(xgrammar, vLLM, SGLang), Lark (llguidance) or GBNF (llama.cpp). Where the grammar differs from a schema, "
        "standard error says so."
    )
    parser.add_argument(
        "format", metavar="NAME|TEMPLATE", help="a format, a model, or a file with a chat template (as for `inspect`)"
    )
    parser.add_argument("--tools", metavar="FILE", required=True, help="a file with a JSON list of the model's tools")
    parser.add_argument("--target", choices=TARGETS, default=TARGETS[0], help=f"the notation (default: {TARGETS[0]})")
    parser.add_argument(
        "--choice",
        default="auto",
        metavar="auto|required|none|TOOL",
        help="whether the model may call, must call, must not call, or must call this tool (default: auto)",
    )
    parser.add_argument("--one-call", action="store_true", help="at most one call in a turn")
    parser.add_argument("--reasoning", action="store_true", help="the turn may begin with reasoning")
    parser.add_argument(
        "--loose", action="store_true", help="if a grammar cannot express a schema, allow more than the schema does"
    )
    parser.add_argument(
        "--special-tokens", metavar="FILE", help="for lark: a file with a JSON object of special tokens and their ids"
    )
    add_set_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the grammar."""
    tokens = _special_tokens(args)
    found = grammar_of(
        _format(args),
        read_tools(args.tools),
        choice=args.choice,
        parallel=not args.one_call,
        reasoning=args.reasoning,
        strict=not args.loose,
    )
    for_machines()
    if args.target == "structural-tag":
        print(json.dumps(found.structural_tag(), ensure_ascii=False))
    else:
        print(found.lark(tokens) if args.target == "lark" else found.gbnf(), end="")
    sys.stdout.flush()
    for note in found.notes:
        print(f"toolglean: {note}", file=sys.stderr)
    return 0


def _format(args: argparse.Namespace) -> Format:
    if not Path(args.format).is_file():
        if args.set:
            raise InputError("--set needs a template: only templates take variables")
        try:
            return get_format(args.format)
        except UsageError as error:
            declared = format_of_model(args.format)
            if declared is None:
                raise InputError(
                    f"{args.format!r} is not a template file, a known format or a known model; "
                    "`toolglean formats` lists the formats"
                ) from error
            return declared
    from toolglean.sources.templates.infer import infer  # noqa: PLC0415  # a known format does without it

    source = read_template(args.format)
    try:
        return infer(source.text, untrusted=True, variables={**source.variables, **variables_of(args)}).format
    except (FormatError, TemplateError) as error:
        raise InputError(f"{args.format}: {error}") from error


def _special_tokens(args: argparse.Namespace) -> dict[str, int] | None:
    if args.special_tokens is None:
        return None
    if args.target != "lark":
        raise InputError("--special-tokens needs --target lark: the other notations write special tokens as text")
    try:
        found = json.loads(read_text(args.special_tokens))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{args.special_tokens}: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{args.special_tokens}: expected a JSON object of special tokens and their ids")
    return found
