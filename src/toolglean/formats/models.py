# Finds the family of a model by the model's name. Does not depend on which formats exist, or on what they write.
#
# A name is compared word by word. Letters, numbers and sizes are words; the case, and what separates words, do not
# matter. These are two names, and two patterns:
#
#   Qwen/Qwen3-Coder-30B-A3B-Instruct         qwen 3 coder 30b a3b instruct
#   accounts/…/models/llama-v3p1-8b-instruct  llama 3 1 8b instruct
#   qwen3-coder                               qwen 3 coder
#   magistral-*-2507                          magistral, then anywhere after it 2507
#
# The owner, the folders and the addresses before a name are left out, and so is what only says how the weights are
# stored (`4bit`, `Q4_K_M`). The `v` of a version is left out as well (`v3` is 3), and `2p5`, `2-5` and `25` are 2.5.
#
# A pattern fits if its words follow each other somewhere in the name, so a name may have words before a family's own
# (`Huihui-Qwen3-Coder-…`). If several patterns fit, the most specific one is used:
#
#   1  a pattern that begins with `*` before all others. It says that whatever is before its words belongs to the name
#      of another model, from which this one was made: `*-nemotron-nano` in `Llama-3.1-Nemotron-Nano-8B`
#   2  then the pattern whose words come first in the name
#   3  then the one with the most words: `qwen3-coder` before `qwen3`
#   4  then the one that is first in the order of precedence
#
# A name with two families (`Qwen3-8B-distill-GLM-4.7`, a merge) says two things if they write different formats. Then
# no format is known, unless a pattern of rule 1 decides.
#
# Words that are glued together are compared in both ways, as they are written and apart where a capital letter begins
# (`HQwen3-8B` is also `h qwen 3 8b`).
"""Families of models by names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import NamedTuple

from toolglean.formats.spec import Format

__all__ = ["Families", "Found", "name_of", "plain", "words_of"]

MOST_WORDS = 64
"""Words of a name that are compared; nobody's name is longer, and a request may carry any text as one."""
MOST_CHARACTERS = 2048
WILDCARDS = "*?["

_END = r"(?![^\W_])"
_words = re.compile(
    rf"\d+[-_ ]?bits?{_END}"  # how the weights are stored: 4bit, Q4_K_M
    rf"|i?q\d+(?:_(?:[a-z]{{1,3}}|\d))+{_END}"
    r"|(?<=\d)p(?=\d)"  # 2p5
    rf"|(v(?=\d))|([ae]?\d+(?:[.x]\d+)*[bmkt]{_END}|\d+|[^\W\d_]+)"  # v3; a size, a number, a word
).findall
_version = re.compile(r"(?<!\d)(\d)\.(\d)(?!\d)")
_borders = partial(re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])").sub, "-")
_gaps = re.compile(r"(?:^|[-_:\s])\*+(?=[-_:\s]|$)")
_separators = re.compile(r"[-_:\s]+(?![^\[]*\])")
_wild = re.compile(r"(\*+|\?|\[[^\]]*\])")
_places = re.compile(r"[/\\]|--")  # `--` in the cache of Hugging Face: models--Qwen--Qwen3-8B
_hash = re.compile(r"[0-9a-f]{7,64}").fullmatch

# Words of files and folders that do not say which model it is.
_STORAGE = frozenset(
    (
        *("model", "models", "main", "master", "snapshots", "refs", "resolve", "blob", "tree", "latest", "default"),
        *("weights", "checkpoint", "checkpoints", "final", "merged", "quantized", "output", "outputs", "of"),
        *("gguf", "ggml", "safetensors", "bin", "onnx", "mlx", "hf", "awq", "gptq", "q", "f", "fp", "bf", "int"),
    )
)


class Found(NamedTuple):
    """A pattern that fits a name.

    Attributes:
        rank: how specific it is, for comparison.
        order: its place in the order of precedence.
        format: its format; None if models of that name write no known one.
        text: the pattern.
        place: where it fits, in words of the name: from the first to behind the last.
        other: the pattern of another family in the name, because of which its format is not known.
    """

    rank: tuple[int, int, int]
    order: int
    format: Format | None
    text: str = ""
    place: tuple[int, int] = (0, 0)
    other: str = ""


class _Pattern(NamedTuple):
    # The words in runs: other words may be between the runs. `written`: how many words were declared.
    text: str
    format: Format | None
    order: int
    runs: tuple[tuple[str, ...], ...]
    owner: str
    is_made_from_another: bool
    written: int

    def found_at(self, words: tuple[str, ...], place: int, owner: str) -> Found | None:
        if self.owner and not fnmatchcase(owner, self.owner):
            return None
        end = place
        for number, run in enumerate(self.runs):
            starts = range(end, len(words) - len(run) + 1) if number else (place,)
            start = next((each for each in starts if _fits(run, words, each)), None)
            if start is None:
                return None
            end = start + len(run)
        if self.is_made_from_another:
            rank = (2, 0, self.written)
        else:
            # The owner is written before the name. A pattern without words (`*`) is for what nothing else fits.
            rank = (1 if self.written else 0, 1 if self.owner else -place, self.written)
        return Found(rank, self.order, self.format, self.text, (place, end))


def _fits(run: tuple[str, ...], words: tuple[str, ...], place: int) -> bool:
    return len(words) - place >= len(run) and all(
        word == each or (_is_wild(each) and fnmatchcase(word, each))
        for word, each in zip(words[place:], run, strict=False)
    )


class Families:
    """The patterns of formats, arranged so that a name is compared with few of them. Never changes.

    Args:
        formats: the formats, those that take precedence first.
        without_format: patterns of models that write no known format.
    """

    __slots__ = ("_anywhere", "_by_word")

    def __init__(self, formats: Iterable[Format], without_format: Iterable[str] = ()) -> None:
        self._by_word: dict[str, list[_Pattern]] = {}
        self._anywhere: list[_Pattern] = []
        declared = [(each, pattern) for each in formats for pattern in each.models]
        declared_none: list[tuple[Format | None, str]] = [(None, pattern) for pattern in without_format]
        for order, (format, text) in enumerate([*declared_none, *declared]):  # noqa: A001  # the class's own word
            for pattern in _patterns(format, order, text):
                first = pattern.runs[0][0] if pattern.runs else "*"
                (self._anywhere if _is_wild(first) else self._by_word.setdefault(first, [])).append(pattern)

    def find(self, model: str, *, without: frozenset[str] = frozenset()) -> Found | None:
        """The most specific pattern that fits a model's name, or None.

        If the name has two families that write different formats, the format of what is found is None.

        Args:
            model: the name, as people write it.
            without: names of formats that are left out, because others replace them.
        """
        owner, name = name_of(model)
        readings = dict.fromkeys((words_of(name), words_of(name_of(_apart(model))[1])))
        best: Found | None = None
        for words in readings:
            fitting = [
                each for each in self._fitting(words, owner) if not (each.format and each.format.name in without)
            ]
            found = _most_specific(fitting)
            if found is not None and (best is None or _precedence(found) > _precedence(best)):
                best = found
        return best

    def _fitting(self, words: tuple[str, ...], owner: str) -> Iterator[Found]:
        for place, word in enumerate(words):
            for pattern in (*self._by_word.get(word, ()), *self._anywhere):
                if pattern.runs and (found := pattern.found_at(words, place, owner)):
                    yield found
        for pattern in self._anywhere:
            if not pattern.runs and words and (found := pattern.found_at(words, len(words), owner)):
                yield found

    def names(self) -> tuple[str, ...]:
        """The families: the patterns of one run of words, as they are declared."""
        patterns = (each for several in self._by_word.values() for each in several if each.format is not None)
        return tuple(dict.fromkeys(each.text for each in patterns if len(each.runs) == 1))


def _most_specific(fitting: list[Found]) -> Found | None:
    best = max(fitting, key=_precedence, default=None)
    if best is None or best.rank[0] != 1:
        return best
    later = [each for each in fitting if each.rank[0] == 1 and each.place[0] >= best.place[1]]
    next_one = max(later, key=_precedence, default=None)
    if next_one is None or next_one.format is best.format:
        return best
    return best._replace(format=None, other=next_one.text)


def _precedence(found: Found) -> tuple[tuple[int, int, int], int]:
    return found.rank, -found.order


def plain(text: str) -> str:
    """A text without case, accents and forms of letters that only look different."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return text.casefold()


def name_of(model: str) -> tuple[str, str]:
    """The owner of a model and its name without owner, folders and address: `("qwen", "qwen3-8b")`.

    A part of a path that does not say which model it is (`main`, `model.gguf`, a hash) is passed over.
    """
    text = plain(model[-MOST_CHARACTERS:]).partition("#")[0]
    parts = [each[:1] + each[1:].partition("@")[0] for each in _places.split(text) if each]
    while len(parts) > 1 and (_hash(parts[-1]) or all(_is_storage(word) for word in words_of(parts[-1]))):
        parts.pop()
    return ("-".join(words_of(parts[-2])) if len(parts) > 1 else "", parts[-1] if parts else "")


def _apart(model: str) -> str:
    """A name whose glued words are written apart, where a capital letter says so: `HQwen3-8B` is `H-Qwen3-8B`."""
    return _borders(model[-MOST_CHARACTERS:])


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in plain letters: `qwen2.5-7b` is `("qwen", "2", "5", "7b")`."""
    words: list[str] = []
    for version, word in _words(name):
        if word:
            words.append(word)
        elif version and words and words[-1].isdigit():  # qwen3-v5 is not Qwen 3.5
            words.append(version)
    return tuple(words[:MOST_WORDS])


def _is_storage(word: str) -> bool:
    return word.isdigit() or word in _STORAGE


def _patterns(format: Format | None, order: int, text: str) -> Iterator[_Pattern]:  # noqa: A002
    # `2.5` is also written `25`: that is a pattern of its own, as specific as the other.
    owner, _, name = plain(text).rpartition("/")
    owner = owner.rpartition("/")[2] if _is_wild(owner) else "-".join(words_of(owner))
    spellings = dict.fromkeys((name, _version.sub(r"\1\2", name)))
    written = None
    for spelling in spellings:
        runs = _runs(spelling)
        written = sum(map(len, runs)) + bool(owner) if written is None else written
        if written or "*" in name:
            yield _Pattern(text.strip("*-"), format, order, runs, owner, name.startswith("*") and bool(runs), written)


def _runs(name: str) -> tuple[tuple[str, ...], ...]:
    return tuple(run for text in _gaps.split(name) if (run := _words_of_run(text)))


def _words_of_run(text: str) -> tuple[str, ...]:
    if not _is_wild(text):
        return words_of(text)
    chunks = filter(None, _separators.split(text))
    return tuple(word for chunk in chunks for word in _words_of_chunk(chunk))


def _is_wild(text: str) -> bool:
    return any(char in WILDCARDS for char in text)


def _words_of_chunk(chunk: str) -> list[str]:
    # A wildcard belongs to the word after it; `*` at the end, to the word before it.
    words: list[str] = []
    before = ""
    for piece in filter(None, _wild.split(chunk)):
        if piece[0] == "*" and words and not before:
            words[-1] += "*"
        elif piece[0] in WILDCARDS:
            before += piece
        else:
            first, *others = words_of(piece) or ("",)
            words += [before + first, *others]
            before = ""
    return [*words, *([before] if before else [])]
