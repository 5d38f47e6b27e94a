"""vLLM's plugin, with vLLM in small (`vllm_stand_ins.py`). `nox -s vllm` runs it in the real thing."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.engines import vllm_stand_ins as stand_ins
from tests.engines.test_reading import ARGUMENTS, CALL, TOOL, UNKNOWN
from tests.engines.vllm_stand_ins import DelegatingParser, Tokenizer, request
from toolglean.engines import EngineError
from toolglean.engines import vllm as plugin
from toolglean.engines.names import parser_names
from toolglean.errors import UsageError

NAME = "toolglean-qwen3-coder"
MARKERS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_start|>", "<|im_end|>")
OPEN = "<|im_start|>assistant\n<think>\n"
BARE = "<|im_start|>assistant\n"


@pytest.fixture(autouse=True)
def small_vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules of vLLM, for one test; the plugin is imported anew, since its classes are made from these."""
    made = stand_ins.modules()
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    _forget()
    yield made
    _forget()
    for each in [*DelegatingParser.__subclasses__()]:
        each.reasoning_parser_cls = each.tool_parser_cls = None


def _forget() -> None:
    for name in stand_ins.ours_loaded():
        if name != plugin.__name__:
            del sys.modules[name]


def parser_class(kind: str, name: str = NAME) -> Any:
    return getattr(importlib.import_module(plugin.PARSERS), f"{kind}:{name}")


class Answer(NamedTuple):
    content: str
    reasoning: str
    calls: list[tuple[str, str]]


def server(*, tool: Any = NAME, reasoning: str | None = NAME, tokenizer: Any = None, **more: Any) -> Any:
    """A server's parser: what flags of these names compose."""
    members = {
        "reasoning_parser_cls": parser_class("reasoning", reasoning) if reasoning else None,
        "tool_parser_cls": parser_class("tool", tool) if isinstance(tool, str) else tool,
    }
    return type("Composed", (DelegatingParser,), members)(tokenizer or Tokenizer(*MARKERS), [TOOL], **more)


def streamed(chunks: list[str], asked: Any, prompt: str, **flags: Any) -> Answer:
    parser = server(**flags)
    if prompt:
        parser.start(Tokenizer(*MARKERS).encode(prompt))
    deltas = [delta for chunk in chunks for delta in parser.step(chunk, asked)] + parser.finish()
    calls: dict[int, list[str]] = {}
    for part in (part for delta in deltas for part in delta.tool_calls if asked.tool_choice != "none"):
        assert bool(part.id) is bool(part.function.name) is (part.index not in calls)
        call = calls.setdefault(part.index, ["", ""])
        call[0] += part.function.name or ""
        call[1] += part.function.arguments
    content = "".join(delta.content or "" for delta in deltas)
    return Answer(content, "".join(delta.reasoning or "" for delta in deltas), [(n, a) for n, a in calls.values()])


def in_all_ways(text: str, prompt: str = BARE, asked: Any = None, *, whole: bool = True, **flags: Any) -> Answer:
    asked = asked or request([TOOL])
    luck = random.Random(text)
    cuts = [sorted(luck.sample(range(len(text)), min(4, len(text)))) for _ in range(4)]
    ways = [[text], list(text), *([text[a:b] for a, b in zip([0, *c], [*c, len(text)], strict=True)] for c in cuts)]
    found = [streamed(way, asked, prompt, **flags) for way in ways]
    assert all(each == found[0] for each in found)
    if whole:
        parser = server(**flags)
        if prompt and parser.reasoning is not None:
            parser.reasoning.set_prompt_token_ids(Tokenizer(*MARKERS).encode(prompt))
        assert Answer(*parser.parse(text, asked)) == found[0]
    return found[0]


CALLED = [("f", ARGUMENTS)]
CUT_BY_REASONING = CALL.replace("<function", "<func<think>I</think>tion")
ROWS: dict[str, tuple[str, str, Answer]] = {
    "text": ("Hi <b> there", BARE, Answer("Hi <b> there", "", [])),
    "all three": (f"<think>\nI see.\n</think>\n\nHi {CALL}<|im_end|>", BARE, Answer("\n\nHi ", "I see.", CALLED)),
    "the prompt opens": (f"I see.\n</think>\n\n{CALL}", OPEN, Answer("", "I see.", CALLED)),
    "the prompt closes": (f"Hi {CALL}", OPEN + "\n</think>\n\n", Answer("Hi ", "", CALLED)),
    "reasoning that never ends": ("I see, but", OPEN, Answer("", "I see, but", [])),
    "a draft that ends the turn": (f"I see. {CALL}", OPEN, Answer("", "I see. ", CALLED)),
    "a draft that goes on": (f"I see. {CALL} Or not.\n</think>No.", OPEN, Answer("No.", f"I see. {CALL} Or not.", [])),
    "reasoning after a call": (f"{CALL}<think>So</think>Hi", BARE, Answer("Hi", "So", CALLED)),
    "an unknown tool": (f"I\n</think>{UNKNOWN}", OPEN, Answer(UNKNOWN, "I", [])),
    "a quotation": (f"I\n</think>Write `{CALL}`", OPEN, Answer(f"Write `{CALL}`", "I", [])),
    "a marker that reasoning cuts": (CUT_BY_REASONING, BARE, Answer(CUT_BY_REASONING.replace("<think>I</think>", ""), "I", [])),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_a_turn_through_the_serving_layer(row: str) -> None:
    text, prompt, right = ROWS[row]
    assert in_all_ways(text, prompt) == right


def test_without_a_tool_parser() -> None:
    text = f"I\n</think>Hi {CALL}<|im_end|>"
    assert in_all_ways(text, OPEN, tool=None) == Answer(f"Hi {CALL}", "I", [])


def test_without_a_reasoning_parser_reasoning_is_content() -> None:
    text = f"<think>\nI\n</think>\nHi {CALL}"
    assert in_all_ways(text, "", reasoning=None) == Answer("<think>\nI\n</think>\nHi ", "", CALLED)


def test_before_a_tool_parser_of_vllm() -> None:
    class Foreign(stand_ins.ToolParser):
        """Takes all that it is given for content."""

        def extract_tool_calls_streaming(self, *args: Any) -> Any:
            return stand_ins.DeltaMessage(content=args[2]) if args[2] else None

        def finish_streaming(self) -> None:
            return None

        def extract_tool_calls(self, model_output: str, _: Any) -> Any:
            return stand_ins.ExtractedToolCallInformation(tools_called=False, tool_calls=[], content=model_output)

    assert in_all_ways(f"I\n</think>Hi {CALL} ho", OPEN, tool=Foreign) == Answer(f"Hi {CALL} ho", "I", [])


@pytest.mark.parametrize("asked", [request([TOOL], "none"), request(None)], ids=["none", "no tools"])
def test_where_vllm_drops_calls_their_text_is_content(asked: Any) -> None:
    assert in_all_ways(f"I\n</think>Hi {CALL}<|im_end|>", OPEN, asked) == Answer(f"Hi {CALL}", "I", [])


def test_unknown_tools_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGLEAN_UNKNOWN_TOOLS", "call")
    assert in_all_ways(UNKNOWN).calls == [("g", '{"n": "3"}')]


def test_other_policies_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    quoted = f"Write `{CALL}` then."
    assert in_all_ways(quoted).calls == []
    monkeypatch.setenv("TOOLGLEAN_QUOTED", "call")
    assert in_all_ways(quoted).calls == [("f", ARGUMENTS)]


def test_a_server_with_a_wrong_variable_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGLEAN_QUOTED", "maybe")
    with pytest.raises(UsageError, match=r"TOOLGLEAN_\.\.\..*quoted='maybe' is not valid"):
        parser_class("tool")


def test_a_call_that_is_cut_off_is_no_call() -> None:
    found = server().tool.extract_tool_calls("Hi " + CALL[:40], request([TOOL]))
    assert (found.tools_called, found.content) == (False, "Hi " + CALL[:40])


def test_the_reasoning_stays_in_the_content() -> None:
    flags: dict[str, Any] = {
        "reasoning": plugin.APPEND_THINK,
        "tokenizer": Tokenizer(*MARKERS, name="Qwen/Qwen3-Coder-30B"),
    }
    assert in_all_ways("I\n</think>Hi", "", tool=None, **flags) == Answer("<think>I\n</think>Hi", "", [])
    assert in_all_ways(f"I\n</think>Hi {CALL}", "", **flags) == Answer("<think>I\n</think>Hi ", "", CALLED)


def test_two_requests_do_not_meet() -> None:
    tokenizer = Tokenizer(*MARKERS)
    first, second = server(tokenizer=tokenizer), server(tokenizer=tokenizer)
    asked = request([TOOL])
    assert [delta.reasoning for delta in first.step("<think>a", asked)] == ["a"]
    assert [delta.reasoning for delta in second.step("b", asked)] == ["b"]
    alone = parser_class("tool")(tokenizer, [TOOL])
    assert alone.extract_tool_calls_streaming("", "", "x", [], [], [], asked).content == "x"


# -- requests --------------------------------------------------------------------------------------------------------


def test_special_tokens_stay_in_the_text() -> None:
    parser = server()
    for each, tools, kept in ((parser.tool, [TOOL], False), (parser.tool, None, True), (parser.reasoning, None, False)):
        asked = request(tools, spaces_between_special_tokens=True)
        each.adjust_request(asked)
        assert asked.skip_special_tokens is asked.spaces_between_special_tokens is kept


NAMED = {"type": "function", "function": {"name": "f"}}


@pytest.mark.parametrize("choice", ["auto", "required", NAMED])
def test_structural_tags(choice: Any) -> None:
    tag = server().tool.get_structural_tag(request([TOOL], choice)).given
    assert tag["type"] == "structural_tag"
    assert "function=f" in str(tag)
    single = server().tool.get_structural_tag(request([TOOL], choice, parallel_tool_calls=False)).given
    assert single != tag


def test_schemas_are_enforced_where_the_request_or_the_server_says_so() -> None:
    function: dict[str, Any] = TOOL["function"]  # type: ignore[assignment]
    strict = {"type": "function", "function": {**function, "strict": True}}
    tool = server().tool
    loose = tool.get_structural_tag(request([TOOL], "required")).given
    enforced = tool.get_structural_tag(request([strict], "required")).given
    assert loose != enforced
    assert tool.get_structural_tag(request([TOOL], "required"), strict_level=2).given == enforced


def test_no_tag(small_vllm: dict[str, ModuleType]) -> None:
    tool = server().tool
    assert tool.get_structural_tag(request([TOOL], "none")) is None
    assert tool.get_structural_tag(request([{"type": "web_search"}], "required")) is None
    vars(small_vllm["vllm.envs"])["VLLM_ENFORCE_STRICT_TOOL_CALLING"] = False
    assert tool.get_structural_tag(request([TOOL], "required")) is None


def test_what_no_format_is_known_of_is_left_to_vllm() -> None:
    tool = parser_class("tool", "toolglean")(Tokenizer())
    assert tool.supports_required_and_named
    assert tool.structural_tag_model is None
    assert not tool.reads_reasoning
    known = parser_class("tool", "toolglean")(Tokenizer(name="Qwen/Qwen3-8B"))
    assert known.syntax.format.name == "hermes"
    assert not known.supports_required_and_named


# -- ids -------------------------------------------------------------------------------------------------------------

ENDS: dict[str, tuple[str, bool]] = {
    "opened": (OPEN, False),
    "closed": (OPEN + "\n</think>\n\n", True),
    "neither: the model may still open it": (BARE, False),
    "the beginning of an opener": (BARE + "<thi", False),
    "content": (BARE + "Hi", True),
    "of an earlier turn": (OPEN + "a</think>b<|im_end|>\n" + BARE, False),
    "the answer alone": ("I see", False),
    "the answer alone, closed": ("I see</think>Hi", True),
    "opened again": ("I</think>a<think>b", False),
}


@pytest.mark.parametrize("row", ENDS)
def test_whether_the_reasoning_is_over(row: str) -> None:
    text, over = ENDS[row]
    tokenizer = Tokenizer(*MARKERS)
    parser = parser_class("reasoning")(tokenizer)
    assert parser.is_reasoning_end(tokenizer.encode(text)) is over
    assert parser.is_reasoning_end_streaming(tokenizer.encode(text), iter(tokenizer.encode(text)[-1:])) is over
    far_back = tokenizer.encode(text[:0] + "x" * 500 + text)
    assert parser.is_reasoning_end(far_back) is over


def test_a_model_that_does_not_reason() -> None:
    tokenizer = Tokenizer(*MARKERS)
    assert parser_class("reasoning", "toolglean-llama3-json")(tokenizer).is_reasoning_end([65])
    off = parser_class("reasoning")(tokenizer, chat_template_kwargs={"enable_thinking": False})
    assert off.is_reasoning_end(tokenizer.encode(BARE))
    assert off.is_reasoning_end_streaming(tokenizer.encode("Hi"), [])
    assert off.extract_reasoning("Hi", request()) == (None, "Hi")
    assert parser_class("reasoning")(tokenizer).extract_reasoning("Hi", request()) == ("Hi", None)
    asked = request(chat_template_kwargs={"reasoning_effort": "none"})
    assert parser_class("reasoning")(tokenizer).extract_reasoning("Hi", asked) == (None, "Hi")


def test_only_the_end_of_a_long_row_of_ids_is_decoded() -> None:
    tokenizer = Tokenizer(*MARKERS)
    parser = parser_class("reasoning")(tokenizer)
    ids = tokenizer.encode(OPEN + "x" * 50_000)
    tokenizer.decoded = 0
    assert not parser.is_reasoning_end_streaming(ids, ids[-1:])
    assert tokenizer.decoded < 100
    assert parser.is_reasoning_end(tokenizer.encode("x" * 50_000 + OPEN + "</think>"))
    assert tokenizer.decoded < 200


def test_content_ids() -> None:
    tokenizer = Tokenizer(*MARKERS)
    parser = parser_class("reasoning")(tokenizer)
    encode = tokenizer.encode
    assert parser.extract_content_ids(encode("I</think>Hi")) == encode("Hi")
    assert parser.extract_content_ids(encode("I</think>")) == []
    assert parser.extract_content_ids(encode("I see")) == []
    plain = parser_class("reasoning", "toolglean-llama3-json")(tokenizer)
    assert plain.extract_content_ids(encode("Hi")) == encode("Hi")


def test_the_tokens_of_the_reasoning_are_counted_once() -> None:
    tokenizer = Tokenizer(*MARKERS)
    parser = parser_class("reasoning")(tokenizer)
    ids = tokenizer.encode("<think>abc</think>" + "Hi" * 200 + "<think>de</think>")
    tokenizer.decoded = 0
    counts = [parser.count_reasoning_tokens(ids[:length]) for length in range(len(ids) + 1)]
    assert (counts[2], counts[4], counts[100], counts[-1]) == (1, 3, 3, 5)
    assert tokenizer.decoded == len(ids)
    assert parser.count_reasoning_tokens(tokenizer.encode("ab</think>c")) == 2  # another answer


def test_a_tokenizer_that_only_encodes() -> None:
    class Encodes:
        def get_vocab(self) -> dict[str, int]:
            return {"a": 7, "b": 8}

        def encode(self, text: str) -> list[int]:
            return {"<think>": [1, 2], "</think>": [3, 2]}.get(text, [9])

    parser = parser_class("reasoning")(Encodes())
    assert parser.is_reasoning_end([1, 2, 7, 3, 2])
    assert not parser.is_reasoning_end([1, 2, 7, 3])
    assert parser.extract_content_ids([7, 3, 2, 8]) == [8]
    assert parser.count_reasoning_tokens([1, 2, 7, 8, 9, 3, 2, 7]) == 3
    assert parser.is_reasoning_end(["a", "</think>"])


def test_the_markers_that_a_thinking_budget_forces() -> None:
    parser = parser_class("reasoning")(Tokenizer(*MARKERS))
    assert (parser.reasoning_start_str, parser.reasoning_end_str) == ("<think>", "</think>")
    plain = parser_class("reasoning", "toolglean-llama3-json")(Tokenizer())
    assert plain.reasoning_start_str is plain.reasoning_end_str is None


# -- special tokens --------------------------------------------------------------------------------------------------

JSON_CALL = '<tool_call>\n{"name": "f", "arguments": {"n": 3}}\n</tool_call>'
SPELLED = [ord(char) for char in JSON_CALL]


def ids_and_text(*parts: str | list[int]) -> list[tuple[str, list[int]]]:
    # One token for each delta: text in which markers are tokens, or ids of which each is a character.
    tokenizer = Tokenizer(*MARKERS)
    ids = [each for part in parts for each in (tokenizer.encode(part) if isinstance(part, str) else part)]
    return [(tokenizer.decode([each], skip_special_tokens=False), [each]) for each in ids]


def with_ids(deltas: list[tuple[str, list[int]]], prompt: str, size: int = 1, hold: int = 0, **flags: Any) -> Answer:
    """The answer to a stream with ids; the server sends `size` tokens at once, and holds `hold` characters back."""
    parser, asked = server(tool="toolglean-hermes", **flags), request([TOOL])
    parser.start(Tokenizer(*MARKERS).encode(prompt))
    found: list[Any] = []
    text, sent = "", 0
    for place in range(0, len(deltas), size):
        now = deltas[place : place + size]
        text += "".join(each for each, _ in now)
        end = len(text) if place + size >= len(deltas) else max(len(text) - hold, sent)
        found += parser.step(text[sent:end], asked, [each for _, ids in now for each in ids])
        sent = end
    found += parser.finish()
    parts = [part for delta in found for part in delta.tool_calls]
    calls = {
        part.index: "".join(each.function.arguments for each in parts if each.index == part.index) for part in parts
    }
    names = {part.index: part.function.name for part in parts if part.function.name}
    content, reasoning = ("".join(getattr(delta, name) or "" for delta in found) for name in ("content", "reasoning"))
    return Answer(content, reasoning, [(names[index], text) for index, text in calls.items()])


IDS: dict[str, tuple[list[str | list[int]], str, Answer]] = {
    "by its id": (["Hi ", JSON_CALL], BARE, Answer("Hi ", "", CALLED)),
    "spelled out, before one by its id": (["So: ", SPELLED, " Now: ", JSON_CALL], BARE, Answer(f"So: {JSON_CALL} Now: ", "", CALLED)),
    "spelled out, and text after it": ([SPELLED, " is a call."], BARE, Answer(f"{JSON_CALL} is a call.", "", [])),
    "spelled out at the end": (["Hi ", SPELLED], BARE, Answer("Hi ", "", CALLED)),
    "after the reasoning": (["I</think>So: ", SPELLED, " Now: ", JSON_CALL], OPEN, Answer(f"So: {JSON_CALL} Now: ", "I", CALLED)),
}  # fmt: skip


@pytest.mark.sampled(20)
@pytest.mark.parametrize(("size", "hold"), [(1, 0), (3, 0), (1000, 0), (1, 7), (4, 30)])
@pytest.mark.parametrize("reasoning", ["toolglean-hermes", None], ids=["both parsers", "tool parser"])
@pytest.mark.parametrize("row", IDS)
def test_ids_tell_a_marker_from_its_spelling(row: str, reasoning: str | None, size: int, hold: int) -> None:
    parts, prompt, right = IDS[row]
    if prompt == OPEN:  # which needs a parser for reasoning
        reasoning = "toolglean-hermes"
    assert with_ids(ids_and_text(*parts), prompt, size, hold, reasoning=reasoning) == right


def test_ids_that_do_not_fit_the_text_tell_nothing() -> None:
    """As if there were none: a spelled-out call is one by its text."""
    deltas = [(text, [ord("x")]) for text, _ in ids_and_text("So: ", SPELLED, " Now: ", JSON_CALL)]
    text = f"So: {JSON_CALL} Now: {JSON_CALL}"
    flags = {"tool": "toolglean-hermes", "reasoning": "toolglean-hermes"}
    assert with_ids(deltas, BARE, reasoning="toolglean-hermes") == in_all_ways(text, whole=False, **flags)


def test_the_markers_of_a_tokenizer_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer(*MARKERS)
    looked: list[Tokenizer] = []

    def added(self: Tokenizer) -> dict[int, str]:
        looked.append(self)
        return {1: "<a>"}

    monkeypatch.setattr(Tokenizer, "added_tokens_decoder", property(added))
    for _ in range(3):
        server(tokenizer=tokenizer)
    assert len(looked) == 1


def test_a_tokenizer_that_refuses_to_tell_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Any) -> Any:
        raise RuntimeError("not today")

    monkeypatch.setattr(Tokenizer, "added_tokens_decoder", property(refuse))
    assert with_ids(ids_and_text("Hi ", JSON_CALL), BARE, reasoning=None) == Answer("Hi ", "", CALLED)


# -- registering -----------------------------------------------------------------------------------------------------


def test_register(small_vllm: dict[str, ModuleType]) -> None:
    plugin.register()
    plugin.register()  # vLLM may do so twice
    tools: Any = vars(small_vllm["vllm.tool_parsers"])["ToolParserManager"]
    reasonings: Any = vars(small_vllm["vllm.reasoning"])["ReasoningParserManager"]
    assert set(tools.lazy) == set(parser_names())
    assert set(reasonings.lazy) == {*parser_names(), plugin.APPEND_THINK}
    for manager, base in ((tools, stand_ins.ToolParser), (reasonings, stand_ins.ReasoningParser)):
        for module, name in manager.lazy.values():
            assert issubclass(getattr(importlib.import_module(module), name), base)
    with pytest.raises(AttributeError):
        parser_class("other")


def _absent(made: dict[str, ModuleType]) -> None:
    for name in made:
        sys.modules[name] = None  # type: ignore[assignment]  # the import system's word for "not there"


def _without_managers(made: dict[str, ModuleType]) -> None:
    del vars(made["vllm.tool_parsers"])["ToolParserManager"]


def _of_another_kind(made: dict[str, ModuleType]) -> None:
    vars(made["vllm.reasoning"])["ReasoningParserManager"] = object()


def _that_raises(made: dict[str, ModuleType]) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("no plugins today")

    vars(made["vllm.tool_parsers"])["ToolParserManager"].register_lazy_module = refuse


@pytest.mark.parametrize("broken", [_absent, _without_managers, _of_another_kind, _that_raises])
def test_registering_never_raises(
    broken: Any, small_vllm: dict[str, ModuleType], caplog: pytest.LogCaptureFixture
) -> None:
    broken(small_vllm)
    plugin.register()
    assert "toolglean's parsers are not available" in caplog.text


# -- releases --------------------------------------------------------------------------------------------------------


def _only(layout: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    # The modules of these releases, and no others.
    for name in [each for each in sys.modules if each == "vllm" or each.startswith("vllm.")]:
        monkeypatch.delitem(sys.modules, name)
    made = stand_ins.modules(layout)
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    _forget()
    return made


@pytest.mark.parametrize("layout", [each for each in stand_ins.LAYOUTS if each != "0.12"])
def test_the_plugin_loads_under_the_names_of_each_release(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _only(layout, monkeypatch)
    plugin.register()
    [tools] = [vars(made[name])["ToolParserManager"] for name in made if name.endswith("tool_parsers")]
    module, name = tools.lazy[NAME]
    assert issubclass(getattr(importlib.import_module(module), name), stand_ins.ToolParser)
    assert in_all_ways(f"<think>I</think>Hi {CALL}") == Answer("Hi ", "I", CALLED)


def test_old_names_may_lead_to_the_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in vLLM's tree with `vllm.frontend`: the modules of both names are the same objects."""
    made = _only("vllm.frontend", monkeypatch)
    for old, new in stand_ins.LAYOUTS["vllm.frontend"]:
        for name in [each for each in made if each == new or each.startswith(f"{new}.")]:
            monkeypatch.setitem(sys.modules, old + name.removeprefix(new), made[name])
    assert in_all_ways(f"<think>I</think>Hi {CALL}") == Answer("Hi ", "I", CALLED)


def test_a_release_that_is_too_old_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = _only("0.12", monkeypatch)
    vars(made["vllm.entrypoints.openai.tool_parsers.abstract_tool_parser"])["ToolParser"] = stand_ins.OldToolParser
    plugin.register()
    assert "toolglean needs vLLM 0.24 or later" in caplog.text
    assert vars(made["vllm.entrypoints.openai.tool_parsers"])["ToolParserManager"].lazy == {}
    with pytest.raises(EngineError, match="has no `engine_based_streaming`"):
        parser_class("tool")


def test_a_release_with_other_names_is_refused_with_those_that_were_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _only("0.33", monkeypatch)
    monkeypatch.delitem(vars(made["vllm.reasoning.abs_reasoning_parsers"]), "ReasoningParser")
    with pytest.raises(
        EngineError, match=r"vllm\.frontend\.processing\.reasoning\.abs_reasoning_parsers, vllm\.reasoning"
    ) as found:
        parser_class("reasoning")
    assert isinstance(found.value, ImportError)


def test_registering_loads_next_to_nothing() -> None:
    code = (
        "import sys, toolglean; before = set(sys.modules)\n"
        "from toolglean.engines.vllm import register; register()\n"
        "print(*{name for name in set(sys.modules) - before if name.startswith('toolglean')})\n"
        "print(*{name for name in sys.modules if name.startswith(('toolglean.formats', 'toolglean.sources.templates', 'xgr'))})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    new, heavy = run.stdout.split("\n")[:2]
    ours = ("engines", "engines.modules", "engines.names", "engines.vllm", "engines.vllm.places", "errors")
    assert set(new.split()) == {f"toolglean.{each}" for each in ours}
    assert not heavy
