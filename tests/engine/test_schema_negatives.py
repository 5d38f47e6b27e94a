# Texts that name a tool and its keys, with valid values, and are no calls. Each breaks one rule for calls in spellings that
# nobody declared, or is a document, a log, a page.
"""Near misses of calls in undeclared spellings."""

from __future__ import annotations

import pytest

from tests.support import depth
from tests.support.chunkings import read_with
from toolglean import Content

STRING = {"type": "string"}
TOOLS = [
    {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": STRING,
                "days": {"type": "integer"},
                "units": {"type": "string", "enum": ["metric", "imperial"]},
            },
            "required": ["city"],
        },
    },
    {
        "name": "note",
        "parameters": {
            "type": "object",
            "properties": {"title": STRING, "body": STRING},
            "required": ["title", "body"],
        },
    },
    {
        "name": "server",
        "parameters": {
            "type": "object",
            "properties": {"host": STRING, "port": {"type": "integer"}},
            "required": ["host", "port"],
        },
    },
    {"name": "python", "parameters": {"type": "object", "properties": {"code": STRING}, "required": ["code"]}},
    {"name": "ping", "parameters": {"type": "object", "properties": {}}},
    {"name": "free"},
]
CALL = '<do:get_weather city="Oslo" days="3" />'
BLOCK = "[TOOL get_weather]\ncity: Oslo\ndays: 3\n[END TOOL]"
OBJECT = '⟦do get_weather⟧{"city": "Oslo", "days": 3}⟦/do⟧'
LINE = 'PERFORM: get_weather city="Oslo" days=3'
ARGUMENTS = '{"city": "Oslo"}'
REFUSED = (
    "forbidden", "refused", "revoked", "simulated", "dryrun", "verboten", "interdit", "denied", "rejected", "vetoed",
    "declined", "hypothetical", "would_be", "unsafe", "old_call", "call_example", "called", "tool_result", "step", "todo",
)  # fmt: skip
# (a) what introduces the frame is a word for calling, or the tool's own name.
INTRODUCED: dict[str, str] = {
    name: text
    for word in REFUSED
    for name, text in {
        f"{word}, a tag": f'<{word} tool="get_weather">{ARGUMENTS}</{word}>',
        f"{word}, an empty tag": f'<{word} tool="get_weather" city="Oslo"/>',
        f"{word}, a label": f"{word.upper()}: get_weather {ARGUMENTS}",
        f"{word}, a block": f"[{word} get_weather]\ncity: Oslo\n[/{word}]",
        f"{word}, a fence": f"```{word}\nget_weather {ARGUMENTS}\n```",
        f"{word}, around": f'<{word}>\n<call name="get_weather">{ARGUMENTS}</call>\n</{word}>',
        f"{word}, around and open": f'<{word}>\n<call name="get_weather">{ARGUMENTS}</call>',
        f"{word}, behind": f"Action: get_weather {ARGUMENTS}\n{word.upper()}",
    }.items()
}
# (b) what introduces the arguments is a word for them, or nothing: a log, a result and a denial have the same keys.
OTHER_THINGS = (
    "Result", "Output", "Error", "Observation", "Denied", "DENIED", "Failed with", "Schema", "Old arguments",
    "Rejected arguments", "Arguments rejected", "not sent", "结果", "Ergebnis", "example",
)  # fmt: skip
LABELLED: dict[str, str] = {
    f"{word}, {name}": text
    for word in OTHER_THINGS
    for name, text in {
        "behind a label": f"Tool: get_weather\n{word}: {ARGUMENTS}",
        "behind a label and prose": f"I worked.\n\nTool call: get_weather\n{word}: {ARGUMENTS}\n",
        "between tags": f'<call name="get_weather">\n{word}: {ARGUMENTS}\n</call>',
        "between tags, pairs": f'<call name="get_weather">\n{word}:\ncity: Oslo\n</call>',
        "behind the name": f"<call>\nname: get_weather\n{word}: {ARGUMENTS}\n</call>",
        "in a fence": f"```call\ntool: get_weather\n{word}: {ARGUMENTS}\n```",
        "a key": f'<call>{{"tool": "get_weather", "{word}": {ARGUMENTS}}}</call>',
        "a key, with JSON as text": f'<call>{{"tool": "get_weather", "{word}": "{{\\"city\\": \\"Oslo\\"}}"}}</call>',
        "a key for the name": f'<call>{{"{word}": "get_weather", "args": {ARGUMENTS}}}</call>',
    }.items()
}
ELEMENTS: dict[str, str] = {
    f"{word}, {name}": text
    for word in ("result", "output", "error", "denied", "rejected", "example", "结果")
    for name, text in {
        "an element": f"<call><name>get_weather</name><{word}>{ARGUMENTS}</{word}></call>",
        "an element around elements": f'<call tool="get_weather"><{word}><city>Oslo</city></{word}></call>',
        "an element beside the name": f"<call>get_weather</call><{word}>{ARGUMENTS}</{word}>",
        "a tag behind the name": f"<call>get_weather<{word}>{ARGUMENTS}</call>",
        "a fence": f"<call>get_weather\n```{word}\n{ARGUMENTS}\n```\n</call>",
        "an attribute for the name": f"<call {word}='get_weather'><city>Oslo</city></call>",
    }.items()
}
# All of the text is used up: a remark may take the call back, whatever brackets it is in.
NAMED = f'{{"name": "get_weather", "arguments": {ARGUMENTS}}}'
REMARKS: dict[str, str] = {
    f"{remark}, {name}": text
    for remark in ("(dry run)", "(no)", "[cancelled]", "{no}", "«no»", "<no>", "<!-- no -->", "[x]")
    for name, text in {
        "before the object": f"<use>\n{remark} {NAMED}\n</use>",
        "before the object, in a declared frame": f"<tool_call>\n{remark} {NAMED}\n</tool_call>",
        "behind the object": f"⟦call⟧{NAMED} {remark}⟦/call⟧",
        "between two objects": f"<call>{NAMED}{remark}{NAMED}</call>",
        "between two frames": f"<calls>\n{CALL}\n{remark}\n{CALL}\n</calls>",
        "in a fence": f"```call\n{remark} {NAMED}\n```",
        "before the name": f'<call>{remark} get_weather(city="Oslo")</call>',
        "behind the arguments": f'<call>get_weather(city="Oslo") {remark}</call>',
        "behind the name": f"<call>get_weather {remark} {ARGUMENTS}</call>",
        "behind the name, in brackets": f'[call:get_weather {remark} city="Oslo" days=3]',
    }.items()
}
ATTRIBUTES: dict[str, str] = {
    f"{attribute}, {name}": text
    for attribute in (
        'status="denied"', 'dry_run="true"', 'run="false"', 'type="example"', 'role="user"', 'kind="result"', 'no="true"',
    )
    for name, text in {
        "on the frame": f"<call {attribute}>{NAMED}</call>",
        "on a declared frame": f"<tool_call {attribute}>{NAMED}</tool_call>",
        "on the frame of the name": f"<call {attribute}>get_weather {ARGUMENTS}</call>",
        "beside the name": f'<call tool="get_weather" {attribute}>{ARGUMENTS}</call>',
        "before the name": f'<call {attribute} tool="get_weather" city="Oslo"/>',
        "on what is around frames": f"<calls {attribute}>\n{CALL}\n</calls>",
    }.items()
}  # fmt: skip
BESIDE: dict[str, str] = {
    "a sentence of one word behind a label": f"Action: get_weather {ARGUMENTS}\nDone.",
    "a sentence of one word behind a bracket": '[call:get_weather city="Oslo"]\nFinished!',
    "a sentence of one word behind a fence": f"````call\nget_weather {ARGUMENTS}\n````\nDone.",
    "a word as a pair": f"<tool_call:example>{NAMED}</tool_call:example>",
    "a type in the object": f'<call>{{"tool": "get_weather", "type": "denied", "args": {ARGUMENTS}}}</call>',
    "a type around the object": f'<call>{{"type": "example", "function": {NAMED}}}</call>',
    "a number that is none": f'<call>{{"tool": "get_weather", "no": true, "args": {ARGUMENTS}}}</call>',
    "a type among the pairs": '<call tool="get_weather">type: "example", city: "Oslo"</call>',
    "a word before the key": '<call tool="get_weather"><old city>Oslo</old></call>',
    "an element for the pair": '<call tool="get_weather"><result name="city">Oslo</result></call>',
    "an element for the key": '<call tool="get_weather"><old>city</old><v>Oslo</v></call>',
}
# (c) nothing is open around it, and nothing before it announces it, whatever is behind the colon.
AROUND = {
    "a here-document": ("cat <<EOF\n", "\nEOF"),
    "a here-document in quotes": ("cat <<-'END'\n", "\nEND\n"),
    "lines of underscores": ("__EXAMPLE__\n", "\n__END__"),
    "a comment of Jinja": ("{#\n", "\n#}"),
    "a listing of AsciiDoc": ("= Title\n\n[source]\n----\n", "\n----\n"),
    "a literal block of AsciiDoc": (".Example\n....\n", "\n....\n"),
    "rules": ("----\n", "\n----"),
    "a rule behind a colon": ("Example:\n\n----\n", "\n"),
    "a short rule behind a colon": ("Like so:\n\n---\n", ""),
    "a parenthesis": ("(like so:)\n", ""),
    "quotation marks": ('"Like so:"\n', ""),
    "an element": ("<p>Like so:</p>\n", ""),
    "a bold element": ("<b>Like so:</b>\n\n", ""),
    "an element that stays empty": ("Like so:<br>\n", ""),
    "two such elements": ("Like so:<br>\n<hr/>\n", ""),
    "a backslash": ("Like so:\\\n", ""),
    "a blank that does not break": ("Like so:\u00a0\n", ""),
    "a blank without a width": ("Like so:\u200b\n", ""),
    "a hand": ("Like so: \U0001f447\n", ""),
    "an emoji": ("Like so: \U0001f600\n", ""),
    "a comment": ("Like so:\n<!-- -->\n", ""),
    "a hand, without a colon": ("See below \U0001f447\n\n", ""),
    "an arrow, without a colon": ("Example ↓\n", ""),
    "a dash, without a colon": ("For example —\n", ""),
}
PLACES: dict[str, str] = {
    f"{what}, {name}": f"{before}{call}{behind}"
    for what, (before, behind) in AROUND.items()
    for name, call in {
        "an empty tag": CALL, "a block": BLOCK, "an object": OBJECT, "a label": f"CALL get_weather {ARGUMENTS}",
        "in brackets": '[call:get_weather city="Oslo"]', "a sign": '🔧 get_weather(city="Oslo")',
    }.items()
}  # fmt: skip
PRODUCTS: dict[str, str] = {**INTRODUCED, **PLACES, **REMARKS, **ATTRIBUTES, **BESIDE, **LABELLED, **ELEMENTS}
ROWS: dict[str, str] = PRODUCTS | {
    "two words, one for calling": f"Tool called: get_weather {ARGUMENTS}",
    "a log's word": f"Command executed: get_weather {ARGUMENTS}",
    "a form": "FORM: get_weather\ncity: Oslo\nEND",
    # (d) the line before it
    "a colon before it": "I will not do it. The call would have been:\n\nTOOL: get_weather\ncity: Oslo\nEND TOOL",
    "a colon in bold before it": f'**Never send this:**\n<call name="get_weather">{ARGUMENTS}</call>',
    "a question before it": f'Should I run this?\n<call name="get_weather">{ARGUMENTS}</call>',
    "a colon before the first of two": f"So:\n<call name='get_weather'>{ARGUMENTS}</call>\n\n<call name='get_weather'>{ARGUMENTS}</call>",
    # a backslash that would change a value
    "a backslash in an attribute": '<call tool="get_weather" city="C:\\temp"/>',
    "an escaped quotation mark in an attribute": '<call tool="get_weather" city="a \\"b\\" c"/>',
    # a value that can be read in two ways
    **{
        f"a block of YAML: {sign}": f"CALL: note\ntitle: a\nbody: {sign}\n  b\n  c\nEND CALL"
        for sign in (">", ">-", "|2", "|+", "| # d")
    },
    "a block of YAML that begins with a blank of another kind": "CALL: note\ntitle: a\nbody: |\n  \u00a0b\nEND CALL",
    "a comment below a value": "TOOL: get_weather\ncity: Oslo\n# cancelled\nEND TOOL",
    "a comment of slashes below a value": "TOOL: get_weather\ncity: Oslo\n  // not now\nEND TOOL",
    "a comment behind a value": "TOOL: get_weather\ncity: Oslo // cancelled\nEND TOOL",
    "a comment behind the first value": "TOOL: note\ntitle: a # no\nbody: b\nEND TOOL",
    "a comment behind a value in brackets": "[call:get_weather city=Oslo // no]",
    "quotes around one of two texts": '[call:note title=a body="b c"]',
    "quotes around one of two texts, on lines": 'CALL: note\ntitle: "a"\nbody: b\nEND CALL',
    "an escape that PHP does not have": "call('note', ['title' => 'a', 'body' => 'C:\\new\\table'])",
    # (e) two frames of one shape, of which one cannot be read
    "a frame that cannot be read before it": '<use tool="server" host="x" port="three"/>\n<use tool="get_weather" city="a"/>',
    "a frame of no tool before it": '<use tool="nothing" host="x"/>\n<use tool="get_weather" city="a"/>',
    "a block that cannot be read before it": "[TOOL server]\nhost: x\nport: y\n[END TOOL]\n[TOOL get_weather]\ncity: a\n[END TOOL]",
    # the name
    "name in other case": CALL.replace("get_weather", "Get_Weather"),
    "name with another dash": CALL.replace("get_weather", "get-weather"),
    "name with a letter more": BLOCK.replace("get_weather", "get_weathers"),
    "name in a namespace of somebody": OBJECT.replace("get_weather", "dry_run.get_weather"),
    "name as part of a word": LINE.replace("get_weather", "forget_weather"),
    "no tool's name": BLOCK.replace("get_weather", "weather"),
    # the keys
    "undeclared key": CALL.replace("days", "day"),
    "required key is missing": '<do:get_weather days="3" />',
    "required key in other case": BLOCK.replace("city", "City"),
    "one of two required keys": "[TOOL note]\ntitle: a\n[END TOOL]",
    "undeclared key beside good ones": OBJECT.replace('"days"', '"color": "red", "days"'),
    "words between the pairs": CALL.replace("days", "for days"),
    "words between pairs in quotes": LINE.replace("days", "and days"),
    "no keys at all": "[TOOL get_weather]\n[END TOOL]",
    # the values
    "number is a word": BLOCK.replace("3", "three"),
    "number is a fraction": OBJECT.replace("3", "3.5"),
    "number as an object": OBJECT.replace("3", '{"n": 3}'),
    "word is not in the list": OBJECT.replace('"days": 3', '"units": "kelvin"'),
    "string is a list": OBJECT.replace('"Oslo"', '["Oslo"]'),
    "JSON that does not close": OBJECT.replace("3}", "3"),
    "JSON with text after it": OBJECT.replace("3}", "3} or so"),
    "string without its end": LINE.replace('"Oslo"', '"Oslo'),
    # the schema
    "tool without properties": "<do:ping />",
    "tool without properties, with a key": '<do:ping city="Oslo" />',
    "tool without a schema": '<do:free city="Oslo" />',
    # the frame
    "no closer": "[TOOL get_weather]\ncity: Oslo\ndays: 3\n",
    "half of the closer": BLOCK[:-1],
    "other closer": '⟦do get_weather⟧{"city": "Oslo"}⟦/go⟧',
    "no opener": "city: Oslo\ndays: 3\n[END TOOL]",
    "no frame": "get_weather\ncity: Oslo\ndays: 3\n",
    "no frame, on one line": 'get_weather city="Oslo" days=3',
    "no frame, flags": "get_weather --city Oslo --days 3",
    "text before it on its line": f"So: {CALL}",
    "text after it on its line": f"{CALL} does it.",
    "full stop after it": f"{CALL}.",
    "in parentheses": f"({CALL})",
    "in quotation marks": f'"{CALL}"',
    "in typographic quotation marks": f"“{CALL}”",
    "wrapper with text in it": f"<page>\n<p>hello</p>\n{CALL}\n</page>",
    # what follows
    "prose after it": f"{CALL}\nThat is how to call it.",
    "prose after it, a paragraph later": f"{BLOCK}\n\nThat is how to call it.",
    "prose after two of them": f"{OBJECT}\n{OBJECT}\n\nShall I?",
    "prose after a line": f"{LINE}\nOr so.",
    "bracket after it": f"{CALL}\n]",
    # the place
    "inline code": f"`{CALL}`",
    "inline code that opens earlier": f"`see\n{CALL}\nhere`",
    "fence of a language": f"You could run:\n\n```xml\n{CALL}\n```",
    "fence without a language": f"You could run:\n\n```\n{BLOCK}\n```",
    "fence of tildes": f"You could run:\n\n~~~sh\n{LINE}\n~~~",
    "fence of tildes behind a call": f"Action: get_weather {ARGUMENTS}\n~~~~\nAction: get_weather({ARGUMENTS})\n~~~~",
    "fence that does not close": f"You could run:\n\n```yaml\n{BLOCK}",
    "fence of Python, and the tool python": 'You could run:\n\n```python\ncode = "x"\n```',
    "fence of shell": "You could run:\n\n```sh\nget_weather --city Oslo --days 3\n```",
    "fence of JSON": 'It is this:\n\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
    "fence of YAML": "It is this:\n\n```yaml\nget_weather:\n  city: Oslo\n  days: 3\n```",
    "quotation": f"> {CALL}",
    "quotation of a block": "\n".join(f"> {line}" for line in BLOCK.split("\n")),
    "item of a list": f"- {CALL}",
    "item of a numbered list": f"1. {OBJECT}",
    "item with a block": "- " + BLOCK.replace("\n", "\n  "),
    "row of a table": f"| how |\n|---|\n| {CALL} |",
    "heading": f"# {CALL}",
    "comment of HTML": f"<!--\n{CALL}\n-->",
    "pre": f"<pre>\n{CALL}\n</pre>",
    "comment of code": f"// {CALL}",
    "assignment": f"x = {OBJECT}",
    "value of JSON": '{"example": "<<get_weather {city: \'Oslo\'}>>"}',
    "element of JSON": '{"id": 1, "tool": "get_weather", "city": "Oslo", "days": 3}',
    "value of YAML": "example: |\n  " + BLOCK.replace("\n", "\n  ") + "\n",
    "diff": f"+{CALL}",
    "prompt of a shell": '$ get_weather --city "Oslo"',
    "prompt of Python": ">>> get_weather(city='Oslo')",
    "result of a tool": f"<tool_response>\n{CALL}\n</tool_response>",
    # documents
    "YAML": "get_weather:\n  city: Oslo\n  days: 3\n",
    "YAML with more keys": "version: 1\nget_weather:\n  city: Oslo\nother: 2\n",
    "INI": "[server]\nhost = localhost\nport = 80\n",
    "TOML": '[server]\nhost = "localhost"\nport = 80\n\n[other]\na = 1\n',
    "front matter": "---\ntool: get_weather\ncity: Oslo\n---\n\nText.\n",
    "definition list": "get_weather\n\ncity\n: Oslo\n\ndays\n: 3\n",
    "log": "2026-11-22 INFO tool=get_weather city=Oslo days=3",
    "log of pairs": "tool=get_weather city=Oslo days=3",
    "usage": "usage: get_weather [-h] --city CITY [--days DAYS]",
    "prose of pairs": "Call get_weather with city=Oslo and days=3.",
    "HTML page": '<!DOCTYPE html>\n<html><body>\n<server host="a" port="80"></server>\n<p>b</p>\n</body></html>',
    "CSV": "tool,city,days\nget_weather,Oslo,3\n",
    "HTTP": 'POST /get_weather HTTP/1.1\nHost: example.org\n\n{"city": "Oslo"}\n',
    "address": "https://example.org/get_weather?city=Oslo&days=3",
    "GraphQL": 'query {\n  get_weather(city: "Oslo") { days }\n}',
    "program": "from tools import get_weather\n\nprint(get_weather(city='Oslo'))",
    "signature": "def get_weather(city='Oslo', days=3):\n    return 1",
    "email": "Subject: get_weather\nTo: ann@example.org\n\ncity: Oslo\ndays: 3\n",
    "chat": "ann: get_weather city=Oslo\nbo: thanks\n",
}


def some() -> list[str]:
    """By default, of each product so many rows that every word is tried in three ways, and every way with three words."""
    by_word = depth.chosen(PRODUCTS, 3, key=str, group=lambda name: name.partition(", ")[0])
    by_way = depth.chosen(PRODUCTS, 3, key=str, group=lambda name: name.partition(", ")[2])
    return [name for name in ROWS if name in {*by_word, *by_way, *BESIDE} or name not in PRODUCTS]


@pytest.mark.parametrize("name", some())
def test_near_misses_are_content(name: str) -> None:
    events = read_with(TOOLS, ROWS[name], one_of_many=name in PRODUCTS)
    assert "".join(event.text for event in events if isinstance(event, Content)) == ROWS[name]
