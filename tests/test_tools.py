"""Tools as dicts: what is kept of them, and what equal names share."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from toolglean import Parser, Tool, ToolError, ToolSet, fold
from toolglean.sources.choose import choose_for_parser, plans
from toolglean.sources.choose.plans import Recent

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
OTHER = {"type": "object", "properties": {"day": {"type": "integer"}}}


def function(name: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **fields}}


SHAPES: dict[str, tuple[list[Any], list[Tool]]] = {
    "a function": ([function("f", parameters=SCHEMA, description="-")], [Tool("f", SCHEMA, "-")]),
    "without a schema": ([function("f")], [Tool("f")]),
    "an empty schema": ([function("f", parameters={})], [Tool("f")]),
    "no description": ([function("f", parameters=SCHEMA, description=None)], [Tool("f", SCHEMA)]),
    "a description that is not text": ([function("f", parameters=SCHEMA, description=1)], [Tool("f", SCHEMA)]),
    "flat": ([{"name": "f", "parameters": SCHEMA, "description": "-"}], [Tool("f", SCHEMA, "-")]),
    "flat, function is null": ([{"name": "f", "parameters": SCHEMA, "function": None}], [Tool("f", SCHEMA)]),
    "another key": ([{"name": "f", "input_schema": SCHEMA}], [Tool("f", SCHEMA)]),
    "two of a name, the first is used": (
        [function("f", parameters=SCHEMA), Tool("f", OTHER), function("f", parameters=OTHER)],
        [Tool("f", SCHEMA)],
    ),
    "mixed": (
        [function("f", parameters=SCHEMA), "g", Tool("h", OTHER)],
        [Tool("f", SCHEMA), Tool("g"), Tool("h", OTHER)],
    ),
}


@pytest.mark.parametrize(("given", "expected"), SHAPES.values(), ids=SHAPES)
def test_what_a_set_contains(given: list[Any], expected: list[Tool]) -> None:
    tools = ToolSet(given)
    assert tools.has_parameters == any(each.parameters for each in expected)
    assert tools.described == {each.name for each in expected if each.properties}
    assert [tools.get(each.name) for each in expected] == expected
    assert list(tools) == expected
    assert tools.names == tuple(each.name for each in expected)
    assert tools == ToolSet(expected)
    again = pickle.loads(pickle.dumps(ToolSet(given)))
    assert again == tools
    assert (again.names, again.namespaces, again.spaced) == (tools.names, tools.namespaces, tools.spaced)


def test_the_second_of_a_name_tells_nothing() -> None:
    tools = ToolSet(["f", function("f", parameters=SCHEMA), Tool("f", SCHEMA)])
    assert not tools.has_parameters
    assert list(tools) == [Tool("f")]


def test_a_dict_that_is_changed_later_changes_nothing() -> None:
    given = function("f", parameters=SCHEMA, description="-")
    tools = ToolSet([given])
    given["function"].update(name="g", parameters=OTHER, description="+")
    assert list(tools) == [Tool("f", SCHEMA, "-")]


@pytest.mark.parametrize(
    "given", [{}, function(None, parameters=SCHEMA), function(1, parameters=SCHEMA), function("f", parameters=[])]
)
def test_what_is_not_a_tool(given: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match=r"is not a tool|the parameters of tool"):
        ToolSet([given])


def test_a_name_or_a_dict_is_not_a_list_of_tools() -> None:
    # Both were "one tool", and the advice was that for the other one, too.
    with pytest.raises(ToolError, match=r"^tools='f' is not a list of tools: pass it in a list$"):
        Parser("f")
    with pytest.raises(ToolError, match=r"pass it in a list, or its keys if they are the names of the tools$"):
        Parser({"f": print})


@pytest.mark.parametrize("format", ["hermes", "auto", "tool-tags"])
def test_equal_names_share_a_plan(format: str) -> None:  # noqa: A002
    choice = choose_for_parser(format, None, None)
    one, two = ToolSet([function("f", parameters=SCHEMA)]), ToolSet([copy.deepcopy(function("f", parameters=OTHER))])
    assert one.known is two.known
    assert choice.plan(one, strict=False) is choice.plan(two, strict=False)
    assert choice.plan(one, strict=False) is not choice.plan(ToolSet(["g"]), strict=False)


def test_schemas_are_not_shared() -> None:
    text = "<tool_call>\n<function=f>\n<parameter=day>\n1\n</parameter>\n</function>\n</tool_call>"
    found = [Parser([function("f", parameters=each)], format="qwen3-coder").add(text) for each in (SCHEMA, OTHER)]
    assert [each.calls[0].arguments for each in found] == [{"day": "1"}, {"day": 1}]


def test_recent_values_are_kept() -> None:
    kept = Recent(3)
    for number in range(4):
        kept.put(number, str(number))
    assert [kept.get(number) for number in range(4)] == ["0", "1", "2", "3"]  # all were asked for, so all are kept
    assert len(kept) == 4
    for number in range(4, 7):
        kept.put(number, str(number))
    assert kept.get(0) is None  # it was not asked for any more
    assert len(kept) <= 6


def test_a_large_value_counts_as_several() -> None:
    kept = Recent(4)
    for number in range(8):
        kept.put(number, number, 2)
    assert [kept.get(number) for number in range(4)] == [None] * 4
    assert [kept.get(number) for number in (6, 7)] == [6, 7]


@pytest.mark.parametrize("format", ["hermes", "auto"])
def test_many_tool_sets_take_turns(format: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: A002
    """Beyond 128 sets, each turn made its plan anew."""
    monkeypatch.setattr(plans, "_plans", Recent(plans.MOST))
    sets = [[function(f"f_{number}_{each}", parameters=SCHEMA) for each in range(2)] for number in range(300)]
    choice = choose_for_parser(format, None, None)
    first = [choice.plan(ToolSet(each), strict=False) for each in sets]
    assert all(choice.plan(ToolSet(each), strict=False) is plan for each, plan in zip(sets, first, strict=True))


@pytest.mark.parametrize("format", ["hermes", "auto", "tool-tags"])
def test_tool_sets_do_not_see_each_other(format: str) -> None:  # noqa: A002
    """They share all but what their names add."""
    for name, other in [("f", "g"), ("g", "f"), ("f.g", "g"), ("f", "f.g")]:
        for written in (name, other):
            text = f"<{written}>\n<city>Oslo</city>\n</{written}>"
            parser = Parser([function(name, parameters=SCHEMA)], format=format)
            found = fold([event for char in text for event in parser.feed(char)] + parser.finish())
            assert [each.name for each in found.calls] == [name] * (written == name)
