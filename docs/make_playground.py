# What this file knows: of which files the playground is made, and where they come from.
#   python docs/make_playground.py OUT                     with Pyodide from npm
#   python docs/make_playground.py OUT --pyodide FILE      with its archive from npm, fetched before
# What it must not know: what the playground does.
# a script beside the pages, no package
"""Puts together the playground: a folder that any web server can serve, without a network."""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "playground"
PLAYER = ROOT / "src" / "toolglean" / "kit" / "replay"

PYODIDE = "314.0.7"  # Python 3.14
INTEGRITY = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""The SHA-512 of its archive, as npm has it."""
NEEDED = (
    "package.json",  # names the licence
    "pyodide-lock.json",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide.mjs",
    "python_stdlib.zip",
)
LEFT_OUT = (
    *("batch", "cli", "clients", "conversation", "engines", "grammar", "llm", "ollama"),
    *("kit/anonymize", "kit/conformance", "kit/testing"),
)
"""Packages of toolglean that the playground does not import: half of the wheel."""
HOLE = "<!-- the player: docs/make_playground.py inserts src/toolglean/kit/replay/player.html here -->"
HOME = "<!-- home: docs/make_playground.py inserts a link to the site here -->"
FIRST = "<!-- the first answer: docs/make_playground.py inserts it here, as JSON -->"


def make(out: Path, pyodide: Path | None = None, *, home: str = "") -> None:
    """Write the playground into that folder, which is made where it is missing.

    Args:
        out: the folder. What is in it already stays, unless it has the same name.
        pyodide: Pyodide's archive from npm; None: it is fetched.
        home: the address of the site, as the page links it; empty: it is on none.

    Raises:
        SystemExit: the archive is not the one that is expected, or a command failed.
    """
    out.mkdir(parents=True, exist_ok=True)
    for source in PAGE.iterdir():
        shutil.copyfile(source, out / source.name)
    for name in ("player.css", "player.js"):
        shutil.copyfile(PLAYER / name, out / name)
    with tempfile.TemporaryDirectory() as folder:
        _put_wheel(out / "toolglean.whl", Path(folder))
        _put_pyodide(out / "pyodide", pyodide or _fetched(Path(folder)))
    digest = hashlib.sha256((out / "toolglean.whl").read_bytes() + PYODIDE.encode()).hexdigest()[:16]
    (out / "index.html").write_text(page(home, digest), encoding="utf-8", newline="\n")


def page(home: str, digest: str) -> str:
    """The page, with the player, the link to the site, and what it shows until Python is loaded.

    Args:
        home: the address of the site; empty: it is on none.
        digest: the name under which a browser keeps what it loaded.
    """
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    fillings = {
        HOLE: (PLAYER / "player.html").read_text(encoding="utf-8"),
        HOME: f'<a href="{html.escape(home)}">toolglean</a>' if home else "toolglean",
        FIRST: f'<script type="application/json" id="first-answer">{_first_answer(digest)}</script>',
    }
    for hole, filling in fillings.items():
        if text.count(hole) != 1:
            raise SystemExit(f"docs/playground/index.html must have this once: {hole}")
        text = text.replace(hole, filling)
    return text


def _first_answer(digest: str) -> str:
    sys.path.insert(0, str(ROOT / "src"))  # this checkout, whether it is installed or not
    from toolglean.kit.replay.request import about, answer, first_request  # noqa: PLC0415  # after the line above

    shown = {"about": json.loads(about()), "answer": json.loads(answer(first_request())), "digest": digest}
    return json.dumps(shown, separators=(",", ":")).replace("<", r"\u003c").replace("&", r"\u0026")


def _put_wheel(target: Path, folder: Path) -> None:
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    put_modules(wheel, target)  # under one name, so that nothing in the page depends on the version


def put_modules(wheel: Path, target: Path) -> None:
    """Write an archive with what the playground imports of a wheel."""
    without = tuple(f"toolglean/{package}/" for package in LEFT_OUT)
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for each in source.infolist():
            if each.filename.startswith("toolglean/") and not each.filename.startswith(without):
                made.writestr(each, source.read(each), zipfile.ZIP_DEFLATED, 9)


def _fetched(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is needed to fetch Pyodide; or fetch its archive from npm yourself, and pass --pyodide")
    _run(npm, "pack", "--silent", "--pack-destination", str(folder), f"pyodide@{PYODIDE}")
    return folder / f"pyodide-{PYODIDE}.tgz"


def _put_pyodide(target: Path, archive: Path) -> None:
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != INTEGRITY:
        raise SystemExit(f"{archive}: its SHA-512 is {found}, and pyodide {PYODIDE} of npm was expected")
    target.mkdir(exist_ok=True)
    with tarfile.open(archive) as files:
        for name in NEEDED:
            source = files.extractfile(f"package/{name}")
            assert source is not None, name
            (target / name).write_bytes(source.read())


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, cwd=ROOT)  # our own commands
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")


def main() -> None:
    """Make it where the command says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    parser.add_argument("--pyodide", type=Path, metavar="FILE", help=f"pyodide-{PYODIDE}.tgz, as `npm pack` writes it")
    args = parser.parse_args()
    make(args.out, args.pyodide)


if __name__ == "__main__":
    main()
