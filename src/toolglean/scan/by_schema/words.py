# The words that say what a frame is: one table of those that introduce a call, and one of those that end it. Does not
# depend on how frames are read.
#
# A list of what is not a call could never be whole, so this is the list of what is one. Any other word before a tool's
# name makes it something else: an example, a log line, a refusal, a result, a form. `Tool called:` and
# `<simulated_call>` contain such a word too. The words are compared in small letters, in any script.
"""Words of frames."""

from __future__ import annotations

import re

__all__ = [
    "ARGUMENTS", "BEGIN_WORDS", "CALL_SIGNS", "END_SIGNS", "END_WORDS", "FIRST_TWO", "IDS", "NUMBERS", "PLACEHOLDERS",
    "STARTS", "TYPES", "ends", "introduces_arguments", "introduces_call", "introduces_other", "is_html", "is_language",
    "is_other_tag", "is_sentence", "names_key", "names_tool", "parts_of", "separates",
]  # fmt: skip


_PART = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W_]+|(?<=\D)(?=\d)").split


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CALLS = _set(
    """
    act action actions call calling calls cmd cmds command commands dispatch do dsml emit exec execute fn fns func funcs
    function functioncall functions invocation invocations invoke invoking op operation operations ops perform plugin
    request requests run skill tool toolcall toolcalls tooluse tools use using
    aufruf aufrufen werkzeug funktion befehl aktion ausführen
    appel appeler outil outils fonction commande exécuter
    llamada llamar herramienta herramientas función acción ejecutar invocar
    chamada chamar ferramenta ferramentas função ação executar
    chiamata chiamare strumento strumenti funzione azione eseguire
    aanroep gereedschap functie actie uitvoeren
    wywołanie wywołaj narzędzie funkcja akcja wykonaj
    вызов вызвать инструмент инструменты функция действие команда выполнить
    çağrı araç işlev eylem çalıştır
    استدعاء أداة دالة
    调用 工具 函数 執行 执行 呼叫 工具调用 函数调用
    呼び出し ツール 関数 実行 호출 도구 함수 실행
    """
)
BEGIN_WORDS = _set("begin start open")
# Beside a word for the end.
_OF_ENDS = _set("a answer assistant message msg my of reply text the this turn")
# Beside a word for calling.
_BESIDE = BEGIN_WORDS | _set("a an the my api agent mcp json xml block id ruby lua php 开始 開始 使用 시작 사용")
# Words between a frame's mark and the name of its tool: `<call><name>f</name>`.
_NAMES = _BESIDE | _set(
    """
    arg argument arguments args as f is k key name named names param parameter of to target title type v val value what
    which with 名称 名前
    """
)
CALL_SIGNS = "🔧🛠⚙🔨🧰📞☎⚡🤖🚀🔌▶🟢"
"""Signs that stand for a word for calling."""
END_SIGNS = "‡⁂∎■◼◆⏹⊣⊥🔚🏁🛑⏏🔴✅"
"""Signs that stand for a word for the end."""
END_WORDS = (
    *("end", "close", "stop", "fin", "finish", "done", "over", "eoc", "eof", "halt", "exit", "quit", "closed", "ended"),
    *("finished", "complete", "completed", "terminate", "ende", "fim", "einde", "koniec", "конец", "готово", "نهاية"),
    *("结束", "結束", "完", "完了", "完毕", "終了", "終わり", "끝", "완료", "종료"),
)
_ENDS = frozenset(END_WORDS) | _set(
    """
    eom eot
    fertig schluss fini termine final fine finito klaar son bitti تم
    """
)
STARTS = tuple(sorted(_CALLS | BEGIN_WORDS | _set("api method next step task 使用 开始 開始"), key=len, reverse=True))
"""Words with which a line begins that may begin a call. What follows them decides whether they introduce one."""
FIRST_TWO = frozenset(each[:size] for each in STARTS for size in (1, 2)) | frozenset(CALL_SIGNS)
"""The first characters of such a line: one of them, or two."""
_SEPARATORS = _set("and also next sep separator then")
ARGUMENTS = _set(
    """
    arg args argument arguments param params parameter parameters kwargs input inputs payload data with body
    argumente eingabe paramètre paramètres entrée argumento argumentos parámetro parámetros entrada parâmetro
    parâmetros argomento argomenti parametro parametri argumenten invoer argumenty parametry аргументы параметры
    argümanlar parametreler 参数 參數 引数 输入 輸入 入力 인수 입력
    """
)
"""Labels before arguments."""
_KNOWN = _CALLS | _NAMES | _ENDS | ARGUMENTS
IDS = _set("id ids callid toolcallid uid uuid guid ref reference nonce")
"""Keys next to a call that are not arguments."""
NUMBERS = _set("index idx n no nr num number seq step order ordinal rank version")
"""Such keys, if they have a number."""
TYPES = _set("type kind")
"""Such keys, if they have a word for calling."""
PLACEHOLDERS = _set("... … .. value <...> <…> placeholder todo xxx {...} [...] list any")
"""Values that stand for others: with one of them, a call is documentation."""
_PAIRS = _set(
    """
    attr attribute entry field in item k key name named opt option p prop property set slot val value var variable
    名称 名前
    """
)
_HTML = _set(
    """
    a abbr article aside audio b big blockquote body br button canvas caption center cite code dd del details
    div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe
    img ins kbd label legend li link main mark meta nav noscript ol option p path pre q s samp script section
    select slot small span strong style sub summary sup svg table tbody td template textarea tfoot th thead
    title tr tt u ul var video
    """
)
_LANGUAGES = _set(
    """
    c# c++ abnf ada adoc ansible antlr apache apl asciidoc asm astro avro awk bash bat batch bibtex bnf c cc cfg clj
    clojure cmake cmd cobol code conf config console cpp cs csh csharp css csv cuda curl cxx cypher d dart
    diff django docker dockerfile dot dotenv ebnf ejs elisp elixir emacs env erb erlang error errors ex
    example fish fortran fsharp glsl go golang gql grammar graphql graphviz groovy h haml handlebars haskell
    hbs hcl hlsl hpp hs htm html http https ini ipython j2 jade java javascript jinja jinja2 jl js json json5
    jsonc jsonl jsx julia kotlin ksh kt lark latex less lex liquid lisp literal llvm log logs lua make
    makefile markdown math matlab md mdx mermaid mjs ml move mustache mysql n3 nasm ndjson nginx nim nix none
    objc ocaml octave org out output pascal patch peg perl php pl plain plaintext plantuml postgres powershell
    prolog properties proto protobuf ps ps1 pseudo pseudocode psql pug puppet pwsh py pycon python python3 r
    racket rb re regex regexp repl response rest result results rs rst ruby rust sample sass scala scheme scss
    sed session sh shell smalltalk snippet sol solidity sparql sql sqlite stacktrace stderr stdout svelte svg
    swift tcl template terminal terraform tex text tf thrift toml traceback ts tsv tsx ttl turtle txt
    typescript vb verilog vhdl vim viml vue vyper wasm wat wgsl xhtml xml yacc yaml yml zig zsh
    """
)


def introduces_call(words: str) -> bool:
    """Whether the words say that a call follows, and nothing else."""
    return _are(words, _CALLS | _BESIDE) and not _CALLS.isdisjoint(parts_of(words))


def introduces_other(label: str) -> bool:
    """Whether the label introduces something other than a call. Alone, a word for the beginning says neither."""
    return not (introduces_call(label) or BEGIN_WORDS.issuperset(parts_of(label)))


def introduces_arguments(words: str) -> bool:
    """Whether the words say that the arguments of a call follow, and nothing else: `action input`, `call_args`."""
    return _are(words, ARGUMENTS | _CALLS | _BESIDE) and not ARGUMENTS.isdisjoint(parts_of(words))


def separates(words: str) -> bool:
    """Whether the words only say that another part of a call follows, or another call."""
    return _are(words, _SEPARATORS | _CALLS | _BESIDE)


def names_tool(words: str) -> bool:
    """Whether the words may stand between the mark of a frame and the name of its tool."""
    return _are(words, _CALLS | _NAMES)


def names_key(words: str) -> bool:
    """Whether the words may stand before a key, or in the tag around it: `<arg code>` may, `<the code>` may not."""
    return _are(words, ARGUMENTS | BEGIN_WORDS | _CALLS | _PAIRS)


def ends(words: str) -> bool:
    """Whether the words say that something ends here: a call, or the turn."""
    return _are(words, _CALLS | _ENDS | _OF_ENDS) and not _ENDS.isdisjoint(parts_of(words))


def is_sentence(line: str) -> bool:
    """Whether a line with nothing but a word for the end says it to the user: `Done.`, but not `END.`, `done;`."""
    return line[-1] in ".!。" and line[0].isupper() and line[:-1].rstrip(".!。").casefold() in _REPORTS


_REPORTS = frozenset({"closed", "complete", "completed", "done", "ended", "fertig", "finished", "stopped", "готово"})


def _are(words: str, known: frozenset[str]) -> bool:
    # Whether all of the words are known ones, or numbers.
    return known.issuperset(part for part in parts_of(words) if not part.isdecimal())


def is_disguised(word: str) -> bool:
    """Whether a word has letters of Latin and letters that only look like them: `tооl` with Cyrillic letters."""
    return any("\u0370" <= char <= "\u052f" for char in word) and any(
        char.isascii() and char.isalpha() for char in word
    )


def is_other_tag(element: str) -> bool:
    """Whether a tag of that name is HTML's, or contains something other than a call."""
    return element.casefold() in _HTML or introduces_other(element)


def is_html(element: str) -> bool:
    """Whether a tag of that name is HTML's."""
    return element.casefold() in _HTML


def is_language(info: str) -> bool:
    """Whether the first word after a fence is a language, or says that output or an example follows."""
    word = (info.split() or [""])[0].casefold().strip("{}.")
    return word in _LANGUAGES


def parts_of(words: str) -> list[str]:
    """The parts of words in small letters: `toolCall` and `tool_call` have the same."""
    return [part for each in _PART(words) if each for part in _segments(each.casefold())]


def _segments(word: str) -> list[str]:
    # Chinese and Japanese have no blanks between words: 调用工具 is two of them. Other words
    # stay whole.
    if word.isascii() or word in _KNOWN:
        return [word]
    found: list[str] = []
    pos = 0
    while pos < len(word):
        size = next((size for size in range(min(8, len(word) - pos), 0, -1) if word[pos : pos + size] in _KNOWN), 0)
        if not size:
            return [word]
        found.append(word[pos : pos + size])
        pos += size
    return found
