# With what a line begins that may begin a call in a spelling that no format declares. Does not know where lines begin
# (lines.py), or what follows such a line.
#
# A line of prose is ruled out at its first space, and a list, a table, a heading or a quotation at its first two
# characters. A tag is looked at up to what follows it: words after it are prose, unless one of them is a tool's name.
"""The beginnings of lines that may begin a call."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from toolglean.scan.expressions import Expression
from toolglean.scan.names import KNOWN_NAME_KEYS, NAME_KEYS

__all__ = ["begins", "is_json", "is_refused", "may_begin"]

# -- signs -------------------------------------------------------------------------------------------------------------

# A bracket, or a run of signs, with a word after it: `<|call|>`, `@@call`, `=> `.
_BRACKETS = "§¶«‹⟦⟨⟪⟬⟮【〖〔〘〚「『〈《⦃⦅⌈⌊→⇒⇨⟶⟹➜➔➤▶►▸❯❮"
_signs = Expression(
    "|".join(
        (
            r"<[<|｜@:\[]|\[[\[/|@:]|\([A-Za-z_]|\{(?:[{%#]|[A-Za-z_])|\|[A-Za-z_]|#{1,3}[A-Za-z_]",
            r"@{1,3}[A-Za-z_]|@@@? [A-Za-z_]|%{1,3} ?[A-Za-z_{]|={1,5}>|={2,5} ?[A-Za-z_]|:{1,3}[A-Za-z_]",
            r"!{1,3}[A-Za-z_]|[$&^\\]{1,3}[A-Za-z_{]|;{2}[A-Za-z_]",
            r"-{1,3}>|-{3,5} ?[A-Za-z_]|\$> ?[A-Za-z_]|[*+]{3} ?[A-Za-z_]",
            f"[{_BRACKETS}]",
        )
    )
)
_signs_begun = Expression(
    r"[<\[({|]|[#!$&^\\]{1,3}|@{1,3}|@{2,3} |%{1,3} ?|:{1,3}|;{1,2}|={1,5}|={2,5} |-{1,5}|-{3,5} |\$> ?"
    r"|[*+]{1,3}|[*+]{3} "
)

# A fence with its line: code, unless it names a tool, or nothing comes before it and its word is not a language.
_fence = Expression(r"(?:`{3,16}|~{3,16})[ \t]*(?P<info>[^`\n]{1,80})\n")
_fence_begun = Expression(r"`{1,2}|`{3,16}[^`\n]{0,80}|~{1,2}|~{3,16}[^`\n]{0,80}")
_FIRST_SIGNS = frozenset("<[({|#@%=:!$&^\\;-*+`~" + _BRACKETS)

is_json = re.compile(r'\[?\{\s{0,8}"').match
"""Whether JSON begins at a place of the text, up to its first key."""
_KEYS = sorted(NAME_KEYS | KNOWN_NAME_KEYS)
_KEY = rf'\{{\s{{0,8}}"(?:{"|".join(_KEYS)})"[ ]{{0,4}}:[ ]{{0,4}}"'  # an object of JSON, up to a tool's name
_KEY_BEGUN = (
    rf'\{{\s{{0,8}}(?:"(?:{"|".join(sorted({each[:size] for each in _KEYS for size in range(len(each) + 1)}))})'
    rf'|"(?:{"|".join(_KEYS)})"[ ]{{0,4}}(?::[ ]{{0,4}})?)?'
)
# An object of JSON that names a tool first, under any key, or as its key.
_object = Expression(r'\[?\{\s{0,8}"(?P<key>[\w.-]{1,64})"[ ]{0,4}:[ ]{0,4}(?:\{|"(?P<name>[\w.-]*)(?P<end>"?))')
_object_begun = Expression(r'\[?\{\s{0,8}(?:"(?:[\w.-]{0,64}|[\w.-]{1,64}"[ ]{0,4}(?::[ ]{0,4})?))?')

# A tag, and the first thing after it.
_TAG = r"<[^\W\d][^<>\n]{0,160}>|\[[^\W\d][^\[\]\n]{0,160}\]"
_AFTER = r"[ \t]{0,64}+(?:(?P<word>[\w.-]{1,128}+)[ \t]{0,64}+)?+"  # a longer word names no tool
_tag = Expression(rf"(?P<tag>{_TAG}){_AFTER}(?P<next>[^ \t]?)")
_tag_begun = Expression(rf"<[^\W\d][^<>\n]{{0,160}}|\[[^\W\d][^\[\]\n]{{0,160}}|(?:{_TAG}){_AFTER}")
_long_tag = Expression(r"<[^\W\d][\w.:-]{0,64}(?:[ \t][^<>\n]{0,160})?\n|<[^\W\d][^<>\n]{160}|\[[^\W\d][^\[\]\n]{160}")
_opened = re.compile(  # by its first word, and by the first attribute's value
    r"[<\[](?:[\w-]+:)?(?P<word>[\w.-]+)[\"']?[ \t\n(](?:(?<=[ ])[\w-]+=[\"']?(?P<value>[\w.-]+)[\"']?[ \t\n])?"
)
_names = re.compile(r"[\w.-]+").findall
_AFTER_TAG = frozenset("\n<[{(\"'`:=|#@*-~0123456789")
_AFTER_WORD = frozenset("\n({[<|=:\"'")
_element = Expression(r"<([A-Za-z][A-Za-z0-9]*)[\s/>]")

# -- words -------------------------------------------------------------------------------------------------------------

# A label, a colon or an arrow, and a tool's name: `Tool: get_weather`, `begin get_weather`. A label begins with a word
# for calling, or is in capitals, so that the first word of a line of prose need not wait for the second one. Without a
# colon or an arrow, a sign, a key or the end of the line must follow the name: `Use get_weather, and …` is prose.


@cache
def _words() -> Any:
    # What the reader knows of words. Imported lazily, because the import of toolglean does without it.
    from toolglean.scan.by_schema import words  # noqa: PLC0415

    return words


@cache
def _starts() -> tuple[tuple[str, ...], frozenset[str]]:
    # The words for calling with which a label begins, and their beginnings.
    starts: tuple[str, ...] = tuple(_words().STARTS)
    return starts, frozenset(each[:size] for each in starts for size in range(1, len(each) + 1))


@cache
def _first() -> str:
    return rf"(?i:{'|'.join(_words().STARTS)})[\w-]{{0,24}}"


@cache
def _first_begun() -> str:
    # An expression for the beginnings of these words.
    return "|".join(sorted(_starts()[1], key=len, reverse=True))


def _words_for_calling(least: int) -> str:
    # A word for calling, and others behind it, which have at least so many characters.
    return rf"{_first()}(?:[ ][\w-]{{{least},16}}){{0,2}}"


_CAPITALS = r"[A-Z][A-Z0-9_-]{1,31}"
_ARROW = r"(?:://(?:\w{1,16}/)?|::?=?|：|={1,2}>|-{1,2}>|→|⇒|➜|>>|\.(?:\w{1,12}\()?|[({\[](?:\w{1,9}[:=][ ]?)?)"
_GAP = r"[ \t]{0,4}(?:\n[ \t]{0,4})?"
_BEFORE = rf"{_GAP}[\"'`@:]?"
_label = Expression(
    lambda: (
        rf"(?:{_words_for_calling(1)}[ \t]{{0,2}}{_ARROW}{_GAP}{_KEY}"
        rf"|(?:{_words_for_calling(1)}|{_CAPITALS})[ \t]{{0,2}}{_ARROW}{_BEFORE})(?P<name>[\w.-]*)"
    )
)
_label_begun = Expression(
    lambda: (
        rf"(?:(?i:{_first_begun()})|[A-Z]|(?:{_words_for_calling(0)}|{_CAPITALS})[ \t]{{0,2}}"
        rf"(?:={{1,2}}|-{{1,2}}|>|:/|://\w{{0,16}}|\.\w{{0,12}}|[({{\[]\w{{0,9}}|{_ARROW}{_BEFORE})?"
        rf"|{_words_for_calling(0)}[ \t]{{0,2}}{_ARROW}{_GAP}{_KEY_BEGUN})"
    )
)
_named = Expression(
    lambda: (
        rf"(?:{_first()}|{_CAPITALS})[ \t]{{1,2}}(?P<name>[\w.-]++)[ \t]{{0,2}}+"
        r"(?P<key>(?:(?:(?i:with)|,)[ ]|\?)?:?[\w-]{1,64}[ ]?[=:][ ]?|(?::|(?i:with|start|begin))(?=\n))?"
        r"(?P<next>[^ \t]?)"
    )
)
_key_begun = re.compile(
    r"[ \t]{1,2}(?:(?:(?i:with)|,)[ ]?)?:?[\w-]{0,64}[ ]?|,[ ]?:?[\w-]{0,64}[ ]?|\?[\w-]{0,64}"
).fullmatch
_AFTER_NAME = frozenset("\n({[<|=:-")
_word = re.compile(r"[^\W\d][\w.-]*").match


def may_begin(two: str) -> bool:
    """Whether a line with these first two characters, or with this only one, must be looked at by `begins`, if it does
    not begin with a tool's name.
    """
    char = two[0]
    if char in "`~":
        return two[1:] in {"", char}
    if char in _FIRST_SIGNS:
        goes_on = _signs.match(two, 0) or _signs_begun.fullmatch(two, 0)
        return char in "<[{" or goes_on is not None
    if char.isascii() and not (char.isalpha() or char == "_"):
        return False
    is_capital = char.isascii() and char.isupper() and (two.isupper() or two[1:] in _IN_CAPITALS)
    return is_capital or two.lower() in _words().FIRST_TWO or char in _words().CALL_SIGNS


_IN_CAPITALS = frozenset("0123456789_-")


def begins(text: str, i: int, names: frozenset[str], *, opens_content: bool, at_end: bool) -> bool | None:
    """Whether the line of the text at `i` may begin a call.

    Args:
        text: content.
        i: where the line begins.
        names: the names of the tools.
        opens_content: whether nothing but white space comes before it: then it may begin with a tool's name. Elsewhere
            a bracket must follow that name: such a line is refused, and told (`is_refused`).
        at_end: whether more text may follow.

    Returns:
        None if more text is needed.
    """
    char = text[i]
    if char.isspace():
        return False
    if char.isalpha() or char == "_":
        found = _word_begins(text, i, names, at_end=at_end)
        return found if found is not False else _name_begins(text, i, names, alone=opens_content, at_end=at_end)
    if char in {"`", "~"}:
        return _fence_begins(text, i, names, opens_content=opens_content, at_end=at_end)
    if _signs.match(text, i) or (not char.isascii() and char in _words().CALL_SIGNS):
        return True
    if text.startswith(("{", "[{"), i):
        return _object_begins(text, i, names, at_end=at_end)
    if char in {"<", "["}:
        return _tag_begins(text, i, names, at_end=at_end)
    return None if at_end and _signs_begun.fullmatch(text, i) else False


def _fence_begins(text: str, i: int, names: frozenset[str], *, opens_content: bool, at_end: bool) -> bool | None:
    found = _fence.match(text, i)
    if found is None:
        return None if at_end and _fence_begun.fullmatch(text, i) else False
    if _words().is_language(found["info"]):
        return False
    words = _names(found["info"])
    return bool(words) and (opens_content or not names.isdisjoint(words))


def _object_begins(text: str, i: int, names: frozenset[str], *, at_end: bool) -> bool | None:
    found = _object.match(text, i)
    if found is None:
        return None if at_end and _object_begun.fullmatch(text, i) else False
    if found["name"] is None:
        return found["key"] in names
    if found["end"]:
        return found["name"] in names
    return None if at_end and found.end() == len(text) and _begin_a_name(found["name"], names) else False


def _tag_begins(text: str, i: int, names: frozenset[str], *, at_end: bool) -> bool | None:
    element = _element.match(text, i)
    is_other = element is not None and element[1] not in names and _words().is_other_tag(element[1])
    if is_other and element is not None and _words().is_html(element[1]):
        return False
    found = _tag.match(text, i)
    if found is None:
        named = _opened.match(text, i)
        if named is not None and not names.isdisjoint(named.groups()):  # whatever follows: a value may contain brackets
            return True
        if _long_tag.match(text, i):
            return not is_other
        return None if at_end and (_tag_begun.fullmatch(text, i) or i + 1 == len(text)) else False
    if not names.isdisjoint(_names(found["tag"])):
        return True  # also a tag that introduces no call: that it is not read as one is reported
    if is_other:
        return False
    word, following = found["word"], found["next"]
    if not following:
        return None if at_end and found.end() == len(text) else word is None or word in names
    if word is not None:
        is_element = following != "<" or text[found.end("word")] == "<"
        return word in names or (following in _AFTER_WORD and is_element)
    return following in _AFTER_TAG and not (following == "(" and text[i] == "[")


def _is_other_word(text: str, i: int) -> bool:
    # Whether no label begins so: most lines are told by their first letters from those that the expressions find.
    head = text[i : i + 32]
    is_capital = "A" <= head[0] <= "Z" and (len(head) == 1 or head[1].isupper() or head[1] in _IN_CAPITALS)
    return head.isascii() and not is_capital and not head.lower().startswith(_starts()[0])


def _word_begins(text: str, i: int, names: frozenset[str], *, at_end: bool) -> bool | None:
    if at_end and i + 1 == len(text) and "A" <= text[i] <= "Z":  # as the expressions say, which take longer
        return None
    if _is_other_word(text, i):
        return None if at_end and text[i : i + 33].lower() in _starts()[1] else False
    named = _named.match(text, i)
    if named is not None and named["next"]:
        if (named["next"] in _AFTER_NAME or named["key"]) and named["name"] in names:
            return True
        if at_end and named["name"] in names and _key_begun(text, named.end("name")):
            return None
        named = None
    if at_end and _label_begun.fullmatch(text, i):
        return None
    line = _label.match(text, i)
    if line is not None and (line.end() < len(text) or not at_end):
        return line["name"] in names
    begun = line or named
    is_name_begun = begun is not None and begun.end() == len(text) and _begin_a_name(begun["name"], names)
    return None if at_end and is_name_begun else False


def _name_begins(text: str, i: int, names: frozenset[str], *, alone: bool, at_end: bool) -> bool | None:
    word = _word(text, i)
    if word is None:
        return False
    if word.end() == len(text) and at_end:
        return None if _begin_a_name(word[0], names) else False
    following = text[word.end() : word.end() + 2]
    if word[0] not in names or alone:
        return word[0] in names
    return None if following == " " and at_end else following[:1] in {"(", "{", "["} or following == " {"


def is_refused(text: str, i: int, names: frozenset[str]) -> bool:
    """Whether a line that begins a call by `begins`, and is not the first of its turn, begins with a tool's name."""
    word = _word(text, i)
    return word is not None and word[0] in names


def _begin_a_name(text: str, names: frozenset[str]) -> bool:
    from bisect import bisect_left  # noqa: PLC0415  # the import of toolglean does without it

    found = _in_order(names)
    place = bisect_left(found, text)
    return place < len(found) and found[place].startswith(text)


@lru_cache(maxsize=1024)
def _in_order(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names))
