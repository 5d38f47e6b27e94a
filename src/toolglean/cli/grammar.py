# Does not depend on how a grammar is made (grammar/), or on how a format is read from a template (templates/infer).
"""`toolglean grammar`: what a model may write, for an engine that constrains decoding."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from toolglean.batch.lines import InputError
from toolglean.cli import options
from toolglean.cli.output import for_machines
from toolglean.cli.usage import add_options, did_you_mean, exit_codes
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.formats import Format, all_formats
from toolglean.formats.registry import format_named
from toolglean.grammar import grammar_of
from toolglean.tools import ToolSet

__all__ = ["add_arguments"]

NOTATIONS = ("structural-tag", "lark", "gbnf")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Writes the grammar of the turns that a model may write with these tools: a structural tag "
        "(xgrammar, vLLM, SGLang), Lark (llguidance) or GBNF (llama.cpp). Where the grammar differs from a schema, "
        "standard error says so."
    )
    parser.epilog = exit_codes(
        1, 4, _0="written", _2="wrong usage, input that cannot be read, or tools that do not fit a grammar"
    )
    parser.add_argument(
        "format", metavar="NAME|TEMPLATE", help="a format, a model, or a file with a chat template (as for `inspect`)"
    )
    first = {
        "--tools FILE": "a file with a JSON list of the model's tools",
        f"--notation {'|'.join(NOTATIONS)}": f"the notation (default: {NOTATIONS[0]})",
    }
    add_options(parser, first, tools={"required": True}, notation={"default": NOTATIONS[0]})
    parser.add_argument(
        "--tool-choice",
        default="auto",
        metavar="auto|required|none|TOOL",
        help="whether the model may call, must call, must not call, or must call this tool (default: auto)",
    )
    more = {
        "--one-call": "at most one call in a turn",
        "--reasoning": "the turn may begin with reasoning",
        "--loose": "if a grammar cannot express a schema, allow more than the schema does",
        "--special-tokens FILE": "for lark: a file with a JSON object of special tokens and their ids",
    }
    add_options(parser, more)
    options.add_set_option(parser)


def run(args: argparse.Namespace) -> int:
    """Write the grammar."""
    tokens = _special_tokens(args)
    tools = options.read_tools(args.tools)
    _check_choice(args.tool_choice, tools)
    found = grammar_of(
        _format(args),
        tools,
        choice=args.tool_choice,
        parallel=not args.one_call,
        reasoning=args.reasoning,
        strict=not args.loose,
    )
    for_machines()
    if args.notation == "structural-tag":
        print(json.dumps(found.structural_tag(), ensure_ascii=False))
    else:
        print(found.lark(tokens) if args.notation == "lark" else found.gbnf(), end="")
    sys.stdout.flush()
    for note in found.notes:
        print(f"toolglean: {note}", file=sys.stderr)
    return 0


def _format(args: argparse.Namespace) -> Format:
    if not Path(args.format).is_file():
        if args.set:
            raise InputError("--set needs a template: only templates take variables")
        try:
            return format_named(args.format)
        except UsageError as error:
            names = [name for each in all_formats() for name in (each.name, *each.aliases)]
            hint = did_you_mean(args.format, names) or "; `toolglean formats` lists the formats"
            said = f"{args.format!r} is not a template file, a known format or a known model{hint}"
            raise InputError(said) from error
    # A file in JSON may also be a tokenizer_config.json.
    if args.format.endswith(".json") and '"toolglean_format"' in options.read_text(args.format):
        named = options.named_format(args.format)
        assert isinstance(named, Format)
        return named
    from toolglean.sources.templates.infer import infer  # noqa: PLC0415  # a known format does without it

    source = options.read_template(args.format)
    try:
        return infer(source.text, untrusted=True, variables={**source.variables, **options.variables_of(args)}).format
    except (FormatError, TemplateError) as error:
        raise InputError(f"{args.format}: {error}") from error


def _check_choice(choice: str, tools: ToolSet) -> None:
    known = ("auto", "required", "none", *tools.names)
    if choice not in known:
        near = did_you_mean(choice, known) or "; expected auto, required, none, or the name of a tool of --tools"
        raise InputError(f"--tool-choice {choice}: this is not one of the tools{near}")


def _special_tokens(args: argparse.Namespace) -> dict[str, int] | None:
    if args.special_tokens is None:
        return None
    if args.notation != "lark":
        raise InputError("--special-tokens needs --notation lark: the other notations write special tokens as text")
    found = options.read_json(args.special_tokens)
    if not isinstance(found, dict):
        raise InputError(f"{args.special_tokens}: expected a JSON object of special tokens and their ids")
    return found
