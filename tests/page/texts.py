# Texts with one call in them, by a seed: contexts in a row and in each other, Markdown, HTML, JSON, pages of the
# documentation, and all of these damaged. Does not depend on what is right about them (reference.py), or on how a format
# writes the call: CALL stands for it.
"""Texts of which a place is asked."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from tests.page.contexts import CALL, FIRST, Context
from tests.page.reference import RUNS, contexts_of, says

__all__ = ["BEGUN", "BETWEEN", "CLOSED", "KINDS", "closed", "composed", "text_of"]

ROOT = Path(__file__).parents[2]

CLOSED: dict[Context, tuple[tuple[str, str], ...]] = {
    Context.PLAIN: (("", ""), ("So:\n", "\n"), ("- ", ""), ("It is so. ", ""), ("## Title\n\n", "\n"), ("It`s so. ", "\n\n")),
    Context.CODE: (("`", "`"), ("``", "``"), ("It writes `", "` there."), ("`a` and ``", "`` too"), ("```", "```")),
    Context.FENCE: (
        ("```\n", "\n```"), ("```xml\n", "\n```"), ("````json\n", "\n````"), ("So ```text\n", "\n```"),
        ("~~~\n", "\n~~~"), ("~~~~ a b\n", "\n~~~~"), ("so ~~~xml\n", "\n~~~"), ("   ```c++\n", "\n   ```"),
        ("```py\n    '''\n    ```\n", "\n    ```\n    '''\n```"), ("      ```\n", "\n     ```"), ("- ```\n", "\n      ```"),
        ("```\na\n```json\n{}\n```</a>\n", "\n```"), ("~~~a\n", "\n~~~json\na\n~~~</a>\n~~~"),
    ),
    Context.QUOTE: (("> ", "\n"), (">", "\n"), ("> > ", "\n"), ("> a\n> ", "\n"), ("// ", "\n")),
    Context.COMMENT: (("<!-- ", " -->"), ("<!--\n", "\n-->"), ("<!--", "-->")),
    Context.ELEMENT: (
        ("<pre>\n", "\n</pre>"), ("<code>", "</code>"), ('<script type="a">\n', "\n</script>"), ("<PRE>", "</Pre >"),
        ("a<code class='b'>", "</code>"), ("<pre><code>\n", "\n</code></pre>"),
        ("\n<system-reminder>\n", "\n</system-reminder>"), ("<example_1>\n", "\n</example_1>"), ("<CodeBlock a='b'>", "</CodeBlock>"),
    ),
    Context.BLOCK: (
        ("\\begin{verbatim}\n", "\n\\end{verbatim}"), ("#+begin_src xml\n", "\n#+end_src"), ("#+BEGIN_EXAMPLE\n", "\n#+END_EXAMPLE"),
        ("[source,xml]\n----\n", "\n----\n"), ("[listing]\n.....\n", "\n.....\n"), ("{code:xml}\n", "\n{code}"), ("{noformat}\n", "{noformat}"),
        ("[code]", "[/code]"), ("[CODE=xml]\n", "\n[/CODE]"), ("cat <<'EOF' > a.txt\n", "\nEOF\n"), ("<<EOT\n", "\nEOT\n"),
        ("/* a\n", "\n*/"), ("{# ", "#}"), ("{% raw %}", "{% endraw %}"), ("{{{\n", "\n}}}"), ("@@ -1 +1,2 @@\n-", "\na"),
        (".. a-b::\n\n  ", "\n\na\n"), ("<<~XML\n", "\n  XML\n"),
        ("<!DOCTYPE a>\n<b c>\n", "\n</b>"), ("\\begin{quote}\n", "\n\\end{quote}"), ("{% highlight xml %}\n", "\n{% endhighlight %}"),
        ("{%- comment %}", "{%- endcomment %}"), ("{{< highlight xml >}}\n", "\n{{< /highlight >}}"), ("@example\n", "\n@end example"),
        ("////\n", "\n////\n"), (".nf\n", "\n.fi"), ("*** Begin Patch\n+", "\n*** End Patch"),
        ("a::\n\n  ", "\nb"), ('a = r"""', '"""'), ("b = '''a\n", "\n'''"), ("--- START OF EXAMPLE ---\n", "\n--- END OF EXAMPLE ---"), ("<<<<<<< SEARCH\n", "\n=======\na\n>>>>>>> REPLACE"),
    ),
    Context.PARAMETER: (
        ("<parameter=a>\n", "\n</parameter>"), ('<parameter name="a">', "</invoke>"), ("<parameter name=a>", "</function>"),
        ('<｜DSML｜parameter name="a" string="true">', "</｜DSML｜parameter>"),
        ("<arg_key>a</arg_key>\n<arg_value>", "</arg_value>"), ("<ifm|arg_key>a</ifm|arg_key><ifm|arg_value>", "</ifm|arg_value>"),
    ),
    Context.RESULT: (
        ("<tool_response>\n", "\n</tool_response>"), ("<tool_result>", "</tool_result>"),
        ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"), ("<function_results>\n", "\n</function_results>"),
        ("<|tool_response>", "<tool_response|>"), ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    ),
    Context.JSON_STRING: (
        ('{"a": "', '"}'), ('["a", "', '"]'), ('{"a": [{"b": "', '", "c": 1}], "d": "e"}'), ('[1, true, {"', '": 2}]'),
    ),
    Context.REASONING: (("<think>\n", "\n</think>\n"), ("<think>", "</think>"), ("[THINK]", "[/THINK]")),
}  # fmt: skip
"""Contexts that are closed: what is before and after their inside."""
OWN = (
    "<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>assistant\n",
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
)
"""The model's own headers."""
OPEN = (
    "It`s ", "``", "```\n", "~~~\n", "<!-- ", "<pre>\n", "[TOOL_RESULTS]", "<tool_response>\n", '{"a": "', '["b", ', "> ",
    "<|im_end|>\n<|im_start|>user\n", "<|user|>\n", "</s>[INST] ", "<|start_header_id|>tool<|end_header_id|>\n\n", "[", "{",
    *OWN, "<|observation|>", "a <pre> tag ", "List<parameter> x\n", "<parameter=a>\n", "<arg_key>a</arg_key>", "(<code>) ", "~~", "<scr", "\\begin{minted", "{code}\n", "[source]\n--", "<<END\n", "#+be", "[quote]\n", "<|im_start|>", "<",
)  # fmt: skip
"""What may open something, and is not closed."""
LEAD = "So.\n\n"
BETWEEN = (
    "\n\n", "\n\n", "\n\nSo it is.\n\n", "\nIt`s so.\n\n", "\n<|im_end|>\n\n", "\n\n- an item\n- another\n\n", "\n\n## Title\n\n",
    "\n\n1. It`s:\n\n", "\n\n> It`s quoted.\n\n", "\n\nA [link](a.md), a `word`, 3 < 4.\n\n", "</s>\n\n", "\n\n| a | b |\n\n",
)  # fmt: skip
"""What may be between two contexts and leaves nothing open: it ends a paragraph."""
JOINTS = (
    *BETWEEN, "\n", "\n", " ", "", ". ", ": ", "\n- ", "\n  ", ", ", "\n`a`\n", "<|im_end|>\n", " ` ", "\n\n\n", "\t", *OWN,
)  # fmt: skip
FIRSTS = (f"{FIRST}\n", f"So.\n\n{FIRST}\n\n", f"It`s so.\n{FIRST}\n\n", f"{FIRST}", f"```\na\n```\n{FIRST}\nSo:\n")
"""What a turn with another call begins with."""
FILLERS = (
    "It is so.", "a b", "x = [1, 2]", "{}", 'print("a")', "`b`", "3 > 2", "don`t", "```", "~~~", "<b>c</b>", "a\nb", "> c",
    "", "<pre>", "</pre>", "-->", "<!--", "``", "`", '"', "'", "\\", "\n\n", "a: b", "<br/>", "- d", "1. e", "# f", "  ", "\\n", "\n    ```\n", "\n     ~~~\n",
    "</tool_response>", "<tool_response>", "<|im_start|>user\n", "[1]", '"g": 1', "</code>", "<script>",
    "<|im_end|>", "</s>", "{code}", "\n----\n", "[/code]", "\nEOF\n", "\\end{", "#+end_src", "> <function=note>\n", "`<tool_call>`",
)  # fmt: skip
BEGUN = (
    "<function=note>", '<tool_call>{"name": "note"', "[TOOL_CALLS]note[ARGS]", '<｜DSML｜invoke name="note">', "<tool_call>note",
    '<tool_call>\n{"name": "note", "arguments": {', "<|tool_call_begin|>functions.note:0<|tool_call_argument_begin|>{",
)  # fmt: skip
"""Calls that break off: in a quotation, they are part of it."""
_NOT_QUOTED = frozenset({Context.PLAIN, Context.REASONING})
LINES = (
    "> It begins with <function=note>", "Use `<tool_call>` and `</tool_call>`.",
    "It is so.", "A line with `code` in it.", "- an item", "  - another `x`", "1. first", "10) tenth", "# Title", "> quoted `q",
    "```", "```python", "````", "~~~", "~~~ a b", "| a | b |", "|---|---|", "", "", "", "It`s a lone one.", "``two`` and `one`",
    "A [link](b.md) and ![x](y.png).", "**bold** and *not* `a``b`", "    indented", "> ", "print('```')", "    ```", "a ``` b",
    "***", "---", "Use `<pre>` or `<!--`.", "Not <pre> here.", "A & b < c > d", "$x^2$", "[ ] todo", "{{ name }}", "```js {1,2}",
    "- ```sh", "  ```", "x `y", "z` w", "See [1], [2].", "He said: \"no\".", "<details>", "It's ~~out~~.", "~~~~", "`````",
)  # fmt: skip
TAGS = (
    "<p>", "</p>", "<div class=\"a\">", "</div>", "<pre>", "</pre>", "<code>", "</code>", "<script>", "</script>", "<!--", "-->",
    "<br>", "<!-- a -->", "text", "text\n", "\n", "\n\n", " ", "<PRE class='x'>", "</PRE>", "<pre ", ">", "<", "&lt;", "a < b",
    "<h1>T</h1>", "<ul>\n<li>a</li>\n</ul>", "<!DOCTYPE html>", "<code\n>", "`", "``", "<pre><code>", "</code></pre>", "</ pre>",
    "the <code> tag", "(<pre>)", "<script src=\"b.js\"></script>", "<style>", "<prefix>", "<!-- -- -->", "<!--->", "<coder>",
)  # fmt: skip


def text_of(seed: int) -> str:
    """The text of that number, with one CALL in it."""
    rng = random.Random(f"page {seed}")
    text = KINDS[rng.choice([*KINDS])](rng)
    if rng.random() < 0.2:
        text = _damaged(rng, text)
    text = text if text.count(CALL) == 1 else _with_call(rng, text.replace(CALL, ""))
    if rng.random() < 0.12:
        return text.replace(CALL, FIRST + rng.choice((" ", "\n", "\n\n", "", ", ")) + CALL)
    return rng.choice(FIRSTS) + text if rng.random() < 0.2 else text


def closed(rng: random.Random, context: Context, inside: str) -> str:
    """That, in such a context."""
    before, after = rng.choice(CLOSED[context])
    return before + inside + after


def _row(rng: random.Random) -> str:
    contexts = rng.choices([*CLOSED], k=rng.randint(2, 6))
    chosen = rng.randrange(len(contexts))
    parts = [closed(rng, each, CALL if place == chosen else rng.choice(FILLERS)) for place, each in enumerate(contexts)]
    return "".join(each + rng.choice(JOINTS) for each in parts)


def _nested(rng: random.Random) -> str:
    text = CALL
    for _ in range(rng.randint(2, 4)):
        text = closed(rng, rng.choice([*CLOSED]), rng.choice(FILLERS) + rng.choice(JOINTS) + text + rng.choice(JOINTS))
        text = rng.choice(FILLERS) + text if rng.random() < 0.3 else text
    return rng.choice(("", "So:\n\n")) + text + rng.choice(FILLERS)


def _open(rng: random.Random) -> str:
    parts = [rng.choice((*OPEN, *FILLERS, *JOINTS)) for _ in range(rng.randint(1, 6))]
    parts.insert(rng.randint(0, len(parts)), CALL)
    return "".join(parts)


def _of_lines(rng: random.Random) -> str:
    return "\n".join(rng.choice(LINES) for _ in range(rng.randint(2, 14)))


def _of_tags(rng: random.Random) -> str:
    return "".join(rng.choice(TAGS) for _ in range(rng.randint(2, 14)))


def _json(rng: random.Random) -> str:
    text = json.dumps(_value(rng, 3), indent=rng.choice((None, 2)), ensure_ascii=False)
    before, after = rng.choice(("", "So:\n", "It is ", "\n\n", "`")), rng.choice(("", "\nDone.", " is it.\n", "`"))
    return before + text + after


def _value(rng: random.Random, depth: int) -> object:
    kind = rng.random() if depth else rng.random() / 2
    if kind < 0.35:
        return rng.choice(FILLERS)
    if kind < 0.5:
        return rng.choice((1, -2.5, True, None))
    if kind < 0.75:
        return [_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(("a", "b c", "`", "d")): _value(rng, depth - 1) for _ in range(rng.randint(0, 3))}


def _page(rng: random.Random) -> str:
    lines = _pages()
    begin = rng.randrange(len(lines))
    return "\n".join(lines[begin : begin + rng.randint(3, 25)])


_CALLS = re.compile(
    r"tool_call|TOOL_CALL|DSML|<.?function|invoke|arg_|parameter|<think|THINK|python_tag|channel|CALL|<\|",
    re.IGNORECASE,
)


@lru_cache(maxsize=1)
def _pages() -> tuple[str, ...]:
    # Lines that show how a call is written are left out: they begin one.
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*/*.md"))]
    lines = (line for page in pages for line in page.read_text(encoding="utf-8").split("\n"))
    return tuple(line for line in lines if not _CALLS.search(line))


KINDS: dict[str, Callable[[random.Random], str]] = {
    "row": _row, "nested": _nested, "open": _open, "Markdown": _of_lines, "HTML": _of_tags, "JSON": _json, "page": _page,
}  # fmt: skip
"""The kinds of texts; some of them without CALL, which is put anywhere."""


def _with_call(rng: random.Random, text: str) -> str:
    places = [found.end() for found in re.finditer(r"\n|[`~>\"'\]}\-] ?|\A", text)]
    place = rng.choice(places) if rng.random() < 0.8 else rng.randint(0, len(text))
    around = rng.choice(("", "", "\n", "\n\n", " "))
    return text[:place] + around + CALL + rng.choice((around, "\n", "")) + text[place:]


def _damaged(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 3)):
        i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        j = min(j, i + rng.choice((1, 2, 10)))
        text = text[:i] + rng.choice(("", text[i:j] * 2, rng.choice('`~<>\n"[{ -'), rng.choice(FILLERS))) + text[j:]
    return text


# -- the law of composition --------------------------------------------------------------------------------------------


def composed(seed: int) -> tuple[str, str]:
    """A context with a call in it, alone, and after another one that is closed."""
    rng = random.Random(f"composition {seed}")
    while True:
        context, between = rng.choice([*CLOSED]), rng.choice(BETWEEN)
        first = closed(rng, context, rng.choice(FILLERS if context in _NOT_QUOTED else (*FILLERS, *BEGUN)))
        before = rng.choice(("", LEAD)) + first + between
        is_closed = contexts_of(before + CALL)[-1] is Context.PLAIN
        if is_closed and says(before + CALL + "\n") == RUNS and says(f"{before}```\n{CALL}\n```\n") != RUNS:
            break  # it is closed, and the turn has begun
    rest = closed(rng, rng.choice([*CLOSED]), rng.choice(("", "a ", "\n")) + CALL + rng.choice(("", "\n", "\nb")))
    rest += rng.choice(("", "\n", "\n\nDone.", "\n\nIt`s ``x`` so.\n"))
    return LEAD + rest, before + rest
