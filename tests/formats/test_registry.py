# Every name that an engine gives to a parser, and the names of models people have, lead to a format, or to a reason.
"""Tests of toolglean.formats.registry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from toolglean import Parser
from toolglean.errors import FormatError, UsageError
from toolglean.formats import registry
from toolglean.formats.registry import all_formats, find_format, folded, format_of_model, get_format, register
from toolglean.formats.spec import Format


def _words(text: str) -> list[str]:
    return text.split()


VLLM_TOOLS = _words("""
    apertus beam cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 deepseek_v41 dots
    ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite granite-20b-fc granite4 hermes hf hunyuan_a13b hy_v3 hy_v4
    inkling internlm jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_json llama4_pythonic longcat mimo
    minicpm5 minimax_m2 minimax_m3 mistral muse muse_glimmer musespark1x olmo3 openai phi4_mini_json plamo3 poolside_v1
    pythonic qwen3_coder qwen3_json qwen3_xml seed_oss step3 step3p5 step5 xlam
""")
VLLM_REASONING = _words("""
    beam cohere_command3 cohere_command4 deepseek_r1 deepseek_v3 deepseek_v4 deepseek_v41 ernie45 gemma4 glm45 glm47
    granite granite_thinking_parser hf holo2 hunyuan_a13b hy_v3 hy_v4 identity inkling k2_horizon kimi_k2 kimi_k3 ling3
    mimo minicpmv minimax_m2 minimax_m2_append_think minimax_m3 mistral muse muse_glimmer nemotron_v3 olmo3 openai_gptoss
    plamo3 poolside_v1 qwen3 seed_oss step3 step3p5 step5
""")
SGLANG = _words("""
    apertus2509 beam cohere_command4 deepseekv3 deepseekv31 deepseekv32 deepseekv4 deepseekv41 dots gemma4 gigachat3
    gigachat35 glm glm45 glm47 gpt-oss hermes hunyuan inkling interns1 iquest_q1 k2_horizon kimi_k2 kimi_k3 lfm2 ling3
    llama3 mimo minicpm5 minimax-m2 minimax-m3 mistral muse nanbeige poolside_v1 pythonic qwen qwen25 qwen3_coder
    response_template spark25 step3 step3p5 trinity
""")
SGLANG_REASONING = _words("""
    apertus2509 cohere_command4 deepseek-r1 deepseek-v3 deepseek-v31 deepseek-v4 gemma4 glm45 gpt-oss hunyuan inkling
    interns1 kimi kimi_k2 kimi_k3 minimax minimax-append-think minimax-m3 mistral muse nemotron_3 qwen3 qwen3-thinking
    step3 step3p5
""")
OLLAMA = _words("""
    cogito cohere deepseek3 functiongemma gemma4 gemma4-no-thinking glimmer glm-4.7 glm-ocr harmony laguna lfm2
    lfm2-thinking ministral nemotron-3-nano nemotron-3.5-nano olmo3 olmo3-think ornith passthrough poolside-v1 qwen3
    qwen3-coder qwen3-thinking qwen3-vl-instruct qwen3-vl-thinking qwen3.5
""")
NOTHING_BEHIND = {
    "hf",
    "response_template",
    "identity",
    "passthrough",
    "minimax_m2_append_think",
    "minimax-append-think",
}

MODELS = {
    "CohereForAI/c4ai-command-r-plus": "command-r",
    "CohereLabs/c4ai-command-a-03-2025": "command-a",
    "CohereLabs/c4ai-command-r7b-12-2024": "command-a",
    "LiquidAI/LFM2-8B-A1B": "lfm2",
    "MiniMaxAI/MiniMax-M1-80k": "minimax-m1",
    "MiniMaxAI/MiniMax-M2": "minimax-m2",
    "MiniMaxAI/MiniMax-M2.5": "minimax-m2",
    "MiniMaxAI/MiniMax-M3": "minimax-m3",
    "NousResearch/Hermes-2-Pro-Llama-3-8B": "hermes",
    "NousResearch/Hermes-3-Llama-3.1-70B": "hermes",
    "Nexusflow/NexusRaven-V2-13B": "raven",
    "Qwen/QwQ-32B": "hermes",
    "Qwen/Qwen2.5-7B-Instruct": "hermes",
    "Qwen/Qwen3-0.6B": "hermes",
    "Qwen/Qwen3-8B": "hermes",
    "Qwen/Qwen3-235B-A22B-Instruct-2507": "hermes",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3-coder",
    "Qwen/Qwen3-VL-8B-Thinking": "hermes",
    "Qwen/Qwen3.5-4B": "qwen3-coder",
    "Qwen/Qwen3.8-Max": "qwen3-coder",
    "Salesforce/Llama-xLAM-2-8b-fc-r": "xlam",
    "Salesforce/xLAM-7b-fc-r": "xlam-object",
    "ServiceNow-AI/Apriel-1.6-15b-Thinker": "apriel",
    "Team-ACE/ToolACE-8B": "pythonic",
    "XiaomiMiMo/MiMo-V2-Flash": "mimo",
    "ai-sage/GigaChat3-10B-A1.8B": "gigachat-3",
    "ai-sage/GigaChat3.1-10B-A1.8B": "gigachat-3.1",
    "ai21labs/AI21-Jamba-Large-1.6": "jamba",
    "allenai/Olmo-3-7B-Instruct": "olmo-3",
    "baidu/ERNIE-4.5-21B-A3B-Thinking": "ernie-4.5",
    "ByteDance-Seed/Seed-OSS-36B-Instruct": "seed-oss",
    "deepcogito/cogito-v2.1-671B": "cogito",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek-v3",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": "deepseek-v3",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek-v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek-v3.1",
    "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek-v3.1",
    "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
    "deepseek-ai/DeepSeek-V3.2-Exp": "deepseek-v3.1",
    "deepseek-ai/DeepSeek-V4": "deepseek-v4",
    "deepseek-ai/DeepSeek-V4-Flash-0731": "deepseek-v4",
    "deepseek-ai/DeepSeek-V4.1": "deepseek-v4.1",
    "fireworks-ai/llama-3-firefunction-v2": "firefunction",
    "google/functiongemma-270m-it": "functiongemma",
    "google/gemma-3-27b-it": "pythonic",
    "google/gemma-4-31B-it": "gemma-4",
    "ibm-granite/granite-20b-functioncalling": "granite-20b-fc",
    "ibm-granite/granite-3.3-2b-instruct": "granite-3",
    "ibm-granite/granite-4.0-h-small": "granite-4",
    "inclusionAI/Ling-3.0-flash": "ling-3",
    "internlm/internlm2_5-7b-chat": "internlm",
    "meetkai/functionary-medium-v2.2": "functionary-v2",
    "meetkai/functionary-medium-v3.1": "functionary-v3.1",
    "meetkai/functionary-small-v3.2": "functionary-v3.2",
    "meituan-longcat/LongCat-Flash-Chat": "longcat",
    "meta-llama/Llama-3.1-8B-Instruct": "llama3-json",
    "meta-llama/Llama-3.3-70B-Instruct": "llama3-json",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama4-pythonic",
    "microsoft/Phi-4-mini-instruct": "phi-4-mini",
    "mistralai/Devstral-Small-2507": "mistral-v13",
    "mistralai/Magistral-Small-2506": "mistral-v11",
    "mistralai/Ministral-3-14B-Reasoning-2512": "mistral-v13",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral-v3",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral-v3",
    "mistralai/Mistral-Small-24B-Instruct-2501": "mistral-v3",
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": "mistral-v11",
    "moonshotai/Kimi-K2-Instruct": "kimi-k2",
    "moonshotai/Kimi-K2.5": "kimi-k2",
    "moonshotai/Kimi-K3": "kimi-k3",
    "nvidia/Llama-3.3-Nemotron-Super-49B-v1_5": "nemotron",
    "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "qwen3-coder",
    "nvidia/NVIDIA-Nemotron-Nano-9B-v2": "nemotron",
    "openai/gpt-oss-120b": "harmony",
    "openbmb/MiniCPM3-4B": "minicpm-3",
    "openbmb/MiniCPM5-1B": "minicpm-5",
    "poolside/Laguna-S-2.1": "laguna",
    "stepfun-ai/Step-3.5-Flash": "step-3.5",
    "stepfun-ai/step3": "step-3",
    "swiss-ai/Apertus-8B-Instruct-2509": "apertus",
    "tencent/Hunyuan-A13B-Instruct": "hunyuan-a13b",
    "tencent/Hy3": "hunyuan-3-opensource",
    "upstage/Solar-Open-100B": "solar",
    "zai-org/GLM-4.5-Air": "glm-4.5",
    "zai-org/GLM-4.6": "glm-4.5",
    "zai-org/GLM-4.7-Flash": "glm-4.7",
    "zai-org/GLM-5": "glm-4.7",
    "zai-org/glm-4-9b-chat": "glm-4",
    # as Ollama writes them, and files
    "aya-expanse:8b": "command-r",
    "cogito:3b": "hermes",
    "command-r7b:7b": "command-a",
    "deepseek-v3.1:671b": "deepseek-v3.1",
    "devstral:24b": "mistral-v13",
    "gemma4:12b": "gemma-4",
    "glm4:9b": "glm-4",
    "gpt-oss:20b": "harmony",
    "granite3.3:2b": "granite-3",
    "granite4:latest": "granite-4",
    "hermes3:8b": "hermes",
    "hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M": "hermes",
    "llama3-groq-tool-use:8b": "hermes",
    "llama3.2": "llama3-json",
    "llama4:scout": "llama4-pythonic",
    "mistral-small3.2:24b": "mistral-v11",
    "mistral:7b": "mistral-v3",
    "nemotron-mini:4b": "nemotron-mini",
    "phi4-mini": "phi-4-mini",
    "qwen2.5-coder:32b": "hermes",
    "qwen3-coder:30b": "qwen3-coder",
    "qwen3.5": "qwen3-coder",
    "qwen3.5:9b": "qwen3-coder",
    "qwen3:8b": "hermes",
    "QWEN3_8B": "hermes",
    "rnj-1:latest": "hermes",
}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = registry._registered
    yield
    registry._registered = before
    for cached in (registry._installed, registry._plugins, registry._merged, registry._names):
        cached.cache_clear()


@pytest.mark.parametrize("name", sorted({*VLLM_TOOLS, *VLLM_REASONING, *SGLANG, *SGLANG_REASONING, *OLLAMA}))
def test_every_name_of_an_engine_leads_to_a_format_or_to_a_reason(name: str) -> None:
    if name in NOTHING_BEHIND:
        with pytest.raises(UsageError, match="is not supported: "):
            get_format(name)
    else:
        assert isinstance(get_format(name), Format)


@pytest.mark.parametrize("name", sorted(set(VLLM_REASONING + SGLANG_REASONING) - NOTHING_BEHIND))
def test_the_name_of_a_reasoning_parser_leads_to_a_format_with_reasoning(name: str) -> None:
    assert get_format(name).all_reasonings


@pytest.mark.parametrize(("model", "name"), MODELS.items())
def test_names_of_models(model: str, name: str) -> None:
    found = format_of_model(model)
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("model", ["", "bert-base-uncased", "stable-code:3b", "some/unheard-of"])
def test_models_that_are_not_known(model: str) -> None:
    assert format_of_model(model) is None


def test_a_parser_takes_a_model() -> None:
    assert Parser(["f"], model="Qwen/Qwen3-8B").format == get_format("hermes")
    with pytest.raises(UsageError, match="unknown model "):
        Parser(["f"], model="bert-base-uncased")


def test_case_and_dashes_do_not_matter() -> None:
    assert folded("Qwen2.5_Coder") == "qwen2-5-coder"
    assert find_format("DEEPSEEK_V3.1") is find_format("deepseek-v3-1") is not None


def test_a_name_that_is_not_known_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown format 'hermies'; did you mean hermes"):
        get_format("hermies")
    with pytest.raises(UsageError, match="`toolglean formats` lists all"):
        get_format("zzzzzzzz")


def test_no_name_stands_for_two_formats() -> None:
    seen: dict[str, str] = {}
    for declared in all_formats():
        for name in (declared.name, *declared.aliases):
            assert seen.setdefault(folded(name), declared.name) == declared.name


def test_registered_formats_come_first_and_the_latest_of_a_name_counts() -> None:
    mine = Format("mine", call="@@{call}@@", aliases=("hermes-mine",), models=("my-*-model*",))
    register(mine)
    assert get_format("mine") is get_format("Hermes_Mine") is format_of_model("me/My-8B-model") is mine
    again = Format("Mine", call="!!{call}!!")
    register(again)
    assert get_format("mine") is again
    assert find_format("hermes-mine") is None
    assert all_formats().count(mine) == 0

    other = Format("hermes", call="#{call}#")
    register(other)
    assert get_format("hermes") is other
    assert [each for each in all_formats() if each.name == "hermes"] == [other]


class _Point:
    def __init__(self, loaded: object) -> None:
        self.name, self.value, self.loaded = "point", "its.module:FORMATS", loaded

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


def _installed(monkeypatch: pytest.MonkeyPatch, *loaded: object) -> None:
    def found(*, group: str) -> list[_Point]:
        assert group == "toolglean.formats"
        return [_Point(each) for each in loaded]

    monkeypatch.setattr(registry, "entry_points", found)
    for cached in (registry._installed, registry._plugins, registry._merged, registry._names):
        cached.cache_clear()


def test_entry_points_add_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Format("one", call="1{call}1"), Format("two", call="2{call}2")
    _installed(monkeypatch, one, [two])
    assert all_formats()[:2] == (one, two)
    assert get_format("two") is two


def test_an_entry_point_that_gives_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, "hermes")
    with pytest.warns(RuntimeWarning, match="entry point 'point' gives 'h', which is not a Format"):
        all_formats()


@pytest.mark.parametrize("error", [ImportError("no module named x"), ZeroDivisionError(), FormatError("wrong")])
def test_an_entry_point_that_fails_takes_none_down(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    one = Format("one", call="1{call}1")
    _installed(monkeypatch, error, one)
    with pytest.warns(RuntimeWarning, match=rf"entry point 'point' \(its.module:FORMATS\).*{type(error).__name__}"):
        assert all_formats()[0] is one
    assert get_format("hermes").name == "hermes"
    assert Parser(format="one").format == one
    with pytest.raises(FormatError, match=r"format 'Point': its entry point failed") as caught:
        get_format("Point")
    assert caught.value.__cause__ is error


def test_the_group_is_the_one_that_is_documented() -> None:
    assert registry.ENTRY_POINTS == "toolglean.formats"


def test_what_is_registered_meanwhile_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    # A thread that was still gathering all formats used to store them over what another had registered meanwhile.
    library = registry._library()

    def slow() -> tuple[Format, ...]:
        monkeypatch.setattr(registry, "_library", lambda: library)
        register(Format("meanwhile", call="m{call}m"))
        return library

    monkeypatch.setattr(registry, "_library", slow)
    registry._merged.cache_clear()
    registry._names.cache_clear()
    assert find_format("hermes") is not None
    assert find_format("meanwhile") is not None
