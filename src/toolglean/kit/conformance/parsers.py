# Runs a parser under test in a child process: starts, asks, times, kills and restarts it. Does not depend on what the
# child does (child.py), or on what would be right.
#
# It needs its own process, because a parser may loop forever, overflow the C stack, print, or need another interpreter.
"""Parsers as targets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final, Self

from toolglean._child import ChildError, LineChild
from toolglean.errors import UsageError
from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.cuts import ONE_CHUNK, WHOLE
from toolglean.kit.conformance.reading import Reading
from toolglean.kit.conformance.target import About, CrashError, LateError, NotClaimedError
from toolglean.kit.conformance.targets import TARGETS

__all__ = ["ParserTarget", "open_target"]

START_SECONDS: Final = 600.0
"""How long the import may take: torch is slow on a busy machine."""

# The paths of this process come last, because the parser's interpreter may be another one, with its own packages. But
# it may have another toolglean, as a plugin of the parser: the kit itself is always this one.
_START = (
    "import json, sys; name, paths, package, root = sys.argv[1], json.loads(sys.argv[2]), *sys.argv[3:]; "
    "sys.path.insert(0, root); from toolglean.kit.conformance.child import main; sys.path.remove(root); "
    "sys.path += [path for path in paths if path not in sys.path]; main(name, package)"
)
ROOT: Final = str(Path(__file__).parents[3])


class ParserTarget:
    """A parser in a child process.

    Args:
        name: `module:function` or `module:Class`, or the same of a file: `mine.py:Class`. See
            docs/how-to/conformance.md for the protocol.
        python: the interpreter that runs it; None: this one, with the same paths.
        timeout: seconds for one turn.
        package: the distribution of the parser under test, whose version results show; "": that of the adapter.
        install: a sentence on how to install that distribution, for the message that it is missing.
        label: its name in reports; "": `name`, of a file without its folder.
        version: its version in reports; None: as `package` says.

    Raises:
        UsageError: the parser cannot be imported, is neither a function nor a class with `feed` and `finish`, or
            `package` is not installed.
    """

    def __init__(
        self,
        name: str,
        *,
        python: str | None = None,
        timeout: float = 10.0,
        package: str = "",
        install: str = "",
        label: str = "",
        version: str | None = None,
    ) -> None:
        self._adapter = name
        self._package = package
        self._install = install
        self._version = version
        self.name = label or _without_folder(name)
        self._python = python
        self._timeout = timeout
        self._child: LineChild | None = None
        self._facts = self._start()

    @property
    def about(self) -> About:
        """What results say about it."""
        facts = self._facts
        return About(
            self.name,
            facts["version"] if self._version is None else self._version,
            _without_folder(self._adapter),
            facts["adapter_digest"],
            facts["python"],
            facts["platform"],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def claims(self, case: Case, way: str) -> bool:  # noqa: ARG002  # `read` tells which cases it refuses
        """Whether the case is to be tried in that way."""
        return way == WHOLE or bool(self._facts["streams"] and (way != ONE_CHUNK or self._facts["has_whole"]))

    def read(self, case: Case, way: str) -> Reading:
        """The parser's reading of a case.

        Args:
            case: the case.
            way: how its text is given; one of `cuts.ways`.

        Raises:
            CrashError: it raised an error, died, or returned something that is not an answer.
            LateError: it took longer than `timeout`.
            NotClaimedError: it refused the case.
        """
        names = ("id", "text", "tools", "format", "model", "start", "special", "atomic", "reasons", "ended")
        asked = {name: getattr(case, name) for name in names}
        if self._child is None:
            self._start()
        answer = self._ask(json.dumps({"case": asked, "way": way}), self._timeout)
        if "crash" in answer:
            raise CrashError(answer["crash"])
        if "skipped" in answer:
            raise NotClaimedError(answer["skipped"])
        return Reading(**answer["reading"])

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _start(self) -> dict[str, Any]:
        paths = [ROOT] if self._python else [path or "." for path in ("", *sys.path)]
        given = (self._adapter, json.dumps(paths), self._package, ROOT)
        command = [self._python or sys.executable, "-c", _START, *given]
        try:
            self._child = LineChild(command)
        except OSError as error:
            raise UsageError(f"python={self._python!r} cannot be run: {error}") from error
        try:
            about = self._ask("", START_SECONDS)
        except (CrashError, LateError) as error:
            raise UsageError(f"parser={self._adapter!r} cannot be imported: {error}") from error
        if self._package and about.get("missing", about.get("version") is None):
            self.close()
            raise UsageError(
                f"python={self._python or sys.executable!r} does not have {self._package} "
                f"({about.get('refused', 'it does not say its version')}). {self._install} Name the Python that has "
                "it with --python."
            )
        if "refused" in about:
            self.close()
            what_to_do = f". {self._install}" if self._install else ""
            raise UsageError(f"parser={self.name!r} cannot be used: {about['refused']}{what_to_do}")
        return about

    def _ask(self, line: str, seconds: float) -> dict[str, Any]:
        """Send a line, if there is one, and read the answer."""
        assert self._child is not None
        try:
            found: dict[str, Any] = json.loads(self._child.ask(line, seconds))
        except ChildError as error:
            self._child = None
            if error.late:
                raise LateError(f"longer than {seconds:g} seconds") from error
            raise CrashError(str(error)) from error
        return found


def open_target(name: str, *, python: str | None = None, timeout: float = 10.0) -> ParserTarget:
    """The target of that name, started.

    Args:
        name: one of `TARGETS`.
        python: the interpreter that has it; None: this one.
        timeout: seconds for one turn.

    Raises:
        UsageError: there is no such target, or that Python does not have it. The message says how to install it.
    """
    found = TARGETS.get(name)
    if found is None:
        raise UsageError(f"target={name!r} is not one of {', '.join(TARGETS)}")
    return ParserTarget(
        found.adapter,
        python=python,
        timeout=timeout,
        package=found.package,
        install=found.install,
        label=found.name,
    )


def _without_folder(name: str) -> str:
    # The folders of a machine are nobody else's business, and would make the same adapter look like two.
    place, _, attribute = name.rpartition(":")
    return f"{Path(place).name}:{attribute}" if place.endswith(".py") else name
