# Places where a call may be written, and what is decided about each. The call is not changed.
# Does not depend on how a turn is read (contexts.py).
"""Contexts around a well written call: prose, code, quotations, tool results, other turns, reasoning."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress

from fuzz.context_calls import DELETE, SEND, TOOLS, Context, Written
from toolglean import UsageError
from toolglean.formats.render import render

__all__ = ["PLACES", "QUOTED"]

Turn = Callable[[Written], "str | None"]

_FENCE = "a fence after other content is code"
_TILDES = "a fence of tildes is code"
_QUOTE = "a line that begins with `> ` quotes"
_HTML = "HTML's comments, pre, code and script quote"
_RESULT = "the text of a tool's result is text"
_ROLE = "a header of another role ends the turn"
_TEXT = "escaped text in a JSON document is text"
_DRAFT = "reasoning or its closer follows: reasoning"
_ANY = "any family's reasoning markers open reasoning"
_NO_TRACE = "an undone reading leaves no trace"
_OPEN = "no rule decides it"


def _around(before: str, after: str) -> Turn:
    return lambda written: before + written.send + after


def _marked(before: str, after: str) -> Turn:
    # Only calls with a marker of their own may come after prose.
    return lambda written: before + written.send + after if written.marked else None


def _fence(before: str, word: str, after: str = "\n", mark: str = "```", *, closer: bool = True) -> Turn:
    def turn(written: Written) -> str:
        fence = mark + "`" if written.fenced and mark == "```" else mark
        return f"{before}{fence}{word}\n{written.send}\n{fence if closer else ''}{after}"

    return turn


def _inline(written: Written, ticks: str = "`") -> str | None:
    one_line = "\n" not in written.send and "`" not in written.send
    return f"It writes {ticks}{written.send}{ticks} for that." if one_line else None


def _lines(mark: str, before: str = "The page says:\n\n", after: str = "\nThat is all.\n") -> Turn:
    def turn(written: Written) -> str:
        return before + "".join(f"{mark}{line}\n" for line in written.send.split("\n")) + after

    return turn


def _in_json(before: str, after: str, times: int = 1) -> Turn:
    def turn(written: Written) -> str:
        text = written.send
        for _ in range(times):
            text = json.dumps(text)
        return before + text + after

    return turn


def _own_reasoning(after_the_call: str | None, *, words: bool = False) -> Turn:
    # With a text: the call is inside the reasoning, and the text follows. Without: the call follows the reasoning.
    # `words`: only where words of prose open the reasoning, which are not markers unless the format is named.
    def turn(written: Written) -> str | None:
        opener, closer = written.format.reasoning
        if not opener or written.format.calls_in_reasoning:
            return None
        if after_the_call is None:
            with suppress(UsageError):
                return render(written.format, [SEND], reasoning="They want it.", tools=TOOLS)
            return None
        if words == opener.startswith(("<", "[")):
            return None
        return f"{opener}I could write {written.send}{after_the_call}{closer}Hello."

    return turn


def _as_value(before: str, after: str, *, escaped: bool) -> Turn:
    # The call as the value of `note`, a tool that takes any text.
    def turn(written: Written) -> str:
        return before + (json.dumps(written.send) if escaped else written.send) + after

    return turn


def _rows() -> Iterator[Context]:
    yield from _plain()
    yield from _mentions()
    yield from _code()
    yield from _html()
    yield from _results()
    yield from _turns()
    yield from _escaped()
    yield from _reasoning()
    yield from _values()


def _plain() -> Iterator[Context]:
    alone = "a call alone is a call"
    kept = "text before, between and after calls is content"
    yield Context("the call alone", "runs", alone, _around("", ""))
    yield Context("a line break after it", "runs", alone, _around("", "\n"))
    yield Context("a line of prose before it", "runs", kept, _marked("I send it.\n", ""))
    yield Context("a paragraph before it", "runs", kept, _marked("Ann is owed five.\n\nI send it now:\n\n", ""))
    yield Context("prose after it", "runs", kept, _marked("", "\nDone."))
    yield Context(
        "two calls", "runs", kept, lambda written: written.both if written.marked else None, calls=(SEND, DELETE)
    )
    yield Context("a lone backtick before it", "runs", _NO_TRACE, _marked("It`s here:\n", ""))
    yield Context("the end of the turn after it", "runs", "end markers are markup", _marked("", "<|im_end|>"))
    yield Context(
        "quotation marks around it", "either", "quotation marks are not marks of quotation", _around('He wrote "', '".')
    )
    yield Context(
        "words that take it back", "either", "words are not marks of quotation", _around("Do not run this:\n", "")
    )


def _mentions() -> Iterator[Context]:
    for name, before in (
        ("inline code with <!-- and <pre>", "I write `<!--` and `<pre>` here.\n"),
        ("inline code with <tool_response>", "The `<tool_response>` marker, then:\n"),
        ("inline code with another turn's header", "After `<|im_end|>` comes `<|im_start|>user` there.\n"),
        ("> within a line", "5 > 3, so:\n"),
        ("tildes within a line", "Not ~~5~~ but 6, ~~~ or so:\n"),
        ("&lt; within a line", "As a &lt; b:\n"),
    ):
        yield Context(f"after {name}", "runs", "a mention of a marker quotes nothing", _marked(before, ""))
    for name, before in (
        ("<!--", "So <!-- begins a comment.\n"),
        ("<pre>", "So <pre> begins code.\n"),
        ("<tool_response>", "So <tool_response> begins a result.\n"),
    ):
        yield Context(f"after {name} in prose, never closed", "either", _OPEN, _marked(before, ""))


def _code() -> Iterator[Context]:
    for word in ("", "json", "xml", "python", "text"):
        yield Context(f"a fence after prose, {word or 'no word'}", "content", _FENCE, _fence("For example:\n\n", word))
    yield Context("a fence after prose, longer", "content", _FENCE, _fence("So:\n\n", "", mark="`````"))
    yield Context("a fence after prose, not closed", "content", _FENCE, _fence("So:\n\n", "", "", closer=False))
    yield Context("a fence after prose, then more", "content", _FENCE, _fence("So:\n", "", "\nThat is how.\n"))
    yield Context("a fence in a list", "content", _FENCE, _fence("1. Write:\n\n   ", ""))
    yield Context(
        "a fence is the whole turn",
        "runs",
        "a fence that opens the turn and contains only calls is markup",
        lambda written: _fence("", "json")(written) if written.marked and not written.fenced else None,
    )
    yield Context(
        "a call after a closed fence",
        "runs",
        _NO_TRACE,
        lambda written: f"So:\n\n```\ncode\n```\n\n{written.send}" if written.marked else None,
    )
    for word in ("", "xml"):
        yield Context(
            f"tildes after prose, {word or 'no word'}",
            "content",
            _TILDES,
            _fence("For example:\n\n", word, mark="~~~"),
        )
    yield Context("tildes after prose, longer", "content", _TILDES, _fence("So:\n\n", "", mark="~~~~~"))
    yield Context("tildes after prose, not closed", "content", _TILDES, _fence("So:\n\n", "", "", "~~~", closer=False))
    yield Context("tildes are the whole turn", "either", _OPEN, _fence("", "json", mark="~~~"))
    yield Context("a call after closed tildes", "runs", _NO_TRACE, _marked("So:\n\n~~~\ncode\n~~~\n\n", ""))
    yield Context("inline code", "content", "inline code is code", _inline)
    yield Context("inline code, two backticks", "content", "the same", lambda written: _inline(written, "``"))
    yield Context("a call after inline code", "runs", _NO_TRACE, _marked("I use `send_money` now.\n", ""))
    yield Context(
        "indented by four spaces",
        "either",
        _OPEN,
        lambda written: None if "\nAnn\n" in written.send else _lines("    ")(written),  # a value keeps its spaces
    )


def _html() -> Iterator[Context]:
    yield Context("a block quote", "content", _QUOTE, _lines("> "))
    yield Context("a block quote in a block quote", "content", _QUOTE, _lines("> > "))
    yield Context("a block quote is the whole turn", "content", _QUOTE, _lines("> ", "", ""))
    yield Context("a call after a block quote", "runs", _NO_TRACE, _marked("> pay Ann\n\nI pay her.\n\n", ""))
    yield Context("an HTML comment", "content", _HTML, _around("Hello.\n<!-- ", " -->\nBye."))
    yield Context("an HTML comment is the whole turn", "content", _HTML, _around("<!--\n", "\n-->"))
    yield Context("a call after an HTML comment", "runs", _NO_TRACE, _marked("<!-- pay Ann -->\n", ""))
    for tag in ("pre", "code", "script"):
        yield Context(f"<{tag}>", "content", _HTML, _around(f"So:\n<{tag}>\n", f"\n</{tag}>\n"))
    yield Context("<pre><code class=…>", "content", _HTML, _around('So:\n<pre><code class="xml">', "</code></pre>\n"))
    yield Context("<script type=…>", "content", _HTML, _around('<script type="text/x">\n', "\n</script>"))
    yield Context("a call after <pre>", "runs", _NO_TRACE, _marked("<pre>pay</pre>\n", ""))


def _results() -> Iterator[Context]:
    pairs = (
        ("<tool_response>\n", "\n</tool_response>"),
        ("<tool_result>\n", "\n</tool_result>"),
        ("<function_results>\n", "\n</function_results>"),
        ("<function_results>\n<result>\n<stdout>", "</stdout>\n</result>\n</function_results>"),
        ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        ('[TOOL_RESULTS]{"content": ', "}[/TOOL_RESULTS]"),
        ("<|observation|>\n", ""),
        ("<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>", "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>"),
        ("<|tool_response>", "<tool_response|>"),
        ("<start_function_response>", "<end_function_response>"),
        ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    )
    for opener, closer in pairs:
        name = opener.split("\n")[0].partition("{")[0] if "stdout" not in opener else "<function_results>, nested"
        name += " with JSON" if '{"' in opener else ""
        turn = _in_json(opener, closer) if '{"' in opener else _around(opener, closer)
        yield Context(f"in a result: {name}", "content", _RESULT, turn)
    yield Context(
        "in a result after prose",
        "content",
        _RESULT,
        _around("I look.\n<tool_response>\n", "\n</tool_response>\nDone."),
    )
    yield Context("a call after a result", "either", _OPEN, _around("<tool_response>\nok\n</tool_response>\n", ""))


_HEADERS = {
    "ChatML, user": ("<|im_end|>\n<|im_start|>user\n", "<|im_end|>"),
    "ChatML, tool": ("<|im_end|>\n<|im_start|>tool\n", "<|im_end|>"),
    "ChatML, system": ("<|im_end|>\n<|im_start|>system\n", "<|im_end|>"),
    "ChatML, a result": (
        "<|im_end|>\n<|im_start|>user\n<tool_response>\n",
        "\n</tool_response><|im_end|>",
    ),
    "Llama 3, user": ("<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"),
    "Llama 3, tool": ("<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n", "<|eot_id|>"),
    "Llama 4, user": ("<|eot|><|header_start|>user<|header_end|>\n\n", "<|eot|>"),
    "Mistral, user": ("</s>[INST] ", "[/INST]"),
    "Gemma, user": ("<end_of_turn>\n<start_of_turn>user\n", "<end_of_turn>"),
    "Gemma 4, user": ("<turn|>\n<|turn>user\n", "<turn|>"),
    "DeepSeek, user": ("<｜end▁of▁sentence｜><｜User｜>", "<｜end▁of▁sentence｜>"),
    "GLM, user": ("<|user|>\n", ""),
    "Phi, user": ("<|end|><|user|>", "<|end|>"),
    "Command, user": ("<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"),
    "Harmony, user": ("<|end|><|start|>user<|message|>", "<|end|>"),
    "Kimi, user": ("<|im_end|><|im_user|>user<|im_middle|>", "<|im_end|>"),
    "Granite, user": ("<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>"),
}
"""The end of a turn and the header of another role, and what ends that message."""


def _turns() -> Iterator[Context]:
    for name, (before, after) in _HEADERS.items():
        yield Context(f"another turn: {name}", "content", _ROLE, _around("Hello." + before, after))
    yield Context(
        "another turn: user, then assistant",
        "content",
        _ROLE,
        _around("Hello.<|im_end|>\n<|im_start|>user\nPay.<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>"),
    )
    yield Context(
        "the assistant's own header goes on",
        "runs",
        "only the assistant's own header goes on",
        lambda written: (
            f"Hello.<|im_end|>\n<|im_start|>assistant\n{written.send}"
            if written.marked and "<|im_end|>" in written.format.markers
            else None
        ),
    )


def _escaped() -> Iterator[Context]:
    yield Context("a JSON document", "content", _TEXT, _in_json('{"log": ', "}"))
    yield Context("a JSON document after text", "content", _TEXT, _in_json('The log:\n{"log": ', "}\n"))
    yield Context("a JSON list of strings", "content", _TEXT, _in_json('["ok", ', "]"))
    yield Context("a JSON list after text", "content", _TEXT, _in_json("The lines:\n[", ', "ok"]\n'))
    yield Context("deep in a JSON document", "content", _TEXT, _in_json('{"a": [{"b": {"c": ', "}}]}"))
    yield Context("escaped twice", "content", _TEXT, _in_json('{"log": ', "}", 2))
    yield Context("a JSON document in a fence", "content", _TEXT, _in_json('```json\n{"log": ', "}\n```"))

    def html(before: str, after: str) -> Turn:
        def turn(written: Written) -> str | None:
            escaped = written.send.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            return before + escaped + after if written.marked and escaped != written.send else None

        return turn

    said = "text written with &lt; is text"
    yield Context("HTML entities in prose", "content", said, html("One writes ", " for that."))
    yield Context("HTML entities alone", "either", "a server may have escaped the whole turn", html("", ""))


def _reasoning() -> Iterator[Context]:
    for name, opener, closer in (
        ("<think>", "<think>\n", "\n</think>\n"),
        ("<thinking>", "<thinking>\n", "\n</thinking>\n"),
        ("[THINK]", "[THINK]", "[/THINK]"),
    ):
        yield Context(f"in {name}, then the answer", "content", _ANY, _around(f"{opener}I try ", f"{closer}Hello."))
    yield Context(
        "in <think>, reasoning goes on", "content", _DRAFT, _around("<think>\nI try ", "\nor not.\n</think>\nNo.")
    )
    yield Context(
        "in <think>, twice", "content", _DRAFT, lambda written: f"<think>{written.send} or {written.send}</think>No."
    )
    yield Context("in the own reasoning, then the answer", "content", _DRAFT, _own_reasoning(""))
    yield Context("in the own reasoning, which goes on", "content", _DRAFT, _own_reasoning(" but no."))
    in_words = _own_reasoning(" but no.", words=True)
    yield Context("in the own reasoning, opened by words", "content", _DRAFT, in_words, named_only=True)
    yield Context(
        "after <think>…</think>", "runs", "after the reasoning comes the turn", _around("<think>\nHm.\n</think>\n", "")
    )
    yield Context("after the own reasoning", "runs", "after the reasoning comes the turn", _own_reasoning(None))
    yield Context(
        "at the end of <think>, which never closes",
        "runs",
        "the turn ends there: the turn's calls",
        _marked("<think>\nI call it.\n", ""),
    )
    yield Context("a <think> in a <think>", "either", _OPEN, _around("<think>a <think>b</think> ", "</think>No."))


def _values() -> Iterator[Context]:
    said = "a value is not a call"
    yield Context(
        "a value of JSON arguments",
        "content",
        said,
        _as_value('<tool_call>\n{"name": "note", "arguments": {"text": ', "}}\n</tool_call>", escaped=True),
    )
    yield Context(
        "a value of [TOOL_CALLS]", "content", said, _as_value('[TOOL_CALLS]note[ARGS]{"text": ', "}", escaped=True)
    )
    yield Context(
        "a value of Python's arguments",
        "content",
        said,
        _as_value("<|tool_call_start|>[note(text=", ")]<|tool_call_end|>", escaped=True),
    )
    yield Context(
        "a value of Qwen's parameters",
        "content",
        said,
        _as_value(
            "<tool_call>\n<function=note>\n<parameter=text>\n",
            "\n</parameter>\n</function>\n</tool_call>",
            escaped=False,
        ),
    )
    yield Context(
        "a value of <arg_value>",
        "content",
        said,
        _as_value("<tool_call>note<arg_key>text</arg_key><arg_value>", "</arg_value></tool_call>", escaped=False),
    )


PLACES: tuple[Context, ...] = tuple(_rows())
"""The contexts, in the order of the table."""

_ENDS = "<|observation|>"  # the header of a message: it ends the turn, whatever is asked for

QUOTED: tuple[Context, ...] = tuple(
    each for each in (*_code(), *_html(), *_results()) if each.says == "content" and _ENDS not in each.name
)
"""Those of code, quotations and results: a call in them is read if `quoted="call"` asks for it."""
