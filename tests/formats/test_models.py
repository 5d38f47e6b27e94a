# The names of models, as people write them, lead to the format that the model writes, or to none.
"""Tests of toolglean.formats.models."""

from __future__ import annotations

import time

import pytest

from tests.support.shared import table
from toolglean import Parser, UsageError
from toolglean.formats import library, registry
from toolglean.formats.models import Families, name_of, words_of
from toolglean.formats.registry import all_formats, format_of_model, register
from toolglean.formats.spec import Format

MODELS = table("models.tsv")


def found(model: str, *patterns: str) -> str | None:
    """The pattern that is used for a model, of formats with one pattern each."""
    formats = [Format(pattern or "none", call="{call}", models=(pattern,)) for pattern in patterns]
    best = Families(formats).find(model)
    return None if best is None or best.format is None else best.format.name


def test_names_of_models() -> None:
    found = [(model, best.name if (best := format_of_model(model)) else "-") for model, _ in MODELS]
    assert found == [tuple(row) for row in MODELS]


def test_the_table_has_no_name_twice_and_every_format_that_has_models() -> None:
    assert len({model for model, _ in MODELS}) == len(MODELS)
    assert {name for _, name in MODELS} == {each.name for each in library.formats() if each.models} | {"-"}


@pytest.mark.parametrize(("model", "name"), [row for row in MODELS if "/" not in row[0] and row[1] != "-"])
def test_neither_case_nor_separators_nor_an_owner_matter(model: str, name: str) -> None:
    for written in (model.upper(), model.replace("-", "_"), f"me/{model}", f"hf.co/me/{model}-GGUF:Q4_K_M"):
        best = format_of_model(written)
        assert best is not None, written
        assert best.name == name, written


def test_each_pattern_is_of_use() -> None:
    # A pattern that another format's pattern beats in each name, or that cannot be looked up quickly, is a mistake.
    for declared in all_formats():
        for pattern in declared.models:
            assert format_of_model(pattern.replace("*-", "x-", 1) if pattern[0] == "*" else pattern) is declared, (
                pattern
            )
    assert not registry._library_families()._anywhere
    for pattern in library.NO_FORMAT:
        assert format_of_model(pattern.replace("*-", "llama-3-", 1)) is None, pattern


@pytest.mark.parametrize(
    ("model", "owner", "words"),
    [
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen", "qwen 3 coder 30b a3b instruct"),
        ("qwen3:8b-q4_K_M", "", "qwen 3 8b"),
        ("GLM-4.5V-4bit", "", "glm 4 5 v"),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "models", "llama 3 1 8b instruct"),
        ("Qwen3-8B/snapshots/b968826d9c46dd6066d109eabc6255188de91218", "", "qwen 3 8b"),
        ("Qwen/Qwen3-8B/model-00001-of-00005.safetensors", "qwen", "qwen 3 8b"),
        ("me/Modèle-É2B", "me", "modele e2b"),
        ("minicpm-v4.5", "", "minicpm 4 5"),
        ("MiniCPM-V-4_5", "", "minicpm v 4 5"),
        ("my-qwen3-v5", "", "my qwen 3 v 5"),
        ("", "", ""),
        ("///", "", ""),
        ("main", "", "main"),
    ],
)
def test_the_words_of_a_name(model: str, owner: str, words: str) -> None:
    assert name_of(model)[0] == owner
    assert words_of(name_of(model)[1]) == tuple(words.split())


@pytest.mark.parametrize(
    ("model", "patterns", "used"),
    [
        ("qwen3-coder-30b", ("qwen3", "qwen3-coder"), "qwen3-coder"),  # more words
        ("qwen3-8b", ("qwen3", "qwen3-coder"), "qwen3"),
        ("Huihui-Qwen3-8B", ("qwen3",), "qwen3"),  # words before it
        ("qwen3-8b-deepseek-v3.2-distill", ("deepseek-v3.2", "qwen3"), None),  # it says two things
        ("deepseek-r1-distill-qwen3-8b", ("deepseek-r1", "qwen3"), None),
        ("deepseek-r1-distill-qwen3-8b", ("deepseek-r1", "qwen3", "*-deepseek-r1-distill"), "*-deepseek-r1-distill"),
        ("llama-3.1-nemotron-nano-8b", ("llama-3.1", "nemotron"), None),
        ("llama-4-moe-8b", ("llama-4", "4-moe"), "llama-4"),  # the same words: first in the name
        ("llama-3.1-nemotron-nano-8b", ("llama-3.1", "*-nemotron"), "*-nemotron"),  # made from another
        ("magistral-small-2507", ("magistral", "magistral-*-2507"), "magistral-*-2507"),
        ("magistral-2507", ("magistral-*-2507",), "magistral-*-2507"),
        ("magistral-small-2506", ("magistral", "magistral-*-2507"), "magistral"),
        ("glm-4-5-air", ("glm-4", "glm-4.5"), "glm-4.5"),  # spellings of a version
        ("glm_4.5_air", ("glm-4", "glm-4.5"), "glm-4.5"),
        ("glm45", ("glm-4", "glm-4.5"), "glm-4.5"),
        ("glm-v4p5", ("glm-4", "glm-4.5"), "glm-4.5"),
        ("qwen3-v5", ("qwen3", "qwen3.5"), "qwen3"),
        ("qwen3-5b", ("qwen3", "qwen3.5"), "qwen3"),  # a size is no version
        ("glm-4-5bit", ("glm-4", "glm-4.5"), "glm-4"),
        ("tencent/hy3-gguf", ("hy3", "tencent/hy3"), "tencent/hy3"),  # with its owner
        ("others/hy3-gguf", ("hy3", "tencent/hy3"), "hy3"),
        ("acme/qwen3-8b", ("qwen3", "acme/*"), "acme/*"),
        ("nova2-7b", ("nova*",), "nova*"),  # wildcards in words
        ("novalite-7b", ("nova*",), "nova*"),
        ("supernova-7b", ("nova*",), None),
        ("SuperNova-7B", ("nova*",), "nova*"),  # apart where a capital letter says so
        ("SUPERNOVA-7B", ("nova*",), None),
        ("HQwen3-8B", ("qwen3",), "qwen3"),
        ("Glm4MoeForCausalLM", ("glm-4", "glm-4-moe"), "glm-4-moe"),
        ("supernova-7b", ("*nova*",), "*nova*"),
        ("my-8b-model", ("my-*-model*",), "my-*-model*"),
        ("qwen2-7b", ("qwen[23]*",), "qwen[23]*"),
        ("qwen4-7b", ("qwen[23]*",), None),
        ("anything", ("*",), "*"),  # what nothing else fits
        ("qwen3-8b", ("*", "qwen3"), "qwen3"),
        ("anything", ("", "-", "/"), None),
        ("", ("*", "qwen3"), None),
    ],
)
def test_the_most_specific_pattern_is_used(model: str, patterns: tuple[str, ...], used: str | None) -> None:
    assert found(model, *patterns) == used
    assert found(model, *reversed(patterns)) == used


def test_of_patterns_that_are_as_specific_the_first_is_used() -> None:
    assert found("hermes-4-acme", "*-acme", "*-hermes") == "*-acme"
    assert found("hermes-4-acme", "*-hermes", "*-acme") == "*-hermes"


@pytest.mark.usefixtures("own_formats")
def test_a_registered_pattern_comes_before_one_of_the_library_that_is_as_specific() -> None:
    mine = Format("mine", call="@@{call}@@", models=("qwen3", "*-dolphin", "*acme*"))
    register(mine)
    assert format_of_model("Qwen/Qwen3-8B") is mine
    assert format_of_model("Qwen3-8B-acme") is format_of_model("Hermes-3-acme-Llama-3.1-8B") is mine
    assert format_of_model("dolphin-2.9-llama3-8b") is mine  # the library knows no format for it
    coder = format_of_model("Qwen/Qwen3-Coder-30B-A3B-Instruct")
    assert coder is not None
    assert coder.name == "qwen3-coder"


@pytest.mark.usefixtures("own_formats")
def test_a_replaced_format_is_not_found_by_its_models() -> None:
    register(Format("gpt-oss", call="@@{call}@@"))  # an alias of harmony: that stays
    assert format_of_model("gpt-oss:20b") is not None
    register(Format("harmony", call="@@{call}@@"))
    assert format_of_model("gpt-oss:20b") is None


def test_formats_with_many_models_are_found_in_linear_time() -> None:
    formats = [
        Format(f"f{number}", call="{call}", models=(f"family-{number}", f"m{number}-*-x")) for number in range(4000)
    ]
    start = time.process_time()
    families = Families(formats)
    assert families.find("acme/Family_3999-8B") is not None
    assert time.process_time() - start < 2


@pytest.mark.parametrize("part", ["llama-3-", "magistral-", "1.", "q4_k_", "a/", "--", "qwen[", "é", "4bit"])
def test_a_name_of_any_length_is_read_quickly(part: str) -> None:
    start = time.process_time()
    format_of_model(part * 200_000)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("quen3:8b", "did you mean qwen3? Otherwise pass a format"),
        ("deepseak-v3", "did you mean deepseek-v3? Otherwise"),
        ("gpt2", "unknown model 'gpt2': pass a format, a template or a tag instead, or nothing, to detect the format"),
        ("llama-2-7b", "unknown model 'llama-2-7b': pass a format"),  # another number is another family
        ("Qwen3-8B-Distill-GLM-4.7", "its name has two families that write different formats, qwen3 and glm-4.7: pass a format"),
        ("", "unknown model '': pass a format"),
    ],
)  # fmt: skip
def test_an_unknown_model_suggests_what_is_near(model: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Parser(["f"], model=model)
    assert said in str(caught.value)
