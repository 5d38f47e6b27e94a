# Does not depend on how a format is read from a template (templates/infer).
"""`toolglean inspect`: the format that a chat template writes, proven by round trip."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from toolglean.batch.lines import InputError, values_in
from toolglean.cli.options import add_template_arguments, read_template, variables_of
from toolglean.cli.output import Paint, add_result_options, labelled, print_result, print_rows
from toolglean.cli.usage import add_options, exit_codes
from toolglean.errors import FormatError, TemplateError
from toolglean.formats.registry import find_format
from toolglean.sources.choose.choice import FormatChoice, choose_format
from toolglean.sources.templates.infer import SAMPLES, Inference, infer
from toolglean.sources.templates.language import template_language
from toolglean.sources.templates.markers import GENERIC
from toolglean.sources.templates.source import TemplateSource

__all__ = ["add_arguments"]

FIELDS = ("language", "format", "recognised", "confidence", "starts_reasoning", "tag", "evidence", "losses")
"""What is printed of an inference as JSON, in this order."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Reads from a chat template how its model writes tool calls, and proves it: random messages go "
        "through the template and must come back. The template is not trusted, so it is rendered with limits "
        "on time and memory."
    )
    parser.epilog = exit_codes(4, _0="a format was read", _1="no format can be read from the template")
    add_template_arguments(parser, SAMPLES)
    about = {
        "--model NAME": "the model's name: show whether Parser uses the name or the template if it is given both, and "
        "why",
        "--no-recognition": "infer the format even if it is a known one",
    }
    add_options(parser, about)
    add_result_options(parser)


def run(args: argparse.Namespace) -> int:
    """Inspect. Returns 1 if no format can be read from the template, else 0."""
    source = read_template(args.template)
    if args.model is not None:
        return _chosen(args, source)
    try:
        found = infer(
            source.text,
            untrusted=True,
            recognise=not args.no_recognition,
            samples=args.examples,
            variables={**source.variables, **variables_of(args)},
        )
    except TemplateError as error:
        raise InputError(f"{args.template}: {error}") from error
    except FormatError as error:
        return _refused(args, source, error)
    print_result(args, lambda: values_in(found, FIELDS), partial(_show, found))
    return 0


def _chosen(args: argparse.Namespace, source: TemplateSource) -> int:
    variables = {**source.variables, **variables_of(args)}
    try:
        choice = choose_format(template=source.text, model=args.model, variables=variables or None, untrusted=True)
    except (FormatError, TemplateError) as error:
        return _refused(args, source, error)
    print_result(args, lambda: _fields_of(choice), lambda _: print(choice))
    return 0


def _fields_of(choice: FormatChoice) -> dict[str, Any]:
    return {
        "how": choice.how,
        "format": None if choice.format is None or choice.format.tag is not None else choice.format.name,
        "tag": None if choice.format is None else choice.format.tag,
        **values_in(choice, ("argument", "reason", "passed_over", "advice")),
    }


def _refused(args: argparse.Namespace, source: TemplateSource, error: FormatError | TemplateError) -> int:
    language, reason = template_language(source.text), str(error)
    tag = "" if isinstance(error, TemplateError) else getattr(error, "tag", GENERIC)
    rows = [("language", language), ("format", "none"), *([] if tag == GENERIC else [("tag", tag)])]
    values = {"format": None, "reason": reason, "tag": tag, "language": language}
    print_result(args, lambda: values, partial(print_rows, rows))
    if not args.json:
        sys.stdout.flush()
        print(f"toolglean: {reason}", file=sys.stderr)
    return 1


def _show(found: Inference, paint: Paint) -> None:
    from toolglean.cli.formats import to_paste  # noqa: PLC0415  # --help does not need it

    rows = [
        ("language", found.language),
        ("format", f"{found.recognised} (known)" if found.recognised else "inferred", Paint.BOLD),
        ("confidence", f"{found.confidence:.0%}", Paint.GREEN if found.confidence > 0.98 else Paint.YELLOW),
        ("tag", found.tag if found.tag != GENERIC or found.language != "go" else f"{found.tag} (as Ollama reads it)"),
        ("reasoning", "starts in the prompt" if found.starts_reasoning else "does not start in the prompt"),
        *labelled("evidence", found.evidence),
        *labelled("losses", found.losses, Paint.YELLOW),
    ]
    print_rows(rows, paint)
    known = find_format(found.recognised) if found.recognised else None
    print()
    print(to_paste(found.format, known.name if known is not None and known == found.format else None))
