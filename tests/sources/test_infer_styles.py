"""How a template wants to be asked, and what its author is told."""

from __future__ import annotations

import pytest

from tests.sources.test_infer import CASES, HEAD, THINK, chat, each
from toolglean import parse
from toolglean.errors import FormatError
from toolglean.formats.spec import ScriptObject
from toolglean.sources.templates import tag_of
from toolglean.sources.templates.infer import infer

pytest.importorskip("jinja2")


def test_content_as_a_list_of_parts_is_asked() -> None:
    parts = "{% for part in m.content or [] %}{% if part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}"
    source = chat(CASES["whole"][0], head=HEAD.replace("{{ m.content }}", parts) + THINK, content=parts)
    found = infer(source, samples=40)
    assert found.format.call == "<go>\n{call}\n</go>"
    assert any("only as a list of parts" in loss for loss in found.losses)
    assert "probe 'content'" not in " ".join(found.losses)


def test_tools_as_a_message_of_their_own_are_given() -> None:
    template = (
        "{% if messages[0].role != 'functions' %}{{ raise_exception('no functions') }}{% endif %}"
        "{% for m in messages %}{{ m.role }}: {{ m.content or '' }}{% for c in m.tool_calls or [] %}<fcall>"
        '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments }}}{% endfor %}</s>\n{% endfor %}'
    )
    assert infer(template).format.call == "<fcall>{call}"
    assert tag_of(template).tag == "<fcall>"


LAST = (
    "{% for m in messages %}{% if m.role == 'user' %}<<user>>{{ m.content }}<<end>>\n"
    "{% elif loop.last %}<<bot>>\n{{ m.content or '' }}<<end>>\n{% else %}<<bot>>\n{{ m.content or '' }}"
)


# Nemotron Nano 2 takes a last message of the assistant for the beginning of an answer, of which it writes the content
# alone: "it does not write tool calls".
def test_calls_that_are_written_once_something_follows_them() -> None:
    calls = each('<do>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</do>\n')
    found = infer(chat(calls, head=LAST, content=""), samples=40)
    assert found.format.call == "<do>{call}</do>"
    assert found.format.drop == ("<<end>>",)
    assert any("only if another message follows" in loss for loss in found.losses)
    output = parse('So:\n<do>{"name": "f", "arguments": {"a": 1}}</do>\n<<end>>', ["f"], format=found.format)
    assert (output.content, [call.arguments for call in output.calls]) == ("So:\n", [{"a": 1}])


# Of Apertus the tools, of sarashina the calls: 'dict object' has no attribute 'name'.
@pytest.mark.parametrize(
    ("head", "call"),
    [
        (HEAD, "<do {{ c.name }}>{{ c.arguments | tojson }}</do>"),
        ("{% for tool in tools or [] %}{{ tool.name + ': ' + tool.description }}\n{% endfor %}" + HEAD, None),
    ],
)
def test_calls_and_tools_without_the_key_function(head: str, call: str | None) -> None:
    written = call or "<do {{ c.function.name }}>{{ c.function.arguments | tojson }}</do>"
    found = infer(chat(each(written), head=head + THINK), samples=40)
    assert found.format.call == "<do {name}>{arguments}</do>"
    assert any("without the key 'function'" in loss for loss in found.losses)


# What the last and least usual way of asking had shown was said: "'dict object' has no attribute 'content'".
@pytest.mark.parametrize(
    "content",
    [
        "{{ m.content }}",
        "{{ m.content + '' }}",
        "{{ raise_exception('no functions') if m.role not in ['user', 'assistant'] }}{{ m.content }}",
        "{{ m['content'][0]['text'] }}",
    ],
)
def test_a_template_without_calls_is_told_so(content: str) -> None:
    head = "{% for m in messages %}<<{{ m.role }}>>" + content + "<<end>>\n{% endfor %}"
    with pytest.raises(FormatError, match="it does not write tool calls"):
        infer(head)


def test_a_template_that_refuses_a_call_says_why() -> None:
    head = HEAD.replace("<<bot>>\n", "<<bot>>\n{{ raise_exception('no tools, please') if m.tool_calls }}")
    with pytest.raises(FormatError, match="no tools, please"):
        infer(chat("", head=head))


# -- what a template's author is told ----------------------------------------------------------------------------------


NAMELESS = "<go>{{ c.function.arguments | tojson }}</go>"
VALUES = "{% for k, v in c.function.arguments.items() %}%s{% endfor %}"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (NAMELESS, "it does not write the name of a call: write all of each of message.tool_calls"),
        ("<go {{ c.function.name }}>" + VALUES.replace("%s", "<v>{{ v }}</v>") + "</go>", "the keys of a call: write"),
        ("<go {{ c.function.name }}>" + VALUES.replace("%s", "<v>{{ k }}</v>") + "</go>", "the values of a call: write"),
        ("<go>{{ c.function.name }}" + VALUES.replace("%s", "|{{ k }}|{{ v }}") + "</go>", "write the value with |tojson, or a marker after it"),
        (
            "<go>{{ {'name': c.function.name, 'arguments': c.function.arguments} | tojson | e }}</go>",
            "the template writes '&#34;' for a character: write it as it is: without |e, and with autoescape off",
        ),
        (
            "<go {{ c.function.name }}>" + VALUES.replace("%s", "<p={{ k }}>{{ v | urlencode }}</p>") + "</go>",
            "'red%20green'; write the arguments with |tojson",
        ),
    ],
)  # fmt: skip
def test_a_refusal_says_what_to_write(call: str, words: str) -> None:
    with pytest.raises(FormatError) as refused:
        infer(chat(each(call)), samples=20)
    assert words in str(refused.value)


# The check of content before a call said "0 calls came back instead of 1", the random messages said why.
@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("{{ c.function.name }}({{ c.function.arguments | tojson }})\n", "write a marker before each call"),
        ("TOOL={{ c.function.name }} {{ c.function.arguments | tojson }}\n", "write a line break between the two"),
    ],
)
def test_every_probe_says_why_a_call_is_not_read_after_content(call: str, words: str) -> None:
    found = infer(chat(each(call)), samples=20)
    told = [loss.partition(":")[0] for loss in found.losses if words in loss]
    assert told[0] == "probe 'content and call'"
    assert not any("came back" in loss for loss in found.losses)


# Such an object was read with quotes as markers, without escapes: a line break came back as a backslash and an n.
def test_an_object_with_bare_keys_has_escapes() -> None:
    pairs = VALUES.replace("%s", "{{ ', ' if not loop.first }}{{ k }}: {{ v | tojson }}")
    found = infer(chat(each("<go {{ c.function.name }}>{{ '{' }}" + pairs + "}</go>")), samples=40)
    assert (found.format.call, found.format.arguments) == ("<go {name}>{arguments}</go>", ScriptObject())
    assert found.confidence == 1


# The sign with which a marker begins was taken for the closer of the value before it: `<|{parameters}end|>`.
def test_a_marker_is_not_cut_at_its_key() -> None:
    pairs = VALUES.replace("%s", "<|{{ k }}|>{{ v | tojson }}")
    found = infer(chat(each("<|{{ c.function.name }}|>" + pairs + "<|end|>")), samples=40)
    assert found.format.call == "<|{name}|>{parameters}<|end|>"
    assert found.format.parameter == ("<|{key}|>{json}",)
    assert found.confidence == 1


# An object cannot have a field of its call beside it: "the arguments appear twice", although they did not.
@pytest.mark.parametrize("opener", ['<call id="{{ c.id }}">', "<call {{ loop.index0 }}>"])
def test_an_object_beside_an_id_is_written_out(opener: str) -> None:
    found = infer(
        chat(each(opener + '{"fn": "{{ c.function.name }}", "args": {{ c.function.arguments | tojson }}}</call>'))
    )
    assert found.format.call.endswith('>{"fn": "{name}", "args": {arguments}}</call>')
    assert found.confidence == 1
