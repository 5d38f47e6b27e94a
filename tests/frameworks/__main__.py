# The table of frameworks.
# Does not depend on what is run.
#
#   python -m tests.frameworks            a question that needs two calls
#   python -m tests.frameworks leaks      seventeen answers of a server
"""What each framework makes of a server that leaks: directly, with the transport, and behind the proxy."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import packages_distributions, version

from tests.frameworks.clients import NODE, has_package, in_javascript, in_python, read_of, request_of
from tests.frameworks.leaks import LEAKS, Leak
from tests.frameworks.runs import ANSWER, WAYS, Servers, cases, run, servers
from tests.frameworks.ways import FRAMEWORKS, installed
from tests.support.loopback import Turn


def main() -> int:
    """Print a table. 1 if something in it is wrong."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    return _leaks() if sys.argv[1:] == ["leaks"] else _questions()


def _leaks() -> int:
    ways: dict[str, Callable[[Leak, Servers], list[bool]]] = {"openai (Python), wrapped": _in_python}
    if NODE is not None:
        way = "openai" if has_package() else "fetch"
        ways[f"{way} (JavaScript), proxy"] = lambda leak, among: _in_javascript(leak, among, way)
    for name in ("pydantic-ai", "openai-agents", "langchain-openai"):
        if installed(FRAMEWORKS[name]):
            ways[f"{name}, transport"] = lambda leak, among, name=name: _through(leak, among, name)  # type: ignore[misc]
    wrong = 0
    print("| the server sends | a program gets |", " | ".join(ways), "|\n|---|---|", "---|" * len(ways))
    with servers() as among:
        for leak in LEAKS.values():
            found = [ask(leak, among) for ask in ways.values()]
            wrong += sum(not all(each) for each in found)
            cells = [f"{sum(each)} of {len(each)}" for each in found]
            print(f"| {leak.says} | {leak.gives} | {' | '.join(cells)} |", flush=True)
    return 1 if wrong else 0


def _play(among: Servers, *turns: Turn) -> None:
    among.upstream._turns.clear()  # a framework may have asked less often than it could
    among.upstream.play(*turns)


def _in_python(leak: Leak, among: Servers) -> list[bool]:
    import openai  # noqa: PLC0415  # no environment has all of them

    from toolglean.clients.openai import OpenAIClient  # noqa: PLC0415

    found = []
    client = OpenAIClient(openai.OpenAI(base_url=f"{among.upstream.url}/v1", api_key="x", max_retries=0))
    for stream in (True, False):
        _play(among, leak.turn(stream=stream))
        try:
            read = in_python(client, request_of(leak, stream=stream))
        except openai.LengthFinishReasonError as error:
            read = read_of(error.completion)
        found.append(read == leak.read())
    return found


def _in_javascript(leak: Leak, among: Servers, way: str) -> list[bool]:
    streams = (True, False)
    _play(among, *(leak.turn(stream=stream) for stream in streams))
    found = in_javascript(f"{among.proxy}/v1", way, (request_of(leak, stream=stream) for stream in streams))
    return [read == leak.read() for read, stream in zip(found, streams, strict=True)]


def _through(leak: Leak, among: Servers, name: str) -> list[bool]:
    right = []
    for stream in (True, False):
        found = run(name, "transport", "chat", stream=stream, among=among, first=leak.turn(stream=stream))
        answer = ANSWER if leak.runs else leak.left.strip()
        right.append(sorted(found.calls) == sorted(leak.runs) and found.answer.strip() == answer)
    return right


def _questions() -> int:
    wrong = 0
    print("| framework | API | answers | directly | transport | proxy |\n|---|---|---|---|---|---|")
    with servers() as among:
        for name, api, stream in cases():
            cells = []
            for way in WAYS:
                found = run(name, way, api, stream=stream, among=among)
                told = "both tools ran, answered" if found.right else f"{len(found.calls)} tools ran"
                if way != "direct" and not found.right:
                    wrong += 1
                    told += f" ({found.results} results): {found.answer[:120]!r}"
                cells.append(told)
            print(f"| {name} | {api} | {'streamed' if stream else 'whole'} | {' | '.join(cells)} |", flush=True)
    distributions = packages_distributions()
    for name, framework in FRAMEWORKS.items():
        top = framework.module.partition(".")[0]
        shown = ", ".join(f"{each} {version(each)}" for each in sorted(set(distributions.get(top, ()))))
        print(f"{name}: {shown if installed(framework) else 'not installed'}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
