# Which texts are calls by their tools' schemas, and which are not. Does not depend on the engine.
"""Calls in spellings that nobody declared."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.support.depth import chosen
from tests.support.spellings import TOOLS, spelled_turn
from toolglean.scan.by_schema.read import read_calls
from toolglean.scan.by_schema.source import Budget
from toolglean.tools import Tool

Calls = list[tuple[str, dict[str, Any]]]


def calls_in(text: str, tools: list[Tool] | None = None, *, opens_content: bool = True) -> Calls | None:
    found = read_calls(text, TOOLS if tools is None else tools, opens_content=opens_content)
    return None if found is None else [(each.name, each.arguments) for each in found]


WEATHER = [("get_weather", {"city": "Paris", "days": 3})]

# Each of these is a call of get_weather with the city Paris and three days.
SPELLINGS = [
    "<get_weather><city>Paris</city><days>3</days></get_weather>",
    '<call get_weather>\n{"city": "Paris", "days": 3}\n</call>',
    '<call name="get_weather"><param name="city">Paris</param><param name="days">3</param></call>',
    "<tool:get_weather>city: Paris\ndays: 3\n</tool>",
    "<function=get_weather>\ncity=Paris\ndays=3\n</function>",
    "[CALL get_weather]\ncity: Paris\ndays: 3\n[END CALL]",
    '[CALL]get_weather(city="Paris", days=3)[/CALL]',
    "<|call|>get_weather<|city|>Paris<|/city|><|days|>3<|/days|><|/call|>",
    "<|call_start|>get_weather\n--city Paris --days 3<|call_end|>",
    "@@call get_weather@@\n- city: Paris\n- days: 3\n@@end@@",
    "=== get_weather ===\ncity: Paris\ndays: 3\n===",
    "⟦get_weather⟧⟦city⟧Paris⟦/city⟧⟦days⟧3⟦/days⟧⟦/get_weather⟧",
    "```call\nget_weather\ncity: Paris\ndays: 3\n```",
    '```get_weather\n{city: "Paris", days: 3}\n```',
    '```get_weather {"city": "Paris", "days": 3}\n```',
    '<｜DSML｜get_weather>\n{"city": "Paris", "days": 3}\n</｜DSML｜get_weather>',
    '<｜DSML｜get_weather>\n<｜DSML｜parameter name="city">Paris</｜DSML｜parameter>\n<｜DSML｜parameter name="days">3</｜DSML｜parameter>\n</｜DSML｜get_weather>',
    "~~~tool\nname: get_weather\nargs:\n  city: Paris\n  days: 3\n~~~",
    'action: get_weather {"city": "Paris", "days": 3}',
    'Tool -> get_weather\n{"city": "Paris", "days": 3}',
    'tool: get_weather\nargs: {"city": "Paris", "days": 3}',
    'get_weather: {"city": "Paris", "days": 3}',
    'get_weather {"city": "Paris", "days": 3}',
    '@get_weather(city="Paris", days=3)',
    '(call get_weather {"city": "Paris", "days": 3})',
    '{call:get_weather(city="Paris", days=3)}',
    "[get_weather | city=Paris | days=3]",
    '<call tool="get_weather" city="Paris" days="3"/>',
    '<act do="get_weather">\n<arg name="city" value="Paris"/>\n<arg name="days" value="3"/>\n</act>',
    '[get_weather city="Paris" days="3" /]',
    "<calls><call><name>get_weather</name><args><city>Paris</city><days>3</days></args></call></calls>",
    "<call><k>tool</k><v>get_weather</v><k>city</k><v>Paris</v><k>days</k><v>3</v></call>",
    "%%get_weather%%|city|Paris|days|3|%%/get_weather%%",
    "<call>get_weather|city=Paris|days=3</call>",
    "§call§get_weather§city§Paris§days§3§end§",
    "(call 'get_weather '((city . \"Paris\") (days . 3)))",
    "【调用 get_weather】city：Paris；days：3【结束】",
    # The name comes last.
    '<call>{"city": "Paris", "days": 3} => get_weather</call>',
    "<call>city=Paris; days=3; tool=get_weather</call>",
    '<call>\ncity: Paris\ndays: 3\ntool: "get_weather"\n</call>',
    "<call><city>Paris</city><days>3</days><tool>get_weather</tool></call>",
    '[CALL]<args>{"city": "Paris", "days": 3}</args><name>"get_weather"</name>[/CALL]',
    "«call»get_weather; city=Paris; days=3«/call»",
    "{{get_weather}}{{city}}Paris{{/city}}{{days}}3{{/days}}{{/get_weather}}",
    "{% call get_weather %}\ncity = Paris\ndays = 3\n{% endcall %}",
    '<call>{"tool": "get_weather", "args": {"city": "Paris", "days": 3}}</call>',
    '<call>{"tool": "get_weather", "city": "Paris", "days": 3}</call>',
    '<run>get_weather\n```json\n{"city": "Paris", "days": 3}\n```\n</run>',
    '<|tool|>get_weather<|args|>{"city": "Paris", "days": 3}<|/tool|>',
    "<call><tool>get_weather</tool><param><name>city</name><value>Paris</value></param><param><name>days</name><value>3</value></param></call>",
    '<call f="get_weather"><arg city>Paris</arg><arg days>3</arg></call>',
    "BEGIN CALL get_weather\ncity: Paris\ndays: 3\nEND CALL",
    "::: get_weather\ncity: Paris\ndays: 3\n:::",
    "<<get_weather>>\n:city:Paris:days:3\n<</get_weather>>",
    '<|action|>get_weather<|params|>{"city":"Paris","days":3}<|end_action|>',
    "[[CALL:get_weather]]\ncity = Paris\ndays = 3\n[[/CALL]]",
    ">>> get_weather\ncity: Paris\ndays: 3\n<<<",
    "### CALL get_weather\ncity: Paris\ndays: 3\n### END",
    "@call get_weather\n@city Paris\n@days 3\n@end",
    "!call get_weather\ncity=Paris\ndays=3\n!end",
    '<invoke:get_weather city="Paris" days=3 />',
    "⟪get_weather⟫ city ⇒ Paris; days ⇒ 3 ⟪/⟫",
    '<tool>\n  <id>get_weather</id>\n  <in k="city">Paris</in>\n  <in k="days">3</in>\n</tool>',
    "~~call get_weather~~\ncity: Paris\ndays: 3\n~~end~~",
    "[TOOL get_weather]\n[ARG city]Paris[/ARG]\n[ARG days]3[/ARG]\n[/TOOL]",
    "<do fn=get_weather><with>city: Paris\ndays: 3</with></do>",
    'call::get_weather(city="Paris", days=3);',
    "<get_weather | city: Paris | days: 3>",
    '<|call get_weather {"city": "Paris", "days": 3}|>',
    "[!get_weather city=Paris; days=3!]",
    "(((get_weather)))\ncity=Paris\ndays=3\n(((end)))",
    "❖get_weather❖ city:Paris ❖ days:3 ❖end❖",
    "<call>\nget_weather\ncity\n  Paris\ndays\n  3\n</call>",
    '@get_weather { city = "Paris", days = 3 }',
    'do: get_weather\nwith: {city: "Paris", days: 3}',
    'act -> get_weather(city: "Paris", days: 3)',
    '[[get_weather(city="Paris", days=3)]]',
    "<<<get_weather\ncity: Paris\ndays: 3\n>>>",
    "<|tool_call_begin|>get_weather<|arg|>city<|val|>Paris<|arg|>days<|val|>3<|tool_call_end|>",
    "<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Paris<|tool_arg:end|>\n<|tool_arg:start|>days<|tool_arg:value|>3<|tool_arg:end|>\n<|tool_call:end|>",
    '<ACTION name="get_weather">\n  city="Paris"\n  days=3\n</ACTION>',
    '<call>get_weather: city="Paris", days=3</call>',
    "{{call get_weather}}\n* city: Paris\n* days: 3\n{{/call}}",
    "::get_weather::\n:city: Paris\n:days: 3\n::end::",
    '[get_weather]\n{"city": "Paris", "days": 3}\n[/get_weather]',
    "```tool_use\nname = get_weather\n[args]\ncity = Paris\ndays = 3\n```",
    '<run tool="get_weather">\n<![CDATA[{"city": "Paris", "days": 3}]]>\n</run>',
    '<fn>get_weather</fn><args>{"city": "Paris", "days": 3}</args>',
    "<|fn|>get_weather<|/fn|><|args|>city=Paris, days=3<|/args|>",
    "%%TOOL get_weather\ncity=Paris\ndays=3\n%%END",
    "<tool_use>\n<tool>get_weather</tool>\n<city>Paris</city>\n<days>3</days>\n</tool_use>",
    "begin get_weather\ncity: Paris\ndays: 3\nend",
    "[begin:get_weather]\ncity -> Paris\ndays -> 3\n[end:get_weather]",
    "<call tool=get_weather>city=Paris&days=3</call>",
    "⟦call⟧ get_weather ⟦with⟧ city=Paris, days=3 ⟦end⟧",
    '+++ get_weather\ncity = "Paris"\ndays = 3\n+++',
    '<get_weather(city="Paris", days=3)>',
    "<tool:get_weather>\n  <tool:city>Paris</tool:city>\n  <tool:days>3</tool:days>\n</tool:get_weather>",
    "```tool\nTOOL_NAME: get_weather\nBEGIN_ARG: city\nParis\nEND_ARG\nBEGIN_ARG: days\n3\nEND_ARG\n```",
    "<call get_weather>\ncity:\n  Paris\ndays:\n  3\n</call>",
    # closed by another word, or by a sign
    '<|emit|>{"get_weather": {"city": "Paris", "days": 3}}<|sent|>',
    "[[run get_weather]]\ncity: Paris\ndays: 3\n[[done]]",
    "[[run get_weather]]\ncity: Paris\ndays: 3\n[[back]]",
    "<|fn|>get_weather<|arg|>city<|val|>Paris<|arg|>days<|val|>3<|over|>",
    "!tool get_weather\ncity: Paris\ndays: 3\n!end",
    "*** USE get_weather\n*** city ***\nParis\n*** days ***\n3\n*** OVER",
    '$> get_weather --city "Paris" --days 3 <eoc>',
    "§get_weather§ ¶city: Paris ¶days: 3 ‡",
    'begin get_weather\n  city := "Paris";\n  days := 3;\nfin',
    'OPERATION: get_weather\nPAYLOAD: {"city": "Paris", "days": 3}\nSTOP',
    'CALL: get_weather city="Paris" days=3\nEND',
    "<calls>\n<get_weather><city>Paris</city><days>3</days></get_weather>\n<calls/>",
    "<|call|>get_weather(city='Paris', days=3)<|/|>",
    # closed by its line
    'run -> get_weather --city "Paris" --days 3\n',
    # a number, or an id
    '[act #1]\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n[/act #1]',
    '«call 1: get_weather»\ncity="Paris"\ndays=3\n«/call 1»',
    "[call 1 get_weather]{'city': 'Paris', 'days': 3}[/call 1]",
    '<ops>{"ref": "op-1", "op": "get_weather", "params": {"city": "Paris", "days": 3}}</ops>',
    '<op n="1" do="get_weather"><city>Paris</city><days>3</days></op>',
    # other names of elements, attributes and keys
    '<act do="get_weather">\n<with key="city">Paris</with>\n<with key="days">3</with>\n</act>',
    '<perform action="get_weather"><city>Paris</city><days>3</days></perform>',
    '<call>{"type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\", \\"days\\": 3}"}}</call>',
    # literals between signs
    '(exec get_weather | city="Paris" | days=3)',
    '{{get_weather | city => "Paris" | days => 3}}',
    "<|call:get_weather|>city=Paris<|;|>days=3<|/call|>",
    # what follows
    "<get_weather><city>Paris</city><days>3</days></get_weather>\n<|turn_over|>",
    "<get_weather><city>Paris</city><days>3</days></get_weather>\n== END ==",
    # lists of Lisp
    '(call get_weather :city "Paris" :days 3)',
    '(get_weather :city "Paris" :days 3)',
    '(call get_weather (city "Paris") (days 3))',
    '(get_weather (city "Paris") (days 3))',
    '(tool-call get_weather\n  (city "Paris")\n  (days 3))',
    '(invoke (get_weather :city "Paris" :days 3))',
    '(call \'get_weather :city "Paris" :days 3)',
    '(call (name get_weather) (args (city "Paris") (days 3)))',
    '(call get_weather ((city "Paris") (days 3)))',
    '(call get_weather #:city "Paris" #:days 3)',
    '(call\n (tool "get_weather")\n (city "Paris")\n (days 3))',
    # queries of URLs
    "<call>get_weather?city=Paris&days=3</call>",
    "[call] get_weather?city=Paris&days=3 [/call]",
    "tool://get_weather?city=Paris&days=3\n",
    "call://get_weather?city=Paris&days=3\n",
    "call: get_weather?city=Paris&days=3\n",
    "action://run/get_weather?city=Paris&days=3\n",
    "tool:get_weather?city=Paris&days=3\n",
    "<call>get_weather?city=Paris&days=3</call>\n",
    "[call] get_weather?city=Paris&days=3 [/call]\n",
    "CALL get_weather?city=Paris&days=3\n",
    "→ get_weather?city=Paris&days=3\n",
    "invoke tool://get_weather?city=Paris&days=3\n",
    "<tool://get_weather?city=Paris&days=3>",
    "<call>tool://get_weather?city=Paris&days=3</call>",
    "call://get_weather?city=Paris&days=3\nend",
    "CALL tool://get_weather?city=Paris&days=3 END",
    # Ruby
    '<call>get_weather(city: "Paris", days: 3)</call>',
    'call get_weather(city: "Paris", days: 3)',
    '<call>get_weather city: "Paris", days: 3</call>',
    '<ruby_call>get_weather(city: "Paris", days: 3)</ruby_call>',
    'call(:get_weather, city: "Paris", days: 3)',
    '<call>get_weather(:city => "Paris", :days => 3)</call>',
    'tools.call(:get_weather, city: "Paris", days: 3)',
    'use get_weather, city: "Paris", days: 3\nend',
    'invoke :get_weather, {city: "Paris", days: 3}',
    "tool_call get_weather city: 'Paris', days: 3\nend",
    'run get_weather, :city => "Paris", :days => 3\nend',
    'call :get_weather, city: "Paris", days: 3\n',
    'tools.call(:get_weather, city: "Paris", days: 3)\n',
    # Lua
    'call.get_weather{city="Paris", days=3}',
    'tool.get_weather{city = "Paris", days = 3}',
    '<call>get_weather{city="Paris", days=3}</call>',
    'call("get_weather", {city="Paris", days=3})',
    'call{name="get_weather", city="Paris", days=3}',
    'tools.get_weather{ city = "Paris", days = 3 }',
    'call get_weather{["city"]="Paris", ["days"]=3}',
    '<call>get_weather({city="Paris", days=3})</call>',
    'call get_weather { city = "Paris", days = 3 }',
    'tool:get_weather{city="Paris", days=3}',
    'invoke{"get_weather", city = "Paris", days = 3}',
    # PHP
    "<call>get_weather(city: 'Paris', days: 3);</call>",
    "call('get_weather', ['city' => 'Paris', 'days' => 3]);",
    "<call>get_weather(['city' => 'Paris', 'days' => 3])</call>",
    "call get_weather(['city' => 'Paris', 'days' => 3]);",
    "$tools->get_weather(city: 'Paris', days: 3);",
    "$tool->get_weather(['city' => 'Paris', 'days' => 3]);",
    "call_tool('get_weather', city: 'Paris', days: 3);",
    "<?tool get_weather(city: 'Paris', days: 3) ?>",
    "Tool::get_weather(city: 'Paris', days: 3);",
    # a word for the end on the line
    "get_weather city=Paris days=3 END",
    "call get_weather city=Paris days=3 end",
    "CALL get_weather city=Paris days=3 END",
    'CALL get_weather city="Paris" days=3 END',
    "CALL get_weather city=Paris days=3 END_CALL",
    "CALL get_weather city=Paris days=3\nEND",
    "run get_weather city=Paris days=3 done",
    "call get_weather city=Paris days=3 stop",
    "CALL get_weather\ncity=Paris days=3\nEND CALL",
    'get_weather city="Paris" days=3 ;end',
    "BEGIN get_weather city=Paris days=3 END",
    "CALL get_weather WITH city=Paris days=3 END",
    'CALL get_weather WITH city="Paris", days=3 END',
    'call get_weather city="Paris" days=3 end call',
    # emoji
    '🔧 get_weather: {"city": "Paris", "days": 3}',
    "🔧 get_weather\ncity: Paris\ndays: 3\n🔚",
    "🔧get_weather🔧\ncity: Paris\ndays: 3\n🔧end🔧",
    '🛠️ get_weather {"city": "Paris", "days": 3} 🛠️',
    '🔧 get_weather(city="Paris", days=3) 🔧',
    "🔧get_weather city=Paris days=3🔧",
    "🔧 get_weather | city=Paris | days=3 🔧",
    "🔧 call: get_weather\n📝 city: Paris\n📝 days: 3\n🏁",
    '📞 get_weather ➡️ {"city": "Paris", "days": 3}',
    "⚙️ get_weather\n🔹 city = Paris\n🔹 days = 3\n✅",
    '▶️ get_weather {"city": "Paris", "days": 3} ⏹️',
    "🟢 call get_weather\ncity: Paris\ndays: 3\n🔴",
    '🤖🔧 get_weather {"city": "Paris", "days": 3}',
    # words without blanks
    '工具：get_weather\n参数：{"city": "Paris", "days": 3}',
    '调用：get_weather {"city": "Paris", "days": 3}',
    "【调用】get_weather\ncity：Paris\ndays：3\n【/调用】",
    "调用工具：get_weather\ncity：Paris\ndays：3\n结束",
    '【工具】get_weather【参数】{"city": "Paris", "days": 3}【结束】',
    "호출: get_weather\ncity: Paris\ndays: 3\n끝",
    '函数调用：get_weather(city="Paris", days=3)',
    'ツール: get_weather\n引数: {"city": "Paris", "days": 3}\n終了',
    "〔调用 get_weather〕city=Paris；days=3〔/调用〕",
    "《调用》get_weather《city》Paris《/city》《days》3《/days》《/调用》",
    "开始调用 get_weather\ncity：Paris\ndays：3\n结束调用",
    '<调用 工具="get_weather"><city>Paris</city><days>3</days></调用>',
    "[调用 get_weather]\ncity：Paris\ndays：3\n[结束]",
    '使用工具：get_weather\n输入：{"city": "Paris", "days": 3}\n完毕',
    '도구 호출: get_weather {"city": "Paris", "days": 3}',
    'ツール呼び出し：get_weather {"city": "Paris", "days": 3}',
    # closed by a line of their own
    "<<call get_weather>>\ncity: Paris\ndays: 3\n<<end>>",
    '{{#get_weather}}{"city": "Paris", "days": 3}{{/get_weather}}',
    '<call:get_weather>{"city": "Paris", "days": 3}</call:get_weather>',
    '<call id=1 name=get_weather>{"city": "Paris", "days": 3}</call 1>',
    "[call]\nget_weather\ncity: Paris\ndays: 3\n[call end]",
    '<tool get_weather>{"city": "Paris", "days": 3}<tool end>',
    "BEGIN get_weather\ncity: Paris\ndays: 3\nEND get_weather",
    "#call get_weather\ncity: Paris\ndays: 3\n#endcall",
    "call get_weather\ncity: Paris\ndays: 3\nendcall",
    "call get_weather\ncity: Paris\ndays: 3\nend call",
    "do get_weather\ncity: Paris\ndays: 3\ndone",
    "run get_weather:\ncity: Paris\ndays: 3\n:run",
    "(((get_weather\ncity: Paris\ndays: 3\n)))",
    "get_weather<<\ncity: Paris\ndays: 3\n>>get_weather",
    "--call--\nget_weather\ncity: Paris\ndays: 3\n--call--",
    "== call get_weather ==\ncity: Paris\ndays: 3\n== call ==",
    "~get_weather~\ncity: Paris\ndays: 3\n~get_weather~",
    "!get_weather!\ncity: Paris\ndays: 3\n!get_weather!",
    '<!get_weather>{"city": "Paris", "days": 3}<!/get_weather>',
    "\\begin{call}{get_weather}\ncity: Paris\ndays: 3\n\\end{call}",
    "/call get_weather\ncity: Paris\ndays: 3\n/end",
    '<get_weather city="Paris" days=3>\n</get_weather>',
    "tool get_weather (city='Paris', days=3) end tool",
    "call get_weather {\n  city: Paris\n  days: 3\n}",
    'tool get_weather {\n  city = "Paris"\n  days = 3\n}',
    "CALL(get_weather)\ncity: Paris\ndays: 3\nENDCALL",
    "TOOL get_weather START\ncity: Paris\ndays: 3\nTOOL get_weather END",
    "TOOL: get_weather\ncity: Paris\ndays: 3\nEND TOOL",
    "→ get_weather\ncity: Paris\ndays: 3\n←",
    "▶ get_weather\ncity: Paris\ndays: 3\n◀",
    '«call»\n{"city": "Paris", "days": 3, "tool": "get_weather"}\n«/call»',
    "<call>\n  <get_weather>\n    <city>Paris</city>\n    <days>3</days>\n  </get_weather>\n</call>",
    "call.begin get_weather\ncity: Paris\ndays: 3\ncall.end",
    "call_begin get_weather\ncity: Paris\ndays: 3\ncall_end",
    "BEGIN_CALL\ntool: get_weather\ncity: Paris\ndays: 3\nEND_CALL",
    '[[get_weather]]{"city": "Paris", "days": 3}[[/]]',
    "+call get_weather\ncity: Paris\ndays: 3\n-call",
    "--- call: get_weather ---\ncity: Paris\ndays: 3\n--- end call ---",
    "***call get_weather***\ncity: Paris\ndays: 3\n***end***",
    '<call>get_weather</call><call_args>{"city": "Paris", "days": 3}</call_args>',
    "tool_call(get_weather)\ncity: Paris\ndays: 3\nend",
    "INVOKE get_weather\n  city: Paris\n  days: 3\nEND INVOKE",
    "REQUEST get_weather\ncity: Paris\ndays: 3\nEOF",
    "FUNCTION CALL: get_weather\ncity: Paris\ndays: 3\nEND FUNCTION CALL",
    "<|call|>\nget_weather\ncity: Paris\ndays: 3\n<|end|>",
    '[FUNC=get_weather]{"city": "Paris", "days": 3}[/FUNC]',
    '<call>get_weather<sep>{"city": "Paris", "days": 3}</call>',
    '<call>get_weather\t{"city": "Paris", "days": 3}</call>',
]

# Spellings with other values: title, text, calls.
ROWS: list[tuple[str, str, Calls]] = [
    ("a closing tag in a value", "<call get_weather><city>a </city> b</city></call>", [("get_weather", {"city": "a </city> b"})]),
    ("the frame's closer in a value", "<call get_weather><city>a </call> b</city></call>", [("get_weather", {"city": "a </call> b"})]),
    ("a closer that pairs share", '<fn get_weather><p name="city">a</p> b</p><p name="days">3</p></fn>', [("get_weather", {"city": "a</p> b", "days": 3})]),
    ("an opening tag in a value", '<fn get_weather><p name="city">use <p name="note"> here</p><p name="note">b</p></fn>', [("get_weather", {"city": 'use <p name="note"> here', "note": "b"})]),
    ("a whole element in a value", "<call get_weather><city>see <note>x</note></city></call>", [("get_weather", {"city": "see <note>x</note>"})]),
    ("a whole call in a value", "<get_weather><city>not <get_weather><city>Rome</city></get_weather>, ok?</city></get_weather>", [("get_weather", {"city": "not <get_weather><city>Rome</city></get_weather>, ok?"})]),
    ("closers in a JSON string", '<call>get_weather {"city": "</call> and </call>"}</call>', [("get_weather", {"city": "</call> and </call>"})]),
    ("two calls", "<get_weather><city>a</city></get_weather>\n<get_weather><city>b</city></get_weather>", [("get_weather", {"city": "a"}), ("get_weather", {"city": "b"})]),
    ("two calls with shared closers", "[call get_weather]\ncity: a\n[/call]\n---\n[call read]\npath: b\n[/call]", [("get_weather", {"city": "a"}), ("read", {"path": "b"})]),
    ("a wrapper", "<calls>\n<call>read(path='a')</call>,\n<call>read(path='b')</call>\n</calls>", [("read", {"path": "a"}), ("read", {"path": "b"})]),
    ("a label around frames", "Tool calls:\n[read path='a' /]\n[read path='b' /]", [("read", {"path": "a"}), ("read", {"path": "b"})]),
    ("a list in a frame", '<call>[{"tool": "read", "path": "a"}, {"tool": "read", "path": "b"}]</call>', [("read", {"path": "a"}), ("read", {"path": "b"})]),
    ("quotes around all text", '<call read>\npath: "a b"\n</call>', [("read", {"path": "a b"})]),
    ("quotes in text", '<call read>\npath: say "a"\n</call>', [("read", {"path": 'say "a"'})]),
    ("text over several lines", "<call read>\npath: a\nb c\nlimit: 2\n</call>", [("read", {"path": "a\nb c", "limit": 2})]),
    ("a block of text", "<call read>\npath: |\n  a\n    limit: 3\nlimit: 2\n</call>", [("read", {"path": "a\n  limit: 3", "limit": 2})]),
    ("text between three quotes", '<call read>\npath: """a\nlimit: 3"""\nlimit: 2\n</call>', [("read", {"path": "a\nlimit: 3", "limit": 2})]),
    ("text up to a word", "<call read>\npath: <<EOF\na\nlimit: 3\nEOF\nlimit: 2\n</call>", [("read", {"path": "a\nlimit: 3", "limit": 2})]),
    ("entities in attributes", '<call tool="read" path="a &lt;b&gt; &amp;amp; &quot;c&quot;"/>', [("read", {"path": 'a <b> &amp; "c"'})]),
    ("signs that begin no comment", "<call send_mail>\nto: a#b http://c//d #e\nbody: # head\n\nC# f\n</call>", [("send_mail", {"to": "a#b http://c//d #e", "body": "# head\n\nC# f"})]),
    ("quotes around the only text", '[call:read path="a b" limit=2]', [("read", {"path": "a b", "limit": 2})]),
    ("PHP's escapes", "call('read', ['path' => 'it\\'s C:\\\\a'])", [("read", {"path": "it's C:\\a"})]),
    ("numbers of characters", '<call tool="read" path="it&#x27;s &#39;a&#39; &#x1F600; &#xD800; &#x26;lt;"/>', [("read", {"path": "it's 'a' \U0001f600 &#xD800; &lt;"})]),
    ("no entities in elements", "<read><path>a &amp; b</path></read>", [("read", {"path": "a &amp; b"})]),
    ("character data", "<read><path><![CDATA[a </path> b]]></path></read>", [("read", {"path": "a </path> b"})]),
    ("line breaks of the tags", "<read><path>\n\na\n\n</path></read>", [("read", {"path": "\na\n"})]),
    ("blanks of the spelling", "<read><path> a </path><limit> 2 </limit></read>", [("read", {"path": "a", "limit": 2})]),
    ("Python's words", "<call>get_weather {'city': 'x', 'exact': True}</call>", [("get_weather", {"city": "x", "exact": True})]),
    ("a list as JSON", '<get_weather><city>x</city><tags>["a", "b"]</tags></get_weather>', [("get_weather", {"city": "x", "tags": ["a", "b"]})]),
    ("text that looks like a number", "<read><path>007</path></read>", [("read", {"path": "007"})]),
    ("arguments under another name", '<call>{"fn": "read", "with": {"path": "a"}, "id": "c1"}</call>', [("read", {"path": "a"})]),
    ("a list of names as keys", '<call>[{"read": {"path": "a"}}]</call>', [("read", {"path": "a"})]),
    ("JSON as an attribute", '[get_weather city="x" days=3 tags=["a"] /]', [("get_weather", {"city": "x", "days": 3, "tags": ["a"]})]),
    ("calls between tags", '<|ops|>{"op": "read", "path": "a"}<|next|>{"op": "read", "path": "<|next|>"}<|/ops|>', [("read", {"path": "a"}), ("read", {"path": "<|next|>"})]),
    ("calls between rules", '[CALLS]\nread {"path": "a"}\n----\nread {"path": "b\\n----"}\n[/CALLS]', [("read", {"path": "a"}), ("read", {"path": "b\n----"})]),
    ("frames between tags", "<|calls|><|do|>read(path='a')<|/do|><|and|><|do|>read(path='b')<|/do|><|/calls|>", [("read", {"path": "a"}), ("read", {"path": "b"})]),
    ("calls on lines", '[run]\nread --path "a b" --limit 2\nread --path c\n[/run]', [("read", {"path": "a b", "limit": 2}), ("read", {"path": "c"})]),
    ("calls of several lines", "[run]\nread\n--path a b\n--limit 2\nsend_mail\n--to c d\n--body e\n[/run]", [("read", {"path": "a b", "limit": 2}), ("send_mail", {"to": "c d", "body": "e"})]),
    ("three quotes on lines of their own", '<call read>\npath = """\na\n\nb\n"""\nlimit = 2\n</call>', [("read", {"path": "a\n\nb", "limit": 2})]),
    ("a closer of its own in a literal", '<|emit|>{"read": {"path": "x <|eoc|><|emit|>{}"}}<|eoc|>', [("read", {"path": "x <|eoc|><|emit|>{}"})]),
    ("a key that is there, in a value", "<call read>\npath: see path: b\nlimit: 2\n</call>", [("read", {"path": "see path: b", "limit": 2})]),
    ("a pair of another kind in a value", "<call read>\npath: a\nx = 1\nlimit: 2\n</call>", [("read", {"path": "a\nx = 1", "limit": 2})]),
    ("a tool named like an element of HTML or an example", "[requests]\n[do read][p path]a[/p][/do]\n[/requests]", [("read", {"path": "a"})]),
    ("nothing but the name and all keys, in quotes", 'read path="a" limit="80"', [("read", {"path": "a", "limit": 80})]),
    # Fixed bug: a tag after the name was sought behind the end of the frame's inside, which raised an AttributeError.
    ("a name, then tags", "{use}{{name}}read{{stop}}{{param=path}}a{{end param}}{{param=limit}}2{{end param}}{/use}", [("read", {"path": "a", "limit": 2})]),
    ("a shell's quotes", "<call>read --path 'it'\"'\"'s' --limit 2</call>", [("read", {"path": "it's", "limit": 2})]),
]  # fmt: skip


@pytest.mark.parametrize("text", SPELLINGS)
def test_any_spelling_is_read(text: str) -> None:
    assert calls_in(text) == WEATHER


@pytest.mark.parametrize(("text", "calls"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_a_text_contains(text: str, calls: Calls) -> None:
    assert calls_in(text) == calls


@pytest.mark.parametrize(
    "text",
    [
        "<call>path: a\nlimit: use tool: read</call>",
        'read path="a"',
        'read path="a" limit="80" to see',
        "read path=a limit=80",
        'read path="a"\nlimit="80"',
    ],
)
def test_a_name_beside_pairs_is_a_call_only_where_nothing_else_can_be_meant(text: str) -> None:
    assert not calls_in(text)


# A key that the tool does not declare, or words that belong to nothing.
UNDECLARED = [
    "<<read {path: 'a', zz: 'x'}>>", '<do:read path="a" the limit="80" />', '[read path="a" the limit="8" /]',
    '{{read | path => "a" | the limit => "8"}}', "<|read|>path=a<|;|>zz=3<|/read|>",
    '{{read | zz => 1 | path => "a"}}', "<call read>zz: 1; path: a</call>", "<call read>\nzz: 1\npath: a\n</call>",
    '<call read>zz = {} path = "a"</call>', '<call read>zz = ["a"] | path = "a"</call>', "[read | zz=1 | path=a]",
    "<read>zz: {path: 'a'}, x: 1</read>", "<|read|>path=a <|limit|> 3<|/read|>", 'run: read path="a" zz="b"\n',
    '(read | path="a" | zz=1)', '<call>{"tool": "read", "args": {"path": "a"}, "more": {"limit": 1}}</call>',
    "<call>read {path: 'a'}; zz {limit: 1}</call>", '[run]\nread --path "a" the --limit 80\n[/run]',
    "[run]\nread --path a\nunknown --path b\n[/run]", 'begin read\n path := "a";\n zz := 1;\nend',
    '<call read>\npath: "a" b\n</call>', "<call read>\npath: a\nsend_mail: b\n</call>",
]  # fmt: skip

# Each of these may go on: what was written so far is a call as well.
BEGUN = [
    'CALL: read path="a"',
    'run -> read --path "a"',
    "<|fn|>read<|arg|>path<|val|>say <|other|>",
    "<|fn|>read<|arg|>path<|val|>a<|arg|>",
    "[[run read]]\npath: see [[x]]",
    "$> read --path 'a' --",
    "CALL: read\npath: a\nb",
]

# Each of these is something else: documentation, code, data, a log, a cut-off frame, or not what the schema says.
OTHERS = [
    "<call read>\npath: a\nEND\nlimit: 3\n</call>",
    "<call send_mail>\nto: a\n.\nbody: b\n.\n</call>",
    "<call read>\npath:\n  a\n    b\n</call>",
    '(please -> read {"path": "a"})',
    '[get_weather city="42" the note="42" /]',
    'read -> {"path": "a"}',
    'defaults:\n  read: {"path": "a"}',
    "BEGIN:VEVENT\nSUMMARY:read\npath: a\nEND:VEVENT",
    "<rss><channel><title>read</title>\n<item>\n<path>a</path>\n</item>\n</channel></rss>",
    "[commands]\nread --Zz 1 --path a\n[/commands]",
    '<do:get_weather city="a" for days="3" />',
    '(<read path="a" />)',
    '“<read path="a" />”',
    'So: <read path="a" />',
    "get_weather(city: str, days: int = 3)",
    'def get_weather(city="Paris"):',
    'get_weather(city="Paris")',
    '{"name": "get_weather", "arguments": {"city": "Paris"}}',
    '[{"name": "get_weather", "arguments": {"city": "Paris"}}]',
    "get_weather:\n  city: Paris\n  days: 3",
    "- name: get_weather\n  city: Paris",
    "[get_weather]\ncity = Paris\ndays = 3",
    "[get_weather]\ncity = Paris\n\n[read]\npath = x",
    'INFO: get_weather {"city": "Paris"}',
    'info: get_weather({"city": "Paris"})',
    '2024-01-01 12:00:00 INFO get_weather {"city": "Paris"}',
    '[INFO] get_weather {"city": "Paris"}',
    "$ get_weather --city Paris --days 3",
    "> get_weather --city Paris",
    "get_weather --city Paris --days 3",
    '<pre>get_weather {"city": "Paris"}</pre>',
    '<code>get_weather(city="Paris")</code>',
    '<p>get_weather(city="Paris")</p>',
    '<li>get_weather: {"city": "Paris"}</li>',
    '<example><call>get_weather {"city": "Paris"}</call></example>',
    "<tr><td>get_weather</td><td>city</td><td>Paris</td></tr>",
    "<get_weather><city>string</city></get_weather>",
    "<get_weather><city>...</city></get_weather>",
    "<get_weather><city>{city}</city></get_weather>",
    "<get_weather><city><city></city></get_weather>",
    "<call get_weather>\ncity: string\n</call>",
    '<call get_weather>\n{"city": "string", "days": "integer"}\n</call>',
    '<call get_weather>{"type": "object", "properties": {"city": {"type": "string"}}}</call>',
    '<call>{"name": "get_weather", "parameters": {"city": {"type": "string"}}}</call>',
    "<call get_weather><city>Paris</city><foo>x</foo></call>",
    "<call get_weather><days>3</days></call>",
    "<call get_weather><city>Paris</city><days>three</days></call>",
    "<call get_weather><city>Paris</city><city>Rome</city></call>",
    "<call get_weather></call>",
    "<call get_weather>Paris</call>",
    "<call get_weathers><city>Paris</city></call>",
    "<call Get_Weather><city>Paris</city></call>",
    "<call my.get_weather><city>Paris</city></call>",
    "<call get_weather><city>Paris</city></call> and then some text",
    "<call get_weather><city>Paris</city>",
    "<call get_weather><city>Paris</city></call",
    "tool: get_weather\ncity: Paris",
    'tool: get_weather\ncity: "Paris"',
    "tool: get_weather city=Paris",
    'Example: get_weather({"city": "Paris"})',
    'Usage: get_weather({"city": "Paris"})',
    '```python\nget_weather(city="Paris")\n```',
    '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
    '```\nget_weather {"city": "Paris"}\n```',
    "```bash\nget_weather --city Paris\n```",
    "```yaml\nget_weather:\n  city: Paris\n```",
    '```output\nget_weather {"city": "Paris"}\n```',
    "| tool | city |\n|---|---|\n| get_weather | Paris |",
    "| get_weather | city | Paris |",
    '* get_weather: {"city": "Paris"}',
    "# get_weather\ncity: Paris",
    "## get_weather\ncity: Paris\n##",
    "**get_weather**\ncity: Paris\n**end**",
    '**get_weather** {"city": "Paris"}',
    '`get_weather {"city": "Paris"}`',
    '"get_weather": {"city": "Paris"}',
    '{"get_weather": {"city": "Paris"}}',
    'get_weather = {"city": "Paris"}',
    'const x = get_weather({"city": "Paris"})',
    'await get_weather({"city": "Paris"});',
    'return get_weather({"city": "Paris"})',
    "(get_weather city days)",
    "(defun get_weather (city) city)",
    "[get_weather](city)",
    "[get_weather](http://x.org?city=Paris)",
    '<a href="get_weather">city</a>',
    '<get_weather city="Paris">',
    '<tools>{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}</tools>',
    '<tool_response>{"tool": "get_weather", "city": "Paris"}</tool_response>',
    '<result>get_weather {"city": "Paris"}</result>',
    '<log>get_weather {"city": "Paris"}</log>',
    'The tool get_weather: {"city": "Paris"} was called',
    'Tool call failed: get_weather {"city": "Paris"}',
    'error in call: get_weather {"city": "Paris"}',
    '<call>get_weather {"city": Paris}</call>',
    "<call>get_weather(city=Paris)</call>",
    "<call>get_weather {city: Paris}</call>",
    "<call get_weather>\ncity: Paris\nfoo: bar\n</call>",
    "<call get_weather>\ncity: Paris\ndays=3\n</call>",
    '{% call get_weather(city="Paris") %}',
    '{{ get_weather(city="Paris") }}',
    '{{ get_weather | city="Paris" }}',
    '${get_weather city="Paris"}',
    '<!-- get_weather city="Paris" -->',
    '// get_weather {"city": "Paris"}',
    '/* get_weather {"city": "Paris"} */',
    '-- get_weather {"city": "Paris"}',
    '<%= get_weather(city: "Paris") %>',
    "@get_weather(city: str)",
    '@get_weather(city="Paris")\ndef f(): pass',
    'get_weather -> {"city": "string"}',
    "get_weather => city: Paris",
    "<get_weather>\n  <city>Paris</city>\n  <!-- note -->\n</get_weather>",
    "<call>get_weather</call><city>Paris</city>",
    "diff --git a/x b/x\n--- get_weather\n+++ get_weather\n---x\nPOST /get_weather\ncity=Paris&days=3",
    "[section]\nname = get_weather\ncity = Paris\n[end]",
    "<read><path>a</path></read> and so on",
    "<p>text</p><read><path>a</path></read>",
    '<call get_weather><city>a</city><days>"3"</days></call>',
    '<call send_mail to="x"/>',
    "<call get_weather>\ncity: a, days: 3 or so\n</call>",
    "<call>\nread\n<p>path</p>\na\n</f>\n</call>",
    "<read><path>your_path_here</path></read>",
    "<read><path>path</path></read>",
    "tool: read {path: <path>}",
    '<call>read {"path": "a", "path": "b"}</call>',
    '<call>read {"path": "\\d"}</call>',
    # A name at the end, which is not said to be one, or is a value.
    "<call>city=Paris => get_weather</call>",
    "<call>path: a\nabout: read</call>",
    "<call>path: a\nnot: read</call>",
    "<call>send_mail to=a; body=b; tool=read</call>",
    '<call>{"path": "a"} read</call>',
    '<call>{"path": "a", "limit": "x"} => read</call>',
    '<log>{"path": "a"} => read</log>',
    "<call><path>a</path><result>read</result></call>",
]


@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("opens_content", [True, False])
def test_what_is_not_a_call(text: str, opens_content: bool) -> None:
    assert calls_in(text, opens_content=opens_content) is None


# The schema decides between two readings, or there is none.
AMBIGUOUS = ["<f send_mail><p body>a</p><p to>b</p><p to>c</p></fn>"]


@pytest.mark.parametrize("text", [*UNDECLARED, *BEGUN, *AMBIGUOUS])
def test_no_call(text: str) -> None:
    assert calls_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        'get_weather: {"city": "a"}',
        "@get_weather(city='a')",
        "get_weather {city: 'a'}",
        "begin: read {path: 'a'}",
        "```go\nread {path: 'a'}\n```",
        "```x\nread {path: 'a'}\n```",
        "```tool\nread {path: 'a'}\n```",
    ],
)
def test_weak_frames_count_only_where_the_content_begins(text: str) -> None:
    assert calls_in(text, opens_content=False) is None


@pytest.mark.parametrize("text", ["tool call: read {path: 'a'}", "=> read {path: 'a'};", "do: read\nwith: {path: 'a'}"])
def test_words_for_calls_count_anywhere(text: str) -> None:
    assert calls_in(text, opens_content=False) == [("read", {"path": "a"})]


@pytest.mark.parametrize(
    "text", ["```call read\n{path: 'a'}\n```", "```read\n{path: 'a'}\n```", "~~~tool:read\npath = 'a'\n~~~"]
)
def test_a_fence_that_names_the_tool_counts_anywhere(text: str) -> None:
    assert calls_in(text, opens_content=False) == [("read", {"path": "a"})]


@pytest.mark.parametrize(
    "word",
    ["Arguments", "args", "action_input", "Tool Input", "call_args", "PAYLOAD", "Argumente", "аргументы", "引数"],
)
def test_words_for_arguments_may_be_before_them(word: str) -> None:
    element = word.replace(" ", "_")
    for text in (
        f"Tool: read\n{word}: {{path: 'a'}}",
        f'<call>{{"tool": "read", "{word}": {{"path": "a"}}}}</call>',
        f"<call>read<{element}>{{path: 'a'}}</{element}></call>",
    ):
        assert calls_in(text) == [("read", {"path": "a"})]


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}])
def test_a_tool_without_parameters_is_never_read(schema: dict[str, Any]) -> None:
    assert calls_in('<f>{"a": 1}</fn>', [Tool("f", schema)]) is None


def test_what_a_call_says_of_itself() -> None:
    text = '<calls><call id="c1" name="read">{"path" : "a"}</call> <call><tool>read</tool>path=b</call></calls>'
    found = read_calls(text, TOOLS)
    assert found is not None
    first, second = found
    assert (first.id, first.arguments_text) == ("c1", '{"path" : "a"}')
    assert text[first.start : first.end] == '<call id="c1" name="read">{"path" : "a"}</call>'
    assert (second.id, second.arguments_text) == (None, '{"path": "b"}')
    assert text[second.start : second.end] == "<call><tool>read</tool>path=b</call>"


# -- laws --------------------------------------------------------------------------------------------------------------


def is_beginning(found: Calls | None, calls: Calls) -> bool:
    return found is None or found == calls[: len(found)]


def ends(text: str) -> list[int]:
    """Where the text is cut off: by default at some places, which the text decides."""
    return chosen(range(len(text)), 5, key=lambda end: f"{end} {text}")


@pytest.mark.parametrize(("text", "calls"), [*((text, WEATHER) for text in SPELLINGS), *(row[1:] for row in ROWS)])
def test_a_text_that_is_cut_off_is_no_other_call(text: str, calls: Calls) -> None:
    for end in ends(text):
        found = calls_in(text[:end])
        assert is_beginning(found, calls), text[:end]
        if found == calls:  # the frame's closer may be cut off, or what is optional; all the arguments are there
            rest = text[end:]
            assert not re.search(r"Paris|3", rest) or calls != WEATHER


SEEDS = chosen(range(3000), 120, key=str)


@pytest.mark.parametrize("part", range(10))
def test_random_spellings_are_read_or_left(part: int) -> None:
    seeds = SEEDS[part::10]
    read = 0
    for seed in seeds:
        text, calls, spelling = spelled_turn(seed, tricky=(seed % 3) / 3)
        found = calls_in(text)
        assert found in (None, calls), (spelling, text)
        read += found == calls
    assert read >= 0.9 * len(seeds)


@pytest.mark.parametrize("seed", chosen(range(10_000, 10_150), 10, key=str))
def test_random_spellings_that_are_cut_off(seed: int) -> None:
    text, calls, _ = spelled_turn(seed)
    for end in ends(text):
        assert is_beginning(calls_in(text[:end]), calls), text[:end]


FLOODS = {
    "closers": "<call get_weather><city>" + "</city>" * 600,
    "openers": "<get_weather>" * 300,
    "brackets": "[get_weather | city=" + "]" * 4000,
    "runs": "@@x@@" * 700 + "get_weather",
    "marks": "@@get_weather@@" + "|city|Paris|days|3" * 200 + "@@end@@",
    "lines": "<call get_weather>\n" + "city: Paris\n" * 300 + "</call>",
    "fences": "```call\nget_weather\n" + "```\n" * 900,
    "objects": "tool: get_weather " + '{"a":' * 700,
    "a long word": "a" * 4000 + " get_weather",
    "blanks": " " * 4000 + "get_weather",
    "labels": "tool: " * 600 + "get_weather",
    "calls": '<call>{"tool":"get_weather","city":"x"}</call>\n' * 80 + "x",
}


@pytest.mark.parametrize("name", FLOODS)
def test_work_is_bounded(name: str) -> None:
    budget = Budget(2000)
    assert read_calls(FLOODS[name][:4096], TOOLS, budget=budget) is None
    assert read_calls(FLOODS[name][:4096], TOOLS) is None


@pytest.mark.parametrize("text", ["get_weather{}x", "<call>{}get_weather</call>", "<call get_weather>city: a{}</call>"])
def test_blanks_in_a_line_are_passed_in_linear_time(text: str) -> None:
    # Fixed bug: what opens a line tried every way to share them between two places: 2,000 blanks took eight seconds.
    begin = time.perf_counter()
    read_calls(text.format(" " * 2000), TOOLS)
    assert time.perf_counter() - begin < 1


def test_a_budget_is_shared() -> None:
    budget = Budget(300)
    found = [read_calls(SPELLINGS[0], TOOLS, budget=budget) is not None for _ in range(20)]
    assert found[0]
    assert not found[-1]


def test_a_stray_word_before_a_key_is_no_label() -> None:
    assert calls_in("<run tool='read'>\n<arg path>a</arg>\n</run>") == [("read", {"path": "a"})]
    assert calls_in("<run tool='read'>\n<the path>a</the>\n</run>") is None
    assert calls_in("<run tool='read'>\n<the path>a</the path>\n</run>") is None
