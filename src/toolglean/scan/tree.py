# Arguments written as nested tags, and how the schema tells objects, lists and scalars apart. Does not depend on calls:
# the caller gives the prefix of the tags.
#
#   ⟨<k>v⟨</k>⟨<o>⟨<a>1⟨</a>⟨</o>⟨<l>⟨<item>x⟨</item>⟨</l>⟨</invoke>   →   {"k": "v", "o": {"a": 1}, "l": ["x"]}
#
# where ⟨ is the prefix, which comes before every tag so that text needs no escapes (MiniMax-M3: `]<]minimax[>[`).
#
# - an element with text is the value that coerce.py makes of it; without a schema, it is the text
# - an element with children is an object, or a list if the schema says array. Without a schema it is a list if every
#   child is called `item`. A repeated name in an object makes a list of its values
# - an empty element is {} or [] if the schema allows only that, otherwise the value of an empty text
# - white space between tags is ignored; other text there, a wrong closing tag, and attributes are refused
# - a repeated parameter is written twice: decoding takes the last one, and reports it
# - the value ends before a closing tag that closes nothing here: that tag is the caller's. The part of it that was read
#   is in `rest`, because it may have begun in an earlier piece
# - without a prefix (plain XML), a string and a parameter without a schema end only at their own closing tag: they may
#   contain `<b>`. One line break after the opening tag, and one before the closing tag, belong to the tags
# - if the tool's name is itself the tag, a parameter that its schema does not declare is refused (`named_tag`): the tag
#   may be any other text. Models that know another family write its parameters there: `<parameter=k>`, and
#   `<parameter name="k">`
#
# The text of a parameter that is certainly a string is emitted as it arrives, everything else when it is whole.
"""Arguments in nested tags, incrementally."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolglean.scan.coerce import coerce_within, is_text, json_text, kinds_of, known, within
from toolglean.scan.json import decode
from toolglean.scan.nested import DepthError
from toolglean.scan.plain import Plain, joined
from toolglean.scan.reader import DialectReader, begins_cdata, is_broken_cdata, of_cdata, quoted_text, string_text
from toolglean.scan.scanner import DONE, loop
from toolglean.scan.text import passing, space, until

__all__ = ["TreeReader"]

# States, named for what has been read.
BETWEEN = 0  # a tag, or nothing: another tag
TEXT = 1  # `<k>`: text or a tag
TAG = 2  # `<`
OPENING = 3  # `<k`
CLOSING = 4  # `</k`
KEYED = 5  # `<parameter`, and its key is to come

_name = passing(r"""[^\s<>/="']*""")
_PARAMETERS = frozenset({"arg", "argument", "param", "parameter"})
_key = re.compile(
    r"""\s?(?:name\s?)?=\s?(["']?)([^\s<>/="']{1,128})\1(?:\s[a-z]{1,16}=["'][a-z]{1,16}["'])?"""
).fullmatch
_end_of_tag = passing(r"[^<>]*")
_MOST = 192  # characters of its tag


class Element(Plain):
    """An open element: its name, its tag, its schema, and its children so far."""

    __slots__ = ("children", "name", "schema", "tag")
    owned = ("children",)

    def __init__(self, name: str, tag: str, schema: Any) -> None:
        self.name, self.tag = name, tag
        self.schema = schema
        self.children: list[tuple[str, Any]] = []

    def __getstate__(self) -> dict[str, Any]:
        # As JSON text, because nested values are too deep for pickle.
        return super().__getstate__() | {"children": [(name, json_text(value)) for name, value in self.children]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.children = [(name, decode(text)[0]) for name, text in self.children]

    def value(self, text: str, root: Mapping[str, Any] | None, max_depth: int) -> Any:
        """The value of the whole element.

        Raises:
            DepthError: its text is nested deeper than `max_depth` containers.
        """
        kinds = kinds_of(self.schema, root)
        if not self.children:
            if not text.strip() and kinds <= {"object", "null"} and "object" in kinds:
                return {}
            if not text.strip() and kinds <= {"array", "null"} and "array" in kinds:
                return []
            return coerce_within(text, self.schema, root, max_depth)
        is_list = all(name == "item" for name, _ in self.children)
        if (is_list or "object" not in kinds) if "array" in kinds else (is_list and "object" not in kinds):
            return [value for _, value in self.children]
        found: dict[str, list[Any]] = {}
        for name, value in self.children:
            found.setdefault(name, []).append(value)
        return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _after_break(text: str) -> str:
    # One line break at either end of a text belongs to its tags.
    return text.removeprefix("\r\n" if text.startswith("\r") else "\n")


class TreeReader(DialectReader):
    """Reads elements up to a closing tag that closes none of them.

    Args:
        prefix: what comes before every tag; "" in plain XML.
        properties: the JSON schema of each parameter, if known.
        max_depth: how many containers may be open.
        root: the schema in which their `$ref` is looked up.
        named_tag: whether the tool's name is the tag around the parameters. Then each must be one of `properties`,
            unless the schema has none or allows others.
    """

    __slots__ = ("_declared", "_open", "_prefix", "_properties", "_raw", "_root", "_section", "_streams")
    owned = (*DialectReader.owned, "_open")
    is_final = True

    def __init__(
        self,
        prefix: str,
        properties: Mapping[str, Any] | None = None,
        max_depth: int = 256,
        *,
        root: Mapping[str, Any] | None = None,
        named_tag: bool = False,
    ) -> None:
        super().__init__(max_depth)
        schema = root if isinstance(root, Mapping) else {}
        declares = isinstance(schema.get("properties"), Mapping) and not schema.get("additionalProperties")
        self._declared = named_tag and declares
        self._prefix = prefix
        self._properties = properties
        self._root = root
        self._open: list[Element] = []
        self._raw = False  # whether only the element's own closing tag ends the text
        self._streams = False  # whether the text is emitted as it arrives
        self._section: bool | None = None  # whether it is a CDATA section, which is kept until it is whole
        self.lead = "{"

    def stops(self) -> str:
        """See `DialectReader`."""
        is_open = self._streams and self._section is False and self.state == TEXT
        stops = self.marker[0] + "\n" * self._raw
        return stops if is_open and not self.held and not self.collected else ""

    @property
    def marker(self) -> str:
        """What ends the text that is being read."""
        return f"</{self._open[-1].tag}>" if self._raw else self._prefix + "<"

    def takes(self, name: str) -> bool:
        """Whether an element of that name may begin here."""
        return bool(self._open) or not self._declared or name in (self._properties or ())

    def open(self, name: str, tag: str = "") -> None:
        """An element begins. `tag`: that of another family's parameter, which has that name as its key."""
        if self._open:
            schema = within(self._open[-1].schema, name, self._root)
        else:
            schema = None if self._properties is None else self._properties.get(name)
            self.write_item(string_text(name) + ": ")
            self.lead = ", "
        text = is_text(schema, self._root)
        self._raw = text and not self._prefix and (known(schema, self._root) or not self._open)
        if not self._open:
            self._streams = self._raw or (text and known(schema, self._root))
            if self._streams:
                self.write('"')
        self._section = None
        self._open.append(Element(name, tag or name, schema))
        self.state, self.held = TEXT, ""

    def close(self) -> None:
        """The innermost element ends.

        Raises:
            DepthError: its text is nested too deeply.
        """
        element, text = self._open.pop(), self.take_collected()
        inner = of_cdata(text)
        if self._raw and inner is text:
            inner = text if self._section is False else _after_break(text)  # the beginning was emitted
            inner = inner[:-1].removesuffix("\r") if inner.endswith("\n") else inner
        self.state, self.held, self._raw, text = BETWEEN, "", False, inner
        if self._streams:
            self._streams = False
            self.write(quoted_text(text) + '"')
            return
        value = element.value(text, self._root, self.max_depth - 1 - len(self._open))
        if self._open:
            self._open[-1].children.append((element.name, value))
        else:
            self.write(json_text(value))

    def end(self) -> None:
        """The caller's closing tag begins."""
        self.write("{}" if self.lead == "{" else "}")
        self.rest = self._prefix + "</"
        self.token = DONE

    def _read_between(self, text: str, pos: int) -> int:
        if not self.held:
            pos = space(text, pos).end()
        marker = self._prefix + "<"
        pos = self.spell(text, pos, marker)
        if self.held == marker:
            self.state, self.held = TAG, ""
        elif pos < len(text):
            return self.fail("a tag was expected", pos)
        return pos

    def _read_text(self, text: str, pos: int) -> int:
        piece, pos, self.held, found = until(text, pos, self.held, self.marker)
        if piece and self._streams and self._section is False:
            self._emit(self.take_collected() + piece)
        elif piece:
            self.collect(piece)
            if self._streams and self._section is None:
                self._section = begins_cdata(joined(self.collected))
                if self._section is False:
                    begun = self.take_collected()
                    self._emit(_after_break(begun) if self._raw else begun)
        if found and is_broken_cdata(joined(self.collected)):
            return self.fail("a CDATA section was expected", pos - 1)
        if found and self._raw:
            self.close()
        elif found:
            self.state = TAG
        return pos

    def _emit(self, text: str) -> None:
        # All but a line break at its end, which may belong to the closing tag.
        certain = text.removesuffix("\n").removesuffix("\r") if self._raw else text
        self.write(quoted_text(certain))
        if certain != text:
            self.collect(text[len(certain) :])

    def _read_tag(self, text: str, pos: int) -> int:
        if text[pos] == "/":
            if self._open:
                self.state = CLOSING
            else:
                self.end()
            return pos + 1
        if self._streams or (self.collected and joined(self.collected).strip()):
            return self.fail(f"the end of {self._open[-1].name} was expected", pos)
        if _name(text, pos).end() == pos:
            return self.fail("a name was expected", pos)
        if len(self._open) + 1 >= self.max_depth:
            return self.fail("depth", pos)
        self.state, self.collected = OPENING, ()
        return pos

    def _read_opening(self, text: str, pos: int) -> int:
        pos = self.take_name(text, pos, _name(text, pos).end())
        if pos == len(text) or self.token:
            return pos
        if text[pos] != ">" and self._declared and not self._open and self.held in _PARAMETERS:
            self.state = KEYED
            return pos
        if text[pos] != ">":
            return self.fail("the end of the tag was expected", pos)
        if not self.takes(self.held):
            return self.fail("a parameter of the tool was expected", pos)
        self.open(self.held)
        return pos + 1

    def _read_key(self, text: str, pos: int) -> int:
        end = _end_of_tag(text, pos).end()
        size = _MOST - len(self.held)
        if end - pos > size or text[end : end + 1] == "<":
            return self.fail("the end of the tag was expected", min(end, pos + size))
        self.held += text[pos:end]
        if end == len(text):
            return end
        tag = str(_name(self.held, 0)[0])
        found = _key(self.held, len(tag))
        if found is None or not self.takes(found[2]):
            return self.fail("a parameter of the tool was expected", end)
        self.open(found[2], tag)
        return end + 1

    def _read_closing(self, text: str, pos: int) -> int:
        wanted = self._open[-1].tag + ">"
        pos = self.spell(text, pos, wanted)
        if self.held == wanted:
            try:
                self.close()
            except DepthError:
                return self.fail("depth", pos - 1)
        elif pos < len(text):
            return self.fail(f"the end of {self._open[-1].name} was expected", pos)
        return pos

    states = (_read_between, _read_text, _read_tag, _read_opening, _read_closing, _read_key)
    advance = loop(states, 0)
