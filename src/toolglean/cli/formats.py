# Does not depend on what a declaration means: they are listed, searched and printed.
"""`toolglean formats`: how model families write their calls."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from toolglean.batch.lines import values_in
from toolglean.cli.output import WIDTH, Paint, add_color_option, for_machines, for_people, paint_of
from toolglean.cli.usage import exit_codes
from toolglean.errors import FormatError
from toolglean.formats import Format, all_formats
from toolglean.formats.registry import format_named

__all__ = ["add_arguments", "to_paste"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments of the command."""
    parser.description = (
        "Lists the formats that are known by name: what a call looks like, the format's other names, and "
        "the models that write it. With a NAME, prints that declaration for you to paste into a program."
    )
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="the name or an alias of a format, or the name of a model"
    )
    parser.epilog = exit_codes(1, 4, _0="printed", _2="wrong usage, or an unknown name")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="print one line of JSON for each format, with its markers")
    kind.add_argument("--json-schema", action="store_true", help="print the JSON schema of such a line")
    add_color_option(parser)


def run(args: argparse.Namespace) -> int:
    """Print the formats that were asked for."""
    if args.json_schema:
        for_machines()
        print(json.dumps(Format.json_schema(), ensure_ascii=False))
        return 0
    chosen = all_formats() if args.name is None else (format_named(args.name),)
    if args.json:
        for_machines()
        for declared in chosen:
            print(json.dumps(_as_json(declared), ensure_ascii=False))
        return 0
    for_people()
    if args.name is not None:
        print(declaration(chosen[0]))
        return 0
    paint = paint_of(args)
    for declared in chosen:
        _list(declared, paint)
    return 0


def _list(declared: Format, paint: Paint) -> None:
    print(paint(declared.name, paint.BOLD))
    print(f"    {shape(declared)}")
    for label, names in (("aliases", declared.aliases), ("models", declared.models)):
        if names:
            print(paint(f"    {label:8}{', '.join(names)}", paint.DIM))


def shape(declared: Format) -> str:
    """A turn with one call, on one line; line breaks are written as a backslash and an n."""
    before, after = declared.section
    parameter = declared.parameters[0] if declared.parameters else ""
    call = declared.call.replace("{parameters}", parameter)
    return (before + call + after).replace("{ws}", "").replace("\n", "\\n")


def to_paste(declared: Format, known: str | None) -> str:
    """What reads the format in a program: its name if it is known by one, otherwise its declaration."""
    return f"Parser(tools, format={known!r})" if known else declaration(declared)


def declaration(declared: Format) -> str:
    """The declaration as Python that makes the same format, with its markers in a comment."""
    codec = type(declared.arguments).__name__
    words = ["Format"] if codec == "Json" else ["Format", codec]
    lines = [f"from toolglean import {', '.join(words)}", ""]
    lines += ["# Markers; a tokenizer must not skip those that are special tokens:"]
    lines += [f"#     {_literal(marker)}" for marker in declared.markers]
    lines += [f"{_variable(declared.name)} = Format("]
    lines += [_argument("", declared.name)]
    for each in fields(declared):
        value = getattr(declared, each.name)
        default = each.default_factory() if each.default_factory is not MISSING else each.default
        if each.name != "name" and value != default:
            lines += [_argument(f"{each.name}=", value)]
    return "\n".join([*lines, ")"])


def _argument(label: str, value: Any) -> str:
    line = f"    {label}{_literal(value)},"
    if len(line) <= WIDTH or not isinstance(value, tuple):
        return line
    rows = [""]
    for each in value:
        item = f"{_literal(each)}, "
        rows = [*rows[:-1], rows[-1] + item] if len(rows[-1] + item) <= WIDTH - 8 else [*rows, item]
    return "\n".join([f"    {label}(", *(f"        {row.rstrip()}" for row in rows if row), "    ),"])


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # double quotes; JSON's escapes are Python's too
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(each)}' for key, each in value.items())}}}"
    if is_dataclass(value):
        given = [each for each in fields(value) if getattr(value, each.name) != each.default]
        return f"{type(value).__name__}({', '.join(f'{e.name}={_literal(getattr(value, e.name))}' for e in given)})"
    return repr(value)


def _variable(name: str) -> str:
    return "".join(char if char.isalnum() else "_" for char in name).upper()


def _as_json(declared: Format) -> dict[str, Any]:
    found = {**json.loads(declared.to_json()), **values_in(declared, ("aliases", "models", "source"))}
    try:
        template = declared.to_response_template()
    except FormatError:
        template = None
    return {**found, "markers": declared.markers, "response_template": template}
