# How the formats and the cases become a package of data for programs in other languages: for npm, and as an asset of a
# release. `.ci/release` calls it. Does not depend on npm: an archive of npm is a tar file whose folder is `package`.
#
#   python -m docs.make_data FOLDER     writes FOLDER/toolglean-data-VERSION.tgz, the same bytes each time
"""Writes the package of data."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from toolglean import Format, __version__
from toolglean.cli import main as toolglean
from toolglean.kit.conformance.cases import FILES, case_schema

README = """# toolglean-data

How language models write tool calls, as data, for a parser in any language.

| file | what it is |
|---|---|
| `formats.jsonl` | one format a line: its patterns, markers and names, its models, and its response template, if any |
| `format.schema.json` | the JSON schema of such a line, whose `toolglean_format` is the version of the shape |
| `cases.jsonl` | one case a line: what a model wrote, the tools, and the calls that it makes |
| `case.schema.json` | the JSON schema of a case |

Each case names its source and its license.
"""


def contents() -> dict[str, str]:
    """The files of the package, by name."""
    cases = "".join(files("toolglean.kit.conformance").joinpath("cases", each).read_text("utf-8") for each in FILES)
    package = {
        "name": "toolglean-data",
        "version": npm_version(__version__),
        "description": "How language models write tool calls: formats and cases, as data",
        "license": "MIT",
        "type": "module",
        "exports": {f"./{name}": f"./{name}" for name in ("formats.jsonl", "cases.jsonl")}
        | {"./format.schema.json": "./format.schema.json", "./case.schema.json": "./case.schema.json"},
    }
    return {
        "package.json": _json(package),
        "README.md": README,
        "formats.jsonl": _formats(),
        "format.schema.json": _json(Format.json_schema()),
        "cases.jsonl": cases,
        "case.schema.json": _json(case_schema()),
    }


def npm_version(version: str) -> str:
    """A version as npm spells it: `1.0.0rc1` is `1.0.0-rc.1`.

    Args:
        version: as PEP 440 spells it.
    """
    for word, npm in (("rc", "-rc."), (".dev", "-dev."), ("a", "-alpha."), ("b", "-beta.")):
        if word in version:
            return version.replace(word, npm, 1)
    return version


def _formats() -> str:
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        toolglean(["formats", "--json"])
    return written.getvalue()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def archive() -> bytes:
    """The package, as npm packs it."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, text in contents().items():
            content = text.encode()
            member = tarfile.TarInfo(f"package/{name}")
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Write the archive."""
    [folder] = sys.argv[1:] if arguments is None else arguments
    path = Path(folder) / f"toolglean-data-{npm_version(__version__)}.tgz"
    path.write_bytes(archive())
    sys.stdout.write(f"{path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
