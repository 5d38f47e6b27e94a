"""Seventeen answers of a server: the openai package, JavaScript behind the proxy, and the frameworks get what is right.

`nox -s frameworks` installs the frameworks, and the openai package of JavaScript if there is npm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
openai = pytest.importorskip("openai", reason="needs toolglean[openai]")

from tests.frameworks.clients import NODE, Read, has_package, in_javascript, in_python, read_of  # noqa: E402
from tests.frameworks.leaks import LEAKS, Leak  # noqa: E402
from tests.frameworks.runs import ANSWER, Servers, Way, run, servers  # noqa: E402
from tests.frameworks.ways import FRAMEWORKS, Api, installed  # noqa: E402
from toolglean.clients.openai import OpenAIClient  # noqa: E402

ASKED = ("pydantic-ai", "openai-agents", "langchain-openai")
CASES: list[tuple[str, Api]] = [
    (name, api) for name in ASKED if installed(FRAMEWORKS[name]) for api in FRAMEWORKS[name].apis
]

pytestmark = pytest.mark.filterwarnings("default")  # the frameworks' own
leaks = pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@pytest.fixture(scope="module")
def among() -> Iterator[Servers]:
    with servers() as found:
        yield found


def test_there_are_seventeen() -> None:
    assert len(LEAKS) == 17


def right(leak: Leak, *, stream: bool) -> list[Read]:
    """What a client must read."""
    calls = [("get_weather", {"city": city}) for city in leak.runs]
    found = [Read(leak.shown(stream=stream).strip(), leak.reasoning.strip(), calls, leak.reason)]
    if leak.second is not None:
        _, cities, left = leak.second
        found.append(Read(left, "", [("get_weather", {"city": city}) for city in cities], "tool_calls"))
    return found


def request(leak: Leak, *, stream: bool) -> dict[str, Any]:
    return {"stream": stream, **({"n": 2} if leak.second else {})}


@leaks
@both
@pytest.mark.parametrize("way", ["wrapped", "proxy"])
def test_the_openai_package(leak: Leak, stream: bool, way: str, among: Servers) -> None:
    url = f"{among.proxy}/v1" if way == "proxy" else f"{among.upstream.url}/v1"
    plain = openai.OpenAI(base_url=url, api_key="x", max_retries=0)
    among.upstream.play(leak.turn(stream=stream))
    with plain if way == "proxy" else OpenAIClient(plain) as client:
        try:
            found = in_python(client, request(leak, stream=stream))
        except openai.LengthFinishReasonError as error:  # the package's own helper raises if a turn was cut off
            found = read_of(error.completion)
    assert found == right(leak, stream=stream)


@pytest.mark.skipif(NODE is None, reason="needs node")
@pytest.mark.parametrize("way", ["fetch", "openai"])
def test_javascript_behind_the_proxy(way: str, among: Servers) -> None:
    if way == "openai" and not has_package():
        pytest.skip("needs the openai package of JavaScript: nox -s frameworks")
    asked = [(leak, stream) for leak in LEAKS.values() for stream in (True, False)]
    among.upstream.play(*(leak.turn(stream=stream) for leak, stream in asked))
    requests = [request(leak, stream=stream) for leak, stream in asked]
    found = in_javascript(f"{among.proxy}/v1", way, requests)
    wrong = [
        (name, stream, each)
        for (name, stream), each in zip(((n, s) for n in LEAKS for s in (True, False)), found, strict=True)
        if each != right(LEAKS[name], stream=stream)
    ]
    assert wrong == []


@pytest.mark.skipif(not CASES, reason="no framework is installed: nox -s frameworks")
@pytest.mark.parametrize(("name", "api"), CASES)
@both
@leaks
@pytest.mark.parametrize("way", ["transport", "proxy"])
def test_frameworks(leak: Leak, name: str, api: Api, stream: bool, way: Way, among: Servers) -> None:
    if leak.raw is not None and api == "responses":
        pytest.skip("the Responses API has no roles to send twice")
    found = run(name, way, api, stream=stream, among=among, first=leak.turn(stream=stream))
    assert sorted(found.calls) == sorted(leak.runs)
    assert found.answer.strip() == (ANSWER if leak.runs else leak.shown(stream=stream).strip())
