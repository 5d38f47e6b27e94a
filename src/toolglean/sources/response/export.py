# How a format is written as a response template, and which parts of a format no template can express. Does not depend
# on how a template is read.
#
# For transformers a template is a list of regions, each with one opener, one closer and one shape. So all spellings of
# a call become one pattern, and must share what follows the opener. The patterns include the white space next to
# markers (`\s*<tool_call>`), which would otherwise be a piece of content of its own. Content repeats and is joined;
# otherwise the text before a call would be replaced by the text after it. A call that ends reasoning is a closer of
# reasoning that is only looked ahead to: `(?=<tool_call>)`.
"""Converts formats to response templates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolglean.errors import FormatError
from toolglean.formats.parameters import ending_of, has_bare_key
from toolglean.formats.spec import JSON, Format, Literal, Quoted, Slot, Space, Token, tokens_of
from toolglean.formats.words import literals_in, literals_of

__all__ = ["export"]

# The anchor of the assistant's message in the prompt, by a marker of its family.
ANCHORS = {
    "<|im_end|>": "<|im_start|>assistant\n",
    "<|observation|>": "<|assistant|>",
    "<turn|>": "<|turn>model\n",
    "<end_of_turn>": "<start_of_turn>model\n",
    "[/TOOL_CALLS]": "[/INST]",
    "<|eot_id|>": "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "<|START_OF_TURN_TOKEN|>": "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "<｜end▁of▁sentence｜>": "<｜Assistant｜>",
}
LAST_SLOTS = ("call", "calls", "arguments", "parameters")
IN_OPENER = {"name": (r"\s", "<"), "id": (r"\s", "<")}
IN_PARAMETER = {"key": (r"\n", ""), "value": ("", "")}
TEXT = {"content": "text", "repeats": True, "join": "\n"}


@dataclass(frozen=True)
class _Spelling:
    # One spelling of a call: its last slot, and the patterns before and after it.
    head: str
    opener: str
    slot: str
    closer: str
    has_id: bool

    @property
    def shape(self) -> tuple[str, str, bool]:
        """What all spellings of one template must share."""
        return self.slot, self.closer, self.has_id


def export(declared: Format, *, start_anchor: str = "", main_only: bool = False) -> dict[str, Any]:
    """The response template (version 1) that reads what the format reads.

    Args:
        declared: the format.
        start_anchor: the literal after which the assistant's message begins in the prompt; "": that of the family, if
            one of the format's markers shows it.
        main_only: leave out further spellings that do not fit into one template, such as those for mistakes of models.

    Returns:
        A dict for `response_template` in `tokenizer_config.json`.

    Raises:
        FormatError: a template cannot express the format; the message names the slot or the marker.
    """
    spellings, dropped = _spellings(declared, main_only=main_only)
    drop = _longest([*declared.drop, *declared.content_markers, *dropped])
    fields: dict[str, Any] = {}
    if declared.all_reasonings:
        fields["reasoning_content"] = _reasoning(declared, spellings, main_only=main_only)
    fields["tool_calls"] = _calls(declared, spellings, drop, main_only=main_only)
    content = {"close_pattern": rf"\s*{_any_of(map(_escaped, drop))}\s*"} if drop else {}
    fields["content"] = content | TEXT
    anchor = start_anchor or next((ANCHORS[each] for each in declared.markers if each in ANCHORS), "")
    if not anchor:
        raise _error(declared, "none of its markers shows where the assistant's message begins: pass start_anchor")
    return {"version": 1, "defaults": {"role": "assistant"}, "start_anchor": anchor, "fields": fields}


def _error(declared: Format, reason: str) -> FormatError:
    return FormatError(f"format {declared.name!r} cannot be exported as a response template: {reason}")


# -- patterns ----------------------------------------------------------------------------------------------------------


def _escaped(text: str) -> str:
    # Escaped as template authors would do it, with any white space, as in our patterns.
    return re.sub(r"\s+", lambda _: r"\s*", re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text.strip()))


def _longest(markers: list[str]) -> tuple[str, ...]:
    # If one marker begins with another, the shorter one is left out: transformers would take it whenever the stream is
    # cut after it.
    found = dict.fromkeys(each.strip() for each in markers)
    return tuple(each for each in found if not any(o != each and o.startswith(each) for o in found))


def _any_of(patterns: Any) -> str:
    found = list(dict.fromkeys(patterns))
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _in_class(chars: set[str]) -> str:
    return "".join(sorted("\\" + each if each in "\\]^-[" else each for each in chars))


def _pattern(declared: Format, tokens: tuple[Token, ...], slots: Mapping[str, tuple[str, str]], after: str = "") -> str:
    """The tokens as a pattern.

    Args:
        declared: the format.
        tokens: the tokens.
        slots: the slots that may appear there, with the characters that they exclude: a class, and further characters.
        after: the character that follows.
    """
    found = ""
    for place, token in enumerate(tokens):
        if isinstance(token, Literal):
            found += _escaped(token.text)
        elif isinstance(token, Space):
            beside = Slot("value") in tokens[max(place - 1, 0) : place + 2]
            found += r"\n?" if beside and token.text else r"\s*"
        elif token.name not in slots:
            raise _error(declared, f"a template has nothing like {{{token.name}}}")
        elif token.name == "value":
            found += "(?P<value>.*?)"
        else:
            without, chars = slots[token.name]
            beyond = tokens[place + 1 :]
            following = next(iter(literals_in(beyond)), after)[:1]
            if following.isalnum() and isinstance(beyond[0], Space) and (beyond[0].text == "\n" or without == r"\s"):
                following = ""  # the white space ends it, and the word itself may have that letter
            found += rf"(?P<{token.name}>[^{without}{_in_class({*chars, following} - {''})}]+)"
    return found


def _closer(declared: Format, tokens: tuple[Token, ...]) -> str:
    # All markers are required. If the last ones were optional, transformers would close at the first one whenever the
    # stream is cut after it, and take the rest for content.
    slots = [token.name for token in tokens if isinstance(token, Slot)]
    if slots:
        raise _error(declared, f"{{{slots[0]}}} comes after the arguments")
    return r"\s*".join(map(_escaped, literals_in(tokens)))


# -- calls -------------------------------------------------------------------------------------------------------------


def _spellings(declared: Format, *, main_only: bool) -> tuple[list[_Spelling], list[str]]:
    """The spellings that go into the template, and the markers around them that are dropped."""
    if declared.is_for_tools:
        raise _error(declared, "{name} occurs twice in a call")
    found: list[_Spelling] = []
    dropped: list[str] = []
    for section in declared.all_sections[: 1 if main_only else None]:
        for pattern in declared.calls:
            try:
                spelling = _spelling(declared, pattern, section)
                if found and spelling.shape != found[0].shape:
                    raise _error(declared, f"it has several spellings, and {pattern!r} has a different shape")
            except FormatError:
                if found and main_only:
                    continue
                raise
            found.append(spelling)
            if _has_marker(pattern):
                dropped += [each.strip() for each in section if each.strip()]
                dropped += literals_of(declared.separator)
    return found, dropped


def _has_marker(pattern: str) -> bool:
    first = tokens_of(pattern.strip())[0]
    return isinstance(first, Literal) and first.text[0] != "{" and not re.match(r"\[[^A-Za-z/]|\[$", first.text)


def _spelling(declared: Format, pattern: str, section: tuple[str, str]) -> _Spelling:
    tokens = tokens_of(pattern.strip())
    last = max(place for place, token in enumerate(tokens) if isinstance(token, Slot))
    slot = tokens[last]
    assert isinstance(slot, Slot)
    if slot.name not in LAST_SLOTS:
        raise _error(declared, f"a template cannot express {{{slot.name}}}: {pattern!r}")
    if not (declared.arguments == JSON or isinstance(declared.arguments, Quoted)):
        raise _error(declared, f"a template cannot express the codec of {{arguments}}: {declared.arguments!r}")
    before, ending = tokens[:last], tokens[last + 1 :]
    if not _has_marker(pattern):
        before, ending = _in_section(declared, pattern, section, before, ending)
    tags = slot.name == "parameters"
    closer = _closer(declared, ending)
    if tags and not closer:
        raise _error(declared, f"{{parameters}} has no closer: {pattern!r}")
    opener = _pattern(declared, before, IN_OPENER, "<" if tags else "{").removesuffix(r"\s*") + r"\s*" * tags
    has_id = any(token == Slot("id") for token in before)
    head = before[0]
    assert isinstance(head, Literal)
    return _Spelling(_escaped(head.text), opener, slot.name, closer, has_id)


def _in_section(
    declared: Format, pattern: str, section: tuple[str, str], before: tuple[Token, ...], ending: tuple[Token, ...]
) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """The parts of a call without a marker: it gets the section's markers, if it contains all calls of the section."""
    opener, closer = (tokens_of(each.strip()) for each in section)
    if not opener or not _has_marker(section[0]):
        raise _error(declared, f"no marker opens the call {pattern!r}")
    if Slot("calls") not in tokens_of(pattern):
        raise _error(declared, f"the calls of a section have no marker between them: {pattern!r}")
    return (*opener, *before), (*ending, *closer)


def _calls(declared: Format, spellings: list[_Spelling], drop: tuple[str, ...], *, main_only: bool) -> dict[str, Any]:
    main = spellings[0]
    found: dict[str, Any] = {"open_pattern": rf"\s*{_any_of(each.opener for each in spellings)}"}
    if main.closer:
        found["close_pattern"] = rf"{main.closer}\s*"
    else:  # JSON without a marker after it extends to the next call, or to the end
        drop = tuple(each for each in drop if not any(call.head.startswith(_escaped(each)) for call in spellings))
        heads = "|".join(dict.fromkeys(each.head for each in spellings))
        found["close_pattern"] = (rf"\s*{_any_of(map(_escaped, drop))}\s*|" if drop else "") + f"(?={heads})"
    return found | {"repeats": True} | _shape(declared, main, main_only=main_only)


def _shape(declared: Format, main: _Spelling, *, main_only: bool) -> dict[str, Any]:
    name, arguments = declared.keys
    if main.slot == "calls":
        function: Any = {"name": f"{{{name}}}", "arguments": f"{{{arguments}}}"}
        return {"content": "json", "repeats": False, "transform_each": True, "transform": _call(function)}
    if main.slot == "call":
        paths = {"name": f"{{content.{name}}}", "arguments": f"{{content.{arguments}}}"}
        function = "{content}" if declared.keys == ("name", "arguments") else paths
        return {"content": "json", "transform": _call(function)}
    transform = _call({"name": "{name}", "arguments": "{content}"}) | ({"id": "{id}"} if main.has_id else {})
    if main.slot == "parameters":
        args: dict[str, Any] = {"tag_pattern": _tag_pattern(declared, main_only=main_only)}
        return {"content": "xml-inline", "content_args": args, "transform": transform}
    found: dict[str, Any] = {"content": "json", "transform": transform}
    if isinstance(declared.arguments, Quoted):
        quote = declared.arguments.quote
        found["content_args"] = {"unquoted_keys": True, "string_delims": [[quote, quote]]}
    return found


def _call(function: Any) -> dict[str, Any]:
    return {"type": "function", "function": function}


def _tag_pattern(declared: Format, *, main_only: bool) -> str:
    if len(declared.parameters) > 1 and not main_only:
        raise _error(declared, f"it has several spellings of a parameter, such as {declared.parameters[1]!r}")
    pattern = declared.parameters[0]
    if ending_of(declared, pattern) is not None or has_bare_key(pattern) or declared.parameter_separator.strip():
        raise _error(declared, f"no marker is around each parameter: {pattern!r}")
    return _pattern(declared, tokens_of(pattern.strip()), IN_PARAMETER)


# -- reasoning ---------------------------------------------------------------------------------------------------------


def _reasoning(declared: Format, spellings: list[_Spelling], *, main_only: bool) -> dict[str, Any]:
    pairs = declared.all_reasonings
    closer = pairs[0][1].strip()
    openers = list(dict.fromkeys(opener.strip() for opener, _ in pairs))
    others = [each for each in openers[1:] if each.startswith(openers[0]) or openers[0].startswith(each)]
    others += [end for _, end in pairs if end.strip() != closer]
    if others and not main_only:
        raise _error(
            declared, f"it has several spellings of reasoning, {openers[0]!r} to {closer!r}, and {others[0]!r}"
        )
    openers = openers[:1] if others else openers
    ahead = [each.head for each in spellings]  # response templates have no drafts
    ahead += [_escaped(each) for each in declared.content_markers]
    rest = f"|(?={'|'.join(dict.fromkeys(ahead))})" if ahead else ""
    opener = openers if len(openers) > 1 else openers[0]
    return {"open": opener, "close_pattern": rf"{_escaped(closer)}\s*{rest}"} | TEXT
