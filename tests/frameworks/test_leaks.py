"""Seventeen answers of a server: the openai package, JavaScript behind the proxy, and the frameworks get what is right.

`nox -s frameworks` installs the frameworks, and the openai package of JavaScript if there is npm.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs toolglean[proxy]")
from tests.frameworks.clients import (
    NODE,
    has_package,
    in_javascript,
    in_python,
    messages_in_javascript,
    read_of,
    request_of,
)
from tests.frameworks.leaks import LEAKS, Leak
from tests.frameworks.runs import ANSWER, Servers, Way, run, servers
from tests.frameworks.ways import FRAMEWORKS, Api, installed
from tests.support.loopback import Call, Turn


def openai_is_new() -> bool:
    try:
        return int(version("openai").partition(".")[0]) >= 3
    except PackageNotFoundError:
        return False


ASKED = ("pydantic-ai", "openai-agents", "langchain-openai")
CASES: list[tuple[str, Api, str]] = [
    (name, api, row)
    for name in ASKED
    if installed(FRAMEWORKS[name])
    for api in FRAMEWORKS[name].apis
    for row, leak in LEAKS.items()
    if api == "chat" or leak.raw is None
]

pytestmark = pytest.mark.filterwarnings("default")  # the frameworks' own
leaks = pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@pytest.fixture(scope="module")
def among() -> Iterator[Servers]:
    with servers() as found:
        yield found


def test_the_documents_show_all_seventeen() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "how-to" / "frameworks.md"
    shown = page.read_text(encoding="utf-8").partition("| the server sends | a program gets |\n|---|---|\n")[2]
    assert shown.splitlines()[:17] == [f"| {leak.says} | {leak.gives} |" for leak in LEAKS.values()]
    assert len(LEAKS) == 17


@pytest.mark.sampled(10)
@leaks
@both
@pytest.mark.parametrize("way", ["wrapped", "proxy"])
@pytest.mark.skipif(not openai_is_new(), reason="needs toolglean[openai]")
def test_the_openai_package(leak: Leak, stream: bool, way: str, among: Servers) -> None:
    import openai  # noqa: PLC0415

    from toolglean.clients.openai import OpenAIClient  # noqa: PLC0415

    url = f"{among.proxy}/v1" if way == "proxy" else f"{among.upstream.url}/v1"
    plain = openai.OpenAI(base_url=url, api_key="x", max_retries=0)
    among.upstream.play(leak.turn(stream=stream))
    with plain if way == "proxy" else OpenAIClient(plain) as client:
        try:
            found = in_python(client, request_of(leak, stream=stream))
        except openai.LengthFinishReasonError as error:  # the package's own helper raises if a turn was cut off
            found = read_of(error.completion)
    assert found == leak.read()


@pytest.mark.skipif(NODE is None, reason="needs node 18 or later")
@pytest.mark.parametrize("way", ["fetch", "openai"])
def test_javascript_behind_the_proxy(way: str, among: Servers) -> None:
    if way == "openai" and not has_package():
        pytest.skip("needs the openai package of JavaScript: nox -s frameworks")
    asked = [(leak, stream) for leak in LEAKS.values() for stream in (True, False)]
    among.upstream.play(*(leak.turn(stream=stream) for leak, stream in asked))
    requests = [request_of(leak, stream=stream) for leak, stream in asked]
    found = in_javascript(f"{among.proxy}/v1", way, requests)
    wrong = [
        (name, stream, each)
        for (name, stream), each in zip(((n, s) for n in LEAKS for s in (True, False)), found, strict=True)
        if each != LEAKS[name].read()
    ]
    assert wrong == []


MESSAGES = {name: leak for name, leak in LEAKS.items() if leak.second is None}  # a message has one choice
REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


@pytest.mark.skipif(not has_package("@anthropic-ai/sdk"), reason="needs @anthropic-ai/sdk of npm: nox -s frameworks")
def test_the_anthropic_package_of_javascript_behind_the_proxy(among: Servers) -> None:
    asked = [(name, stream) for name in MESSAGES for stream in (True, False)]
    # The chunks of `raw` are those of the chat API. In the Messages API, what the server has parsed has its place among
    # the blocks, so a whole answer is the same as a stream.
    among.upstream.play(*(MESSAGES[name].turn(stream=False) for name, _ in asked))
    found = messages_in_javascript(among.proxy, [{"stream": stream} for _, stream in asked])
    wrong = []
    for (name, stream), (each, _) in zip(asked, found, strict=True):
        (right,) = MESSAGES[name].read()
        if each != right._replace(reason=REASONS[right.reason or ""]):
            wrong.append((name, stream, each))
    assert wrong == []


@pytest.mark.skipif(not has_package("@anthropic-ai/sdk"), reason="needs @anthropic-ai/sdk of npm: nox -s frameworks")
def test_what_does_not_leak_is_the_same_bytes(among: Servers) -> None:
    turns = [Turn([text[at : at + 5] for at in range(0, len(text), 5)]) for text in NOTHING_LEAKS]
    turns += [Turn(["I look."], [Call("get_weather", {"city": "Oslo"})]), Turn(["So."], thinking=["Hm."])]
    requests = [{"stream": stream} for _ in turns for stream in (True, False)]
    answers = []
    for url in (among.upstream.url, among.proxy):
        among.upstream.play(*(turn for turn in turns for _ in range(2)))
        answers.append(messages_in_javascript(url, requests))
    direct, behind = answers
    assert behind == direct
    assert len({bytes_ for _, bytes_ in direct}) == len(requests)


NOTHING_LEAKS = (
    "It is sunny.",
    "a < b <tool and `x`\n\n```py\nf(x)\n```\n",
    "| a | b |\n|---|---|\n| 1 | 😀 |\n",
    "{ x }",
)


@pytest.mark.skipif(not CASES, reason="no framework is installed: nox -s frameworks")
@pytest.mark.parametrize(("name", "api", "row"), CASES)
@both
@pytest.mark.parametrize("way", ["transport", "proxy"])
def test_frameworks(row: str, name: str, api: Api, stream: bool, way: Way, among: Servers) -> None:
    leak = LEAKS[row]
    found = run(name, way, api, stream=stream, among=among, first=leak.turn(stream=stream))
    assert sorted(found.calls) == sorted(leak.runs)
    if (name, api, leak.finish) == ("openai-agents", "responses", "length"):
        assert "response.incomplete" in found.answer  # it raises for every response that was cut off
    else:
        assert found.answer.strip() == (ANSWER if leak.runs else leak.left.strip())
