# What each place of a turn may be in, as data: what opens a context and where, what ends it, whether another one may
# open inside, and what becomes of a call inside. It follows docs/explanation/choices.md, and CommonMark where that says
# "Markdown". Does not depend on how text is read (page.py), or on what a call is.
#
# Every repetition in an expression has a bound, so that what may be the beginning of something is never long.
"""The table of contexts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from toolglean.formats.quotations import (
    MESSAGE_ENDS,
    OTHERS,
    PARAMETER_PAIRS,
    PARAMETER_PREFIXES,
    RESULTS,
    ROLE_HEADERS,
    ROLES,
    USERS,
)
from toolglean.scan.text import WORD

__all__ = [
    "ATTRIBUTES_BEGUN", "BLANKS", "BLOCKS", "END_MARKERS", "INDENT", "MARK", "MOST_BLANKS", "MOST_DEEP",
    "MOST_SCALAR", "PARAGRAPH_ENDS", "At", "Context", "Inside", "Lasts", "Row", "escape", "rows",
]  # fmt: skip

MARK = "\0"
"""Stands for a marker that follows the text: whatever is not complete before it stays so."""


class Context(Enum):
    """What a place is in."""

    PLAIN = "plain"
    CODE = "code"
    FENCE = "a code fence"
    QUOTE = "a quoted line"
    COMMENT = "a comment"
    ELEMENT = "an element"
    BLOCK = "a block of code"
    PARAMETER = "a parameter outside a call"
    RESULT = "a tool's result"
    JSON = "JSON"
    JSON_STRING = "a JSON string"
    REASONING = "the reasoning"
    OVER = "another role's message"

    __hash__ = object.__hash__  # Enum's own is slow, and what is looked for is cached by context


class At(Enum):
    """Where a context may begin."""

    ANYWHERE = "anywhere"
    LINE = "first on its line, or behind the sign of a list's item"
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


class Row(NamedTuple):
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
        begins: the texts with which `opens` begins; () for backticks, tildes, `>` and JSON.
        goes_on: an expression for what may follow one of these as long as `opens` is not complete.
    """

    context: Context
    opens: str
    ends: str
    at: At = At.ANYWHERE
    lasts: Lasts = Lasts.TURN
    call: Inside = Inside.CONTENT
    inside: tuple[Context, ...] = ()
    in_reasoning: bool = False
    begins: tuple[str, ...] = ()
    goes_on: str = ""

    def marked(self, marks: str) -> Row:
        """The same row, where these characters of an expression stand for a marker, not `MARK`."""
        opens, ends, goes_on = (each.replace(MARK, marks) for each in (self.opens, self.ends, self.goes_on))
        return self._replace(opens=opens, ends=ends, goes_on=goes_on)

    def sign_at(self, text: str, place: int) -> str:
        """An expression for what the end must repeat, if it opens at that place."""
        found = re.compile(self.opens).match(text, place)
        return "" if found is None else escape(found["sign"])


MOST_BLANKS, MOST_INDENT = 32, 3
"""How many blanks may be between a sign and the end of its line, and before a fence that is first on its line."""
BLANKS = rf"[ \t\r]{{0,{MOST_BLANKS}}}"
INDENT = rf"[ \t]{{0,{MOST_INDENT}}}"
_ATTRIBUTE = r'(?:\{[^{}`\n]{1,48}\}|[\w.:-]{1,32}=(?:"[^"`\n]{0,48}"|[^\s"`]{1,48}))'
_ATTRIBUTE_BEGUN = rf'(?:{_ATTRIBUTE}|\{{[^{{}}`\n]{{0,48}}|[\w.:-]{{1,32}}(?:=(?:"[^"`\n]{{0,48}}|[^\s"`]{{0,48}}))?)'
ATTRIBUTES = rf"(?:{_ATTRIBUTE}(?:[ \t\r]{{1,32}}|(?=\n))){{0,4}}"
"""An expression for what may follow the word behind a fence: `{.xml #a}`, `title="a.xml"`."""
ATTRIBUTES_BEGUN = rf"(?:{_ATTRIBUTE}[ \t\r]{{1,32}}){{0,4}}{_ATTRIBUTE_BEGUN}?"
"""An expression for the beginning of that."""
END_MARKERS = ("<|", "<｜", "</s>", "<end_of_turn>", "<eos>")
"""With what an end of the message begins that may follow the end of a fence, behind blanks."""
MOST_DEEP = 128
"""How many containers of JSON may be open in each other."""
MOST_SCALAR = 64
"""How many characters a number may have in JSON."""
PARAGRAPH_ENDS = rf"{BLANKS}(?:\n|>|#{{1,6}}[ \t]|[-*+][ \t]|\d{{1,9}}[.)][ \t]|~~~)"
"""An expression for a line that ends the paragraph in which backticks wait for others: an empty one, or one that begins
a quotation, a heading, an item or a fence of tildes. So does a line that begins another context, and a fence of
backticks: first on its line, and elsewhere unless it closes some that wait.
"""

_THOUGHTS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"))
_ELEMENT_ENDS = r"(?i:</SIGN\s{0,8}>)"
_is_tag = re.compile(r"<[\w-]+>").fullmatch
_KEY = r"(?:=[^\s<>\"'/]{1,64}|\sname=(?:\"[^\"<>\n]{1,64}\"|'[^'<>\n]{1,64}'|[\w.-]{1,64})(?:\sstring=\"\w{1,8}\")?)"
_KEY_BEGUN = r"(?:=[^\s<>\"'/]{0,64}|\s[a-z]{0,4}(?:=[^<>\n]{0,96})?)?"
_PAIR_BEGUN = r"[^<>\n]{0,64}(?:<(?:/[\w:|]{0,24}(?:>\s{0,4}(?:<[\w:|]{0,24})?)?)?)?"


def _spelt(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(spelt for word in words for spelt in (word, word.upper(), word.title()))


_ELEMENTS = (
    *_spelt(("pre", "code", "script", "xmp", "textarea", "blockquote", "kbd", "samp", "tt", "listing", "style")),
    *(*_spelt(("nowiki", "noscript", "plaintext", "syntaxhighlight")), "CodeBlock"),
)
_SHOWN = _spelt(
    (
        *("example", "examples", "good_example", "good-example", "bad_example", "bad-example", "tool_use_example"),
        *("correct", "incorrect", "expected_output", "system_prompt", "sample", "template", "quote", "document"),
        *("documents", "file_content", "stdout", "stderr"),
        *("search_results", "web_page", "webpage", "transcript", "conversation", "history", "log", "logs", "email"),
        *("draft", "snippet", "instructions", "user_message", "user_query", "environment_details", "system-reminder"),
        *("system_warning", "task-notification", "command-message", "local-command-stdout", "details"),
    )
)
_WRAPPERS = (  # <think>, <thinking> and <thought> open reasoning: only their other spellings are elements
    *_spelt(("user", "human", "system", "reasoning", "reflection", "thoughts")),
    *("Think", "THINK", "Thinking", "THINKING", "Thought", "THOUGHT"),
)
_ROLES = _spelt(ROLES)
_VERBATIM = tuple(
    f"{each}{star}"
    for each in (
        *("verbatim", "Verbatim", "lstlisting", "minted", "alltt", "comment", "tcblisting", "tcolorbox"),
        *("quote", "quotation", "filecontents"),
    )
    for star in ("", "*")
)
_ORG = _spelt(("src", "example", "quote", "export", "verse", "comment"))
_JIRA = ("code", "noformat", "quote")
_BBCODE = tuple(each for word in ("code", "quote", "pre") for each in (word, word.upper()))
_TEXINFO = ("example", "smallexample", "verbatim", "lisp", "display", "quotation")
_LIQUID = ("raw", "comment", "verbatim", "highlight", "code", "example")
_BEGINNINGS = tuple(
    f"{line}{word}" for line in ("---", "--- ", "-----", "===", "=== ", "***", "*** ") for word in ("START", "BEGIN")
)
_TEXTS = tuple(f"= {letter}{sign}" for letter in ("", "r", "f") for sign in ('"""', "'''"))
_STOP = rf"\.{{1,3}}{BLANKS}\n"
"""The end of a sentence that names a fence: it opens none."""
_PROLOG, _NAME, _ROOT = r"<(?:\?xml|!DOCTYPE|!doctype)\s", r"[\w:.-]", rf"(?:[^<>/{MARK}]|/(?!>)){{0,512}}"
"""What begins a document of XML, a character of its root's name, and the attributes of that."""
_REST = r"[^`\n]{0,96}"
_REDIRECTED = (
    r"(?:\)|[ \t]{1,8}(?:&|\d?>{1,2}&?[ \t]{0,8}[^\s`|<>]{1,80}|\|[ \t]{0,8}\w(?:[^`|\n]{0,80}[^\s`|])?)){0,8}"
)
"""What may follow a here-document on its line: where its output goes."""


def _any(texts: Sequence[str]) -> str:
    return "|".join(escape(each) for each in sorted(texts, key=len, reverse=True))


def escape(text: str) -> str:
    """That text, as an expression."""
    return "".join(char if char.isalnum() or char in "<>_/" else f"\\{char}" for char in text)


def _blocks() -> tuple[Row, ...]:
    # Code, as other languages than Markdown and HTML mark it.
    def block(opens: str, ends: str, begins: Sequence[str], goes_on: str = "", at: At = At.LINE) -> Row:
        return Row(Context.BLOCK, opens, ends, at=at, begins=tuple(begins), goes_on=goes_on)

    org = [f"{begin}_{each}" for begin in _spelt(("begin",)) for each in _ORG]
    return (
        block(rf"\\begin\{{(?P<sign>{_any(_VERBATIM)})\}}", r"\\end\{SIGN\}",
            [f"\\begin{{{each}}}" for each in _VERBATIM]),  # LaTeX
        block(rf"#\+(?:begin|BEGIN|Begin)_(?P<sign>{_any(_ORG)})(?=[ \t\r\n])", r"#\+end_SIGN|#\+END_SIGN|#\+End_SIGN",
            [f"#+{each}" for each in org]),  # Org
        block(rf"\[(?:source|listing)(?:,[^\[\]\n]{{0,64}})?\]{BLANKS}\n(?:\.[^\n]{{1,96}}\n)?(?P<sign>-{{4,16}}|\.{{4,16}})(?=\n)",
            "\nSIGN(?=[\n\0])", ("[source", "[listing"),
            rf"(?:,[^\[\]\n]{{0,64}})?\]?{BLANKS}(?:\n(?:\.[^\n]{{0,96}}\n?)?[-.]{{0,16}})?"),  # AsciiDoc
        block(rf"\{{(?P<sign>{_any(_JIRA)})(?::[^{{}}\n]{{1,64}})?\}}{BLANKS}(?=\n)", r"\{SIGN\}",
            [f"{{{each}" for each in _JIRA], rf"(?::[^{{}}\n]{{0,64}})?\}}?{BLANKS}"),  # Jira
        block(rf"\{{\{{\{{{BLANKS}(?=\n)", r"\}\}\}", ("{{{",), BLANKS),  # Trac
        block(rf"\[(?P<sign>{_any(_BBCODE)})(?:=[^\[\]\n]{{1,64}})?\](?=[^ \t\r]|{BLANKS}\n)", r"\[/SIGN\]",
            [f"[{each}" for each in _BBCODE], rf"(?:=[^\[\]\n]{{0,64}})?\]?{BLANKS}"),  # BBCode
        block(rf"\{{%-? (?P<sign>{_any(_LIQUID)})(?: [^{{}}%\n]{{1,64}})? ?-?%\}}", r"\{% endSIGN|\{%- endSIGN",
            [f"{begin} {each}" for each in _LIQUID for begin in ("{%", "{%-")], r"(?: [^{}%\n]{0,64})? ?-?%?"),  # Jinja
        block(r"\{\{< (?P<sign>highlight|code)(?: [^{}<>\n]{1,64})? ?>\}\}", r"\{\{< /SIGN|\{\{< / SIGN",
            ("{{< highlight", "{{< code"), r"(?: [^{}<>\n]{0,64})? ?>?\}?"),  # Hugo
        block(r"\{#(?=[\s-])", r"#\}", ("{#",)),
        block(r"(?<![-*+.)] )/\*(?=[\s*!])", r"\*/", ("/*",)),  # a comment; in a list, it is a path
        block(rf"{_PROLOG}[^<>{MARK}]{{1,128}}>{BLANKS}\n{BLANKS}<(?P<sign>{_NAME}{{1,64}})(?:\s{_ROOT})?>{BLANKS}(?=[\n<])",
            _ELEMENT_ENDS, ("<?xml", "<!DOCTYPE", "<!doctype"), rf"\s[^<>{MARK}]{{0,128}}(?:>{BLANKS}(?:\n{BLANKS}"
            rf"(?:<{_NAME}{{0,64}}(?:\s{_ROOT}/?)?>?{BLANKS})?)?)?"),  # a document of XML
        block(r"@@ -\d{1,7}(?:,\d{1,7})? \+\d{1,7}(?:,\d{1,7})? @@", "\n(?=[^ +@\\-\\\\\n])", ("@@ -",),
            r"\d{0,7}(?:,\d{0,7})?(?: \+?\d{0,7}(?:,\d{0,7})?)? ?@{0,2}"),  # a part of a diff
        block(r"\.\. [a-z][\w-]{1,32}::[^\n]{0,96}(?=\n)", "\n(?=[^ \t\r\n])", (".. ",),
            r"[a-z][\w-]{0,32}:{0,2}[^\n]{0,96}"),  # reStructuredText
        block(rf"@(?P<sign>{_any(_TEXINFO)}){BLANKS}(?=\n)", r"@end SIGN", [f"@{each}" for each in _TEXINFO], BLANKS),
        block(rf"(?P<sign>/{{4,16}}){BLANKS}(?=\n)", "\nSIGN(?=[\n\0])", ("////",), rf"/{{0,12}}{BLANKS}"),  # AsciiDoc
        block(r"\.(?:nf|EX)(?=\n)", "\n\\.fi|\n\\.EE", (".nf", ".EX")),  # a page of a manual
        block(r"\*\*\* Begin Patch(?=[ \t\r\n])", r"\*\*\* End Patch", ("*** Begin Patch",)),
        block(r"[-=*]{3,5} ?(?:START|BEGIN) (?:OF )?(?P<sign>[A-Z]{1,24}(?: [A-Z]{1,24}){0,3})(?= ?[\-=*]|\n)",
            "END OF SIGN|END SIGN", _BEGINNINGS, r"[A-Z ]{0,104}"),  # between lines that say so
        block(rf"::{BLANKS}\n{BLANKS}\n(?=[ \t])", "\n(?=[^ \t\r\n])", ("::",), rf"{BLANKS}(?:\n{BLANKS}\n?)?",
            At.ANYWHERE),  # a literal block of reStructuredText
        block(r"= [rf]?(?P<sign>\"{3}|'{3})", "SIGN", _TEXTS, at=At.ANYWHERE),  # Python
        block(r"<{7} ?[^<>\n]{0,96}(?=\n)", ">>>>>>>", ("<<<<<<<",), r" ?[^<>\n]{0,96}"),  # an edit
        # Where a command ends with it, and the next line has something: elsewhere it is a word of the text.
        *(
            block(rf"(?<!<)<<{dash}['\"]?(?P<sign>[A-Z]{{2}}[A-Z\d_]{{0,14}})['\"]?(?={_REST}\n){_REDIRECTED}{BLANKS}(?=\n[^\n])",
                f"\n{blanks}SIGN(?=[\n\0])", ("<<",), rf"{dash}['\"]?\w{{0,16}}['\"]?{_REST}\n?", At.ANYWHERE)
            for dash, blanks in (("", ""), ("[-~]", "[ \t]{0,16}"))
        ),  # a shell's
    )  # fmt: skip


BLOCKS = _blocks()
"""The rows for code of other languages."""


@lru_cache(maxsize=8)
def rows(*, reasoning: bool, marks: str = MARK, ends: tuple[str, ...] = ()) -> tuple[Row, ...]:
    """All contexts. Where two could open at a place, the first one does.

    Args:
        reasoning: whether reasoning is a context, with the markers that most families use. Without it, the caller knows
            where reasoning is.
        marks: characters that stand for a marker.
        ends: markers that count as such where they are in the text.
    """
    marked = "".join(map(escape, marks))
    cut = f"[{marked}]" + "".join(f"|{escape(each)}" for each in ends)
    info = rf"(?:(?!{cut})[^`\n]){{0,96}}"
    line = rf"(?:(?!{cut})[^\n]){{0,96}}"
    last = rf"(?={BLANKS}(?:\n|\Z|{cut}))"  # last on its line, or before a marker

    def closes(sign: str) -> str:
        first = rf"(?<=\n){INDENT}{sign}{{SIZE,}}(?!{sign})(?=[<\[&]|{BLANKS}(?:{_any(END_MARKERS)}))"
        return rf"(?<![\\{sign}]){sign}{{SIZE,}}{last}|{first}"

    header = rf"(?:{_any(ROLE_HEADERS)})\s{{0,4}}"
    role = (  # a header that names a role goes on with an attribute, the next marker, or the message
        rf"{header}(?:(?:{_any(_ROLES)})(?={BLANKS}(?:[\r\n<\[({{|:/{marked}]|\Z)|[ \t]{{1,8}}\w{{1,20}}=)"
        rf"|functions\.[\w.-]{{1,64}}(?={BLANKS}(?:to=assistant|[\r\n{marked}]|\Z))"
        r"|(?<=<\|from\|>)(?!assistant)[\w.-]{1,64}(?=\n))"
    )
    follows = (  # the next message, behind the end of one
        rf"(?:{_any(MESSAGE_ENDS)})\n{{0,4}}"
        rf"(?:(?:{_any(_spelt(USERS))})(?=:|{BLANKS}\n)|(?:{_any(_ROLES)})(?=<|[{marked}]))"
    )
    attributes = rf"(?:\s[^<>{marked}]{{0,1024}})?"

    def result(begin: str, end: str) -> Row:
        tag = _is_tag(begin) and begin[:-1]
        if not tag:
            return Row(Context.RESULT, escape(begin), escape(end), begins=(begin,))
        return Row(Context.RESULT, f"{escape(tag)}{attributes}>", escape(end), begins=(tag,), goes_on=attributes)

    over = rf"{_any(OTHERS)}|\[Round \d{{1,4}}\]\s{{0,2}}(?:USER:|问：)|{role}|{follows}"
    results = sorted(RESULTS, key=lambda pair: -len(pair[0]))
    thoughts = _THOUGHTS if reasoning else ()
    deep = (Context.OVER,)
    return (
        Row(Context.OVER, over, "", in_reasoning=True, begins=(*OTHERS, *ROLE_HEADERS, *MESSAGE_ENDS, "[Round "),
            goes_on=r"[ \t\r\n]{0,4}(?:[\w.-]{0,74}[ \t\ra-z=]{0,44}"
            r"|[#@]{0,3} ?\w{0,20}[ \t\r]{0,32}\w{0,20}(?: \w{0,4})?)|\d{0,4}\]?\s{0,2}\w{0,4}"),
        # Markdown lets any words follow a fence that is first on its line; with one word, it may be anywhere. Its end
        # comes last on its line; first on it, a tag may follow, or an escaped one: formats write fences in calls. If
        # nothing is before the first one on its line, few blanks are before it: what is deeper is another one's.
        Row(Context.FENCE, rf"(?<![`\\])(?P<sign>`{{3,}})(?!`){info}\n", closes("`"), at=At.LINE),
        Row(Context.FENCE, rf"(?<![`\\])(?P<sign>`{{3,}})(?!`|{_STOP}){WORD}{ATTRIBUTES}\n", closes("`")),
        Row(Context.FENCE, rf"(?<![~\\])(?P<sign>~{{3,}})(?!~){line}", closes("~"), at=At.LINE),
        Row(Context.FENCE, rf"(?<![~\\])(?P<sign>~{{3,}})(?!~|{_STOP}){WORD}{ATTRIBUTES}\n", closes("~")),
        Row(Context.CODE, r"(?<!`)(?P<sign>`+)(?!`)", r"(?<!`)`{SIZE}(?!`)", lasts=Lasts.NOTHING),
        Row(Context.QUOTE, r">", rf"(?=\n|{over})", at=At.LINE),  # the turn may end in the middle of its last line
        Row(Context.QUOTE, r"//(?=[ \t])", rf"(?=\n|{over})", at=At.LINE, begins=("//",)),  # a comment of code
        Row(Context.COMMENT, r"<!--", r"-->", begins=("<!--",)),
        Row(Context.COMMENT, r"<!\[CDATA\[", r"\]\]>", at=At.NO_WORD, begins=("<![CDATA[",)),
        Row(Context.ELEMENT, rf"<(?P<sign>{_any(_ELEMENTS)}){attributes}>", _ELEMENT_ENDS, at=At.NO_WORD,
            begins=tuple(f"<{each}" for each in _ELEMENTS), goes_on=attributes),
        # Not where it is a word: `<example> is a tag`.
        Row(Context.ELEMENT,
            rf"<(?P<sign>(?:{_any(_SHOWN)})(?:[_-]?\d{{1,3}})?){attributes}>(?={BLANKS}[^ \t\ra-z:.,])", _ELEMENT_ENDS,
            at=At.LINE, begins=tuple(f"<{each}" for each in _SHOWN),
            goes_on=rf"(?:[_-]?\d{{0,3}})?{attributes}>?{BLANKS}"),
        # Alone on its line: elsewhere these words stand for something, as in `ssh <user>@host`.
        Row(Context.ELEMENT, rf"<(?P<sign>{_any(_WRAPPERS)})>{BLANKS}\n", _ELEMENT_ENDS, at=At.LINE,
            begins=tuple(f"<{each}" for each in _WRAPPERS), goes_on=f">?{BLANKS}"),
        *(row.marked(marked) for row in BLOCKS),
        # With its key, as families write it: `List<parameter>` and elements of XML are not theirs.
        *(
            Row(Context.PARAMETER, f"<{escape(prefix)}parameter{_KEY}>",
                "|".join(f"</{escape(prefix)}{each}>" for each in ("parameter", "invoke", "function")),
                at=At.NO_WORD, begins=(f"<{prefix}parameter",), goes_on=_KEY_BEGUN)
            for prefix in PARAMETER_PREFIXES
        ),
        *(
            Row(Context.PARAMETER, rf"<{escape(key)}>[^<>\n]{{1,64}}</{escape(key)}>\s{{0,4}}<{escape(value)}>",
                f"</{escape(value)}>", at=At.NO_WORD, begins=(f"<{key}>",), goes_on=_PAIR_BEGUN)
            for key, value in PARAMETER_PAIRS
        ),
        *(result(*pair) for pair in results),
        *(
            Row(Context.REASONING, escape(begin), escape(end), call=Inside.DRAFT, inside=deep, begins=(begin,))
            for begin, end in thoughts
        ),
        # A document lasts as long as a strict reader accepts it (documents.py); in it, only strings hide a call.
        Row(Context.JSON, r"[{\[]", "", call=Inside.CALL, inside=(Context.JSON_STRING,)),
        Row(Context.JSON_STRING, r'"', r'"', at=At.INSIDE),
    )  # fmt: skip
