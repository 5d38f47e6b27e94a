# Programs that call functions with the names of tools, in several languages: templates as in fuzz/alarm_pages.py.
# Each is put into a fence of its language, or not. Does not depend on how it is read.
"""Code that calls functions which are called like the tools."""

from __future__ import annotations

__all__ = ["CALLS", "CODE", "FENCES"]

CODE: dict[str, tuple[str, ...]] = {
    "Python": (
        "import weather\n\n\ndef main():\n    print(«n»(«py»))\n\n\nmain()",
        "from tools import «n»\n\nresult = «n»(«py»)\nprint(result)",
        "from tools import «n»\n\n«n»(«py»)",
        "client = Client()\nclient.«n»(«py»)",
        "calls = {'«n»': «dict»}\nfor name, given in calls.items():\n    run(name, **given)",
        ">>> «n»(«py»)\n'ok'\n>>> «n»(**«dict»)\n'ok'",
        "await asyncio.gather(«n»(«py»), other())",
        "@pytest.mark.parametrize('given', [«dict»])\ndef test_«key»(given):\n    assert «n»(**given)",
        "with patch('«n»') as mock:\n    run()\nmock.assert_called_with(«py»)",
        "tools = [\n    «n»(«py»),\n    other(),\n]",
        "class Tool:\n    name = '«n»'\n    given = «dict»",
        "def «n»(«keys»):\n    \"\"\"«s»\"\"\"\n    return run('«n»', «py»)",
    ),
    "JavaScript": (
        "import { «n» } from './tools';\n\nconst out = await «n»(«js»);\nconsole.log(out);",
        "import { «n» } from './tools';\n\n«n»(«js»);",
        "const call = { name: '«n»', args: «js» };\nexport default call;",
        "«n»(«js»).then((out) => console.log(out));",
        "function run() {\n  return «n»(«js»);\n}\n\nrun();",
        "interface Args {\n  «key»: string;\n}\ndeclare function «n»(args: Args): void;",
        "it('works', () => {\n  expect(«n»(«js»)).toBe(1);\n});",
        "module.exports = {\n  «key»: «quoted»,\n  tool: '«n»',\n};",
        "<«n» «attributes» />;\n\nexport const A = () => <«n» «attributes» />;",
        "switch (tool) {\n  case '«n»':\n    return «js»;\n}",
    ),
    "Go": (
        "package main\n\nfunc main() {\n\tout := «n»(Args{«named»})\n\tfmt.Println(out)\n}",
        "args := map[string]any«json»\nif err := «n»(args); err != nil {\n\treturn err\n}",
        'type Args struct {\n\tKey string `json:"«key»"`\n}\n\nvar a = Args{«named»}\nvar _ = «n»(a)',
        'call := Call{\n\tName: "«n»",\n\tArgs: Args{«named»},\n}',
    ),
    "Rust": (
        'fn main() {\n    let out = «n»(Args { «named» });\n    println!("{out}");\n}',
        "let args = json!(«json»);\nassert_eq!(«n»(args), Ok(()));",
        '#[tool(name = "«n»")]\nstruct Args {\n    «key»: String, // «value»\n}',
        'match call {\n    Call::Run { name: "«n»", .. } => Args { «named» },\n    _ => unreachable!(),\n}',
    ),
    "shell": (
        "#!/bin/sh\nset -e\n«n» «flags»\necho done",
        "$ «n» «flags»\nok\n$ «n» «equal flags»\nok",
        "$ «n» «flags»",
        "«n» «flags» | tee out.txt",
        "«n» «flags» && echo ok",
        "export TOOL=«n»\n«n» «equal flags»",
        "# run it\n«n» «equal flags»",
        "curl -X POST https://example.org/«n» -d '«json»'",
        'out=$(«n» «flags»)\necho "$out"',
        "for x in 1 2; do\n  «n» «flags»\ndone",
        "% «n» «bare words»",
        "PS C:\\> «n» «flags»",
        "docker run «n» «flags»",
    ),
    "C and Java": (
        'int main(void) {\n    «n»("«value»");\n    return 0;\n}',
        "struct args a = { .«key» = «quoted» };\n«n»(&a);",
        'public class A {\n    void run() {\n        «n»(Map.of("«key»", «quoted»));\n    }\n}',
        '@Tool(name = "«n»")\npublic void run(String «key») {} // «words»',
        'var out = new Call("«n»") {{ put("«key»", «quoted»); }};',
        "Console.WriteLine(«n»(«named»));\nreturn;",
    ),
    "other languages": (
        "puts «n»(«named»)\n# => nil",
        "«n» «named» do |out|\n  puts out\nend",
        "<?php\n$out = «n»([«arrows»]);\necho $out;",
        "my %call = (name => '«n»', «arrows»);\nrun(%call);",
        "local out = «n»{«inner equals»}\nprint(out)",
        "val out = «n»(«py»)\nprintln(out)",
        "let out = «n»(«named»)\nprint(out)",
        "(«n» :«key» «quoted»)\n(println :done)",
        "%% run\nout = «n»('«value»');\ndisp(out)",
        "all: «n»\n\n«n»:\n\t./run «flags»\n",
        'FROM scratch\nRUN «n» «flags»\nCMD ["a"]',
    ),
}  # fmt: skip
"""The programs in each language."""
FENCES: dict[str, tuple[str, ...]] = {
    "Python": ("python", "py", "python3", "pycon", ""),
    "JavaScript": ("javascript", "js", "ts", "typescript", "jsx", "tsx", ""),
    "Go": ("go", "golang", ""),
    "Rust": ("rust", "rs", ""),
    "shell": ("sh", "bash", "shell", "console", "zsh", "powershell", ""),
    "C and Java": ("c", "cpp", "java", "csharp", ""),
    "other languages": ("ruby", "php", "perl", "lua", "kotlin", "swift", "clojure", "matlab", "makefile", "dockerfile"),
}
"""What is written after the fence of each."""
CALLS: dict[str, tuple[str, ...]] = {
    "python": ("«n»(«py»)", "«n»(**«dict»)", "print(«n»(«py»))", "«dict»"),
    "js": ("«n»(«js»);", "await «n»(«js»)", "«js»"),
    "sh": ("«n» «flags»", "«n» «equal flags»", "«n» «bare words»", "$ «n» «flags»"),
    "bash": ("«n» «flags»", "«n» «words»"),
    "console": ("«n» «flags»",),
    "json": ("«json»", "«json lines»", "«call json»", '{"tool": "«n»", "args": «json»}', '{"«n»": «json»}'),
    "yaml": ("«n»:\n«inner colons»", "tool: «n»\nargs:\n«inner colons»", "- «n»: {«named»}", "tool: «n»\n«colons»"),
    "toml": ("[«n»]\n«equals»", "«equals»"),
    "ini": ("[«n»]\n«equals»", "tool=«n»\n«equals»"),
    "xml": ("<«n» «attributes» />", "<«n»>\n«children»\n</«n»>", '<call name="«n»">\n«children»\n</call>'),
    "html": ("<«n» «attributes»></«n»>", '<form name="«n»">\n«children»\n</form>'),
    "text": ("«n» «words»", "«n»\n«colons»", "«n»(«py»)", "Tool: «n»\n«colons»"),
    "go": ("«n»(Args{«named»})",),
    "rust": ("«n»(Args { «named» });",),
    "ruby": ("«n»(«named»)", "«n» «named»"),
    "php": ("«n»([«arrows»]);",),
    "sql": ("SELECT «n»(«arrows»);", "«n»(«arrows»)"),
    "": ("«n»(«py»)", "«n» «flags»", "«json»", "«n»:\n«inner colons»", "«n» «words»", "<«n» «attributes» />"),
    "http": ("POST /«n»\n\n«json»",),
    "diff": ("+«n»(«py»)", "-«n» «flags»\n+«n» «equal flags»"),
    "markdown": ("## «n»\n\n«bullets»",),
    "«n»": ("«value»", "x «value» y"),
}  # fmt: skip
"""By what is written after a fence that illustrates something: what is in it, a call and nothing else."""
