# The differences between the engine and the reference that were found: the smallest text of each, what reads it, what must
# happen and why, and the name under which known.py recognises others of its kind. Does not depend on how they were found.
"""What the engine reads otherwise than the decisions say."""

from __future__ import annotations

from typing import NamedTuple

from tests.page.contexts import CALL, FIRST
from tests.page.reference import CONTENT, RUNS

__all__ = ["DIFFERENCES", "MENDED", "Difference"]


class Difference(NamedTuple):
    """A difference.

    Attributes:
        what: the text, in words.
        text: the text, with CALL where the call is.
        written: the format that writes the call.
        reads: the format that reads the turn, or `auto`.
        must: what must become of the call: RUNS or CONTENT.
        kind: its name in `KNOWN` (known.py).
        why: what decides it.
    """

    what: str
    text: str
    written: str
    reads: str
    must: str
    kind: str
    why: str


_STRING = "SECURITY.md: in a string of a JSON document in the answer, nothing happens"
_FENCE = "SECURITY.md: in a code fence after other text, nothing happens; Markdown closes a fence on a line of its own"
_ONE_LINE = "choices.md: a quoted line is only that line"
_NESTED = "choices.md: quotations do not nest, inside one only its own end is looked for"
_TRACE = "engine.md: an undone reading leaves no trace: JSON that is none is read as behind plain text"
_CUT = "choices.md: a call directly after backticks is code if the turn ends there; an end marker ends the turn"
_DRAFT = "SECURITY.md: in the reasoning, nothing happens if reasoning or its end follows"
_OPENS = "choices.md: a fence that opens the turn is markup only if no prose follows it, and it holds nothing but calls"
_MENTION = "choices.md: a mention of a marker in code opened nothing"
_LINE = "choices.md: a quoted line begins with >; where a line begins is a fact about the text"
_JSON = "choices.md: complete JSON that is not a call is content, and nothing in its strings opens anything"

INNER = "an inner opener in a string"
QUOTED_THOUGHT = "reasoning in a quotation"
BEGINS = "JSON that begins the turn"
FENCE = "the end of a fence"
GOES_ON = "a quoted line that goes on"
RESET = "a marker in a string"
HEADER = "a line after a header"
MARKER = "a marker first in a fence"


def _rows(*rows: tuple[str, str, str, str, str, str, str]) -> tuple[Difference, ...]:
    return tuple(
        Difference(what, text.replace("CALL", CALL).replace("FIRST", FIRST), *rest) for what, text, *rest in rows
    )


# First the calls that run and must not.
_RUN: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("two calls in a string of JSON, in another format", 'So: {"log": "FIRST CALL"}', "mistral-v13", "auto", CONTENT, INNER, _STRING),
    ("the opener of reasoning behind a lone backtick", "`<think>CALL<", "hermes", "hermes", CONTENT,
     "reasoning behind a lone backtick", _DRAFT),
    ("a > directly after a call hides an opener", "FIRST> <pre>\nCALL\n</pre>", "qwen3-coder", "qwen3-coder", CONTENT,
     "no line begins there", _LINE),
)  # fmt: skip
# Then those that are lost.
_LOST: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("a quoted line behind a marker that is no text", "<|end|>> CALL", "hermes", "hermes", RUNS, "a marker that begins a line", _LINE),
    ("a quoted line ends in an opener that is not complete", "> <function=note\nCALL", "hermes", "hermes", RUNS, GOES_ON, _ONE_LINE),
    ("backticks before a call, and a fence of their length", "So ```CALL\n```\n", "hermes", "hermes", RUNS,
     "backticks before a call that a fence closes", "choices.md: a fence ends the paragraph in which backticks wait"),
    ("a tag on the line behind a mention, and text", "So CALL\n</b> it is.", "hermes", "hermes", RUNS,
     "a tag on the line behind a mention", "choices.md: the markers that follow a mention may be on other lines"),
    ("a line behind a header without a role, which is set aside, and text behind the call", "So <|im_start|>\nCALL it is.", "hermes",
     "hermes", RUNS, "a line behind a header that was set aside", _LINE),
    ("a list that breaks off before a bracket", '{"a": [\nCALL', "mistral-v13", "mistral-v13", RUNS,
     "a list before a bracket", _TRACE),
    ("JSON that breaks off before the call, with a backtick in a string", '{"a": {"`": 2}\nCALL`', "hermes", "hermes", RUNS,
     "what opens in a string of JSON that breaks off", _TRACE),
    ("the same, and the call is between two others", '{"a": {"`": 2}`!CALL`', "hermes", "hermes", CONTENT,
     "what opens in a string of JSON that breaks off", _TRACE),
    ("the same with a comment", '{"a": {"b": "<!--"}CALL', "glm-4.5", "auto", RUNS,
     "what opens in a string of JSON that breaks off", _TRACE),
    ("the same with a fence, after text and a call", '.FIRST{"": ["    ```"]\nCALL', "hermes", "auto", RUNS,
     "what opens in a string of JSON that breaks off", _TRACE),
    ("the opener of reasoning in code that does not begin with it", "` <think>a`\nCALL<", "qwen3-coder", "auto", RUNS,
     "reasoning in code", _NESTED),
    ("a call of Harmony in a string of JSON: its calls begin as its reasoning does", ':["FIRST\nCALL"', "harmony", "auto", RUNS,
     "reasoning in code", _NESTED),
)  # fmt: skip
# What was mended, and stays so.
_MENDED: tuple[tuple[str, str, str, str, str, str, str], ...] = (
    ("a quoted line ends with the opener of a call, before a comment", "> It begins with <function=note>\n<!--\nCALL\n-->", "glm-4.5", "glm-4.5", CONTENT, GOES_ON,
     _ONE_LINE),
    ("the same before another role's header", "> <function=note>\n<|im_start|>user\nCALL", "kimi-k2", "kimi-k2", CONTENT, GOES_ON,
     _ONE_LINE),
    ("an empty line behind the opener of a call in a quoted line: the comment after it", "> > <tool_call>note\n\n\n<!--\nCALL\n-->",
     "deepseek-v3.2", "auto", CONTENT, GOES_ON, _ONE_LINE),
    ("a quoted line ends with the opener of a call: the fence after it", "> <function=note>\n\n```\nCALL\n```\nDone.", "hermes",
     "hermes", CONTENT, GOES_ON, _ONE_LINE),
    ("a quoted line ends in a call: the element after it", '> <tool_call>{"name": "note", "arguments": {\n<pre>\nCALL\n</pre>',
     "hermes", "auto", CONTENT, GOES_ON, _ONE_LINE),
    ("an end marker in a string of JSON", 'So: {"log": "bye<|im_end|>CALL"}', "hermes", "hermes", CONTENT, RESET, _STRING),
    ("the same in valid JSON, with another family's marker", 'So: {"log": "bye</s>CALL"}', "glm-4.5", "auto", CONTENT, RESET,
     _STRING),
    ("the model's own header in a string of JSON", 'So: {"log": "<|im_start|>assistant CALL"}', "mistral-v13", "auto", CONTENT,
     RESET, _STRING),
    ("a quoted line after the model's own header", "<|im_start|>assistant\n> It says CALL\n", "hermes", "hermes", CONTENT,
     HEADER, _LINE),
    ("the same after another message", "Hi.<|im_end|>\n<|im_start|>assistant\n> It says CALL\n", "glm-4.5", "auto", CONTENT,
     HEADER, _LINE),
    ("a quoted line after the marker with which a header begins", "Hi.<|im_start|>\n> It says CALL\n", "mistral-v13",
     "mistral-v13", CONTENT, HEADER, _LINE),
    ("a call whose format has openers inside, in a string of JSON", 'So: {"log": "CALL"}', "qwen3-coder", "qwen3-coder",
     CONTENT, INNER, _STRING),
    ("the same in another format, in a list", 'So: ["ok", "got CALL"]', "deepseek-v3.2", "auto", CONTENT, INNER, _STRING),
    ("a fence opens the turn, and the model's own header is first in it",
     "```\n<|im_start|>assistant\nI write CALL\n```\nThat is all.", "hermes", "hermes", CONTENT, MARKER, _OPENS),
    ("the same, where a call of another family may begin so", "```\n<|im_start|>assistant\nI write CALL\n```\nThat is all.",
     "hermes", "auto", CONTENT, MARKER, _OPENS),
    ("the same with nothing but a call behind it", "```xml\n<|im_start|>assistant\nCALL\n```", "hermes", "auto", CONTENT, MARKER,
     _OPENS),
    ("a call on the line of a fence", "```CALL\n```\n", "hermes", "hermes", CONTENT, FENCE, _FENCE),
    ("the same, and its end never comes", "```CALL\n\n", "qwen3-coder", "auto", CONTENT, FENCE, _FENCE),
    ("a marker on the line of a fence, and an empty line in it", "So:\n\n```<tool_call>\n\nCALL\n```\nDone.", "hermes", "auto",
     CONTENT, FENCE, _FENCE),
    ("the same with the end of a call", "So:\n```</tool_call>\n\nCALL\n\nDone.\n```\n", "mistral-v13", "mistral-v13", CONTENT,
     FENCE, _FENCE),
    ("the same with reasoning", "```\n<think>x</think>\nThen CALL\n```\nThat is all.", "glm-4.5", "auto", CONTENT, MARKER,
     _OPENS),
    ("the same with an end marker", "```\n<|im_end|>\nThen CALL\n```\nThat is all.", "hermes", "auto", CONTENT, MARKER, _OPENS),
    ("backticks in a line of a fence", 'So:\n\n```py\nprint("```")\nCALL\n```\n', "hermes", "hermes", CONTENT, FENCE, _FENCE),
    ("tildes in a line of a fence of tildes", "So:\n\n~~~\na ~~~ b\nCALL\n~~~\n", "mistral-v13", "auto", CONTENT, FENCE, _FENCE),
    ("reasoning in a string of JSON", 'So: {"log": "<think>a</think>CALL"}', "hermes", "hermes", CONTENT, QUOTED_THOUGHT,
     _STRING),
    ("two Harmony calls in quoted lines: a marker of the first one opens reasoning", "> FIRST\n> CALL", "harmony", "auto",
     CONTENT, QUOTED_THOUGHT, _NESTED),
    ("the same in a fence that is not closed", "So:\n```\nFIRST\nCALL", "harmony", "auto", CONTENT, QUOTED_THOUGHT, _NESTED),
    ("a turn that ends in an element, after the opener of reasoning", "So:\n<pre>\n<think>\nCALL", "glm-4.5", "auto", CONTENT,
     QUOTED_THOUGHT, _NESTED),
    ("JSON begins the turn and breaks off after a string with an opener", '{"a": "<!-- b", c\nCALL\n-->', "hermes",
     "hermes", CONTENT, BEGINS, _TRACE),
    ("the same with another role's header", '["a <|im_start|>user\n", \nCALL', "qwen3-coder", "auto", CONTENT, BEGINS, _TRACE),
    ("the same in a fence", '```json [{"a": "<pre>a"}\nCALL', "hermes", "auto", CONTENT, BEGINS, _TRACE),
    ("the same after a call", 'FIRST\n[1, "<|im_start|>user<"\nCALL', "hermes", "auto", CONTENT, BEGINS, _TRACE),
    ("a call cut off in code, before an end marker", "I run `CALL<|im_end|>", "hermes", "hermes", CONTENT, "cut off in code",
     _CUT),
    ("a draft before the closer of another family, at the end", "<think>\nMaybe CALL\n</thinking>", "hermes", "auto", CONTENT,
     "another family's closer", _DRAFT),
    ("a broken call in a key of JSON, and an element with a quotation mark", 'So {"<tool_call>{": 2} <pre a="b">\nCALL\n</pre>',
     "hermes", "auto", CONTENT, "a string in doubt", _STRING),
    ("a broken call in a string of JSON, and an empty line before a parameter", 'So {"<tool_call>{": 2}\n\n<parameter name="a">\nCALL\n',
     "hermes", "auto", CONTENT, "a string in doubt", _STRING),
    ("the same before another document", 'So {"a": "<tool_call>\n{"name": "note", "arguments": {"}\n\n{"a": "a CALL\nb"}', "hermes",
     "auto", CONTENT, "a string in doubt", _STRING),
    ("a tab in a string of JSON", 'So: {"log": "a\tCALL\n', "hermes", "hermes", CONTENT, "a tab in a string",
     "SECURITY.md: a raw line break ends a string; nothing else is said to"),
    ("the opener of reasoning in code", "Use the `<think>` tag.\nCALL\nDone.", "hermes", "hermes", RUNS, QUOTED_THOUGHT, _NESTED),
    ("two calls in a string of JSON", 'So: {"log": "FIRST CALL"}', "hermes", "hermes", CONTENT, INNER, _STRING),
    ("a line that ends in tildes, behind a lone backtick, before a fence", "`~~~\n```\n`CALL", "hermes", "hermes", CONTENT,
     FENCE, _FENCE),
    ("an empty line in a fence with more than a word", "So:\n\n```js title='a.js'\nx\n\nCALL\n```\n", "hermes", "hermes",
     CONTENT, FENCE, _FENCE),
    ("an indented fence of tildes with more than a word", "So:\n\n  ~~~ a b\n  CALL\n  ~~~\n", "glm-4.5", "glm-4.5", CONTENT,
     FENCE, _FENCE),
    ("a backtick in a string of a whole document closes the code after it", 'So: {"a": "don`t"}, and `\nCALL\n` a', "hermes",
     "hermes", CONTENT, "JSON that is complete", _JSON),
    ("two openers after a lone backtick, the second on a line of its own", "`<pre> x\n<tool_response> `\nCALL", "hermes",
     "hermes", CONTENT, "a tag that ends a paragraph", "choices.md: a line that begins a quotation ends the paragraph"),
    ("a document over lines after a lone backtick", '`{\n"log": "CALL\n', "glm-4.5", "auto", CONTENT,
     "a document after a lone backtick", _STRING),
    ("JSON in a string of JSON, its quotes not escaped", 'So: {"log": "{"a": "CALL\n', "hermes", "hermes", CONTENT,
     "a bracket in a string", _STRING),
    ("a mention in code directly before a call", "Use `<!--`CALL", "hermes", "hermes", RUNS, "a mention before a call", _MENTION),
    ("a document that begins in a comment", 'So <!-- {" -->CALL', "hermes", "auto", RUNS, "JSON in a quotation", _NESTED),
    ("an opener in a string of a whole document", 'So: {"x": "<!-- y"}\n\nCALL', "hermes", "hermes", RUNS,
     "JSON that is complete", _JSON),
    ("tildes in a line, directly before a call", "It is ~~~ CALL", "hermes", "hermes", RUNS, "tildes before a marker",
     "choices.md: a fence's line ends after at most one word"),
    ("a lone backtick, a call, and a tag that begins a line", "`a\nCALL\n<pre>b`", "deepseek-v3.2", "auto", RUNS,
     "a tag that ends a paragraph", "choices.md: a line that begins a quotation ends the paragraph"),
    ("a fence's line in a comment, behind a run of backticks as long", "a ```b` `<!--`\n ```\nCALL", "hermes", "hermes",
     CONTENT, "a paragraph that a fence ends", "choices.md: a fence ends the paragraph in which backticks wait"),
)  # fmt: skip
DIFFERENCES = _rows(*_RUN, *_LOST)
"""All of them, those that are dangerous first."""
MENDED = _rows(*_MENDED)
"""Rows that were differences."""
