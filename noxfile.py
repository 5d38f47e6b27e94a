# What this file knows: the environments in which the clients are tested: each alone with its extra, and all together.
# What it must not know: what their tests do.
#
#   nox                     all of them, one after the other
#   nox -s openai           one
#   nox -s openai -- -k n   with arguments for pytest
"""Test environments."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
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


# Each in an environment of its own: their pins contradict each other. vLLM and SGLang bring torch; neither is compiled.
TORCH = "torch==2.13.0"
BUILD = ("setuptools<81", "setuptools-scm>=8", "setuptools-rust>=1.9", "packaging>=24.2", "wheel", "jinja2")
PEERS = {
    "TRANSFORMERS": ("transformers==5.23.0",),
    "MLX": ("mlx-lm==0.32.2", "mlx[cpu]", "regex"),
    "LIBRARIES": ("json-repair==0.64.5", "partial-json-parser==0.2.1.1.post7", "instructor==1.17.0"),
    "SGLANG": (
        *("transformers==5.20.2", "xgrammar==0.2.8", "openai-harmony==0.0.4", "openai==3.54.0", "fastapi", "uvicorn"),
        *("orjson", "pyzmq", "msgspec", "partial-json-parser", "interegular", "ipython", "prometheus-client", "psutil"),
        *("pybase64", "python-multipart", "sentencepiece", "setproctitle", "tiktoken", "uvloop", "aiohttp", "requests"),
        *("pillow", "opentelemetry-api", "numpy", "tqdm", "pydantic", "huggingface-hub", "multidict"),
    ),
    "VLLM": (),  # its own requirements/common.txt
}
SOURCES = {"VLLM": ("vllm==0.33.0", "--no-binary=:all:"), "SGLANG": ("sglang==0.5.23", "--only-binary=:all:")}
"""What is read as source, without the part that is compiled for GPUs."""

TOO_STRICT = {"certifi", "fastapi[standard]", "pillow"}
"""Requirements of vLLM's whose pins exclude releases with which its parsers work."""


@nox.session(default=False)
def peers(session: nox.Session) -> None:
    """The figures beside the peers, and the page with them. Some GB for torch; it takes about half an hour.

    nox -s peers                    all of them
    nox -s peers -- --only vLLM     one, beside toolglean

    TOOLGLEAN_PEER_VLLM=/path/to/python (and so on, with TOOLGLEAN_VLLM_SOURCE) uses an environment that is there.
    """
    session.install("--editable", ".", "matplotlib==3.11.2")
    env: dict[str, str] = {}
    only = session.posargs[1].upper() if session.posargs[:1] == ["--only"] else ""
    wanted = [name for name in PEERS if name in only] or (["LIBRARIES"] if only else [*PEERS])
    for name in wanted:
        variable = f"TOOLGLEAN_PEER_{name}"
        if variable not in os.environ:
            env |= _peer(session, name) | {variable: str(_python(session, name))}
    session.run("python", "-m", "benchmarks.peers", *session.posargs, env=env)


def _python(session: nox.Session, name: str) -> Path:
    return Path(session.create_tmp()) / name.lower() / "bin" / "python"


def _peer(session: nox.Session, name: str) -> dict[str, str]:
    # An environment for that peer; gives the variable that says where its source is.
    python = _python(session, name)
    session.run("python", "-m", "venv", "--clear", str(python.parents[1]))
    pip = (str(python), "-m", "pip", "--quiet", "--disable-pip-version-check")
    env: dict[str, str] = {}
    packages = PEERS[name]
    if name in SOURCES:
        session.run(*pip, "install", TORCH, *BUILD, external=True)  # torch first: else pip takes a build for GPUs
        source = _source(session, name, pip)
        env[f"TOOLGLEAN_{name}_SOURCE"] = str(source)
        packages = packages or tuple(_loosened((source / "requirements" / "common.txt").read_text(encoding="utf-8")))
    session.run(*pip, "install", *packages, external=True)
    return env


def _source(session: nox.Session, name: str, pip: tuple[str, ...]) -> Path:
    # The source archive, or the wheel, unpacked. pip asks a source archive for its version, which vLLM's makes up.
    folder = Path(session.create_tmp()) / f"{name.lower()}-source"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    requirement, kind = SOURCES[name]
    env = {"VLLM_TARGET_DEVICE": "empty", "VLLM_VERSION_OVERRIDE": requirement.partition("==")[2]}
    download = ("download", "--no-deps", "--no-build-isolation", kind, "--dest", str(folder), requirement)
    session.run(*pip, *download, external=True, env=env)
    [archive] = folder.iterdir()
    if archive.suffix == ".whl":
        shutil.unpack_archive(archive, folder, "zip")
        return folder
    shutil.unpack_archive(archive, folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def _loosened(text: str) -> Iterator[str]:
    for line in text.splitlines():
        requirement = line.partition("#")[0].strip()
        if requirement and not requirement.startswith("-"):
            bare = re.split(r"[ <>=!;]", requirement)[0]
            yield bare if bare in TOO_STRICT else requirement
