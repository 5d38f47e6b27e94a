# What this file knows: the environments in which the clients are tested: each alone with its extra, and all together.
# What it must not know: what their tests do.
#
#   nox                     all of them, one after the other
#   nox -s openai           one
#   nox -s openai -- -k n   with arguments for pytest
"""Test environments."""

from __future__ import annotations

from pathlib import Path

import nox

nox.needs_version = ">=2025.10"
nox.options.error_on_external_run = True
nox.options.reuse_venv = "no"

CLIENTS = ("ollama", "openai", "mcp")
NEEDS_NONE = ("tests/clients/test_repair.py",)  # the core of the transport and of the proxy
GRAMMARS = ("xgrammar==0.2.8", "llguidance==1.9.1")  # vLLM 0.33 allows llguidance below 1.8: 1.7.6 passes as well
TOOLS = ("pytest>=8.4", "hypothesis>=6.150")
# pyproject's own options ask for pytest-benchmark, which the clients' tests do not need. The plugin makes the run fail
# where the tests of an environment skip themselves.
OPTIONS = (
    "-o",
    "addopts=-ra --strict-config --strict-markers -p no:cacheprovider",
    "-p",
    "tests.nothing_skipped",
    "-q",
)
NEED_MORE = frozenset({"test_docs.py", "test_examples.py", "test_cli_proxy.py", "test_benchmarks.py"})
"""Tests that show the extras, or time with pytest-benchmark."""
EVERYWHERE = ("tests/test_import.py", "tests/clients/test_missing_extra.py")


def _run(session: nox.Session, extras: str, *files: str, absent: str = "") -> None:
    # Bytecode is written for what is imported, when it is: of most packages that is little.
    session.install("--no-compile", "--editable", f".[{extras}]", *TOOLS)
    session.run("python", "-m", "pytest", *OPTIONS, *files, *session.posargs, env={"TOOLGLEAN_ABSENT": absent})


def _alone(session: nox.Session, name: str, *more: str) -> None:
    own = sorted(str(path) for path in Path("tests/clients").glob(f"test_{name}*.py"))
    if not own:
        session.error(f"no tests of {name}")
    absent = " ".join(each for each in CLIENTS if each != name)
    _run(session, name, *own, *more, *EVERYWHERE, absent=absent)


@nox.session
def ollama(session: nox.Session) -> None:
    """The tests of the ollama client, without openai and mcp."""
    _alone(session, "ollama")


@nox.session
def openai(session: nox.Session) -> None:
    """The tests of the openai client, without ollama and mcp."""
    _alone(session, "openai")


@nox.session
def mcp(session: nox.Session) -> None:
    """The tests of the mcp client, without ollama and openai."""
    _alone(session, "mcp")


@nox.session
def httpx(session: nox.Session) -> None:
    """The transport, without the clients of any server."""
    _alone(session, "httpx", *NEEDS_NONE)


@nox.session
def proxy(session: nox.Session) -> None:
    """The proxy, without the clients of any server."""
    _alone(session, "proxy", *NEEDS_NONE)


@nox.session
def clients(session: nox.Session) -> None:
    """All clients together: their tests, and those of the rooms on which they stand."""
    rooms = [folder for folder in ("tests/clients", "tests/messages", "tests/routing") if Path(folder).is_dir()]
    # The laws of messages know no client, and take as long as all else together: the whole suite runs them.
    _run(session, ",".join((*CLIENTS, "proxy")), *rooms, "tests/test_import.py", "--ignore=tests/messages/test_laws.py")


if Path("tests/llm").is_dir():

    @nox.session
    def llm(session: nox.Session) -> None:
        """The orchestration layer, with its extra alone."""
        _run(session, "llm", "tests/llm", *EVERYWHERE, absent="openai mcp")


# litellm and llama-index are still built on openai 2, the others on 3.
FRAMEWORKS = {
    "openai3": (
        "pydantic-ai-slim[openai]==2.68.0",
        "langchain-openai==1.7.3",
        "openai-agents==0.24.0",
        "smolagents==1.26.0",
        "haystack-ai==3.4.0",
        "ag2[openai]==1.2.1",
    ),
    "openai2": ("llama-index-llms-openai-like==0.8.1", "litellm==1.106.2", "mcp"),
}


@nox.session(default=False)
@nox.parametrize("openai", ["openai3", "openai2"])
def frameworks(session: nox.Session, openai: str) -> None:
    """Eight frameworks behind a server that leaks, and the examples. Nothing else needs these packages: some 300 MB."""
    session.install("--no-compile", "--editable", ".[httpx,proxy]", *FRAMEWORKS[openai], *TOOLS)
    session.run("python", "-m", "tests.frameworks")
    # Some leave their clients open, which is not for us to say.
    lax = ("-p", "no:unraisableexception", "-W", "default")
    session.run("python", "-m", "pytest", *OPTIONS, *lax, "tests/frameworks", *session.posargs)


@nox.session(default=False)
def grammar(session: nox.Session) -> None:
    """Grammars by the engines that read them: xgrammar (which brings torch) and llguidance, pinned.

    nox -s grammar -- --depth full      everything
    nox -s grammar -- report            the tables of docs/explanation/grammars.md, instead of the tests
    """
    session.install("--editable", ".", *TOOLS, "jsonschema>=4.20", *GRAMMARS)
    if session.posargs[:1] == ["report"]:
        session.run("python", "-m", "tests.grammar.report", *session.posargs[1:])
        return
    session.run("python", "-m", "pytest", *OPTIONS, "tests/grammar", *session.posargs)


@nox.session(default=False)
def objects(session: nox.Session) -> None:
    """Objects while they are written: beside instructor, whose packages no other environment needs."""
    session.install("--editable", ".[llm]", "instructor>=1.17")
    session.run("python", "-m", "benchmarks.objects", *session.posargs)


@nox.session(default=False)
def core(session: nox.Session) -> None:
    """The core without any extra: for an interpreter that the packages of others do not know yet."""
    session.install("--no-compile", ".", *TOOLS)
    files = sorted(str(path) for path in Path("tests").glob("test_*.py") if path.name not in NEED_MORE)
    # Of some files a few tests need an extra: they skip themselves, which is right here.
    options = [each for each in OPTIONS if each != "tests.nothing_skipped"]
    options.remove("-p")
    session.run("python", "-m", "pytest", *options, *files, *session.posargs)


# What the pages of docs/coming-from compare with, pinned: what they print is theirs too.
PREDECESSORS = ("langchain-core==1.7.2", "instructor==1.17.0", "json-repair==0.64.5")


@nox.session(default=False)
def coming_from(session: nox.Session) -> None:
    """The pages of docs/coming-from, beside the packages from which their readers come."""
    session.install("--no-compile", "--editable", ".[llm,openai]", *PREDECESSORS, *TOOLS)
    session.run("python", "-m", "pytest", *OPTIONS, "tests/test_docs.py", "-k", "snippets and coming", *session.posargs)


@nox.session(default=False)
def site(session: nox.Session) -> None:
    """Build the site into build/site/html, strictly, and check its links. It needs none of the extras."""
    session.install(*nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "site"))
    session.run("python", "-m", "docs.make_site")
