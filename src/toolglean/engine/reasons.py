# Every reason for which the engine reports a `Problem`, in one table: its code, and the words that people read.
# Does not depend on where something is found, or on what is done with the text: docs/reference/problems.md explains
# both.
#
# Programs compare codes, so words may change at any time, and nothing in the project compares them.
"""Why a `Problem` is reported."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolglean.events import ProblemCode

__all__ = ["Kind", "Reason"]

STRING = "they are a string that is not a JSON object"
"""The fault of a reader of JSON that found a string in place of the arguments."""


class Reason(NamedTuple):
    """A code, and the words that go with it."""

    code: ProblemCode
    text: str


# -- text that looks like a call, and is content or reasoning ----------------------------------------------------------

UNREADABLE = Reason("unreadable-call", "unreadable call")
QUOTED = Reason("quoted-call", "call in quoted text")
MADE_UP = Reason("quoted-call", "call behind a tool's result that the model made up")
IN_JSON_STRING = Reason("call-in-json-string", "call in a JSON string")
IN_REASONING = Reason("call-in-reasoning", "call inside reasoning that continued")
TO_USER = Reason("call-to-user", "call in a message to the user")
IN_LINE = Reason("call-in-line", "call without a marker that shares its line with other text")
NOT_AT_END = Reason("call-in-line", "call that is accepted only at the end of the turn, followed by text")
IN_SENTENCE = Reason("call-in-line", "call in the middle of a sentence")
IN_PROSE = Reason("call-in-line", "call without a marker in the middle of a sentence")
IN_TRANSCRIPT = Reason("not-a-call", "not a call: a message with a role follows it")
IN_FENCE = Reason("quoted-call", "call in a code fence that text follows")
INDENTED = Reason("quoted-call", "call in indented code that text follows")
UNKNOWN_IN_LINE = Reason("unknown-tool", "call to an unknown tool in the middle of a line")
UNKNOWN_TOOL = Reason("unknown-tool", "call to an unknown tool")
UNREAD = Reason("unread-call", "text that names a tool and its parameters, in a spelling that was not read as a call")
SPELLED_CALL = Reason("spelled-marker", "call whose marker is spelled out in ordinary tokens")
SPELLED_CLOSER = Reason("spelled-marker", "reasoning whose closer is spelled out in ordinary tokens")


JSON_STRING = "a JSON string"


def in_quotation(reason: Reason, context: str, since: int) -> Reason:
    """A call that is quoted: what quotes it, and the place in the turn where that opened."""
    return reason._replace(text=f"call in {context} that opened at {since}")


A_CALL = "the name and the arguments of a call were expected"
A_PARAMETER = "a parameter of the tool was expected"


def unreadable(expected: str) -> Reason:
    """Text that began like a call; `expected`: what was expected where it stopped being one."""
    return Reason("unreadable-call", f"unreadable call: {expected}")


def not_a_call(why: str) -> Reason:
    """JSON without a marker that names a tool, but is data; `why`: see scan/data.py."""
    return Reason("not-a-call", f"not a call: {why}")


class Kind(Enum):
    """Why a call is held back. The values are the reasons of the `Problem` which reports that it was not a call."""

    REASONING = IN_REASONING
    QUOTED = QUOTED
    ALONE = IN_LINE
    EXAMPLE = UNKNOWN_IN_LINE
    MENTION = IN_SENTENCE
    LAST = NOT_AT_END
    PROSE = IN_PROSE
    FENCED = IN_FENCE
    INDENTED = INDENTED
    OBJECT = IN_TRANSCRIPT


# -- calls that end as malformed ---------------------------------------------------------------------------------------

MISPLACED = Reason("misplaced-arguments", "malformed call: the arguments are not under one key")
NAME_ALONE = Reason("name-alone", "malformed call: a name without arguments, followed by text")
EXPRESSION = Reason("part-of-expression", "malformed call: it is part of an expression")
AFTER_ARGUMENTS = Reason("text-after-arguments", "malformed call: text after the arguments")
NO_CLOSER = Reason("missing-closer", "malformed call: its closing marker was expected")
UNCLOSED_VALUE = Reason("missing-closer", "value that was not closed: it contains a closing marker of its call")
NO_MARKER = Reason("malformed-call", "malformed call: a marker was expected")
AFTER_UNCLOSED = Reason("unclosed-call", "call after a malformed call that was not closed")
NUMBERED = Reason("numbered-call", "a number instead of a name, and arguments that do not fit exactly one tool")
OWN_CLOSER = Reason("repeated-closer", "value that contains its own closing marker")
MARKUP_IN_VALUE = Reason("markup-in-value", "malformed arguments: markup in a value that is not a string")
AMBIGUOUS = Reason("malformed-arguments", "malformed arguments: they can be repaired in more than one way")
NO_JSON = Reason("malformed-arguments", "malformed arguments: JSON was expected")
NO_OBJECT = Reason("malformed-arguments", "malformed arguments: an object was expected")
STRING_INSTEAD = Reason("string-arguments", f"malformed arguments: {STRING}")


def malformed_arguments(fault: str) -> Reason:
    """Arguments that cannot be read; `fault`: what their reader expected."""
    return STRING_INSTEAD if fault == STRING else Reason("malformed-arguments", f"malformed arguments: {fault}")


def malformed_call(fault: str) -> Reason:
    """A call whose name was certain and which does not fit its format or its tool; `fault`: why."""
    return Reason("malformed-call", f"malformed call: {fault}")


def opener_in_value(of: str) -> Reason:
    """A value contains the opener of a call or of a parameter."""
    return Reason("swallowed-markup", f"value that contains the opener of a {of}")


# -- calls that are complete -------------------------------------------------------------------------------------------

UNDECLARED = Reason("undeclared-spelling", "call in a spelling that no format declares: it fits the tool's schema")
TRAILING_JSON = Reason("undeclared-spelling", "call in JSON after other text: it fits the tool's schema")
DUPLICATE_KEY = Reason("duplicate-key", "duplicate key")
REPEATED_CALL_KEY = Reason("repeated-call-key", "the name or the arguments of a call are written twice")
IGNORED_KEYS = Reason("ignored-keys", "ignored keys next to the arguments")
MISSING_ARGUMENTS = Reason("missing-arguments", "call without arguments, although its tool requires some")
IGNORED_SERVER = Reason("ignored-server", "the name of a server that is not part of the tool's name")


def repaired(name: str) -> Reason:
    """A call was repaired; `name`: as in `ToolCall.repairs`."""
    return Reason("repaired", f"repaired: {name}")


# -- markers, and the end of the turn ----------------------------------------------------------------------------------

LEFTOVER_MARKER = Reason("leftover-marker", "leftover marker next to a call")
UNOPENED_REASONING = Reason("unopened-reasoning", "reasoning closed but never opened")
CUT_OFF = Reason("cut-off", "turn ends after an opening marker")
OTHER_ROLE = Reason("another-message", "call after the header of another message in the reasoning")
ANOTHER_MESSAGE = Reason("another-message", "the header of another message ends the turn")

# -- limits ------------------------------------------------------------------------------------------------------------

LIMITS = {
    "call_chars": Reason("limit-call-chars", "limit exceeded: call_chars"),
    "calls": Reason("limit-calls", "limit exceeded: calls"),
    "depth": Reason("limit-depth", "limit exceeded: depth"),
    "held": Reason("limit-held", "limit exceeded: held"),
}
"""By the field of `Limits`."""
