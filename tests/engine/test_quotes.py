# Which text is code in Markdown, and what becomes of calls in it.
# Does not depend on how that is found out.
"""Calls that a text quotes, and fences around calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.chunkings import calls_of, codes_of, content_of, events_of, read_with
from toolglean import Format, Limits, Parser, ParserOptions, Problem, join
from toolglean.engine.page.page import page_of
from toolglean.engine.page.table import Context
from toolglean.formats.quotations import OTHERS, RESULTS, ROLE_HEADERS

TOOLS = ["f", "g"]
CALL = '<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call>'
LINE = CALL.replace("\n", "")
CODER = "<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>"
JSON = '```json\n{"name": "f", "arguments": {"x": 1}}\n```'


class Row(NamedTuple):
    """A turn, how many calls it holds, and its content; None: the turn itself."""

    what: str
    text: str
    calls: int
    content: str | None = None
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed


ROWS = [
    Row("inline code", f"Write `{LINE}` to call.", 0),
    Row("inline code over lines", f"Write `{CALL}` to call.", 0),
    Row("inline code with two backticks", f"Write ``{LINE}`` to call.", 0),
    Row("an opener and a closer", "Write `<tool_call>` and `</tool_call>` around it.", 0),
    Row("an opener with a name", "It begins with `<function=f>`, then come the parameters.", 0),
    Row("code before a call", f"I use `ls`.\n{CALL}", 1, "I use `ls`.\n"),
    Row("a backtick that closes nothing", f"It`s this:\n{CALL}", 1, "It`s this:\n"),
    Row("one on the same line", f"It`s this: {CALL}", 1, "It`s this: "),
    Row("a call after one that never closes", f"Run `{CALL}", 0),
    Row("a fence after text", f"So:\n```xml\n{CALL}\n```\nDone.", 0),
    Row("a fence that never closes", f"So:\n```\n{CALL}", 0),
    Row("a fence without a word", f"So:\n```\n{CODER}\n```", 0),
    Row("a longer fence", f"So:\n````\n```\n{CALL}\n```\n````\n{CALL}", 1, f"So:\n````\n```\n{CALL}\n```\n````\n"),
    Row("a fence closed at a line's end", f"So:\n```py\nf()```\n{CALL}", 1, "So:\n```py\nf()```\n"),
    Row("a call after a fence", f"So:\n```py\nf()\n```\n{CALL}", 1, "So:\n```py\nf()\n```\n"),
    Row("a fence with more than a word", f'So:\n```xml title="a b"\n{CALL}\n```\n', 0),
    Row("three backticks in a line", f"A ``` fence.\n{CALL}", 1, "A ``` fence.\n"),
    Row("a fence of JSON after text", 'So:\n```json\n{"name": "f", "arguments": {}}\n```', 0),
    Row("a fence opens the turn", f"```xml\n{CALL}\n```", 1, ""),
    Row("a fence opens the turn, two calls", f"```\n{CALL}\n{CODER}\n```\n", 2, ""),
    Row("several fences open the turn", f"```xml\n{CALL}\n```\n```xml\n{CALL}\n```\n\n~~~\n{CALL}\n~~~", 3, ""),
    Row("several fences of JSON", f"{JSON}\n{JSON}\n{JSON}\n", 3, ""),
    Row("fences of a call and of something else", f"```xml\n{CALL}\n```\n~~~\n{CALL}\n~~~\n```py\nx = 1\n```", 0),
    Row("fences of JSON and of something else", f"{JSON}\n{JSON}\n```json\n[1]\n```", 0),
    Row("a fence opens the answer", f"<think>Hm</think>\n```xml\n{CALL}\n```", 1, ""),
    # Prose after such a fence makes it a quotation, as prose before it does.
    Row("text after it", f"```xml\n{CALL}\n```\nNever send this.", 0),
    Row("text after two of JSON", f"{JSON}\n\n{JSON}\nNever.", 0),
    Row("text after two of them", f"```xml\n{CALL}\n```\n\n```xml\n{CALL}\n```\nNever.", 0),
    Row("text after the answer's", f"<think>Hm</think>\n```xml\n{CALL}\n```\nDone.", 0, f"```xml\n{CALL}\n```\nDone."),
    Row("text after the call in it", f"```xml\n{CALL}\nyes\n```", 0),
    Row("text after it, asked for", f"```xml\n{CALL}\n```\nDone.", 1, "```xml\n\n```\nDone.", {"quoted": "call"}),
    Row("a call without a fence after it", f"```xml\n{CALL}\n```\n{CALL}\nDone.", 2, "Done."),
    Row("the same behind fences of two kinds", f"~~~\n{CALL}\n~~~\n```\n{CALL}\n```\n{CALL}\nDone.", 3, "Done."),
    # The line of a fence may hold a marker: then no empty line ends the wait for its end.
    Row("a call on the line of a fence, and one in it", f"So:\n\n```{CALL}\n\n{CALL}\n```\nDone.", 0),
    Row(
        "a header on the line of a fence",
        f"So:\n```<|im_start|>assistant\nSure.\n\n{CALL}\n```\nDone.",
        0,
        f"So:\n```Sure.\n\n{CALL}\n```\nDone.",
    ),
    Row("an end on the line of a fence", f"```<|im_end|>\n\n{CALL}\n```\nDone.", 0, f"```{CALL}\n```\nDone."),
    Row(
        "a call behind such a fence", f"So:\n```</x> <tool_call>\n\n```\n{CALL}", 1, "So:\n```</x> <tool_call>\n\n```\n"
    ),
    Row("a fence in a fence, and text", f"~~~\n{CALL}\n```\n{CALL}\n```\n{CALL}\nDone.", 0),
    Row("a fence with something else", f"```xml\nyes\n{CALL}\n```", 0),
    Row("a fence with a mention", "```xml\n<tool_call>\n ...\n</tool_call>\n```\nYes", 0),
    # A fence that is first on its line opens, whatever waits for backticks: as in Markdown.
    Row("a fence behind a mention of one", f"Use ``` for code.\n```xml\n{CALL}\n```\nDone.", 0),
    Row("a call behind JSON in backticks that open the turn", f"```[1]```\nText\n{CALL}", 1, "```[1]```\nText\n"),
    Row("a fence without a word behind a mention of one", f"Use (```) so:\n```\n{CALL}\n```\nDone.", 0),
    Row("a fence in an item behind a mention of one", f"1. Use ``` here\n   ```xml\n   {LINE}\n   ```\n", 0),
    Row("backticks that close in the middle of a line", f"Use ```a b\nc``` so.\n{CALL}", 1, "Use ```a b\nc``` so.\n"),
    Row("a fence that a marker ends", f"Ex:\n~~~\nx\n~~~ <|note|>\n{CALL}", 1, "Ex:\n~~~\nx\n~~~ <|note|>\n"),
    Row("what follows a fence in a fence", f"Ex:\n```md\n``` [a](b)\n{CALL}\n``` ", 0),
    Row("an element behind a fence in a fence", f"Ex:\n```md\n``` <b>a</b>\n{CALL}\n```", 0),
    Row("a fence behind one that an end marker closes", f"```\n{CALL}\n``` <|im_end|>\nEx:\n```\n{CALL}\n```\n", 0),
    # Blocks of code, as other languages mark them.
    Row(
        "a fence that ends a sentence",
        f"The file lacks a closing ```.\n\n{CALL}",
        1,
        "The file lacks a closing ```.\n\n",
    ),
    Row("tildes that end a sentence", f"It ends with ~~~. \n{CALL}", 1, "It ends with ~~~. \n"),
    Row("a fence with a word with dots", f"It is in ```.env.x\n{CALL}\n```\nDone.", 0),
    Row("LaTeX", f"So:\n\\begin{{verbatim}}\n{CALL}\n\\end{{verbatim}}\nDone.", 0),
    Row("Org", f"So:\n#+begin_src xml\n{CALL}\n#+END_src\n{CALL}", 1, f"So:\n#+begin_src xml\n{CALL}\n#+END_src\n"),
    Row("AsciiDoc", f"[source,xml]\n----\n--\n{CALL}\n----\n{CALL}", 1, f"[source,xml]\n----\n--\n{CALL}\n----\n"),
    Row("Jira", f"So:\n{{code:xml}}\n{CALL}\n{{code}}\nDone.", 0),
    Row("BBCode", f"[code]{CALL}[/code] and {CALL}", 1, f"[code]{CALL}[/code] and "),
    Row("a shell's", f"cat <<'EOF' > a\n{CALL}\n EOF\n{CALL}\nEOF\nDone.", 0),
    Row("a shell's in a sentence", f"Use cat <<EOF for that.\n{CALL}", 1, "Use cat <<EOF for that.\n"),
    Row("a shell's in code", f"I'll use `cat <<'EOF' > x` here.\n\n{CALL}", 1, "I'll use `cat <<'EOF' > x` here.\n\n"),
    Row("a shell's in code, with a pipe", f"Use `cat <<EOF | sh` now.\n{CALL}", 1, "Use `cat <<EOF | sh` now.\n"),
    Row("a shell's at the end of a paragraph", f"It begins with <<EOF\n\n{CALL}", 1, "It begins with <<EOF\n\n"),
    Row(
        "a shell's with a pipe",
        f"x=$(cat <<EOF | sed s/a/b/ 2>> /dev/null)\n{CALL}\nEOF\n{CALL}",
        1,
        f"x=$(cat <<EOF | sed s/a/b/ 2>> /dev/null)\n{CALL}\nEOF\n",
    ),
    Row("a shell's with another word", f"cat <<-XML\n{CALL}\n\tXML\n{CALL}", 1, f"cat <<-XML\n{CALL}\n\tXML\n"),
    Row(
        "a part of a diff",
        f"@@ -1,2 +1 @@\n a\n-{LINE}\n+{LINE}\nSo:\n{CALL}",
        1,
        f"@@ -1,2 +1 @@\n a\n-{LINE}\n+{LINE}\nSo:\n",
    ),
    Row("a comment of code", f"/*\nIt writes:\n\n{CALL}\n*/\n{CALL}", 1, f"/*\nIt writes:\n\n{CALL}\n*/\n"),
    Row("a comment of a template", f"{{#\n{CALL}\n#}}\nDone.", 0),
    Row(
        "raw text of a template",
        f"{{% raw %}}\n{CALL}\n{{%- endraw %}}\n{CALL}",
        1,
        f"{{% raw %}}\n{CALL}\n{{%- endraw %}}\n",
    ),
    Row(
        "a comment of Liquid",
        f"{{% comment %}}\n{CALL}\n{{% endcomment %}}\n{CALL}",
        1,
        f"{{% comment %}}\n{CALL}\n{{% endcomment %}}\n",
    ),
    Row("Jekyll", f"So:\n{{% highlight xml linenos %}}\n{CALL}\n{{% endhighlight %}}\nDone.", 0),
    Row("GitBook", f'So:\n{{% code title="a" %}}\n{CALL}\n{{% endcode %}}\nDone.', 0),
    Row("Hugo", f"So:\n{{{{< highlight xml >}}}}\n{CALL}\n{{{{< /highlight >}}}}\nDone.", 0),
    Row("MDX", f'So:\n<CodeBlock language="xml">\n{CALL}\n</CodeBlock>\nDone.', 0),
    Row("a quotation of LaTeX", f"\\begin{{quote}}\n{CALL}\n\\end{{quote}}\nDone.", 0),
    Row("Texinfo", f"@example\n{CALL}\n@end example\n{CALL}", 1, f"@example\n{CALL}\n@end example\n"),
    Row("dots on a line of their own", f"Hm....\n....\n{CALL}", 1, "Hm....\n....\n"),
    Row("a comment of AsciiDoc", f"So:\n////\n{CALL}\n////\nDone.", 0),
    Row("a page of a manual", f".nf\n{CALL}\n.fi\n{CALL}", 1, f".nf\n{CALL}\n.fi\n"),
    Row("an edit", f"<<<<<<< SEARCH\na\n=======\n{CALL}\n>>>>>>> REPLACE\nDone.", 0),
    Row(
        "a call behind an edit",
        f"<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n{CALL}",
        1,
        "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n",
    ),
    Row(
        "a patch",
        f"*** Begin Patch\n*** Update File: a\n@@\n+{LINE}\n*** End Patch\n{CALL}",
        1,
        f"*** Begin Patch\n*** Update File: a\n@@\n+{LINE}\n*** End Patch\n",
    ),
    Row("a table with colons", f"| a: |\n|---: |\n| b: |\n\n{CALL}", 1, "| a: |\n|---: |\n| b: |\n\n"),
    Row("a literal block of reStructuredText", f"It writes::\n\n  {LINE}\n\nDone.", 0),
    Row("a call behind two colons", f"Use std::\n\n{CALL}", 1, "Use std::\n\n"),
    Row("a text of Python", f'form = """\n{CALL}\n"""\n{CALL}', 1, f'form = """\n{CALL}\n"""\n'),
    Row("a text of Python in apostrophes", f"form = '''{CALL}'''\nrun(form)", 0),
    Row("lines that say what is shown", f"--- START OF EXAMPLE ---\n{CALL}\n--- END OF EXAMPLE ---\nDone.", 0),
    Row(
        "the same with BEGIN",
        f"===BEGIN LOG===\n{CALL}\n===END LOG===\n{CALL}",
        1,
        f"===BEGIN LOG===\n{CALL}\n===END LOG===\n",
    ),
    Row(
        "a rule, and words that say nothing",
        f"Plan.\n---\n*** BEGIN\n--- START now\n{CALL}",
        1,
        "Plan.\n---\n*** BEGIN\n--- START now\n",
    ),
    Row("a line of a comment", f"x = 1\n// Form: {LINE}\ny = 2", 0),
    Row("a call behind a line of a comment", f"// Next:\n{CALL}", 1, "// Next:\n"),
    Row(
        "a path, an address and dots",
        f"See //host/a, https://a.b.\n...\n{CALL}",
        1,
        "See //host/a, https://a.b.\n...\n",
    ),
    Row("an example with a number", f"So:\n<example_1>\n{CALL}\n</example_1>\nDone.", 0),
    Row("a good example", f"So:\n<good-example>\n{CALL}\n</good-example>\n<correct>\n{CALL}\n</correct>\nDone.", 0),
    Row("Trac", f"{{{{{{\n{CALL}\n}}}}}}\nDone.", 0),
    Row("reStructuredText", f".. code-block:: xml\n\n   {LINE}\n\nDone.", 0),
    Row("what follows it", f".. note:: a\n\n   b\n\n{CALL}", 1, ".. note:: a\n\n   b\n\n"),
    Row("an element with long attributes", f"<pre class='{'x' * 300}'>\n{CALL}\n</pre>\nDone.", 0),
    Row("a label like BBCode's", f"Plan:\n- [code] Add tests\n\n{CALL}", 1, "Plan:\n- [code] Add tests\n\n"),
    Row("a path like a comment", f"Ignore:\n/*.log\n- /*\n- /a\n\n{CALL}", 1, "Ignore:\n/*.log\n- /*\n- /a\n\n"),
    Row("a block of Svelte", f"{{#if a}}\n x\n{{/if}}\n\n{CALL}", 1, "{#if a}\n x\n{/if}\n\n"),
    Row("a text of PHP", f"$x = <<<EOT\nhi\nEOT;\n\n{CALL}", 1, "$x = <<<EOT\nhi\nEOT;\n\n"),
    Row("a shell's before a marker", f"cat <<EOF > a\nhi\nEOF{CALL}", 1, "cat <<EOF > a\nhi\nEOF"),
    Row(
        "words that end like abbreviations",
        f"I'll search the index. {LINE} Wait for Africa. {LINE} So.",
        2,
        "I'll search the index.  Wait for Africa.  So.",
    ),
    # Quotation marks: what ends a sentence inside them ends none outside.
    Row("a sentence in quotation marks", f'It said "Let me see. {LINE}" and left.', 0),
    Row("a sentence in an argument", f"parse('Let me see. {LINE}')\n", 0),
    Row("a sentence in marks of two kinds", f"It said “Let me see: {LINE}” and left.", 0),
    Row("an apostrophe in a quotation", f"It said 'I don't know. {LINE}' and left.", 0),
    Row("a quotation that has ended", f'It said "yes". {CALL}', 1, 'It said "yes". '),
    Row("an apostrophe", f"I don't know. {LINE} x", 1, "I don't know.  x"),
    Row("inches", f'It is 5" wide. {LINE} x', 1, 'It is 5" wide.  x'),
    Row("a link", f"See [{LINE}](https://a.b) for it.", 0),
    Row("braces", f"Write {{{{{LINE}}}}} there.", 0),
    Row("bold and italic", f"Write ***{LINE}*** there.", 0),
    Row("a list in a line", f"return [{LINE}, 2]", 0),
    Row("a list that is the line", f"[{LINE}]", 1, "[]"),
    Row("versus", f"It is this vs. {LINE} in that case.", 0),
    Row("confer", f"Some forms (cf. {LINE} or so) exist.", 0),
    # A sentence that goes on behind a line break; a call that is alone on its line stands for itself.
    Row("a wrapped line", f"Some write a call such as\n{LINE} and wonder why.", 0),
    Row("an article ends the line", f"It begins with the\n{LINE} marker.", 0),
    Row("a wrapped line, and the call is alone", f"Let me ask the\n{LINE}\nDone.", 1, "Let me ask the\n\nDone."),
    Row("a wrapped line at the end", f"I look it up with\n{CALL}", 1, "I look it up with\n"),
    # Documents.
    Row(
        "XML",
        f'<?xml version="1.0"?>\n<a b="c">\n{CALL}\n</a>\n{CALL}',
        1,
        f'<?xml version="1.0"?>\n<a b="c">\n{CALL}\n</a>\n',
    ),
    Row("XML with a type", f'<?xml version="1.0"?>\n<!DOCTYPE a SYSTEM "a.dtd">\n<a>\n{CALL}\n</a>\nDone.', 0),
    Row("HTML", f"<!doctype html>\n<html lang='en'>\n<p>{LINE}</p>\n</html>\nDone.", 0),
    Row(
        "HTML in capitals",
        f"<!DOCTYPE html>\n<HTML>\n{CALL}\n</HTML>\n{CALL}",
        1,
        f"<!DOCTYPE html>\n<HTML>\n{CALL}\n</HTML>\n",
    ),
    Row(
        "a root without content",
        f'<?xml version="1.0"?>\n<a b="c" />\n\n{CALL}',
        1,
        '<?xml version="1.0"?>\n<a b="c" />\n\n',
    ),
    Row(
        "a sentence about documents",
        f"<!DOCTYPE html> <html> must come first.\n\n{CALL}",
        1,
        "<!DOCTYPE html> <html> must come first.\n\n",
    ),
    Row("elements in a list", f"- <svg>\n- <table>\n\n{CALL}", 1, "- <svg>\n- <table>\n\n"),
    Row("a name that ends the line", f"The weather in Poland\n{LINE} is next.", 1, "The weather in Poland\n is next."),
    Row("a declaration alone", f'<?xml version="1.0"?>\n{CALL}', 1, '<?xml version="1.0"?>\n'),
    Row("a word for it", f"<!DOCTYPE html> begins it.\n{CALL}", 1, "<!DOCTYPE html> begins it.\n"),
    Row("a word for code in braces", f"{{code}} is filled in.\n{CALL}", 1, "{code} is filled in.\n"),
    Row("a label in brackets", f"[source]\n{CALL}", 1, "[source]\n"),
    Row("a shift", f"cout <<ENDL; a <<EOF<< b\n{CALL}", 1, "cout <<ENDL; a <<EOF<< b\n"),
    Row(
        "behind an element with a hyphen",
        f"<system-reminder>\n{CALL}\n</system-reminder>\n{CALL}",
        1,
        f"<system-reminder>\n{CALL}\n</system-reminder>\n",
    ),
    # Runs of backticks: several may wait, each for one of its own length, as long as their paragraph lasts.
    Row(
        "a lone backtick, a call, and a fence",
        f"It`s so. {LINE}\n\nSo:\n\n```xml\n{CALL}\n```\nDone.",
        1,
        f"It`s so. \n\nSo:\n\n```xml\n{CALL}\n```\nDone.",
    ),
    Row("a lone backtick and code of two", f"It`s ``{LINE}`` so.", 0),
    Row("code of two that a lone backtick follows", f"Use ``{LINE}`` and it`s so.", 0),
    Row("runs that no other one closes", f"It`s ``so.\n\n{LINE} ` and ``.", 1, "It`s ``so.\n\n ` and ``."),
    Row("code over a line break", f"It`s\n{LINE}\nso: `x.", 0),
    Row("an empty line between", f"It`s so.\n\n{LINE}\nUse `x.", 1, "It`s so.\n\n\nUse `x."),
    Row("blanks on the empty line", f"It`s so.\n{LINE}\n \t\nUse `x.", 1, "It`s so.\n\n \t\nUse `x."),
    Row("a mention behind a lone backtick", f"It`s {LINE} so.\n \t\nUse `x.", 0),
    Row("an item between", f"It`s {LINE}\n- Use `x.", 1, "It`s \n- Use `x."),
    Row("a heading between", f"It`s {LINE}\n## Use `x.", 1, "It`s \n## Use `x."),
    Row("a fence on the line of a lone backtick", f"It`s: ```json\n\n{CALL}\n```\n", 0),
    Row("a fence behind a call behind a lone backtick", f"It`s {LINE}\n```\nx\n```\n{LINE}", 2, "It`s \n```\nx\n```"),
    Row("a quoted line behind a lone backtick", f"It`s so.\n> {LINE}\n", 0),
    Row("tildes behind a lone backtick", f"It`s so.\n~~~\n{CALL}\n` ~~~ `\n~~~\n", 0),
    Row("cut off in the fence's line", "```xm", 0),
    Row("asked for", f"Write `{LINE}` to call.", 1, "Write `` to call.", {"quoted": "call"}),
    Row("a fence, asked for", f"So:\n```\n{CALL}\n```", 1, "So:\n```\n\n```", {"quoted": "call"}),
]


@pytest.mark.parametrize("row", ROWS, ids=[row.what for row in ROWS])
@pytest.mark.parametrize("name", [None, "hermes", "qwen3-coder"])
def test_quotes(row: Row, name: str | None) -> None:
    if name == "hermes" and CODER in row.text:
        pytest.skip("another family's call")
    events = read_with(TOOLS, row.text, format=name, **row.options)
    assert len(calls_of(events)) == row.calls
    expected = row.text if row.content is None else row.content
    assert content_of(events).strip() == expected.strip()


WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BARE = '{"name": "get_weather", "arguments": {"city": "a"}}'
ODD_CUTS = {
    # White space alone, within JSON that is data, was read as if it were text behind the backticks, and the rest not.
    "a blank of JSON behind a fence": ('```{"g": {"x":', " ", f'"a"}}}}<tool_call>{BARE}</tool_call> `` ```'),
    # Whether text before a fence ends in a value was asked before that text was read.
    "a fence behind a block": ("TOOL: get_weather\ncity: a", f"\nEND TOOL\n```tool\n\n{BARE[:16]}", f"{BARE[16:]}x"),
    # More than is kept was let go at another place.
    "what is too long to be kept": (
        "\n<|im_end|>\nTOOL_NAME: get_weather\nBEGIN_ARG: ci",
        f"ty\na\nEND_ARG\n\n{BARE}\n<|im_end|>\n\n{BARE}\n\n{BARE}~~~\n ",
    ),
}


@pytest.mark.parametrize("chunks", ODD_CUTS.values(), ids=ODD_CUTS)
@pytest.mark.parametrize("name", [None, "hermes"])
def test_odd_cuts(chunks: tuple[str, ...], name: str | None) -> None:
    options = ParserOptions(markup=True, limits=Limits(held=100), trailing_json="call")
    parser = Parser([{"name": "get_weather", "parameters": WEATHER}], format=name, options=options)
    whole, cut = parser.fork(), parser.fork()
    wanted = join([*whole.feed("".join(chunks)), *whole.finish()])
    assert join([*(each for chunk in chunks for each in cut.feed(chunk)), *cut.finish()]) == wanted
    assert calls_of(wanted) == []


def test_a_call_in_code_is_said() -> None:
    for text in (f"Write `{LINE}` so.", f"So:\n```\n{CALL}\n```\n"):
        parser = Parser(TOOLS)
        problems = parser.add(text).problems + parser.close().problems
        assert [problem.code for problem in problems] == ["quoted-call"]


def test_a_backtick_holds_a_call_back_for_so_long() -> None:
    for size, calls in ((200, 0), (40, 1)):
        limits = Limits(held=size)
        text = f"Run `a{LINE} {'x' * 100}` so."
        events = read_with(TOOLS, text, limits=limits)
        assert len(calls_of(events)) == calls
        assert codes_of(events) == ["quoted-call"] * (1 - calls)


def test_code_that_may_close_is_waited_for_no_longer_than_it_may() -> None:
    parser = Parser(TOOLS, options=ParserOptions(limits=Limits(held=100)))
    parser.add(f"It`s so.\n{LINE}")
    assert [call.name for call in parser.add("x" * 200).calls] == ["f"]


TOKENS = [*dict(RESULTS), *OTHERS, *ROLE_HEADERS, "~~~", "<!--", "<pre", "<CODE", "<Script"]


@pytest.mark.parametrize("token", TOKENS)
def test_every_token_is_looked_for_and_every_beginning_of_one(token: str) -> None:
    # Text is ruled out by the characters with which tokens begin, before it is searched.
    search = page_of().rows.sought(Context.PLAIN, "", False).search
    assert search(f"see {token} there")
    assert all(search(f"see {token[:size]}") for size in range(1, len(token)))
    assert search("see\n> there")
    assert search("see\n   > there")
    assert not search("see-> there")


OSLO = '{"name": "f", "arguments": {"x": 1}}'
FENCED = {
    "JSON": ("```json\n", OSLO),
    "no word": ("```\n", OSLO),
    "a list": ("```tool_calls\n", f"[{OSLO}]"),
    "its type first": ("```json\n", f'{{"type": "function", "function": {OSLO}}}'),
    "Python": ("```tool_code\n", "f(x=1)"),
    "a name in its words": ("```tool:f\n", '{"x": 1}'),
    "lines, as Continue writes them": ("```tool\n", "TOOL_NAME: f\nBEGIN_ARG: x\n1\nEND_ARG"),
}
NO_CALL = {
    "a command of a tool's name": ("```\n", "f -x 1"),
    "the name of a language": ("```f\n", "x = 1"),
    "data": ("```json\n", '{"name": "Bob"}'),
    "another word first": ("```\n", "the name f"),
    "nothing": ("```", ""),
}


@pytest.mark.parametrize(("fence", "code"), [*FENCED.values(), *NO_CALL.values()], ids=[*FENCED, *NO_CALL])
def test_a_call_in_a_fence_that_is_an_opener_says_why_it_is_text(fence: str, code: str) -> None:
    """A fence after other text quotes, also where it is the opener of a format. Nothing reported the call in it."""
    text = f"Let me look.\n{fence}{code}\n```\nDone."
    events = read_with(TOOLS, text)
    assert content_of(events) == text
    problems = [(event.code, event.start) for event in events if isinstance(event, Problem)]
    assert problems == ([("quoted-call", 13)] if (fence, code) in FENCED.values() else [])


def test_json_first_in_a_fence_says_so_by_name_too() -> None:
    """Nothing was said of it where the named format has no fences."""
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}]
    code = "```\n# A list of tools\n# with more lines\n"
    for fence, told in (("```json\n", 1), ("~~~\n", 1), ("~~~", 1), (code, 0), ("> ```\n> ", 1)):
        for text in (f"So.\n{fence}{OSLO}\n{fence[:3]}\nDone.", f"So.\n{fence}{OSLO}"):
            events = read_with(tools, text, format="kimi-k2")
            assert codes_of(events) == ["quoted-call"] * told


def test_a_format_whose_calls_are_fences_says_so_too() -> None:
    for declared in (Format("own", call="```tool\n{call}\n```"), "continue"):
        call = OSLO if isinstance(declared, Format) else FENCED["lines, as Continue writes them"][1]
        for quoted, codes in (("content", ["quoted-call"]), ("call", [])):
            options = ParserOptions(markup=True, quoted=quoted)  # type: ignore[arg-type]
            text = f"Let me look.\n```tool\n{call}\n```"
            events = events_of(lambda: Parser(TOOLS, format=declared, options=options), text)  # noqa: B023
            assert codes_of(events) == codes
            assert len(calls_of(events)) == (not codes)


OPENINGS = [
    "> q<|im_end|>\n",
    "> q</s>\n",
    "> q<|end_message|>\n",
    "> q<tool_call>\n",
    "Hi.</s>\n",
    "> q<|eot_id|>\n\n",
]
QUOTED = {
    "```": "```\n{}\n```",
    "tildes": "~~~\n{}\n~~~",
    "pre": "<pre>\n{}\n</pre>",
    "code": "<code>{}</code>",
    "script": "<script>\n{}\n</script>",
    "a comment": "<!--\n{}\n-->",
    "a result": "<tool_response>\n{}\n</tool_response>",
    "Mistral's result": "[TOOL_RESULTS]{}[/TOOL_RESULTS]",
    "another role": "<|im_start|>user\n{}<|im_end|>",
    "a quoted line": "> {}",
}


@pytest.mark.sampled(2, each="what")
@pytest.mark.parametrize("what", QUOTED)
@pytest.mark.parametrize("opening", OPENINGS)
def test_a_line_begins_behind_a_marker_that_is_dropped(opening: str, what: str) -> None:
    """Whether a line begins is a fact about the text: the break after a dropped marker is one too."""
    for call, name in ((LINE, "hermes"), (CALL, None), (CODER, "qwen3-coder"), (CODER, None)):
        if what == "a quoted line" and "\n" in call:
            continue
        text = opening + QUOTED[what].format(call)
        assert not calls_of(read_with(TOOLS, text, format=name))


@pytest.mark.parametrize("name", ["pythonic", "ui-tars", "react-call", None])
def test_a_call_in_python_ends_before_tildes(name: str | None) -> None:
    text = "Hi.\n[f(id='A')]\n~~~\n[f(id='B')]\n~~~\n"
    calls = calls_of(read_with(TOOLS, text, format=name))
    assert calls in ([], [("f", {"id": "A"})])
