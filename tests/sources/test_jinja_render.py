# The environment that Hugging Face renders with, a row for each thing it has; and the proof with real templates, against
# what was rendered for us (../shared/renders), where that is there.
"""Tests of rendering Jinja templates."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support import depth
from tests.support.shared import SHARED, shared_rows
from toolglean.errors import TemplateError, UsageError
from toolglean.sources.templates import renderer, tag_of

pytest.importorskip("jinja2")
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
USER = {"role": "user", "content": "hi"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"é": "<b>", "a": [1, None]}}}


def rendered(source: str, messages: Any = None, tools: Any = None, *, lax: bool = False, **variables: Any) -> str:
    return renderer(source, "jinja", now=NOW, lax=lax).render(messages or [USER], tools, **variables)


ROWS = {
    "{% for m in messages %}\n  {{ m.role }}\n{% endfor %}\n": "  user\n",  # blocks are trimmed on both sides
    "{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}{% if i > 3 %}{% break %}{% endif %}{{ i }}{% endfor %}": "023",
    "{% generation %}{% set x = 1 %}{{ messages[0].content }}{% endgeneration %}{{ x }}": "hi",
    "{{ calls|tojson }}": '[{"id": "c", "type": "function", "function": {"name": "f", "arguments": {"é": "<b>", "a": [1, null]}}}]',
    "{{ {'b': 'é', 'a': 1}|tojson(ensure_ascii=True, sort_keys=true) }}": '{"a": 1, "b": "\\u00e9"}',
    "{{ {'a': [1]}|tojson(indent=2) }}": '{\n  "a": [\n    1\n  ]\n}',
    "{{ {'a': 1}|tojson(separators=(',', ':')) }}": '{"a":1}',
    "{{ strftime_now('%d %b %Y') }}": "15 Jan 2026",
    "{{ bos_token }}{{ eos_token }}{{ unk_token }}{{ pad_token }}": "<s></s><unk><pad>",
    "{% if false %}<|im_end|><|end|>{% endif %}{{ eos_token }}": "<|im_end|>",
    "{{ documents is none }}{{ tools is none }}{{ add_generation_prompt }}{{ nothing is defined }}": "TrueTrueFalseFalse",
    "{% set ns = namespace(x=1) %}{% for m in messages %}{% set ns.x = ns.x + 1 %}{% endfor %}{{ ns.x }}": "2",
    "{{ {'a': True, 'b': None} }}": "{'a': True, 'b': None}",
    "{{ 'ab' * 2 }}{{ [1] * 2 }}{{ 2 ** 10 }}{{ 3 * 4 }}{{ 2 ** -1 }}{{ 2.5 * 2 }}{{ 2 ** 0.5 > 1 }}{{ 'a' * -1 }}": "abab[1, 1]1024120.55.0True",
}  # fmt: skip


@pytest.mark.parametrize("source", ROWS)
def test_the_environment(source: str) -> None:
    assert rendered(source, calls=[CALL]) == ROWS[source]


def test_variables_stand_over_the_defaults() -> None:
    assert rendered("{{ bos_token }}{{ x }}", bos_token="B", x=1) == "B1"  # noqa: S106
    assert rendered("{% if add_generation_prompt %}<a>{% endif %}", add_generation_prompt=True) == "<a>"
    assert rendered("{{ tools|length }}", tools=[{}, {}]) == "2"


def test_the_clock_is_read_when_there_is_no_date() -> None:
    year = renderer("{{ strftime_now('%Y') }}", "jinja").render([USER])
    assert year in {str(datetime.now(UTC).year), str(datetime.now(UTC).year + 1)}


# The template, and the line and the reason of its error.
FAULTS: dict[str, tuple[int, str]] = {
    "a\n{{ raise_exception('no calls!') }}": (2, "raised by the template: no calls!"),
    "a\nb\n{{ x.y.z }}": (3, "UndefinedError: 'x' is undefined"),
    # It said that an object of the type Undefined is not JSON serializable, and not which.
    "{% for m in messages %}\n{{ {'a': [m.args]}|tojson }}{% endfor %}": (2, "'dict object' has no attribute 'args'"),
    "{{ raise_exception|tojson }}": (1, "TypeError: Object of type function is not JSON serializable"),
    "a\n{% for m in messages %}\n{{ m.content + 1 }}{% endfor %}": (3, "TypeError"),
    "a\n{{ b": (2, "unexpected end of template"),
    "{{ x|nofilter }}": (1, "No filter named 'nofilter'"),
    "\n{{ messages.append(1) }}": (2, "SecurityError"),
    "\n{{ ''.__class__ }}{{ ''.__class__.__mro__ }}": (2, "SecurityError"),
    "\n{{ 'a' * 10**9 }}": (2, "OverflowError: \\* would create more than"),
    "\n{{ 9 ** (9 ** 9) }}": (2, "OverflowError: \\*\\* would create a number"),
    "\n{{ 2 ** 40000 * 2 ** 40000 }}": (2, "OverflowError"),
    "{% for i in range(10**9) %}{% endfor %}": (1, "OverflowError: Range too big"),
    "{% macro f() %}\n{{ f() }}{% endmacro %}{{ f() }}": (2, "nested too deeply"),
    "{{ x" + "(" * 2_000 + ")" * 2_000 + " }}": (1, "nested too deeply"),
    "{% for i in range(99999) %}" + "x" * 100 + "{% endfor %}": (1, "it writes more than"),
    "{% include '/etc/passwd' %}": (1, "no loader"),
    "{{ 10 ** 5000 }}": (1, "ValueError"),
}


@pytest.mark.parametrize("source", FAULTS, ids=lambda source: source[:40])
def test_a_fault_says_in_which_line(source: str) -> None:
    line, reason = FAULTS[source]
    with pytest.raises(TemplateError, match=reason) as caught:
        rendered(source)
    assert (caught.value.line, caught.value.text) == (line, source.split("\n")[line - 1])


def test_lax() -> None:
    messages = [dict(USER)]
    assert rendered("{% set _ = messages.append(1) %}{{ messages|length }}", messages, lax=True) == "2"
    assert messages == [USER]
    assert rendered("{{ ('[1, 2]'|from_json)[1] }}{{ [1]|map('string')|tojson }}", lax=True) == '2["1"]'


def test_without_jinja2_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolglean.sources.templates import jinja_render  # noqa: PLC0415

    jinja_render._environment.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "jinja2"]:
        monkeypatch.setitem(sys.modules, name, None)
    for read in (renderer, tag_of):
        with pytest.raises(UsageError, match=r"pip install .*\[jinja\]"):
            read("{% if a %}{% endif %}")
    assert renderer("{{.Prompt}}").render([USER]) == "hi"  # who has a Go template needs no jinja2
    assert tag_of("{{if .ToolCalls}}<call>{{end}}").tag == "<call>"


@pytest.mark.parametrize("read", [renderer, tag_of])
def test_no_other_language(read: Any) -> None:
    with pytest.raises(UsageError, match="language='mustache' is not valid: pass 'go' or 'jinja'"):
        read("", "mustache")


def test_the_language_is_told() -> None:
    assert (renderer("{{.Prompt}}").language, renderer("{% if a %}{% endif %}").language) == ("go", "jinja")


def _row_id(row: dict[str, Any]) -> str:
    return json.dumps([row["template"], row["messages"], row["lax"], row["extra_schema"]])


def test_real_templates_as_they_were_rendered() -> None:
    rows = shared_rows("renders/full_jinja.jsonl.gz")
    inputs = json.loads((SHARED / "renders" / "inputs.json").read_text(encoding="utf-8"))
    names = sorted({row["template"] for row in rows})
    assert (len(rows), len(names)) == (3_000, 203)
    prompts: dict[Any, Any] = {}
    wrong = []
    # Some of the templates, and some of the rows of each: to compile a template takes longer than to render it.
    some = set(depth.chosen(names, 16, key=str))
    rows = [row for row in rows if row["template"] in some]
    for row in depth.chosen(rows, 1, key=_row_id, group=lambda row: f"{row['template']} {row['lax']}"):
        key = row["template"], row["lax"]
        if key not in prompts:
            source = (SHARED / "templates" / "jinja" / f"{key[0]}.jinja").read_bytes().decode()
            prompts[key] = renderer(source, "jinja", now=NOW, lax=row["lax"])
        tools = inputs["tools_with_additional_properties" if row["extra_schema"] else "tools"]
        # What the engines of those ten templates give them beside messages and tools.
        extra = {"functions": json.dumps([each["function"] for each in tools]), "datetime": "2026-01-15"}
        text = prompts[key].render(row["messages"], tools, **(extra if row["lax"] else {}))
        if text != row["full_render"]:
            wrong.append((row["template"], row["case"]))
    assert wrong == []
    assert {name for name, _ in prompts} == some
