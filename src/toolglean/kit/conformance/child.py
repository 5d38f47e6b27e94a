# The child's side of parsers.py: it imports the parser under test, and gives it one turn after the other. Does not
# depend on what would be right.
#
# It runs in the interpreter of the parser under test, so it imports only the standard library, `cuts` and `reading`.
#
# The parser may print and read: its standard output goes to standard error, and its input is empty. Requests and
# answers go through copies of the original streams.
"""A process that runs the parser under test. Started by `parsers.ParserTarget`, line by line."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from toolglean.kit.conformance.cuts import ONE_CHUNK, WHOLE, chunks_of, spans_of
from toolglean.kit.conformance.reading import folded

__all__ = ["NotClaimed", "Subject", "main"]


class NotClaimed(Exception):  # noqa: N818  # not an error
    """The parser does not claim a case."""


_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
_PYTHON = os.path.dirname(os.__file__)  # noqa: PTH120


class Subject:
    """The parser under test: a function of a text, a generator of chunks, or a class.

    Args:
        name: `module:name`, or `path/to/file.py:name`.

    Raises:
        ValueError, TypeError: it does not name a parser, or names something else. The import may raise anything.
    """

    def __init__(self, name: str) -> None:
        place, _, attribute = name.rpartition(":")
        if not place or not attribute:
            raise ValueError(
                f"{name!r} is not the name of a parser; expected module:function, module:Class or file.py:Class"
            )
        self._module = _file(place) if place.endswith(".py") else importlib.import_module(place)
        found: Any = self._module
        for part in attribute.split("."):
            if place.endswith(".py") and not hasattr(found, part):  # its module has a name that the user never typed
                raise ValueError(f"{os.path.basename(place)} has no {attribute!r}")  # noqa: PTH119  # no pathlib here
            found = getattr(found, part)
        if not callable(found):
            raise TypeError(f"{name} is {found!r:.80}; expected a function or a class")
        self._made = found
        self._is_class = inspect.isclass(found)
        if self._is_class and not all(callable(getattr(found, each, None)) for each in ("feed", "finish")):
            raise ValueError(f"{name} is a class without feed(chunk) and finish(); both are needed")
        parameters = inspect.signature(found).parameters
        self._is_generator = not self._is_class and next(iter(parameters), "") == "chunks"
        self._takes = {"format", "model", "start", "special", "atomic", "reasons", "ended", "id"} & parameters.keys()
        if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            self._takes |= {"format", "model", "start"}
        self._takes_spans = self._is_class and "special" in inspect.signature(found.feed).parameters

    def about(self, package: str = "") -> dict[str, Any]:
        """What the parent needs to know.

        Args:
            package: the distribution whose version is that of the parser; "": that of the adapter's module.
        """
        source = getattr(self._module, "__file__", None)
        return {
            "streams": self.streams,
            "has_whole": self.has_whole,
            "version": _version(self._module, package),
            "python": f"{platform.python_implementation()} {platform.python_version()}",
            "platform": f"{platform.system()} {platform.machine()}",
            "adapter_digest": _digest(source) if source else None,
        }

    @property
    def has_whole(self) -> bool:
        """Whether a whole turn is read by other code than a stream, so that one chunk must be tried too."""
        return self._is_class and hasattr(self._made, "whole")

    @property
    def streams(self) -> bool:
        """Whether it reads chunks."""
        return self._is_class or self._is_generator

    def answers(self, case: dict[str, Any], way: str) -> list[object] | None:
        """The answers to one case in one way; None if the parser does not claim the case.

        Raises:
            NotClaimed: the same, with the reason that the parser gave.
        """
        given = {name: case[name] for name in self._takes if case.get(name) is not None}
        text, tools = case["text"], case["tools"]
        if not self.streams:
            answer = self._claimed(text, tools, **given)
            return None if answer is None else [answer]
        if self._is_generator:
            found = self._made(iter(self._chunks(text, way, case["id"], list)), tools, **given)
            return None if found is None else list(found)
        parser = self._claimed(tools, **given)
        if way == WHOLE and self.has_whole:
            return [parser.whole(text)]
        chunks = self._chunks(text, way, case["id"], getattr(parser, "pieces", list))
        if self._takes_spans and case.get("special") is not None:
            spans = spans_of(chunks, case["special"])
            return [*map(parser.feed, chunks, spans), parser.finish()]
        return [*map(parser.feed, chunks), parser.finish()]

    def _claimed(self, *args: Any, **given: Any) -> Any:
        try:
            return self._made(*args, **given)
        except NotImplementedError as error:
            raise NotClaimed(*error.args) from error

    @staticmethod
    def _chunks(text: str, way: str, seed: str, pieces: Callable[[str], list[str]]) -> list[str]:
        return [text] if way in {WHOLE, ONE_CHUNK} else chunks_of(pieces(text), way, seed)


def _file(path: str) -> ModuleType:
    # Its own name may be that of the package under test, as in targets/vllm.py.
    spec = importlib.util.spec_from_file_location("toolglean_conformance_adapter", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):  # noqa: PTH113  # no pathlib here
        raise ValueError(f"{path!r} is not a file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _version(module: ModuleType, package: str) -> str | None:
    own, root = getattr(module, "version", None), module.__name__.partition(".")[0]
    if callable(own):
        return str(own())
    if package:
        return _installed(package)
    found = getattr(sys.modules.get(root), "__version__", None)
    return found if isinstance(found, str) else _installed(root)


def _installed(package: str) -> str | None:
    from importlib import metadata  # noqa: PLC0415  # slow, and needed once

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _digest(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123
        return "sha256:" + hashlib.sha256(file.read()).hexdigest()


def main(name: str, package: str = "") -> None:
    """Answer each line with a line."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    for answer in _answers(name, package, asked):
        answers.write(json.dumps(answer, default=str).encode("ascii") + b"\n")
        answers.flush()


def _answers(name: str, package: str, asked: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    try:
        subject = Subject(name)
        about = subject.about(package)
    except BaseException as error:  # noqa: BLE001  # an import may raise anything
        yield {"refused": _short(error), "missing": isinstance(error, ImportError)}
        return
    yield about
    for line in asked:
        request = json.loads(line)
        try:
            found = subject.answers(request["case"], request["way"])
            yield {"skipped": ""} if found is None else {"reading": folded(found).as_dict()}
        except NotClaimed as error:
            yield {"skipped": str(error)}
        except Exception as error:  # noqa: BLE001  # the parser under test may raise anything
            yield {"crash": _short(error)}


def _short(error: BaseException) -> str:
    """The error, and the last line of the user's own code that led to it, if there is one."""
    theirs = [each for each in traceback.extract_tb(error.__traceback__) if _is_theirs(each.filename)]
    where = f" ({os.path.basename(theirs[-1].filename)}, line {theirs[-1].lineno})" if theirs else ""  # noqa: PTH119
    return f"{type(error).__name__}: {error}"[:500] + where


def _is_theirs(file: str) -> bool:
    """Whether it is not a file of toolglean or of Python; packages are installed below Python's own."""
    if file.startswith((_OWN + os.sep, "<frozen ")):
        return False
    return not file.startswith(_PYTHON + os.sep) or "site-packages" in file or "dist-packages" in file
