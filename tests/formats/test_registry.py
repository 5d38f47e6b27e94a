# Every name that an engine gives to a parser, and the names of models people have, lead to a format, or to a reason.
"""Tests of toolglean.formats.registry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.shared import table
from toolglean import Parser, Tool, parse, render
from toolglean.errors import FormatError, UsageError
from toolglean.formats import registry
from toolglean.formats.registry import (
    all_formats,
    find_format,
    folded,
    format_of_model,
    get_format,
    letters_and_digits,
    register,
    unsupported,
)
from toolglean.formats.spec import Format

_by_registered = (registry._added_families,)

ENGINES = table("engine_names.tsv")
"""Engine, name of a parser, and the format; `-` if there is a reason why it has none."""


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = registry._registered
    yield
    registry._registered = before
    for cached in (registry.plugins, registry._merged, registry._names, *_by_registered):
        cached.cache_clear()


def test_every_name_of_an_engine_leads_to_a_format_or_to_a_reason() -> None:
    for engine, name, declared in ENGINES:
        assert engine, name
        if declared == "-":
            with pytest.raises(UsageError, match="is not supported: "):
                get_format(name)
        else:
            assert get_format(name).name == declared, name


@pytest.mark.parametrize("name", [name for engine, name, found in ENGINES if "reasoning" in engine and found != "-"])
def test_the_name_of_a_reasoning_parser_leads_to_a_format_with_reasoning(name: str) -> None:
    assert get_format(name).all_reasonings


def test_a_parser_takes_a_model() -> None:
    assert Parser(["f"], model="Qwen/Qwen3-8B").format == get_format("hermes")
    with pytest.raises(UsageError, match="unknown model "):
        Parser(["f"], model="bert-base-uncased")


def test_case_and_dashes_do_not_matter() -> None:
    assert folded("Qwen2.5_Coder") == "qwen2-5-coder"
    assert find_format("DEEPSEEK_V3.1") is find_format("deepseek-v3-1") is not None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hermies", "unknown format 'hermies'; did you mean hermes"),
        ("hermez", r"did you mean hermes\?$"),
        ("zzzzzzzz", "`toolglean formats` lists all"),
        ("Qwen/Qwen3-8B", r"so pass model='Qwen/Qwen3-8B', or Format\.from_model\('Qwen/Qwen3-8B'\) in its"),
    ],
)
def test_a_name_that_is_not_known_names_only_what_is_near(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        get_format(name)


def test_no_name_stands_for_two_formats() -> None:
    seen: dict[str, str] = {}
    for declared in all_formats():
        for name in (declared.name, *declared.aliases):
            assert seen.setdefault(folded(name), declared.name) == declared.name


def test_letters_and_digits_stand_for_one_format_alone() -> None:
    # glm4 is GLM-4.5's parser in SGLang and TensorRT-LLM; the format that GLM-4 writes is glm-4.
    seen: dict[str, set[str]] = {}
    for declared in all_formats():
        for name in (declared.name, *declared.aliases):
            seen.setdefault(letters_and_digits(name), set()).add(declared.name)
    assert {name: formats for name, formats in seen.items() if len(formats) > 1} == {"glm4": {"glm-4", "glm-4.5"}}
    assert [get_format(name).name for name in ("glm4", "GLM4", "glm-4", "GLM_4")] == [*["glm-4.5"] * 2, *["glm-4"] * 2]
    assert not seen.keys() & unsupported().keys()


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("Qwen 2.5", "hermes"),
        ("Hermès", "hermes"),
        ("DeepSeek V3.1", "deepseek-v3.1"),
        ("GPT OSS", "harmony"),
        ("functiongemma", "functiongemma"),
        ("function-gemma", "functiongemma"),
        ("ＧＬＭ４５", "glm-4.5"),
        ("llama4pythonic", "llama4-pythonic"),
    ],
)
def test_names_are_compared_by_letters_and_digits(name: str, format: str) -> None:  # noqa: A002
    assert get_format(name).name == format


@pytest.mark.parametrize("name", ["", "-", " ", "…", "@@"])
def test_a_name_without_letters_is_nobodys(name: str) -> None:
    assert find_format(name) is None


def test_a_registered_name_that_differs_in_its_punctuation_takes_nothing_away() -> None:
    mine = Format("her-mes", call="@@{call}@@", aliases=("qwen 25",))
    register(mine)
    assert get_format("her-mes") is get_format("HER_MES") is get_format("qwen 25") is mine
    assert [get_format(name).name for name in ("hermes", "Hermes", "qwen25", "Qwen2.5")] == ["hermes"] * 4
    assert get_format("her mes") is mine  # declared by nobody: a registered name comes before the library's


@pytest.mark.parametrize("name", ["minimax", "minimax-m1", "minimax-m2"])
def test_both_formats_that_engines_call_minimax_are_read(name: str) -> None:
    # vLLM's and Aphrodite's parser of that name was for M1, SGLang's is for M2.
    tools = [Tool("f", {"type": "object", "properties": {"k": {"type": "string"}}})]
    for writes in ("minimax-m1", "minimax-m2"):
        turn = render(writes, [("f", {"k": "v"})], tools=tools)
        assert [(each.name, each.arguments) for each in parse(turn, tools, format=name).calls] == [("f", {"k": "v"})]


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
    for cached in (registry.plugins, registry._merged, registry._names, *_by_registered):
        cached.cache_clear()


def test_entry_points_add_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Format("one", call="1{call}1"), Format("two", call="2{call}2")
    _installed(monkeypatch, one, [two])
    assert all_formats()[:2] == (one, two)
    assert get_format("two") is two


def test_an_entry_point_that_gives_something_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    _installed(monkeypatch, "hermes")
    all_formats()
    assert "entry point 'point' gives 'hermes', which is not a Format" in caplog.text


def test_formats_of_one_name_are_reported(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    one, two, own = Format("one", call="1{call}1"), Format("One", call="2{call}2"), Format("hermes", call="3{call}3")
    _installed(monkeypatch, one, two, own)
    assert (get_format("one"), get_format("hermes")) == (one, own)
    assert "two installed packages have a format 'One': the first one found is used" in caplog.text
    assert "an installed package has a format 'hermes': it replaces the one of toolglean" in caplog.text


@pytest.mark.parametrize("error", [ImportError("no module named x"), ZeroDivisionError(), FormatError("wrong")])
def test_an_entry_point_that_fails_takes_none_down(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    one = Format("one", call="1{call}1")
    _installed(monkeypatch, error, one)
    assert all_formats()[0] is one
    assert "entry point 'point' (its.module:FORMATS)" in caplog.text
    assert type(error).__name__ in caplog.text
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
    for cached in (registry._names, *_by_registered):
        cached.cache_clear()
    assert find_format("hermes") is not None
    assert find_format("meanwhile") is not None


def declared(number: int, call: str = "") -> Format:
    return Format(f"many-{number}", call=call or f"<many{number}>{{call}}</many{number}>")


def test_many_registered_formats_take_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each registration copied all earlier ones: 4,000 took four seconds."""
    folds = 0

    def counted(name: str) -> str:
        nonlocal folds
        folds += 1
        return folded(name)

    monkeypatch.setattr(registry, "folded", counted)
    steps: list[int] = []
    for _ in range(3):
        folds = 0
        registry._registered = registry._Registered()
        for number in range(300 * 2 ** len(steps)):
            register(declared(number))
        assert registry._registered.formats[0].name == f"many-{number}"
        steps.append(folds)
    assert steps[2] < 4.4 * steps[0]


@pytest.mark.parametrize("looked_up", [False, True])
def test_the_latest_registration_counts(looked_up: bool) -> None:
    for turn in range(4):
        for number in range(20):
            register(declared(number, f"<turn{turn}_{number}>{{call}}</turn{turn}_{number}>"))
            if looked_up:
                assert get_format(f"MANY_{number}").call.startswith(f"<turn{turn}_")
    found = [each for each in all_formats() if each.name.startswith("many-")]
    assert [each.name for each in found] == [f"many-{number}" for number in reversed(range(20))]
    assert all(each.call.startswith("<turn3_") for each in found)
    assert found == list(all_formats()[:20])
