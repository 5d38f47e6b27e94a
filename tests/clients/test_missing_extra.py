"""Who has not installed an extra is told its name."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

from tests.support import depth

EXTRAS = ("ollama", "openai", "mcp")
HTTP = ("httpx", "httpx2", "starlette", "uvicorn")

BLOCKED = """
import importlib.abc, sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "{name}":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocker())
"""


def imported(name: str, before: str = "") -> tuple[str, str]:
    """What `import toolglean.clients.<name>` raises in a process of its own: class and message."""
    return ran(f"import toolglean.clients.{name}", before)


def ran(statement: str, before: str = "") -> tuple[str, str]:
    code = (
        f"{before}\ntry:\n    {statement}\n"
        "except Exception as error:\n    print(type(error).__name__, error, sep='\\n')"
    )
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        encoding="utf-8",
    )
    kind, _, message = run.stdout.partition("\n")
    return kind, message


# Set by noxfile.py in an environment with one client: the names that must not be there.
ABSENT = os.environ.get("TOOLGLEAN_ABSENT", "").split()


@pytest.mark.parametrize("name", EXTRAS)
def test_a_missing_package_names_its_extra(name: str) -> None:
    kind, message = imported(name, BLOCKED.format(name=name))
    assert kind in {"ImportError", "ModuleNotFoundError"}, message
    assert f"pip install '.[{name}]'" in message


@pytest.mark.parametrize("name", EXTRAS)
def test_one_client_does_not_need_another(name: str) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"needs toolglean[{name}]")
    if not ABSENT and not depth.is_full():
        pytest.skip("each client alone: nox -t clients, or --depth full")
    others = "".join(BLOCKED.format(name=other) for other in EXTRAS if other != name)
    assert imported(name, others) == ("", "")


def test_what_repairs_needs_no_package() -> None:
    names = ("chat", "responses", "messages", "across", "ollama_lines", "streams", "at_once", "repair")
    modules = [*(f"clients.{name}" for name in names), "conversation.reading.chat_events"]
    blocked = "".join(BLOCKED.format(name=other) for other in (*EXTRAS, *HTTP, "pydantic"))
    assert ran("import " + ", ".join(f"toolglean.{name}" for name in modules), blocked) == ("", "")


def test_a_missing_http_library_names_its_extra() -> None:
    both = "".join(BLOCKED.format(name=other) for other in ("httpx", "httpx2"))
    assert "pip install '.[httpx]'" in imported("httpx", both)[1]
    for name in ("httpx", "starlette", "uvicorn"):
        assert "pip install '.[proxy]'" in imported("proxy", BLOCKED.format(name=name))[1]


def test_a_missing_pyarrow_names_its_extra() -> None:
    kind, message = ran("from toolglean.batch import parse_batch", BLOCKED.format(name="pyarrow"))
    assert kind in {"ImportError", "ModuleNotFoundError"}
    assert message.strip().startswith(
        "toolglean.batch needs pyarrow: in a checkout, install it with python -m pip install '.[batch]'"
    )


def test_what_is_really_absent_says_so() -> None:
    if not ABSENT:
        pytest.skip("only where noxfile.py says what is absent")
    for name in ABSENT:
        assert importlib.util.find_spec(name) is None
        kind, message = imported(name)
        assert kind in {"ImportError", "ModuleNotFoundError"}
        assert f"pip install '.[{name}]'" in message
