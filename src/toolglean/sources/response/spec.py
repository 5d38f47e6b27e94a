# The keys of a response template, version 1, and what makes a template wrong by itself. Does not depend on how text is
# read.
#
#     {"version": 1, "defaults": {"role": "assistant"},
#      "start_anchor" | "start_anchor_pattern": where the assistant's message begins in the prompt,
#      "fields": {name: {"open" | "open_pattern", "close" | "close_pattern",     a literal, or several; or a pattern
#                        "content", "content_args",                              how the region's text is read
#                        "repeats", "join", "optional", "transform", "transform_each"}}}
#
# A field without an opener is the sink: it gets the text outside all other regions. Within a region only its own closer
# is recognised; a region without a closer extends to the end of the turn. (Based on the documentation and the behaviour
# of transformers 5.23; nothing is copied.)
"""The keys of a response template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from toolglean.errors import FormatError
from toolglean.sources.response.marks import Marker
from toolglean.sources.response.patterns import Lit, Reduced, reduce

__all__ = ["Field", "Role", "Template", "path_of", "read_template"]

TEMPLATE_KEYS = frozenset({"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"})
FIELD_KEYS = frozenset(
    {"open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional"}
    | {"transform", "transform_each"}
)
PARSERS = frozenset({"text", "int", "float", "bool", "json", "xml-inline", "kv-lines"})


class Role(Enum):
    """The meaning of a field, determined by its name."""

    CONTENT = ("content",)
    REASONING = ("reasoning_content", "thinking", "reasoning")
    CALLS = ("tool_calls",)
    OTHER = ("",)  # not (): before Python 3.11.4, that would not be its value


_placeholder = re.compile(r"\{(\w+(?:\.\w+)*)\}")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the message. The attributes are the template's own keys, except `role` and `args`."""

    name: str
    role: Role
    open: Marker | None
    close: Marker | None
    content: str
    args: Mapping[str, Any]
    repeats: bool
    join: str | None
    transform: Any
    each: bool


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed response template.

    Attributes:
        defaults: what every message contains.
        anchor: where the assistant's message begins in the prompt.
        fields: the fields that have an opener.
        sink: the field that has none, if any.
    """

    defaults: Mapping[str, Any]
    anchor: Marker
    fields: tuple[Field, ...]
    sink: Field | None


def read_template(template: Mapping[str, Any]) -> Template:
    """Read and check a response template.

    Raises:
        FormatError: it is wrong; the message names the field and the key.
    """
    if not isinstance(template, Mapping):
        raise FormatError(f"response_template={template!r:.80} is not a dict: pass the template as a dict")
    if template.get("version", 1) != 1:
        raise FormatError(f"response template: version {template['version']!r} is not supported: use version 1")
    _only(template, TEMPLATE_KEYS, "response template")
    defaults = _typed(template, "defaults", {}, dict, "response template")
    given = _typed(template, "fields", {}, dict, "response template")
    if not given:
        raise FormatError("response template: fields is missing or empty: declare at least one field")
    anchor = _marker(template, "start_anchor", "response template")
    if anchor is None:
        raise FormatError("response template: the start is missing: add start_anchor or start_anchor_pattern")
    fields = [_field(str(name), each) for name, each in given.items()]
    sinks = [each for each in fields if each.open is None]
    if len(sinks) > 1:
        names = ", ".join(each.name for each in sinks)
        raise FormatError(f"response template: only one of the fields {names} may be without open or open_pattern")
    return Template(defaults, anchor, tuple(each for each in fields if each.open), sinks[0] if sinks else None)


def path_of(value: Any) -> tuple[str, ...]:
    """The path in a placeholder, `("content", "args")` for `{content.args}`; () for anything else."""
    found = _placeholder.fullmatch(value) if isinstance(value, str) else None
    return tuple(found[1].split(".")) if found else ()


def _field(name: str, given: Any) -> Field:
    where = f"field {name!r}"
    if not isinstance(given, Mapping):
        raise FormatError(f"{where}: it must be a dict, not {given!r:.80}")
    _only(given, FIELD_KEYS, where)
    field = Field(
        name,
        next((each for each in Role if name in each.value), Role.OTHER),
        _marker(given, "open", where),
        _marker(given, "close", where),
        _typed(given, "content", "text", str, where),
        _typed(given, "content_args", {}, dict, where),
        _typed(given, "repeats", False, bool, where),
        _typed(given, "join", None, str, where),
        given.get("transform"),
        _typed(given, "transform_each", False, bool, where),
    )
    _typed(given, "optional", True, bool, where)
    _check_parser(field.content, field.args, where)
    _check_join(field, where)
    _check_transform(field, where)
    return field


def _only(given: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    unknown = sorted(str(each) for each in set(given) - known)
    if unknown:
        raise FormatError(f"{where}: unknown key {', '.join(unknown)}; use {', '.join(sorted(known))}")


def _typed(given: Mapping[str, Any], key: str, default: Any, kind: type, where: str) -> Any:
    found = given.get(key, default)
    if found is not default and not isinstance(found, kind):
        raise FormatError(f"{where}: {key} must be a {kind.__name__}, not {found!r:.80}")
    return found


# -- markers -----------------------------------------------------------------------------------------------------------


def _marker(given: Mapping[str, Any], key: str, where: str) -> Marker | None:
    pattern = f"{key}_pattern"
    if key in given and pattern in given:
        raise FormatError(f"{where}: {key} and {pattern} exclude each other: leave out one of them")
    if key in given:
        return Marker(Reduced(tuple((Lit(each),) for each in _literals(given[key], f"{where}: {key}"))))
    if pattern not in given:
        return None
    source = _typed(given, pattern, "", str, where)
    found = reduce(source)
    return Marker(found) if found is not None else Marker(Reduced(), source, f"{where}: {pattern}")


def _literals(given: Any, where: str) -> list[str]:
    literals = [given] if isinstance(given, str) else given
    if not isinstance(literals, list) or not literals or not all(each and isinstance(each, str) for each in literals):
        raise FormatError(f"{where} must be a string or a list of strings, none of them empty, not {given!r:.80}")
    # White space at the edges is markup either way: see patterns.py.
    return list(dict.fromkeys(each.strip() or each for each in literals))


# -- content and transform ---------------------------------------------------------------------------------------------


def _check_parser(name: str, args: Mapping[str, Any], where: str) -> None:
    if name not in PARSERS:
        raise FormatError(f"{where}: unknown content {name!r}; use one of {', '.join(sorted(PARSERS))}")
    if name == "xml-inline":
        pattern = args.get("tag_pattern")
        if not isinstance(pattern, str) or not all(f"(?P<{each}>" in pattern for each in ("key", "value")):
            raise FormatError(f"{where}: xml-inline needs a tag_pattern with (?P<key>…) and (?P<value>…): {pattern!r}")
    for pair in _typed(args, "string_delims", [], list, where):
        if not isinstance(pair, list) or len(pair) != 2 or not all(each and isinstance(each, str) for each in pair):
            raise FormatError(f"{where}: string_delims must be a list of pairs of strings; {pair!r:.80} is not a pair")
    inner = args.get("value_parser")
    if inner is not None:
        if not isinstance(inner, Mapping):
            raise FormatError(f"{where}: value_parser must be a dict, not {inner!r:.80}")
        inner_args = _typed(inner, "args", {}, dict, f"{where}: value_parser")
        _check_parser(inner.get("name", "text"), inner_args, f"{where}: value_parser")


def _check_join(field: Field, where: str) -> None:
    if field.join is None:
        return
    if not field.repeats:
        raise FormatError(
            f"{where}: join={field.join!r:.80} needs repeats=true, because only repeated values are joined"
        )
    if field.content != "text" or field.each or isinstance(field.transform, dict | list):
        raise FormatError(f"{where}: join needs content 'text', not {field.content!r}")


def _check_transform(field: Field, where: str) -> None:
    markers = [each for each in (field.open, field.close) if each is not None]
    groups = {name for each in markers for name in each.reduced.groups}
    groups |= {name for each in markers for name in re.findall(r"\(\?P<(\w+)>", each.source)}
    if field.transform is None:
        if field.each:
            raise FormatError(f"{where}: transform_each needs a transform: add one, or leave out transform_each")
        if groups:
            names = ", ".join(sorted(groups))
            raise FormatError(f"{where}: {names} is captured, but no transform uses it: add a transform")
        return
    _check_placeholders(field.transform, None if field.each else groups | {"content"}, where)


def _check_placeholders(transform: Any, known: set[str] | None, where: str) -> None:
    if isinstance(transform, dict | list):
        for each in transform.values() if isinstance(transform, dict) else transform:
            _check_placeholders(each, known, where)
    elif isinstance(transform, str) and _placeholder.search(transform):
        path = path_of(transform)
        if not path:
            raise FormatError(f"{where}: a placeholder must be the whole string, not a part of {transform!r:.80}")
        if known is not None and path[0] not in known:
            raise FormatError(f"{where}: {transform} is not captured: a transform may use {', '.join(sorted(known))}")
