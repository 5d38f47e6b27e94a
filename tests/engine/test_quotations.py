# Which text quotes besides code between backticks, and where a turn is over.
# Does not depend on how that is found out; backticks (test_quotes.py).
"""Calls in fences of tildes, in quoted lines, in HTML, in made-up results, and after another message's header."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support import depth
from tests.support.chunkings import account, calls_of, codes_of, content_of, events_of, read_with
from tests.support.face import faced
from toolglean import Content, Markup, Parser, ParserOptions, Problem, join
from toolglean.formats.quotations import OTHERS, RESULTS

OVER = "another-message"
TOOLS = ["f", "g"]
HERMES = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
FENCED = '```json\n{"x": 1}\n```</g>'  # as in a call of DeepSeek's
CALLS = {
    "hermes": HERMES,
    "qwen3-coder": "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>",
    "mistral-v13": '[TOOL_CALLS]f[ARGS]{"x": 1}',
    "mistral": '[TOOL_CALLS] [{"name": "f", "arguments": {"x": 1}}]',
    "llama3-json": '<|python_tag|>{"name": "f", "parameters": {"x": 1}}',
    "deepseek-v3.1": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"x": 1}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "kimi-k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
    '{"x": 1}<|tool_call_end|><|tool_calls_section_end|>',
    "glm-4.5": "<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
    "gemma4": "<|tool_call>call:f{x:1}<tool_call|>",
    "command-a": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "f", "parameters": {"x": 1}}]<|END_ACTION|>',
    "minimax-m2": '<minimax:tool_call>\n<invoke name="f">\n<parameter name="x">1</parameter>\n</invoke>\n</minimax:tool_call>',
    "lfm2": "<|tool_call_start|>[f(x=1)]<|tool_call_end|>",
    "granite": '<|tool_call|>[{"name": "f", "arguments": {"x": 1}}]',
    "harmony": '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x": 1}<|call|>',
    "functionary-v3.2": '>>>f\n{"x": 1}',
}


class Row(NamedTuple):
    """Text around a call, and how many calls it has then."""

    what: str
    text: str
    calls: int = 0
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


QUOTING = [
    Row("a fence of tildes", "So:\n~~~xml\nCALL\n~~~\nDone."),
    Row("a fence in a docstring", 'So:\n```py\ndef f():\n    """\n    ```\n    CALL\n    ```\n    """\n```'),
    Row("a fence of tildes in it", "So:\n~~~py\ndef f():\n    '''\n    ~~~\n    CALL\n    ~~~\n    '''\n~~~"),
    Row("a fence that is deeper, and a call behind it", "~~~\nx\n    ~~~\nCALL"),
    Row("a fence that is much deeper", "So:\n```py\nx\n          ```\nCALL"),
    Row("a fence of a numbered item, closed a blank further right", "1. a\n   ```\n   b\n    ```\nCALL", 1),
    Row("a fence of an item, closed where it opened", "- a\n\n      ```\n      b\n      ```\nCALL", 1),
    Row("a fence of an item, closed further left", "- a\n\n      ```\n      b\n  ```\nCALL", 1),
    Row("a result with an attribute", '<tool_response name="x">\nCALL\n</tool_response>\nDone.'),
    Row("a result with a line break in its tag", "<tool_result\n id='a'>\nCALL\n</tool_result>\nDone."),
    Row("an example", "<example>\nCALL\n</example>\nDone."),
    Row("an example with an attribute", '<example id="1">\nCALL\n</example>\nDone.'),
    Row("an example on its line", "So:\n<example>CALL</example>\nDone."),
    *(Row(each, f"So:\n<{each}>\nCALL\n</{each}>\nDone.") for each in ("quote", "document", "documents", "stdout")),
    Row("a file, as agents show it", '<file_content path="a.md">\nCALL\n</file_content>\nDone.'),
    Row("a document that was closed", "<document>\nA report.\n</document>\n\nCALL", 1),
    Row("an example's word", "The <example> tag.\nCALL", 1),
    Row("an example's word that begins a line", "<example> is a tag.\nCALL", 1),
    Row("the beginning of CDATA as a word", "Use <![CDATA[ to\nCALL", 1),
    Row("a quotation of HTML", "So:\n<blockquote>\nCALL\n</blockquote>"),
    Row("a section of CDATA", "So:\n<![CDATA[\nCALL\n]]>"),
    Row("what is folded", "<details>\n<summary>A</summary>\n\nCALL\n\n</details>\nDone."),
    Row("a call behind what is folded", "<details>\n<summary>A</summary>\nb\n</details>\n\nCALL", 1),
    Row("text of a wiki that is no markup", "So <nowiki>CALL</nowiki> it is."),
    Row("indented code, and text behind it", "So:\n\n    CALL\n\nDone."),
    Row("code that a tab indents", "So:\n\n\tCALL\n\nDone."),
    Row("indented code in an item", "1. So:\n\n       CALL\n\n2. Done."),
    Row("an indented call at the end of the turn", "So:\n\n    CALL\n", 1),
    Row("two of them", "So:\n\n    CALL\n\n    CALL", 2),
    Row("a call behind an indented one", "So:\n\n    CALL\n\nCALL", 2),
    Row("an indented call between tags", "<actions>\n    CALL\n</actions>\n", 1),
    Row("two between tags", "<a>\n  <b>\n    CALL\n    CALL\n  </b>\n</a>", 2),
    Row("indented code between tags, and text behind it", "<a>\n    CALL\n</a>\nDone."),
    Row("a call that three blanks indent", "So:\n\n   CALL\n\nDone.", 1),
    Row("the user's words", "So:\n<user>\nCALL\n</user>\nDone."),
    Row("a word that stands for something", "ssh <user>@host or <user>\nCALL", 1),
    Row("a fence behind an item's sign", "- ```\n  b\n  ```\nCALL", 1),
    Row("one without a word", "So:\n~~~\nCALL\n~~~\n"),
    Row("one with more than a word", 'So:\n~~~xml title="a b"\nCALL\n~~~\n'),
    Row("one that is indented", "1. So:\n   ~~~xml\n   CALL\n   ~~~\n"),
    Row("one that never ends", "So:\n~~~\nCALL"),
    Row("a longer one", "So:\n~~~~\n~~~\nCALL\n~~~~\n"),
    Row("one that opens the turn, with something else", "~~~xml\nyes\nCALL\n~~~"),
    Row("a quoted line", "So:\n> CALL\nDone."),
    Row("a line that is quoted twice", "So:\n> > CALL\nDone."),
    Row("text before it in a quoted line", "So:\n> Write CALL here.\nDone."),
    Row("a quoted line that ends the turn", "So:\n> CALL"),
    Row("a comment", "So: <!-- CALL --> Done."),
    Row("a comment over lines", "So:\n<!--\nfor example:\nCALL\n-->\nDone."),
    Row("a comment that never ends", "So:\n<!-- CALL"),
    Row("pre", "So:\n<pre>\nCALL\n</pre>\nDone."),
    Row("pre in a line", "So: <pre>CALL</pre> Done."),
    Row("elements for input and output", "Press <kbd>x</kbd>, <samp>y</samp>: <samp>CALL</samp>"),
    Row("a style", "<style>\nCALL\n</style>"),
    Row("a fence with attributes in an item", '1. So:\n\n    ```xml title="a.xml"\n    # a\n\n    CALL\n    ```\n'),
    Row("a fence with attributes on the line of an item", '- ```xml {1,3} title="a b"\n  x\n\n  CALL\n  ```\n'),
    Row(
        "a fence with classes, deep in a list",
        "- a\n    - b\n\n        ``` {.xml .x}\n        - x\n        CALL\n        ```\n",
    ),
    Row("a quoted line behind reasoning", "<think>x</think>> CALL"),
    Row("what is shown behind a marker", "<think>x</think><stdout>\nCALL\n</stdout>"),
    Row("a quoted line behind a byte order mark", "\ufeff> - CALL"),
    Row("a quoted line in an item", "1. So:\n\n    > So it is.\n    > CALL\n"),
    Row("a quoted line on the line of an item", "- > CALL\n- b\n"),
    Row("a quoted line on the line of an item in an item", "1. - > So: CALL\n"),
    Row("a fence of many words on the line of an item", "- ```xml that is it\n  a\n\n  CALL\n  ```\n"),
    Row("a fence of many words deep in an item", "- a\n\n    ``` xml that is it\n    CALL\n    ```\n"),
    Row("what is shown in an item", "- <example>\n  CALL\n  </example>\n"),
    Row("a fence behind a line about fences", "It ends with ```\n\n```\nCALL\n```\nok"),
    Row("a fence behind a line about fences and its stop", "It ends with ```.\n```\nCALL\n```\nok"),
    Row("a fence behind an escaped one", "So:\n\n\\```\n```\nCALL\n```"),
    Row("an escaped fence in a fence", "So:\n\n```md\n\\```\nCALL\n```"),
    Row("a fence behind one with a call that has its own", f"So:\n```\n{FENCED}\n```\nOr:\n```\nCALL\n```"),
    Row("a fence of tildes behind one with such a fence", "So:\n~~~\n~~~json\na\n~~~<a>\n~~~\nOr:\n~~~\nCALL\n~~~"),
    Row("a call behind a fence with such a call", f"So:\n```\n{FENCED}\n```\nCALL", 1),
    Row("a fence behind one with a word in a document", "So:\n```md\n# A\n```json\n{}\n```\nCALL\n```\nDone."),
    Row("code around a whole message", "A turn is `Let me see. CALL<|im_end|>` there."),
    Row("code around a message with its header", "A turn is `<|im_start|>assistant CALL<|im_end|>` there."),
    Row("indented code with reasoning", "So:\n\n    <think>Hm.</think>\n    CALL\n\nDone."),
    Row("indented code with a header", "So:\n\n    <|im_start|>assistant\n    CALL<|im_end|>\n\nDone."),
    Row("a line of indented code", "So:\n\n    # Form: CALL\n    x = load()\n\nDone."),
    Row("a line of indented code behind a call", "CALL\n\n    # Form: CALL\n\nDone.", 1),
    Row("a line of an item in an item", "- a\n    - So: CALL\nDone.", 1),
    Row("calls that are indented behind a call", "CALL\n    CALL\n    CALL\nDone.", 3),
    Row("a string with reasoning", "text = '<think>Hm.</think>CALL'\nrun(text)"),
    Row("a string with the end of reasoning", "text = 'CALL</think>'\nrun(text)"),
    Row("a string with the end of a message", "text = 'Let me see. CALL<|im_end|>'\nrun(text)"),
    Row("a string behind the end of a message", "run(text='<|im_end|>CALL')\nrun()"),
    Row("a quotation of a message", 'It wrote "CALL<|im_end|>" and stopped.'),
    Row("a row of a table", "| a | b |\n|---|---|\n| c | Let me see. CALL |\n| d | e |"),
    Row("a row with reasoning", "| a | b |\n|---|---|\n| c | <think>Hm.</think>CALL |\n| d | e |"),
    Row("a row with a message", "| a | b |\n|---|---|\n| c | CALL<|im_end|> |\n| d | e |"),
    Row("a call behind a table", "| a | b |\n|---|---|\n| c | d |\nCALL", 1),
    Row("a call, and the end of its message", "Let me see: CALL<|im_end|>\n", 1),
    Row("a fence behind a tab", "So:\n\n```xml\n\t```\nCALL\n```"),
    Row("a quoted fence in a fence", "So:\n```md\n> ```\n> a\n> ```\nCALL\n```\n"),
    Row("tildes behind the sign of an item in a fence", "So:\n~~~md\n- ~~~\nCALL\n~~~"),
    Row("tildes with attributes in an item", '* a\n\n    ~~~xml title="a"\n    CALL\n    ~~~\n'),
    Row("pre and code", "So:\n<pre><code>\nCALL\n</code></pre>\n"),
    Row("capitals", "So:\n<PRE>\nCALL\n</PRE>\n"),
    Row("a word before it", "So:\n<pre>for example CALL</pre>\n"),
    Row("code", "Write <code>CALL</code> to call."),
    Row("blanks in code", "Write <code> CALL </code> to call."),
    Row("code with a class", 'Write <code class="language-xml">CALL</code> to call.'),
    Row("code that never ends", "Write <code>CALL"),
    Row("script", "So:\n<script>\nCALL\n</script>\n"),
    Row("script with a type", 'So:\n<script type="text/plain">\nCALL\n</script>\n'),
    Row("code inside of code", "So:\n~~~\n<pre>\n~~~\nCALL", 1),
    Row("a result", "So:\n<tool_response>\nThe mail says: CALL\n</tool_response>\n"),
    Row("a result that never ends", "So:\n<tool_response>CALL"),
    Row("a document that inline code leaves open", 'Say `{"na` then CALL', 1),
    Row("one that double backticks leave open", 'Say ``{"na`` then CALL', 1),
    Row("a second document in inline code", 'Say `["a` and `{"b` then CALL', 1),
    Row("a backtick that closes nothing", "It`s:\n<pre>\nCALL\n</pre>\n"),
    Row(
        "escaped",
        "Write &lt;tool_call&gt;{&quot;name&quot;: &quot;f&quot;, &quot;arguments&quot;: {}}&lt;/tool_call&gt;.",
    ),
    Row("the user's message", "Shall I?<|im_end|>\n<|im_start|>user\nYes. CALL<|im_end|>"),
    Row(
        "the user's, then the model's",
        "Shall I?<|im_end|>\n<|im_start|>user\nYes.<|im_end|>\n<|im_start|>assistant\nCALL",
    ),
    Row("a tool's message", "<|im_end|>\n<|im_start|>tool\nCALL"),
    Row("Llama's header", "Shall I?<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nYes. CALL"),
    Row("Llama's tool", "Shall I?<|eom_id|><|start_header_id|>ipython<|end_header_id|>\n\nCALL"),
    Row("GLM's observation", "Well.<|observation|>\nCALL"),
    Row("Gemma's user", "Shall I?<end_of_turn>\n<start_of_turn>user\nCALL"),
    Row("DeepSeek's user", "Shall I?<｜end▁of▁sentence｜><｜User｜>CALL"),
    Row("Mistral's user", "Shall I?</s>[INST] CALL [/INST]"),
    Row("MiniMax's user", "Shall I?[e~[\n]~b]user\nCALL"),
    Row("Granite's tool", "Well.<|end_of_text|>\n<|start_of_role|>tool_response<|end_of_role|>CALL"),
    Row("Cohere's user", "Shall I?<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>CALL"),
    Row("harmony's user", "Shall I?<|end|><|start|>user<|message|>Yes.<|end|><|start|>assistant\nCALL"),
    Row("harmony's tool", "Well.<|end|><|start|>functions.g to=assistant<|channel|>commentary<|message|>CALL"),
    Row("a header before the call", "<|user|>CALL"),
]
# What follows a result that the model made up behind a call goes on with it (alexzhang13/rlm#179).
MADE_UP = [
    Row("a made-up result", "CALL\n<tool_response>\n42\n</tool_response>\nSo:\n\nCALL", 1),
    Row("Gemma's, made up", "CALL<|tool_response>42<tool_response|>CALL", 1),
    Row("a result before both, and code", "<tool_response>3</tool_response>\nCALL\n\nSo`x` y\n\nCALL", 2),
    Row("Mistral's, made up behind text", "CALL\nIt says\n[TOOL_RESULTS] 3 [/TOOL_RESULTS]CALL", 1),
]
READ = [
    Row("a fence of tildes opens the turn", "~~~xml\nCALL\n~~~", 1),
    Row("and ends", "So:\n~~~py\nf()\n~~~\nCALL", 1),
    Row("a word that is struck out", "So ~~not~~ this.\nCALL", 1),
    Row("after a quoted line", "> do it\nCALL", 1),
    Row("after two", "> do it\n> now\n\nCALL", 1),
    Row("more than", "1 > 0, so:\nCALL", 1),
    Row("after a comment", "<!-- now -->\nCALL", 1),
    Row("after pre", "<pre>\nls\n</pre>\nCALL", 1),
    Row("after code", "I use <code>ls</code>. CALL", 1),
    Row("a mention", "I add a <script> tag to the page.\nCALL", 1),
    Row("a mention at the end of a sentence", "I add a <pre>.\nCALL", 1),
    Row("a mention in brackets", "The elements (<pre>, <code>) matter. CALL", 1),
    Row("a mention in backticks", "I use `<pre>` and `<!--`.\nCALL", 1),
    Row("a fence in a line whose code ends with a backtick", "So: ```md\nuse `x`\n```\nCALL", 1),
    Row("fences in an item", "1. a\n\n    ```\n    x\n    ```\nCALL", 1),
    Row("fences behind tabs", "\t```\n\tx\n\t```\nCALL", 1),
    Row("an empty fence with a word in a line", "So: ```json\n```\nCALL", 1),
    Row("a comparison", "As a - > b, and 3 > 2. CALL", 1),
    Row("another element", "<prefix>a</prefix> <coder>b\nCALL", 1),
    Row("after a result", "<tool_response>\n3\n</tool_response>\nCALL", 1),
    Row("Mistral's result", "[TOOL_RESULTS] 3 [/TOOL_RESULTS]\nCALL", 1),
    Row("a marker in code", "A result is in `<tool_response>`.\nCALL", 1),
    Row("a header in code", "ChatML writes `<|im_start|>user`.\nCALL", 1),
    Row("a header in a fence", "ChatML:\n```\n<|im_start|>user\nHi\n```\nCALL", 1),
    Row("the model's own header", "Well.<|im_end|>\n<|im_start|>assistant\nCALL", 1),
    Row("Llama's own header", "Well.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nCALL", 1),
    Row("a word like a role's", "<|im_start|>users like it.\nCALL", 1),
    Row("brackets", "See [1], [TODO] and [INSTALL].\nCALL", 1),
]


BY_AUTO_AND_BY_NAME = [(family, name) for family in CALLS for name in (None, family)]


def _of(row: Row, name: str | None, call: str) -> tuple[str, list[Any]]:
    text = row.text.replace("CALL", call)
    make = lambda: Parser(TOOLS, format=name, **faced(**row.options, markup=True))  # noqa: E731
    return text, events_of(make, text, one_of_many=True)


@pytest.mark.parametrize("row", [*QUOTING, *MADE_UP], ids=[row.what for row in [*QUOTING, *MADE_UP]])
def test_what_is_quoted_is_not_a_call(row: Row) -> None:
    for family, name in depth.chosen(BY_AUTO_AND_BY_NAME, 2, key=lambda way: f"{way} {row.what}"):
        _, events = _of(row, name, CALLS[family])
        assert len(calls_of(events)) == row.calls, (family, name)
        if row.text.count("CALL") > row.calls and (row in MADE_UP or not row.calls):
            assert [event for event in events if isinstance(event, Problem)], "a call was missed, and nothing says so"


@pytest.mark.parametrize("row", READ, ids=[row.what for row in READ])
def test_what_only_looks_like_it_hides_no_call(row: Row) -> None:
    for family, name in depth.chosen(BY_AUTO_AND_BY_NAME, 2, key=lambda way: f"{way} {row.what}"):
        _, events = _of(row, name, CALLS[family])
        assert len(calls_of(events)) == row.calls, (family, name)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("pair", RESULTS, ids=[pair[0] for pair in RESULTS])
@pytest.mark.parametrize("name", [None, "hermes", "gemma4"])
def test_what_is_in_a_result_is_no_call(pair: tuple[str, str], name: str | None) -> None:
    call = CALLS[name or "hermes"]
    text = f"So:\n{pair[0]}\nthe note says {call}\n{pair[1]}\n{call}"
    events = read_with(TOOLS, text, format=name)
    assert len(calls_of(events)) == 1
    assert next(event.code for event in events if isinstance(event, Problem)) == "quoted-call"


@pytest.mark.sampled(50)
@pytest.mark.parametrize("header", OTHERS)
@pytest.mark.parametrize("name", [None, "hermes", "mistral-v13"])
def test_after_the_header_of_another_all_is_content(header: str, name: str | None) -> None:
    call = CALLS[name or "hermes"]
    text = f"Well.{header}\nYes.\n{call}<think>so</think>{call}"
    events = read_with(TOOLS, text, format=name)
    assert not calls_of(events)
    assert content_of(events).endswith(f"Yes.\n{call}<think>so</think>{call}")
    assert codes_of(events) == [OVER]


@pytest.mark.parametrize("row", QUOTING, ids=[row.what for row in QUOTING])
def test_quotations_are_read_if_asked_for_and_other_messages_never(row: Row) -> None:
    text = row.text.replace("CALL", HERMES)
    events = read_with(TOOLS, text, quoted="call")
    over = any(isinstance(event, Problem) and event.code == OVER for event in events)
    assert len(calls_of(events)) == (0 if over else row.text.count("CALL"))
    markers = ("_header_id|>", "<|", "<start_of", "｜>", "INST", "~b]")
    # A message in code or in a string has no role of another behind its marker.
    assert over == any(each in text.replace("<|im_end|>", "").replace("<|im_start|>assistant", "") for each in markers)


@pytest.mark.parametrize(("family", "name"), BY_AUTO_AND_BY_NAME)
@pytest.mark.parametrize("result", ["<tool_response>\n42\n</tool_response>\nSo:", "[TOOL_RESULTS]4[/TOOL_RESULTS]"])
def test_calls_behind_a_result_that_reasoning_made_up(result: str, family: str, name: str | None) -> None:
    """The reasoning went on behind the first one, and the second one ran if the turn ended with it."""
    text = f"<think>\nI look.\n{CALLS[family]}\n{result}\n{CALLS[family]}"
    assert calls_of(read_with(TOOLS, text, format=name)) == []
    assert len(calls_of(read_with(TOOLS, text.replace(result, "Well."), format=name))) == 1


def test_calls_behind_a_result_are_read_if_asked_for() -> None:
    text = MADE_UP[0].text.replace("CALL", HERMES)
    events = read_with(TOOLS, text, quoted="call")
    assert len(calls_of(events)) == 2


@pytest.mark.parametrize("header", ["<|im_start|>user", "<|observation|>", "<|user|>\n"])
@pytest.mark.parametrize("name", [None, "hermes", "glm-4.5"])
def test_a_header_at_the_end_is_no_problem(header: str, name: str | None) -> None:
    call = CALLS[name or "hermes"]
    events = read_with(TOOLS, call + header, format=name)
    assert len(calls_of(events)) == 1
    assert not [event for event in events if isinstance(event, Problem)]


@pytest.mark.parametrize("name", [None, "hermes", "qwen3", "qwen3-coder", "xlam", "olmo-3", "nemotron", "ui-tars"])
def test_the_headers_of_chatml_are_read_as_with_auto(name: str | None) -> None:
    # By name, the model's own header was content; with Hermes's, the marker of another one's was markup.
    make = lambda: Parser(TOOLS, format=name, options=ParserOptions(markup=True))  # noqa: E731
    own = events_of(make, "Hi<|im_end|>\n<|im_start|>assistant\nText")
    assert content_of(own) == "HiText"
    assert not [event for event in own if isinstance(event, Problem)]
    others = events_of(make, "Hi<|im_end|>\n<|im_start|>user\nText")
    assert content_of(others) == "Hi<|im_start|>user\nText"
    assert codes_of(others) == [OVER]


@pytest.mark.parametrize(
    ("text", "count"),
    [("Write \\CALL", 0), ("So:\n\\CALL\nDone.\n", 0), ("\\CALL\n\nCALL", 1), ("C:\\ CALL", 1), ("C:\\\\CALL", 1)],
)
@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "mistral-v13", "glm-4.5", "gemma4", "minimax-m2"])
def test_an_escaped_opener_opens_nothing(name: str, text: str, count: int) -> None:
    for given in (name, None):
        make = lambda: Parser(TOOLS, format=given, options=ParserOptions(markup=True))  # noqa: B023, E731
        events = events_of(make, text.replace("CALL", CALLS[name]))
        assert len(calls_of(events)) == count, given
        told = codes_of(events)
        assert count or "quoted-call" in told or "unread-call" in told


def test_a_call_that_goes_on_after_a_quoted_line_is_quoted_as_a_whole() -> None:
    call = CALLS["qwen3-coder"]
    events = read_with(TOOLS, f"> {call}\n{call}")
    assert len(calls_of(events)) == 1


@pytest.mark.parametrize("name", [None, "hermes", "qwen3-coder"])
def test_a_closer_is_no_opener_that_lacks_its_bracket(name: str | None) -> None:
    """With another family's marker in the turn, `tool_call>` is looked for everywhere: a quoted line went on there."""
    events = read_with(TOOLS, f"</s>\n> {HERMES}\n[ok]{HERMES}", format=name)
    assert len(calls_of(events)) == 1


def test_a_prompt_with_the_users_header_does_not_end_the_turn() -> None:
    prompt = "<|im_start|>user\nDo it.<|im_end|>\n<|im_start|>assistant\n"
    for given in (prompt, "<|im_start|>user\nDo it."):
        events = read_with(TOOLS, HERMES, prompt=given)
        assert len(calls_of(events)) == 1


def test_tokens_without_an_end_lose_nothing() -> None:
    for unit in ("`<pre>` ", "<pre ", "~", "\n> ", "[e~[", "<|im_start|>use", "<!-- -->", "``` <code> "):
        text = unit * ((10_000 if depth.is_full() else 1_500) // len(unit))
        for size in (1, 4, len(text)):
            parser = Parser(TOOLS, options=ParserOptions(markup=True))
            events = [event for i in range(0, len(text), size) for event in parser.feed(text[i : i + size])]
            account(join(events + parser.finish()), text)


@pytest.mark.parametrize("size", [4000, 4200, 5000])
def test_a_closer_that_comes_too_late_does_not_end_the_turn(size: int) -> None:
    # Whether it is still waited for depended on the cuts, and with it the place of the problem.
    call = '<invoke name="f">\n<parameter name="x">1</parameter>\n</invoke>\n'
    text = f"{call}{'9' * size}<|user|>z</function_calls> y"
    events = read_with(TOOLS, text, format="anthropic")
    assert codes_of(events) == [OVER]


def test_a_string_that_inline_code_leaves_open_closes_no_other() -> None:
    """A call in a string of the document after it is text. (On one line: a line break ends a string.)"""
    text = f'Say `{{"na` and {{"b": "{HERMES}'
    events = read_with(TOOLS, text, format="hermes")
    assert not calls_of(events)
    assert content_of(events) == text


def test_a_document_after_a_lone_backtick_is_one() -> None:
    """Its strings may contain another backtick: only one in the first word of the code ends with it."""
    for text in (f'it`s {{"c": "` {HERMES}', f'so ` {{"c": "` {HERMES}', f'So `x ["` {HERMES}'):
        events = read_with(TOOLS, text, format="hermes")
        assert not calls_of(events)


def test_a_call_that_is_read_again_begins_where_it_began() -> None:
    """The next call's header came twice, and the end of the first one was lost: a lone backtick in a call that breaks
    off makes the next one doubtful, and that one is read again from its beginning.
    """
    header = "<|channel|>commentary to=json<|message|>"
    text = f'{header}{{"x`: "y"}}<|call|><|start|>assistant{header}{{'
    ways: tuple[dict[str, Any], ...] = ({}, {"unknown_tools": "content"})
    for arguments in ways:
        texts = [
            each for each in read_with(TOOLS, text, format="harmony", **arguments) if isinstance(each, Content | Markup)
        ]
        assert all(text.startswith(each.text, each.start) for each in texts)


def test_a_result_in_code_is_made_up_too() -> None:
    """Behind a call; a call behind that result ran if all of it came at once."""
    events = read_with(TOOLS, f"{HERMES}\n`<tool_response>x</tool_response>`\n{HERMES}", format="hermes")
    assert len(calls_of(events)) == 1
