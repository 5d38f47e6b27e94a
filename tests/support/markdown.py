# Answers in Markdown as models write them, which contain no call: what is returned late of them is late for nothing.
# Does not depend on how they are read.
"""Sections of Markdown, by name, and code in twenty languages."""

from __future__ import annotations

__all__ = ["CODE", "SECTIONS", "TEXT", "fence", "whole"]

CODE: dict[str, str] = {
    "python": (
        'def look(path: str, *, deep: bool = False) -> "list[int]":\n    """Look at <parts> of it, and count them."""\n'
        "    return [n for n, line in enumerate(open(path)) if len(line) < 3]\n\n\nprint(look('a', deep=True))"
    ),
    "javascript": (
        "const out = await run({ city: 'Oslo', days: 3 });\nconsole.log(`${out} of ${days}`);\n"
        "[1, 2].map((x) => x * 2);\nexport default { out };"
    ),
    "typescript": "interface Args {\n  city: string;\n}\n\nexport const all = <T>(x: T): T[] => [x];\nlet n: number | null;",
    "go": 'package main\n\nfunc main() {\n\tout := map[string]any{"a": 1}\n\tfmt.Println(<-c, out)\n}',
    "rust": '#[derive(Debug)]\nfn main() {\n    let v: Vec<u8> = vec![1, 2];\n    println!("{v:?}");\n}',
    "java": 'public class A {\n    @Override\n    public List<String> all() {\n        return List.of("a", "b");\n    }\n}',
    "c": '#include <stdio.h>\n\nint main(void) {\n    printf("%d\\n", 1 < 2);\n    return 0;\n}',
    "cpp": "template <typename T>\nstd::vector<T> all() {\n    return {1, 2};\n}",
    "csharp": "[Test]\npublic void Runs() {\n    Assert.Equal(1, list[0]);\n}",
    "ruby": 'def run(name:, **given)\n  puts "#{name}: #{given}"\nend\n\n@all = [1, 2].map { |x| x * 2 }',
    "php": "<?php\n$out = run(['a' => 1]);\necho $out;\n?>",
    "sql": "SELECT name, count(*)\nFROM calls\nWHERE name = 'x' AND n < 3\nGROUP BY name;",
    "html": (
        '<!DOCTYPE html>\n<html>\n<body>\n<p class="a">Text &amp; more</p>\n<!-- a comment -->\n'
        "<custom-part>x</custom-part>\n</body>\n</html>"
    ),
    "xml": '<?xml version="1.0"?>\n<project>\n  <name>a</name>\n  <plugin id="b" version="1"/>\n</project>',
    "css": ".a > b {\n  color: red;\n}\n\n@media (min-width: 3px) { a { top: 0 } }",
    "json": '{\n  "name": "a",\n  "list": [1, 2, {"b": null}],\n  "text": "x <b>",\n  "arguments": {"x": 1}\n}',
    "yaml": "version: 2\njobs:\n  - run: echo done\n    with: {a: 1}\n# a comment\n---",
    "toml": '[project]\nname = "a"\n\n[[part]]\nlist = [1, 2]',
    "bash": '$ git status --short\nfor x in 1 2; do\n  echo "$x" | tee out.txt\ndone\n[ -f a ] && cat < a > b',
    "diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old <b>\n+new [c]",
}
"""A program in each language."""


def fence(language: str) -> str:
    """That program in a fence."""
    return f"```{language}\n{CODE[language]}\n```\n"


TEXT = "It goes on like this, with nothing in it that may begin a call. " * 8 + "\n"
SECTIONS: dict[str, str] = {
    "paragraphs": (
        "This is **bold**, *soft*, ***both*** and _so_. It costs 3 < 4 > 2, or about 5 %: see [the page]"
        "(https://example.org/a?b=c&d=e) or <https://example.org>.\nA line\\\nthat goes on, x = {y: [1]} and a_b.\n\n"
        "“Quoted”, \"so\" and 'so'; C:\\temp, $x^2$, @ann, #12 and 50% — that is all!\n"
    ),
    "headings": (
        "# Title\n\nText.\n\n## A section\n\nText.\n\n### A part\n\nText that goes on for a while.\n\n"
        "#### A deeper part\n\nText.\n\nTitle\n=====\n\nText.\n\nOther\n-----\n\nText.\n"
    ),
    "inline code": (
        "Use `code`, ``a`b``, `<b>` and `x = {1: [2]}`. It`s so.\n\nThen `run(a='b')`, `--flag 3` and `{\"a\": 1}`. Or:\n\n"
        "`one` and `two`\n"
    ),
    "lists": (
        "- one\n- two: `x = 1`\n  - deeper: value\n  - (a) and [b]\n* star\n+ plus\n- [ ] to do\n- [x] done\n\n"
        "1. first\n2. second (a, b)\n\n   a paragraph of it\n\n3. **third**: {x}\n"
    ),
    "tables": (
        '| key | value |\n|---|:-:|\n| `a` | 1 |\n| <b>b</b> | [x] |\n| {c} | "d" |\n\nkey | value\n--- | ---\na | b\n'
    ),
    "quotations": "> A quotation\n> of two lines with `code`.\n>\n> - and a list\n> > deeper <b>text</b>\n\nText.\n",
    "HTML": (
        '<details>\n<summary>More</summary>\n\n<p align="center">Text <i>here</i><br/></p>\n\n</details>\n\n'
        '<div class="a">\n<a href="https://example.org">page</a>\n</div>\n\nPress <kbd>Enter</kbd>.<br>\nText.\n'
    ),
    "comments": "Text.\n\n<!-- a comment\nof two lines with <b> -->\n\nText.\n",
    "rules": "Text.\n\n---\n\nText.\n\n***\n\nText.\n\n___\n\nText.\n",
    "references": 'A footnote[^1] and [a][1].\n\n![picture](a.png "title")\n\n[1]: https://example.org\n\n[^1]: Text.\n',
    "terms": "Term\n: what it is\n\nNote: this.\nKey: value\nKey = value\nAt 10:30, or 11:00.\n\n**Name**: Ann\n",
    "indented code": "Text.\n\n    x = run(a=1)\n    <b>{x}</b>\n\nText.\n",
    "formulas": "It is $a < b$, so:\n\n$$\nx_{1} = \\frac{a}{b}\n$$\n\nor \\(x\\) and \\[y\\].\n",
    "JSON without a fence": 'It answers this:\n\n{"ok": true, "list": [1, 2]}\n\nText.\n',
    "a fence without a word": "Text.\n\n```\nsome text < 3 {x}\n  and [more]\n```\n\nText.\n",
    "tildes": "Text.\n\n~~~python\nx = 1\n~~~\n\nText.\n",
    "a fence in a list": "1. So:\n\n   ```bash\n   make all\n   ```\n\n2. Then so.\n",
    "other alphabets": "标题：这是“引用”。\n\n- 列表 → 值\n\n“Да”, и текст — так.\n\n• point\n✅ done — ok\n\nÀ propos.\n",
    "narrow tables": f"Text.\n\n|key|value|\n|-|-|\n|a|1|\n|b|2|\n\n{TEXT}",
    "a paragraph in parentheses": f"Text.\n\n(See above, as was said.) {TEXT}",
    "a line that begins with a formula": f"Text.\n\n$x < y$ is so. {TEXT}",
    "a line that begins with an arrow": f"Text.\n\n→ That is why. {TEXT}",
    "a line that begins with a mention": f"Text.\n\n@ann has said so. {TEXT}",
    "a line that begins with square brackets": f"Text.\n\n[Note] This is so. {TEXT}",
    "a line that begins with corner brackets": f"Text.\n\n「はい」 is yes. {TEXT}",
    "a line that begins with a label": f"Text.\n\nAction: wait and see. {TEXT}",
}
"""A text for each thing that Markdown has, fences of code aside."""


def whole() -> str:
    """All of that, and code in each language, in one answer."""
    fences = [f"{language} is written like this.\n\n{fence(language)}\n" for language in CODE]
    return "\n".join([*SECTIONS.values(), *fences])
