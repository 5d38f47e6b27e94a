# What each place of a turn may be in, as data: what opens a context and where, what ends it, whether another one may
# open inside, and what becomes of a call inside. It follows the decisions (docs/explanation/choices.md, SECURITY.md,
# CommonMark where these say "Markdown"), and does not depend on how text is read (reference.py), or on the engine.
"""The table of contexts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from toolglean.formats.quotations import OTHERS, RESULTS, ROLE_HEADERS, ROLES

__all__ = [
    "BLANKS",
    "CALL",
    "END_MARKERS",
    "FIRST",
    "PARAGRAPH_ENDS",
    "ROWS",
    "At",
    "Context",
    "Inside",
    "Lasts",
    "Row",
]

CALL = "\ue000"
"""Stands for a whole call in a text, wherever its format would write it: a marker, and nothing else is read in it."""
FIRST = "\ue001"
"""Stands for another call, before the one that is asked for."""
_CALLS = CALL + FIRST


END_MARKERS = ("<|im_end|>", "</s>", "<|eot_id|>", "<|end|>")
"""Some markers that are markup wherever they are."""


class Context(Enum):
    """What a place is in."""

    PLAIN = "plain"
    CODE = "code"
    FENCE = "a fence"
    QUOTE = "a quoted line"
    COMMENT = "a comment"
    ELEMENT = "an element"
    RESULT = "a tool's result"
    JSON = "JSON"
    JSON_STRING = "a string of JSON"
    REASONING = "the reasoning"
    OVER = "another role's message"


class At(Enum):
    """Where a context may begin."""

    ANYWHERE = "anywhere"
    LINE = "at the beginning of a line"
    NO_WORD = "anywhere, unless it is used like a word in a sentence"
    INSIDE = "only where another context lets it"


class Lasts(Enum):
    """How far a context lasts if its end does not come."""

    TURN = "to the end of the turn"
    NOTHING = "it opened nothing: its end must come in the same paragraph"


class Inside(Enum):
    """What becomes of a call inside."""

    CALL = "it runs"
    CONTENT = "it is content"
    DRAFT = "it runs if the turn ends with it"


@dataclass(frozen=True)
class Row:
    """A context.

    Attributes:
        context: its name.
        opens: an expression for what opens it. Its group `sign`, if it has one, is what the end must repeat.
        ends: an expression for what ends it; `SIGN` stands for the group, `SIZE` for its length. "": nothing does.
        at: where it may begin.
        lasts: how far it lasts without its end.
        call: what becomes of a call inside.
        inside: what may open inside; nothing else does.
        in_reasoning: whether it holds in the reasoning too.
    """

    context: Context
    opens: str
    ends: str
    at: At = At.ANYWHERE
    lasts: Lasts = Lasts.TURN
    call: Inside = Inside.CONTENT
    inside: tuple[Context, ...] = ()
    in_reasoning: bool = False


def _any(texts: tuple[str, ...]) -> str:
    return "|".join(_escape(each) for each in sorted(texts, key=len, reverse=True))


def _escape(text: str) -> str:
    return "".join(char if char.isalnum() or char in "<>_/" else f"\\{char}" for char in text)


BLANKS = r"[ \t\r]*"
_WORD = r"[\w+#./-]{0,32}"  # what may follow a fence on its line
_LAST = rf"(?={BLANKS}(?:\n|\Z|[{_CALLS}]|{_any(END_MARKERS)}))"  # last on its line, or before a marker
_SPELT = "|".join(spelt for role in ROLES for spelt in (role, role.upper(), role.title()))
_ROLE = (  # a header that names a role goes on with an attribute, the next marker, or the message
    rf"(?:{_any(ROLE_HEADERS)})\s{{0,4}}(?:(?:{_SPELT})(?={BLANKS}[\r\n<\[(|:{_CALLS}]|[ \t]+\w+=)"
    rf"|functions\.[\w.-]+(?={BLANKS}(?:to=assistant|[\r\n])))"
)
_NAMES = "(?P<sign>(?i:pre|code|script))"
_RESULTS = sorted(RESULTS, key=lambda pair: -len(pair[0]))
_THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))

PARAGRAPH_ENDS = rf"{BLANKS}(?:\n|>|#{{1,6}}[ \t]|[-*+][ \t]|\d{{1,9}}[.)][ \t]|~~~)"
"""An expression for a line that ends the paragraph in which backticks wait for others: an empty one, or one that begins a
quotation, a heading, an item or a fence of tildes. So does a line that begins another context, and a fence of backticks
anywhere, unless it closes some that wait.
"""

ROWS = (
    Row(Context.OVER, rf"{_any(OTHERS)}|{_ROLE}", "", in_reasoning=True),
    # At the beginning of a line, as Markdown has it; with a word on their line, anywhere. The end comes last on its line.
    Row(Context.FENCE, rf"{BLANKS}(?P<sign>`{{3,}})(?!`)[^`\n{_CALLS}]*\n", rf"(?<!`)`{{SIZE,}}{_LAST}", at=At.LINE),
    Row(Context.FENCE, rf"(?<!`)(?P<sign>`{{3,}})(?!`){_WORD}{BLANKS}\n", rf"(?<!`)`{{SIZE,}}{_LAST}"),
    Row(Context.FENCE, rf"{BLANKS}(?P<sign>~{{3,}})(?!~)[^\n{_CALLS}]*", rf"(?<!~)~{{SIZE,}}{_LAST}", at=At.LINE),
    Row(
        Context.FENCE,
        rf"(?<!~)(?P<sign>~{{3,}})(?!~){_WORD}{BLANKS}\n",
        rf"(?<!~)~{{SIZE,}}{_LAST}",
    ),
    Row(Context.CODE, r"(?<!`)(?P<sign>`+)(?!`)", r"(?<!`)`{SIZE}(?!`)", lasts=Lasts.NOTHING),
    Row(Context.QUOTE, r">", r"(?=\n)", at=At.LINE),
    Row(Context.COMMENT, r"<!--", r"-->"),
    Row(Context.ELEMENT, rf"<{_NAMES}(?:\s[^<>{_CALLS}]*)?>", r"(?i:</SIGN\s*>)", at=At.NO_WORD),
    *(Row(Context.RESULT, _escape(opener), _escape(closer)) for opener, closer in _RESULTS),
    *(Row(Context.REASONING, _escape(a), _escape(b), call=Inside.DRAFT, inside=(Context.OVER,)) for a, b in _THOUGHTS),
    # A document lasts as long as a strict reader accepts it (reference.py); in it, only strings hide a call.
    Row(Context.JSON, r"[{\[]", "", call=Inside.CALL, inside=(Context.JSON_STRING,)),
    Row(Context.JSON_STRING, r'"', r'"', at=At.INSIDE),
)
"""All contexts. Where two could open at a place, the first one does."""
