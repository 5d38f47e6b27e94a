# The arguments that commands share, and how a parser is made from them. Does not depend on what a command does with it.
"""Arguments that commands share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from toolglean.batch.lines import InputError, read_text
from toolglean.cli.usage import add_options
from toolglean.errors import FormatError, TemplateError, ToolError, UsageError
from toolglean.formats.spec import Format
from toolglean.options import DEFAULT, WORDS, ParserOptions
from toolglean.sources.choose.choice import choose_format
from toolglean.tools import ToolSet

if TYPE_CHECKING:
    from toolglean.sources.templates.source import TemplateSource

__all__ = [
    "add_format_options",
    "add_policy_options",
    "add_set_option",
    "add_template_arguments",
    "as_options",
    "at_least_one",
    "given",
    "made_with",
    "named_format",
    "options_from",
    "read_json",
    "read_template",
    "read_text",
    "read_tools",
    "variables_of",
    "without_prompt",
]


T = TypeVar("T")

WAYS = ("format", "model", "template", "tag")
MORE = ("closer", "tools", "prompt", "set")
POLICIES = {
    "unknown_tools": "calls to a tool that the model was not given: a call like any other, or content "
    "(default: {unknown_tools})",
    "calls_in_reasoning": "calls inside the reasoning: held back until what follows shows what they are (default), "
    "read at once, or never read",
    "quoted": "calls in quotations, such as code: content (default), or read as calls",
    "undeclared": "calls of known tools in a spelling that no format declares, at the end of the turn: read if they "
    "fit the tool's schema (default), or never read",
    "trailing_json": "JSON without a marker that follows other text and ends the turn: read as calls if it fits the "
    "tools' schemas, or content (default: content)",
}
"""The options of the parser that are one of several words, and what the help says about each."""
OF_A_TURN = {
    "--prompt FILE": "a file with the prompt, or just its end, which shows whether the reasoning is open",
    "--tools FILE": "a file with a JSON list of the model's tools: names, or tool dicts of OpenAI, Ollama, Anthropic "
    "or MCP",
}
"""The options that each request to a server brings itself."""


def add_format_options(parser: argparse.ArgumentParser, *, for_server: bool = False) -> None:
    """Options that say how the model writes its calls, and what it may call.

    Args:
        parser: the parser of the command.
        for_server: whether requests bring the tools and the prompt, so that there are no options for them.
    """
    shows = "the request's model, or detected" if for_server else "detected from the turn"
    group = parser.add_argument_group(f"how the model writes (default: {shows})")
    _add_ways(group)
    begins = "responses begin" if for_server else "the turn begins"
    start = {"default": None if for_server else "content"}
    about = f"what {begins} with: reasoning if the prompt has opened it (default: content)"
    add_options(group, {"--start content|reasoning": about}, start=start)
    add_set_option(group)
    if for_server:
        parser.set_defaults(tools=None, prompt=None)
    else:
        add_options(group, OF_A_TURN)
    add_policy_options(parser, unknown_tools="content" if for_server else "call")


def _add_ways(group: Any) -> None:
    one_way = {
        "--format NAME": "the name of a format, listed by `toolglean formats` (default: auto); or a file whose name "
        "ends in .json, with a format as `toolglean learn --output` writes it",
        "--model NAME": "the model's name, such as Qwen/Qwen3-8B or qwen3:8b",
        "--tag TEXT": "the marker that starts a call; '{' or '[' for bare JSON at the start of the turn",
    }
    add_options(group.add_mutually_exclusive_group(), one_way)
    more = {
        "--closer TEXT": "with --tag: the marker that ends a call (default: derived from the tag)",
        "--template FILE": "a file from which the format is read: a chat template, Go or Jinja (Jinja needs "
        "toolglean[jinja]); an Ollama Modelfile; or a tokenizer_config.json. If --model is given too, the template is "
        "used if a format can be read from it, and the name otherwise",
    }
    add_options(group, more)


def add_policy_options(parser: argparse.ArgumentParser, *, unknown_tools: str = "call") -> None:
    """Options for calls that could be read in more than one way: see `options_from`.

    Args:
        parser: the parser of the command.
        unknown_tools: what the command does by default with calls to unknown tools.
    """
    group = parser.add_argument_group("which calls are read")
    for name, about in POLICIES.items():
        option = f"--{name.replace('_', '-')} {'|'.join(WORDS[name])}"
        how = {name: {"default": getattr(DEFAULT, name)}}
        add_options(group, {option: about.format(unknown_tools=unknown_tools)}, **how)
    flags = {
        "--no-repair": "leave broken calls malformed, even if there is only one way to repair them",
        "--strict-format": "read the named format alone: no calls of your tools in the formats of other families",
    }
    add_options(group, flags)


def options_from(args: argparse.Namespace) -> ParserOptions:
    """The options of `add_policy_options`."""
    words = {name: getattr(args, name) for name in WORDS}
    return ParserOptions(**words, strict=args.strict_format, repair=not args.no_repair)


def as_options(arguments: Mapping[str, Any]) -> str:
    """Arguments of `Parser` as a command takes them."""
    words = ((name.replace("_", "-"), value if isinstance(value, str) else "FILE") for name, value in arguments.items())
    return " ".join(f"--{name} {value}" for name, value in words)


def at_least_one(text: str) -> int:
    """The type of an argument that is a number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"invalid value {text!r}: expected 1 or more")
    return int(text)


def add_template_arguments(parser: argparse.ArgumentParser, examples: int) -> None:
    """The arguments of commands that send random messages through a template; `examples`: how many by default."""
    parser.add_argument(
        "template",
        metavar="TEMPLATE",
        help="a chat template, Go or Jinja; an Ollama Modelfile; a tokenizer_config.json",
    )
    about = f"how many random messages go through the template (default: {examples})"
    add_options(parser, {"--examples N": about}, examples={"type": at_least_one, "default": examples})
    add_set_option(parser)


def add_set_option(parser: Any) -> None:
    """The option for what a template is given besides the messages."""
    about = "a variable for the template, such as enable_thinking=true, as JSON or else text (may be repeated)"
    add_options(parser, {"--set NAME=VALUE": about}, set={"action": "append"})


def variables_of(args: argparse.Namespace) -> dict[str, Any]:
    """The variables of `--set`.

    Raises:
        InputError: one of them has no name.
    """
    found: dict[str, Any] = {}
    for each in args.set or ():
        name, parted, value = each.partition("=")
        if not parted or not name.isidentifier():
            raise InputError(f"--set {each!r}: expected NAME=VALUE, such as enable_thinking=true")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found


def made_with(args: argparse.Namespace, make: Callable[..., T], tools: Any = None) -> T:
    """Call `make`, such as `Parser`, with the tools and the options of the parser that the arguments describe.

    Args:
        args: the arguments.
        make: what is called.
        tools: the tools if there is no `--tools`.

    Raises:
        InputError: a file cannot be read, or has the wrong content.
        ToolgleanError: as for `Parser`.
    """
    if args.closer is not None and args.tag is None:
        raise InputError("--closer needs --tag: a format defines its own closer")
    if args.template is not None and (args.format is not None or args.tag is not None):
        raise InputError("--template cannot be combined with --format or --tag: leave out one of them")
    variables = variables_of(args)
    if variables and args.template is None:
        raise InputError("--set needs --template: only templates take variables")
    tools = tools if args.tools is None else read_tools(args.tools)
    template = None
    if args.template is not None:
        read_template(args.template)  # for its errors, which name the file
        template = read_text(args.template)
    prompt = "" if args.prompt is None else read_text(args.prompt)
    options = options_from(args)
    try:
        ways = _ways(args, template, variables)
        return make(tools, **ways, start=args.start, prompt=prompt, options=options)
    except (FormatError, TemplateError) as error:
        if args.template is None:
            raise
        raise InputError(f"{args.template}: {error}") from error


def _ways(args: argparse.Namespace, template: str | None, variables: dict[str, Any]) -> dict[str, Any]:
    # The arguments of `Parser` that say how the model writes.
    if args.tag is not None:
        return {"format": Format.from_tag(args.tag, closer=args.closer)}
    if template is None or not variables:
        return {"format": named_format(args.format), "model": args.model, "template": template}
    found = choose_format(template=template, variables=variables, model=args.model)
    return {"format": found.format}


def without_prompt(args: argparse.Namespace) -> argparse.Namespace:
    """The same arguments, for a turn whose reasoning the server has already taken out: it begins with content."""
    return argparse.Namespace(**{**vars(args), "start": "content", "prompt": None})


def given(args: argparse.Namespace) -> bool:
    """Whether any of these options was given."""
    return (
        options_from(args) != DEFAULT
        or args.start != "content"
        or any(getattr(args, name) is not None for name in (*WAYS, *MORE))
    )


def named_format(given: str | None) -> str | Format | None:
    """The format of `--format`: its name as it is; from a file, if the name of one is given.

    Raises:
        InputError: the file cannot be read, or contains no format.
    """
    if given is None or Path(given).suffix != ".json":
        return given
    try:
        return Format.from_json(read_text(given))
    except FormatError as error:
        raise InputError(f"{given}: {error}") from error


def read_template(path: str) -> TemplateSource:
    """The template in a file: a chat template, an Ollama Modelfile, or a tokenizer_config.json.

    Raises:
        InputError: it cannot be read, or does not contain a template.
    """
    from toolglean.sources.templates.source import checked, template_in  # noqa: PLC0415  # for three commands

    try:
        return checked(template_in(read_text(path)))
    except TemplateError as error:
        raise InputError(f"{path}: {error.reason}") from error
    except UsageError as error:
        raise InputError(
            f"{path}: this is not a chat template, because it has nothing between {{{{ }}}} or {{% %}}; expected a Go "
            "or Jinja template, an Ollama Modelfile or a tokenizer_config.json"
        ) from error


def read_json(path: str) -> Any:
    """The JSON value in a file.

    Raises:
        InputError: it cannot be read, or is not JSON.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: line {error.lineno}, column {error.colno}: not valid JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from error


def read_tools(path: str) -> ToolSet:
    """The tools in a file.

    Raises:
        InputError: it cannot be read, or does not contain a list of tools.
    """
    if path != "-" and not Path(path).exists():
        listed = 'the file has a JSON list of tools, or of their names, such as ["get_weather"]'
        raise InputError(f"{path}: No such file or directory; {listed}")
    found = read_json(path)
    if not isinstance(found, list):
        raise InputError(f"{path}: line 1, column 1: expected a JSON list of tools")
    try:
        return ToolSet(found)
    except ToolError as error:
        raise InputError(f"{path}: {error}") from error
