# How the name of a tool, and what is around arguments, are written in the text of a frame. Does not depend on which
# frame that is.
"""Labels, names and wrappers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolglean.scan.by_schema.found import Schema
from toolglean.scan.by_schema.source import Source
from toolglean.scan.by_schema.tags import Tag
from toolglean.scan.by_schema.words import introduces_arguments, is_html, names_tool, separates

__all__ = [
    "holds_arguments",
    "label_at",
    "named_by",
    "named_in",
    "names_at",
    "names_at_end",
    "names_in_lists",
    "quoted_tool_at",
    "wrapped",
]

_label = re.compile(
    r"[^\w\s\"'`<>(){}\[\],;=]{0,3}[ \t]*+(\w++(?:[ .-]\w++){0,5})"
    r"(?:[ \t]*(:=|=+>|-+>|~>|>>|://(?:\w+/)?|::|[:：=→⇒⟶|~§]+)|[ \t])[ \t]*"
).match
_after_name = re.compile(r"[ \t]*(?:=>|->|::|[:：=|;,，；→⇒~])").match
_before_name = re.compile(r"(?:(?<!\w)(\w{1,24})[ \t]*)?(?:=>|->|[:：=|→⇒])[ \t]*\Z").search
_BEFORE_LABEL = frozenset(("", *"\n\r,;|}])>\"'`"))
_one_word = re.compile(r"\w+").match
_fence = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*\r?\n").match
_NOTATIONS = frozenset({"", "json", "json5", "jsonc", "js", "javascript", "python", "py", "yaml", "yml", "xml", "toml"})


def quoted_tool_at(source: Source, pos: int) -> tuple[Schema, int] | None:
    """The tool whose name is at `pos`, perhaps in quotes, and the end of that."""
    quote = source.text[pos] if source.text[pos : pos + 1] in {'"', "'", "`"} else ""
    tool = source.tool_at(pos + len(quote))
    if tool is None:
        return None
    end = pos + len(quote) + len(tool.name)
    return (tool, end + len(quote)) if source.text.startswith(quote, end) else None


def label_at(source: Source, pos: int) -> tuple[str, int] | None:
    """The label of one to three words and the sign after it that begin at `pos`, and the end of the sign."""
    found = _label(source.text, pos)
    is_label = found is not None and found.start(1) == pos and found[2] not in {None, "="}
    return (found[1], found.end()) if found is not None and is_label and len(found[1].split()) <= 3 else None


def names_at(source: Source, start: int, end: int) -> Iterator[tuple[Schema, int]]:
    """The tools that may be named first in that part of the text, and where the arguments begin."""
    pos = source.after_space(start)
    plain = _plain_name(source, pos)
    for tool, after in (*((plain,) if plain is not None else ()), *_names_in_tags(source, pos, end)):
        if after > end:
            continue
        yield tool, after
        sign = _after_name(source.text, after)
        if sign and sign.end() <= end:
            yield tool, sign.end()
        mark = source.opener_at(after, end)
        word = mark.words[0] if mark is not None and len(mark.words) == 1 else ""
        is_mark = bool(word) and (holds_arguments(word, tool) or separates(word))
        if mark is not None and is_mark and not source.closers(mark, end):
            yield tool, mark.end  # `f<args>{…}`


def names_at_end(source: Source, start: int, end: int) -> Iterator[tuple[Schema, int, bool]]:
    """The tools that may be named last in that part of the text; where the arguments end; whether a word says so."""
    text, stop = source.text, source.before_space(start, end)
    for name in source.names:
        begin = text.rfind(name, start, stop)
        begin -= begin > start and text[begin - 1] in {'"', "'", "`"}
        found = quoted_tool_at(source, begin) if begin > start else None
        if found is None:
            continue
        tag = next((each for each in source.tags(start, begin) if source.after_space(each.end) == begin), None)
        is_element = tag is not None and source.closed_at(tag, found[1], end) == stop
        if tag is not None and is_element and not tag.slash and names_tool(_without_tools(source, tag)):
            yield found[0], tag.start, True
        label = _before_name(text, start, begin) if found[1] == stop else None
        # Behind a word, it may be the end of a value: `content: use tool: f`.
        is_own = label is not None and text[start : label.start()].rstrip(" \t")[-1:] in _BEFORE_LABEL
        if label and is_own and (not label[1] or (names_tool(label[1]) and label[1] not in found[0].properties)):
            yield found[0], label.start(), bool(label[1])


def _plain_name(source: Source, pos: int) -> tuple[Schema, int] | None:
    found = quoted_tool_at(source, pos)
    label = _label(source.text, pos) if found is None and source.tag_at(pos) is None else None
    is_label = label is not None and len(label[1].split()) <= (3 if label[2] else 1) and names_tool(label[1])
    return quoted_tool_at(source, label.end()) if label is not None and is_label else found


def _names_in_tags(source: Source, pos: int, end: int) -> Iterator[tuple[Schema, int]]:
    # `<tool:f>`, `<name>f</name>`, `<param name="tool">f</param>`, `<k>tool</k><v>f</v>`
    tag = source.tag_at(pos)
    if tag is None or tag.slash or is_html(tag.element) or not names_tool(_without_tools(source, tag)):
        return
    named = named_by(source, tag)
    if named is not None and not named[1] and (tag.empty or not source.closers(tag, end)):
        yield named[0], tag.end
    if named is not None or tag.empty:
        return
    word = _one_word(source.text, source.after_space(tag.end))
    after = source.closed_at(tag, word.end(), end) if word else 0
    second = source.tag_at(source.after_space(after)) if after else None
    yield from filter(None, (named_in(source, element, end) for element in (tag, second) if element is not None))


_is_number = re.compile(r"#\w{1,16}|\d{1,6}").fullmatch


def named_by(source: Source, tag: Tag) -> tuple[Schema, list[tuple[str, str]]] | None:
    """The tool that the tag names, and its other pairs."""
    words = [word for word in tag.words if not _is_number(word)] if len(tag.words) > 1 else tag.words
    last = words[-1] if words else ""
    word = last if last in source.tools else last.rpartition(":")[2]
    if len(words) <= 2 and word in source.tools:
        return source.tools[word], list(tag.pairs)
    for number, (key, value) in enumerate(tag.pairs if len(words) <= 2 else ()):
        if value in source.tools and names_tool(key):
            return source.tools[value], [*tag.pairs[:number], *tag.pairs[number + 1 :]]
        if len(tag.pairs) == 1 and not words and key in source.tools and _is_number(value):
            return source.tools[key], []
    return None


def named_in(source: Source, element: Tag, end: int) -> tuple[Schema, int] | None:
    """The tool of which the element has nothing but the name, and the end of what closes it."""
    found = quoted_tool_at(source, source.after_space(element.end))
    closer = source.closed_at(element, found[1], end) if found is not None else 0
    return (found[0], closer) if found is not None and closer else None


_named_list = re.compile(r"\(\s*([\w-]+)\s+[\"':]?").match


def names_in_lists(source: Source, pos: int) -> Iterator[tuple[Schema, int]]:
    """The tool in a list whose first word is for its name, and the end of that list: `(name f)`."""
    found = _named_list(source.text, pos)
    tool = source.named_at(found.end()) if found and names_tool(found[1]) else None
    if found and tool is not None:
        end = re.compile(r"[\"']?\s*\)").match(source.text, found.end() + len(tool.name))
        if end:
            yield tool, end.end()


def _without_tools(source: Source, tag: Tag) -> str:
    return " ".join(part for word in tag.words for part in word.split(":") if part not in source.tools)


_with = re.compile(r"(?:with|args|params)[ \t]+", re.IGNORECASE).match
_list = re.compile(r"'?\((?:\s*(?P<word>[\w-]+)(?=\s))?\s*(?=[(:])").match


def holds_arguments(words: str, tool: Schema) -> bool:
    """Whether the words before a payload say that it is the arguments."""
    return words not in tool.properties and introduces_arguments(words)


def wrapped(source: Source, start: int, end: int, tail: int, tool: Schema) -> Iterator[tuple[int, int]]:
    """The regions that may have the arguments, if something is around them: an element, a label or a fence, which must
    say so. A result, an error or a denial often has the same keys.

    Args:
        source: the text.
        start: where the region begins.
        end: where it ends, without white space.
        tail: where it ends.
        tool: whose arguments they are.
    """
    text = source.text
    tag = source.tag_at(start)
    if tag is not None and tag.is_plain and len(tag.words) == 1:
        for begin, close in source.closers(tag, end):
            if close == end and holds_arguments(tag.words[0], tool):
                yield tag.end, begin
    label = _label(text, start)
    if label and label[2] and label.end() < end and holds_arguments(label[1], tool):
        yield label.end(), tail
    word, listed = _with(text, start, end), _list(text, start, end)
    if word and word[0].strip() not in tool.properties:
        yield word.end(), tail
    if listed and text[end - 1] == ")" and (not listed["word"] or introduces_arguments(listed["word"])):
        yield listed.end(), end - 1
    if text.startswith("<![CDATA[", start) and text.endswith("]]>", start, end):
        yield start + 9, end - 3
    fence = _fence(text, start)
    is_fence = fence is not None and (fence[2].casefold() in _NOTATIONS or introduces_arguments(fence[2]))
    if fence and is_fence and text.endswith("\n" + fence[1], start, end):
        yield fence.end(), end - len(fence[1])
