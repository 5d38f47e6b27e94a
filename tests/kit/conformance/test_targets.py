"""Parsers and servers under test, and the reports on them."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.kit.conformance.here import Here
from toolglean import UsageError, parse
from toolglean.cli import main
from toolglean.kit.conformance import Case, ParserTarget, Report, Target, load_cases, run
from toolglean.kit.conformance.child import Subject
from toolglean.kit.conformance.engines import Derender, Echo, NativeParse, Proxied
from toolglean.kit.conformance.report import as_json, as_junit, as_text
from toolglean.kit.conformance.upstream import Upstream

CASES = {case.id: case for case in load_cases()}
CALL, MENTION = CASES["written/plain/hermes"], CASES["written/mention/quoted-call"]


def verdicts(target: Target, *cases: Case, random_cuts: int = 1) -> dict[str, str]:
    try:
        return {each.case.id: each.verdict for each in run(target, cases, random_cuts=random_cuts).results}
    finally:
        target.close()


@pytest.fixture(scope="module")
def simple() -> Iterator[ParserTarget]:
    with ParserTarget("tests.kit.conformance.parsers:simple") as target:
        yield target


def test_a_function_is_tried_whole(simple: ParserTarget) -> None:
    report = run(simple, [CALL, MENTION])
    assert [result.verdict for result in report.results] == ["right", "unsafe"]
    assert [result.ways for result in report.results] == [("whole",)] * 2
    assert not report.passed


def test_a_generator_and_a_class_are_tried_at_cuts() -> None:
    assert verdicts(Here("tests.kit.conformance.parsers:generated"), CALL) == {CALL.id: "missed"}
    [result] = run(Here("tests.kit.conformance.parsers:Hasty"), [CALL]).results
    assert result.verdict == "cuts"
    assert result.findings[0].ways[0] == "piece by piece"
    assert {each.verdict for each in result.findings} == {"cuts", "missed"}


def test_pieces_are_not_cut_and_whole_turns_may_have_their_own_code() -> None:
    with ParserTarget("tests.kit.conformance.parsers:Pieces") as target:  # the child says what its parser can do
        [result] = run(target, [CALL]).results
    assert result.verdict == "lost"
    assert "in one chunk" in result.ways
    assert next(each for each in result.findings if each.verdict == "lost").ways == ("whole",)


def with_spans(special: list[list[int]] | None, reasoning: str, content: str) -> Case:
    return replace(
        CALL,
        text="<a>one<a><b>",
        calls=(),
        content=content,
        reasoning=reasoning,
        special=None if special is None else tuple((begin, end) for begin, end in special),
        atomic=("<a>",),
    )


@pytest.mark.parametrize("parser", ["Spans", "spans"])
@pytest.mark.parametrize(
    ("special", "reasoning", "content"),
    [([[0, 3], [6, 9], [9, 12]], "<a><a><b>", "one"), ([[6, 9]], "<a>", "<a>one<b>"), ([], "", "<a>one<a><b>")],
)
def test_what_special_tokens_wrote_is_passed_on_at_every_cut(
    special: list[list[int]], reasoning: str, content: str, parser: str
) -> None:
    case = with_spans(special, reasoning, content)
    target = Here(f"tests.kit.conformance.parsers:{parser}")
    assert verdicts(target, case, random_cuts=5) == {case.id: "right"}


@pytest.mark.parametrize("parser", ["Own", "Auto"])
def test_our_own_parser_takes_what_special_tokens_wrote(parser: str) -> None:
    """By the text alone, the spelled-out call is a call as well."""
    spelled = CALL.text
    opener, closer = "<tool_call>", "</tool_call>"
    text = f"So: {spelled} Now: {spelled}"
    places = [(text.rfind(each), text.rfind(each) + len(each)) for each in (opener, closer)]
    case = replace(
        CALL, text=text, content=f"So: {spelled} Now: ", reasoning="", special=tuple(places), atomic=(opener, closer)
    )
    target = Here(f"toolglean.kit.conformance.own:{parser}")
    assert verdicts(target, case, random_cuts=3) == {case.id: "right"}
    assert verdicts(target, replace(case, special=None)) == {case.id: "unsafe"}


def test_what_special_tokens_wrote_may_be_unknown_and_others_ignore_it() -> None:
    unknown = with_spans(None, "", "<a>one<a><b>")
    assert verdicts(Here("tests.kit.conformance.parsers:Spans"), unknown) == {unknown.id: "right"}
    ignored = with_spans([[0, 3]], "", "<a>one<a><b>")
    assert verdicts(Here("tests.kit.conformance.parsers:generated"), ignored) == {ignored.id: "right"}


def test_what_a_parser_does_not_claim_is_skipped() -> None:
    target = Here("tests.kit.conformance.parsers:nothing")
    other = CASES["written/plain/glm-4.5"]
    assert verdicts(target, CALL, other) == {CALL.id: "missed", other.id: "skipped"}


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("endless", "timeout", "longer than 0.3 seconds"),
        ("deadly", "crash", "its process died"),
        ("wrong", "crash", "is not a call"),
    ],
)
def test_a_parser_that_fails_does_not_end_the_run(name: str, verdict: str, said: str) -> None:
    with ParserTarget(f"tests.kit.conformance.parsers:{name}", timeout=0.3) as target:
        report = run(target, [CALL, MENTION])
    assert [result.verdict for result in report.results] == [verdict] * 2
    assert said in report.results[0].findings[0].detail


def test_an_error_is_shown_with_its_place(simple: ParserTarget) -> None:
    broken = CASES["written/then-good/hermes"]
    [result] = run(simple, [broken]).results
    assert result.verdict == "crash"
    assert "JSONDecodeError" in result.findings[0].detail


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tests.kit.conformance.parsers", "is not the name of a parser"),
        ("tests.kit.conformance.parsers:missing", "missing"),
        ("no_such_module:f", "no_such_module"),
        ("tests.kit.conformance.parsers:NOT_A_PARSER", "expected a function or a class"),
        ("tests.kit.conformance.parsers:NoFinish", r"without feed\(chunk\) and finish\(\)"),
    ],
)
def test_what_is_not_a_parser_is_refused(name: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError, ImportError), match=message):
        Subject(name)


def test_what_cannot_be_imported_is_refused_at_the_door() -> None:
    with pytest.raises(UsageError, match="parser='no_such_module:f' cannot be used: ModuleNotFoundError"):
        ParserTarget("no_such_module:f")


def test_a_python_that_cannot_be_run() -> None:
    with pytest.raises(UsageError, match="cannot be run"):
        ParserTarget("a:b", python="no-such-python")


# -- servers -----------------------------------------------------------------------------------------------------------

Answer = Callable[[str, dict[str, Any]], dict[str, Any] | list[dict[str, Any]]]


@contextmanager
def server(answer: Answer) -> Iterator[str]:
    """A server; a list is an event stream, a dict with `status` an error."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found = answer(self.path, asked)
            self.send_response(found.get("status", 200) if isinstance(found, dict) else 200)
            self.end_headers()
            if isinstance(found, list):
                self.wfile.write("".join(f"data: {json.dumps(each)}\n\n" for each in found).encode())
                self.wfile.write(b"data: [DONE]\n\n")
            else:
                self.wfile.write(json.dumps(found).encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/v1"
        listening.shutdown()


def message(text: str, tools: list[Any]) -> dict[str, Any]:
    """What a server with our parser would answer."""
    output = parse(text, tools, format="hermes")
    calls = [
        {"function": {"name": call.name, "arguments": json.dumps(call.arguments)}, "index": call.index}
        for call in output.calls
    ]
    return {"content": output.content, "reasoning_content": output.reasoning, "tool_calls": calls}


def chat(written: Callable[[dict[str, Any]], str]) -> Answer:
    """Chat completions of a model that writes that; its parser is ours, its tokens have four characters."""

    def answer(path: str, asked: dict[str, Any]) -> dict[str, Any] | list[dict[str, Any]]:
        assert path == "/v1/chat/completions"
        text = written(asked)
        found = message(text, asked["tools"])
        logprobs = {"content": [{"token": text[at : at + 4]} for at in range(0, len(text), 4)]}
        if asked.get("stream"):
            return [
                {"choices": [{"delta": found, "logprobs": logprobs}]},
                {"choices": [{"delta": {}, "finish_reason": "stop"}]},
                {"choices": [], "usage": {}},
            ]
        return {"choices": [{"message": found, "logprobs": logprobs}]}

    return answer


def test_upstream_a_server_that_asks_us() -> None:
    upstream = Upstream()

    def forwarded(asked: dict[str, Any]) -> str:
        from toolglean.kit.conformance.http import post  # noqa: PLC0415

        return str(
            post(f"{upstream.url}/chat/completions", asked | {"stream": False}, 5)["choices"][0]["message"]["content"]
        )

    with server(chat(forwarded)) as url:
        found = verdicts(Proxied(url, upstream), CALL, MENTION, CASES["written/reasoning/opened-by-the-prompt"])
    assert list(found.values()) == ["right", "right", "skipped"]


def test_upstream_a_server_that_does_not_ask_us_is_told_so() -> None:
    with server(chat(lambda _: "Hello.")) as url:
        target = Proxied(url, Upstream())
        with pytest.raises(UsageError, match="set its upstream to http://127"):
            run(target, [CALL])
        target.close()


def test_echo_counts_only_what_the_model_is_shown_to_have_written() -> None:
    def copied(asked: dict[str, Any]) -> str:
        text: str = asked["messages"][0]["content"].partition("\n\n")[2]
        return text if "days" not in text else "I would rather not."

    two = CASES["written/two/hermes"]
    with server(chat(copied)) as url:
        assert verdicts(Echo(url), CALL, two) == {CALL.id: "right", two.id: "unproven"}
    with server(lambda _, asked: {"choices": [{"message": message(copied(asked), asked["tools"])}]}) as url:
        assert verdicts(Echo(url), CALL) == {CALL.id: "unproven"}  # no logprobs: nobody knows


def test_sglang_its_own_endpoints() -> None:
    def answer(path: str, asked: dict[str, Any]) -> dict[str, Any]:
        if path == "/separate_reasoning":
            assert asked["reasoning_parser"] == "qwen3"
            return {"reasoning_text": "Hm.", "text": asked["text"].partition("</think>")[2] or asked["text"]}
        assert (path, asked["tool_call_parser"]) == ("/parse_function_call", "qwen25")
        found = parse(asked["text"], asked["tools"], format="hermes")
        calls = [{"name": each.name, "parameters": each.arguments_text, "tool_index": 0} for each in found.calls]
        return {"normal_text": found.content, "calls": calls}

    with server(answer) as url:
        target = NativeParse(url, "qwen25", reasoning="qwen3")
        report = run(target, [CALL, MENTION])
    assert [(result.verdict, result.ways) for result in report.results] == [("right", ("whole",))] * 2


def test_vllm_tokens_to_its_derender_endpoint() -> None:
    def answer(path: str, asked: dict[str, Any]) -> dict[str, Any]:
        if path == "/tokenize":
            assert asked["add_special_tokens"] is False
            return {"tokens": [ord(letter) for letter in asked["prompt"]]}
        if path == "/v1/chat/completions/render":
            return {"token_ids": [1, 2, 3]}
        assert path == "/v1/chat/completions/derender"
        assert asked["prompt_token_ids"] == [1, 2, 3]
        if not asked.get("stream"):
            text = "".join(map(chr, asked["generate_response"]["choices"][0]["token_ids"]))
            return {"choices": [{"message": message(text, asked["chat_request"]["tools"])}]}
        [choice] = asked["generate_chunk"]["choices"]
        state = (asked["stream_state"] or "") + "".join(map(chr, choice["token_ids"]))
        delta = message(state, asked["chat_request"]["tools"]) if choice["finish_reason"] else {}
        return {"chunk": {"choices": [{"delta": delta}]}, "stream_state": state}

    with server(answer) as url:
        report = run(Derender(url), [CALL, MENTION], random_cuts=1)
    assert [result.verdict for result in report.results] == ["right", "right"]
    assert report.results[0].ways == ("whole", "piece by piece", "a few pieces at once", "random cuts 1")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"message": "overloaded"}}, "overloaded"),
        ({"status": 500}, "the server responded with status 500"),
        ({"choices": [{"message": {"content": 3}}]}, "is not text"),
    ],
)
def test_a_server_that_fails_is_a_crash(answer: dict[str, Any], said: str) -> None:
    with server(lambda _path, _asked: answer) as url:
        [result] = run(Echo(url), [CALL]).results
    assert result.verdict == "crash"
    assert said in result.findings[0].detail


def test_an_answer_without_what_it_must_have_is_a_crash() -> None:
    with server(lambda _path, _asked: {}) as url:
        [result] = run(NativeParse(url, "x"), [CALL]).results
        assert "has no 'normal_text'" in result.findings[0].detail


def test_a_server_that_cannot_be_asked_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="listen=127"):
            Upstream(port=port)
    with pytest.raises(UsageError, match="cannot be reached"):
        Echo(f"http://127.0.0.1:{port}/v1")
    with pytest.raises(UsageError, match="is not the URL of a server"):
        Echo("localhost:8000")


# -- reports -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(simple: ParserTarget) -> Report:
    odd = Case("odd\x00id", "odd & <kind>", "a\ud800b", CALL.tools, (), "x", None)
    return run(simple, [CALL, MENTION, CASES["written/then-good/hermes"], odd])


def test_text_shows_what_was_expected_and_what_came(report: Report) -> None:
    text = as_text(report)
    assert "UNSAFE  written/mention/quoted-call" in text
    assert "ran delete_files" in text
    assert text.index("LOST") < text.index("UNSAFE")  # the worst comes last, above the table
    assert text.endswith("tests.kit.conformance.parsers:simple: 1 of 4 cases right (25.0 %)")
    assert "UNSAFE" not in as_text(report, failures=False)


def test_json_holds_every_result(report: Report) -> None:
    found = json.loads(as_json(report))
    assert found["verdicts"] | {"right": 1, "unsafe": 1, "crash": 1, "lost": 1} == found["verdicts"]
    assert [each["id"] for each in found["results"]][:2] == [CALL.id, MENTION.id]
    assert found["results"][1]["got"]["calls"][0]["name"] == "delete_files"
    assert found["passed"] is False


def test_junit_is_xml_whatever_the_text_holds(report: Report) -> None:
    suite = ET.fromstring(as_junit(report).encode()).find("testsuite")  # noqa: S314  # our own
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "2",
        "errors": "1",
        "skipped": "0",
    }
    failure = suite[1].find("failure")
    assert failure is not None
    assert failure.get("type") == "unsafe"
    assert "expected" in (failure.text or "")


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_writes_its_reports(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("r.json", "r.xml")]
    arguments = ["conformance", "--only", "written/mention", "--cuts", "1", "--output", files[0], "--junit", files[1]]
    assert main(arguments) == 0
    assert "6 of 6 cases right (100 %)" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["passed"] is True
    assert ET.fromstring((tmp_path / "r.xml").read_text()).find("testsuite") is not None  # noqa: S314
