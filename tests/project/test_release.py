"""What a release says about itself is the same everywhere, and the project's addresses are in one place."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolglean
from docs import make_data
from docs.make_site import ROOT, urls
from tests.clients.proxies import until
from tests.support import depth
from tests.support.stand_in import stand_in
from toolglean import _install

NOT_OURS = {
    ".git",
    ".venv",
    ".nox",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".cache",
}
TEXTS = {".py", ".md", ".toml", ".yml", ".yaml", ".json", ".jsonl", ".txt", ""}


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the repository, by its name."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [each for each in folders if each not in NOT_OURS and not each.endswith(".egg-info")]
        for name in files:
            path = Path(folder) / name
            if path.suffix in TEXTS and path.stat().st_size < 400_000:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def test_the_address_is_in_one_place() -> None:
    # Everything else takes it from there, so that an owner who moves the project changes one file.
    for label, url in urls().items():
        address = url.split("://")[1]
        assert [name for name, text in texts() if address in text] == ["pyproject.toml"], label


def test_no_placeholder_is_released() -> None:
    placeholder = re.compile(
        r"https?://[\w.-]*example\.invalid/toolglean|git\+(?:URL|https?://example)|YOUR[-_ ]?(?:URL|REPO)"
    )
    mine = Path(__file__).relative_to(ROOT).as_posix()
    found = [(name, seen[0]) for name, text in texts() for seen in [placeholder.search(text)] if seen and name != mine]
    assert found == [], "leave it out until the project has an address: [project.urls] is the place for it"


def test_the_status_is_that_of_the_version() -> None:
    # A candidate is still a beta; the first release that is not one promises that public names stay.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [status] = [each for each in project["classifiers"] if each.startswith("Development Status")]
    is_final = re.fullmatch(r"[1-9]\d*\.\d+\.\d+", toolglean.__version__)
    assert status == ("Development Status :: 5 - Production/Stable" if is_final else "Development Status :: 4 - Beta")


def test_the_bill_of_materials_has_every_extra() -> None:
    # Two that were added later were missing: nobody asked for vulnerabilities in what they install.
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    script = (ROOT / ".ci" / "release").read_text(encoding="utf-8")
    [listed] = re.findall(r'pip install --quiet "\$\(ls .+?\)\[([\w,]+)\]"', script)
    assert set(listed.split(",")) == set(extras) - {"examples", "dev"}


def test_each_extra_is_in_the_table_of_extras() -> None:
    # `[regex]` was named on one page of explanations alone.
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "reference" / "extras.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [*extras]


def test_the_version_is_as_packaging_spells_it() -> None:
    # PEP 440 knows several spellings of one version (1.0.0-rc.1), but files and tags have the normal one.
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?", toolglean.__version__)


README = """\
# Title

[a page](docs/a.md#x), [`f` [or g]](src/f.py), [out](https://out.example/x), [here](#title) and ![a picture](docs/a.png)

<picture><source srcset="docs/dark.svg"><img src="docs/light.svg"></picture><a href="docs/b.md">b</a>

```text
[code](docs/a.md)
```
"""


@pytest.mark.parametrize(
    ("repository", "lines"),
    [
        (None, ("a page, `f` [or g], [out](https://out.example/x), [here](#title) and ", "b")),
        (
            "https://host/repo",
            (
                (
                    "[a page](https://host/repo/blob/main/docs/a.md#x), [`f` [or g]](https://host/repo/blob/main/src/f.py), "
                    "[out](https://out.example/x), [here](#title) and ![a picture](https://host/repo/raw/main/docs/a.png)"
                ),
                (
                    '<picture><source srcset="https://host/repo/raw/main/docs/dark.svg">'
                    '<img src="https://host/repo/raw/main/docs/light.svg"></picture><a href="https://host/repo/blob/main/docs/b.md">b</a>'
                ),
            ),
        ),
    ],
)
def test_no_link_of_the_description_leads_nowhere(
    repository: str | None, lines: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The hook runs inside the build backend, which a developer need not have: a stand-in for its base class is enough.
    stand_in(monkeypatch, "hatchling.metadata.plugin.interface", MetadataHookInterface=object)
    told = runpy.run_path(str(ROOT / "docs" / "readme_hook.py"))["absolute"](README, repository)
    assert told == f"# Title\n\n{lines[0]}\n\n{lines[1]}\n\n```text\n[code](docs/a.md)\n```\n"


def test_the_version_has_a_date_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = [each for each in re.findall(r"^## (.+)$", text, re.MULTILINE) if each != "Unreleased"]
    assert text.find("\n## Unreleased\n") < text.find(f"\n## {heads[0]}\n"), "what is not released comes first"
    assert re.fullmatch(rf"{re.escape(toolglean.__version__)} \(\d{{4}}-\d\d-\d\d\)", heads[0])


def test_the_changelog_is_short() -> None:
    # It had grown to 407 lines, one for each issue: nobody reads that. What a change needs to say is on its page.
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _, newest, *older = re.split(r"^## .+$", text, flags=re.MULTILINE)
    assert [line for line in text.splitlines() if len(line) > 150 or line.startswith("  ")] == [], (
        "one line for each change"
    )
    assert len(newest.splitlines()) <= 100
    assert all(len(each.splitlines()) <= 30 for each in older), "of an older release, only what matters still"


def test_every_test_that_the_security_policy_names_is_there() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`(?:: ((?:`test_\w+`(?:, )?)+))?", text)
    assert len(named) > 15
    for path, one, several in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        for name in filter(None, [one, *re.findall(r"test_\w+", several)]):
            assert f"def {name}(" in source, f"{path} has no {name}"


def test_the_steps_of_a_release_are_described() -> None:
    # CONTRIBUTING.md says of each step what to do if it fails: a new step needs a row.
    script = (ROOT / ".ci" / "release").read_text(encoding="utf-8")
    steps = re.findall(r'^ *step "(?!known vulnerabilities: |ready: )([^"]+)"', script, re.MULTILINE)
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Cut a release\n")[2]
    rows = [each for each in re.findall(r"^   \| ([^|]+) \|", page, re.MULTILINE) if each != "step"]
    assert [(step, row) for step, row in zip(steps, rows, strict=True) if row not in step] == []


def test_the_package_of_data_is_whole_and_the_same_each_time() -> None:
    files = make_data.contents()
    package = json.loads(files["package.json"])
    assert {each.removeprefix("./") for each in package["exports"]} == files.keys() - {"package.json", "README.md"}
    assert [json.loads(line)["name"] for line in files["formats.jsonl"].splitlines()][:1] == ["hermes"]
    assert all("license" in json.loads(line) for line in files["cases.jsonl"].strip().split("\n"))
    assert make_data.archive() == make_data.archive()


@pytest.mark.parametrize(
    ("version", "npm"), [("1.0.0", "1.0.0"), ("1.0.0rc1", "1.0.0-rc.1"), ("1.2.0.dev3", "1.2.0-dev.3")]
)
def test_the_version_as_npm_spells_it(version: str, npm: str) -> None:
    assert make_data.npm_version(version) == npm


def test_the_issue_forms_show_this_version() -> None:
    forms = [path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")]
    shown = [version for text in forms for version in re.findall(r"placeholder: toolglean (\S+),", text)]
    assert set(shown) == {toolglean.__version__}


def test_every_tested_python_is_a_classifier() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {each.rpartition(" ")[2] for each in project["classifiers"] if re.search(r":: 3\.\d+$", each)}
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert named <= set(re.findall(r'"(3\.\d+)"', workflow))
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in named


def test_the_container_has_what_the_build_needs() -> None:
    # The file with the build's hook was missing: no image could be built.
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {"pyproject.toml", "README.md", "src", *pyproject["project"]["license-files"]}
    needed |= {each["path"] for each in pyproject["tool"]["hatch"]["metadata"]["hooks"].values()}
    copied = re.findall(r"^COPY (.+) \S+$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert needed <= {each for files in copied for each in files.split()}


def builder() -> str | None:
    """The command that builds containers, if it works here."""
    for name in ("podman", "docker"):
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    return None


@pytest.mark.skipif(not depth.is_full(), reason="builds an image: --depth full")
def test_the_container_serves_and_ends_in_order() -> None:
    command = builder()
    if command is None:
        pytest.skip("needs podman or docker")
    name = f"toolglean-proxy-test-{os.getpid()}"
    subprocess.run([command, "build", "--quiet", "-t", name, "-f", "Containerfile", "."], cwd=ROOT, check=True)
    start = ["run", "--rm", "--detach", "--name", name, "-p", "127.0.0.1:18001:8001", name]
    subprocess.run([command, *start, "--upstream", "http://127.0.0.1:9", "--workers", "2"], check=True)
    try:
        until(is_healthy)
    finally:
        begun = time.monotonic()
        subprocess.run([command, "stop", "--time", "30", name], check=True)
    assert time.monotonic() - begun < 25  # by SIGTERM, not killed


def is_healthy() -> bool:
    try:
        with urllib.request.urlopen("http://127.0.0.1:18001/healthz", timeout=2) as answer:
            return bool(answer.read() == b"ok\n")
    except OSError:
        return False


def test_the_extra_dev_is_what_developers_need() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = pyproject["dependency-groups"]
    needed = {
        each
        for entry in groups["dev"]
        for each in (groups[entry["include-group"]] if isinstance(entry, dict) else [entry])
    }
    extras = pyproject["project"]["optional-dependencies"]
    assert {each for each in extras["dev"] if not each.startswith("toolglean[")} == needed


def test_no_message_promises_a_package_index() -> None:
    found = [name for name, text in texts() if name.startswith("src/") and "pip install" in text]
    others = "src/toolglean/kit/conformance/targets/"  # how to install the projects that the kit has adapters for
    ours = [name for name in found if not name.startswith(others)]
    assert ours == ["src/toolglean/_install.py"], "take the message from toolglean._install.needs"
    promise = re.compile(r"pip install [^`\n#&]*\btoolglean(?:\[[\w,]*\])?(?! @)['\"]?(?:[ `\n]|$)", re.MULTILINE)
    pages = [name for name, text in texts() if name.endswith(".md") or name.startswith("examples/")]
    told = dict(texts())
    assert [name for name in pages if promise.search(told[name])] == [], "say how to install it from a checkout"


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({}, "it needs x: in a checkout, install it with python -m pip install '.[extra]'"),
        (
            {"Repository": "https://host/repo"},
            (
                "it needs x: in a checkout, install it with python -m pip install '.[extra]', or anywhere with python -m pip install "
                "'toolglean[extra] @ git+https://host/repo'"
            ),
        ),
        (
            {"Repository": "https://host/repo", "Package index": "https://host/project"},
            "it needs x: install it with python -m pip install 'toolglean[extra]'",
        ),
    ],
)
def test_a_missing_package_says_how_to_install_it(
    known: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_install, "_urls", lambda: known)
    assert _install.needs("it needs x", "extra") == message


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_every_action_is_pinned() -> None:
    # A tag can be moved to other code; a commit cannot. The version after it is for people.
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        for used in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), f"{path.name}: {used}"


def test_the_scripts_parse() -> None:
    # The scripts of .ci are for bash, which says so without running them.
    for name in ("run", "archive", "release"):
        try:
            done = subprocess.run(
                ["bash", "-n", str(ROOT / ".ci" / name)], check=False, capture_output=True, timeout=60
            )
        except FileNotFoundError:
            pytest.skip("no bash on this system")
        assert done.returncode == 0, done.stderr
