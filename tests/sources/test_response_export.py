"""Formats as response templates: our own reader of the export gives the events of the format (offline).

Whether transformers reads them the same, `tests/support/transformers_check.py` shows, in an environment of its own.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chunkings import events_of
from tests.support.response_turns import TOOLS, Turn, machine_of, turns, written
from tests.support.transformers_check import MUST, exported
from toolglean import CallDelta, CallEnd, Event, Markup, Parser, ParserOptions, join
from toolglean.engine.plan import Plan
from toolglean.errors import FormatError, UsageError
from toolglean.formats.registry import all_formats, get_format
from toolglean.formats.spec import Format, Tree
from toolglean.sources.response import export, message, plan_of, to_format
from toolglean.sources.response.plan import response_plan

EXPORTED = {each.name: template for each in all_formats() if (template := exported(each)) is not None}
OTHERS = sorted(set(EXPORTED) - set(MUST))


def shown(events: list[Event]) -> list[Any]:
    """What events say, without how the format's own text and white space are cut up."""
    found: list[Any] = []
    for event in events:
        if isinstance(event, CallEnd):
            call = event.call
            found.append((call.id, call.name, call.known, call.arguments, call.status))
        elif not isinstance(event, Markup | CallDelta):
            found.append((type(event).__name__, getattr(event, "text", "").strip()))
    return [each for each in found if each != ("Content", "")]


def same(declared: Format, plan: Plan, turn: Turn) -> None:
    text = written(declared, turn)
    # Response templates do not handle Markdown: calls in fences after other text are calls there.
    of_format = Parser(TOOLS, format=declared, options=ParserOptions(markup=True, quoted="call"))
    of_template = events_of(lambda: machine_of(plan, TOOLS), text)
    assert shown(of_template) == shown(join(of_format.feed(text) + of_format.finish())), text


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", MUST)
@pytest.mark.parametrize("way", [plan_of, response_plan])
def test_the_export_reads_what_the_format_reads(name: str, way: Any) -> None:
    plan = way(EXPORTED[name])
    for turn in turns():
        same(get_format(name), plan, turn)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OTHERS)
def test_so_do_those_of_all_other_formats(name: str) -> None:
    plan = response_plan(EXPORTED[name])
    for turn in list(turns())[-2:]:
        same(get_format(name), plan, turn)


@pytest.mark.parametrize("name", MUST)
def test_what_was_exported_is_a_format_again(name: str) -> None:
    found = to_format(EXPORTED[name])
    assert found is not None
    assert found.arguments == get_format(name).arguments


@pytest.mark.parametrize("name", ["say_a", "add_all"])
def test_a_name_may_have_the_letter_with_which_the_text_after_its_white_space_begins(name: str) -> None:
    # Fixed bug: `Action: {name}\nAction Input:` excluded "A" from names.
    found = export(Format("x", call="<c>{name} args={arguments}</c>"), start_anchor="A:")
    [call] = message(found, f'<c>{name} args={{"a": 1}}</c>')["tool_calls"]
    assert call["function"] == {"name": name, "arguments": {"a": 1}}


def test_half_of_the_library_can_be_exported() -> None:
    assert len(EXPORTED) >= 51


CALL = "<c>{name}{arguments}</c>"
REFUSED = [
    (Format("x", call="<c>{name}({keywords})</c>"), "{keywords}"),
    (Format("x", call="<c>{name}:{index}|{arguments}</c>"), "{index}"),
    (Format("x", call="<c>{name}</c>"), "{name}"),
    (Format("x", call=CALL, arguments=Tree("")), "{arguments}"),
    (Format("x", call="{call}"), "{call}"),
    (Format("x", section=("<s>[", "]</s>"), call="{call}", separator=", "), "{call}"),
    (Format("x", call=CALL, also=("<d>{call}</d>",)), "<d>{call}</d>"),
    (Format("x", call="<c>{name}\n{parameters}<c>", parameter="<p>{key}={value}</p>", section=("<s>", "</s>")), ""),
    (Format("x", call="<c>{name}\n{parameters}</c>", parameter="<p={key}:{type}>{value}</p>"), "{type}"),
    (Format("x", call="<c>{name}{parameters}</c>", parameter=("<p={key}>{value}</p>", "<q={key}>{value}</q>")), "<q="),
    (Format("x", call="<c={name}>{arguments}</c={name}>", registered_only=True), "{name}"),
    (Format("x", call=CALL, reasoning=("<a>", "</a>"), reasonings=(("<b>", "</b>"),)), "</b>"),
    (Format("x", call=CALL, reasoning=("<a>", "</a>"), reasonings=(("<a>b", "</a>"),)), "<a>b"),
    (Format("x", call="<c>{arguments}|{name}</c>"), "{arguments}"),
]


@pytest.mark.parametrize(("declared", "named"), REFUSED)
def test_what_no_template_can_say_is_refused_by_name(declared: Format, named: str) -> None:
    if not named:  # a call whose closer is its opener can be said
        assert export(declared, start_anchor="A:")
        return
    with pytest.raises(FormatError) as caught:
        export(declared, start_anchor="A:")
    assert named in str(caught.value)


def test_the_anchor_is_given_or_that_of_the_family() -> None:
    with pytest.raises(FormatError, match="start_anchor"):
        export(Format("x", call=CALL))
    assert export(Format("x", call=CALL, drop=("<|im_end|>",)))["start_anchor"] == "<|im_start|>assistant\n"


def test_main_only_leaves_out_what_does_not_fit() -> None:
    declared = Format("x", call=CALL, also=("<d>{call}</d>",), reasoning=("<a>", "</a>"), reasonings=(("<b>", "</b>"),))
    fields = export(declared, start_anchor="A:", main_only=True)["fields"]
    assert fields["tool_calls"]["open_pattern"] == r"\s*<c>(?P<name>[^\s<{]+)"
    assert fields["reasoning_content"]["open"] == "<a>"


def test_a_format_says_itself_as_a_template() -> None:
    hermes = get_format("hermes")
    assert hermes.to_response_template() == export(hermes, main_only=True)
    assert hermes.to_response_template(start_anchor="<bot>")["start_anchor"] == "<bot>"
    with pytest.raises(FormatError, match="several spellings"):
        get_format("deepseek-v3.1").to_response_template(start_anchor="<bot>", main_only=False)
    with pytest.raises(FormatError, match=r"cannot express \{keywords\}"):
        get_format("lfm2").to_response_template()
    with pytest.raises(FormatError, match="pass start_anchor"):
        get_format("seed-oss").to_response_template()
    with pytest.raises(UsageError, match="does not say how a call is written"):
        Format.from_tag("<go>").to_response_template()
