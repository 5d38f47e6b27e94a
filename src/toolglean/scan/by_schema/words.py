# The words that say what a frame is, where it could be something else. Does not depend on how frames are read.
#
# No word makes a call: these only show what is not a call. A label or a tag that introduces an example, a log line or a
# result is not a frame, and neither is an element of HTML or a fence with code.
"""Words of frames."""

from __future__ import annotations

import re

__all__ = ["introduces_call", "introduces_other", "is_html", "is_language", "is_other_tag", "may_be_around", "parts_of"]


_part = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+").findall


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CALLS = _set(
    """
    act action actions call calling calls cmd command commands dispatch emit exec execute fn func function
    functioncall functions invocation invoke invoking op operation operations perform run tool toolcall toolcalls
    tools use using
    """
)
_OTHERS = _set(
    """
    blocked canceled cancelled completed denied failed failing fails failure finished ignored pending queued
    rejected retried retrying skipped succeeded success
    actual ai answer assistant at available avoid bad bot cat caution cf cited comment critical debug def
    definition demo deprecated describe description doc docs documentation dont draft earlier eg error errors
    event example examples expected fatal fix fixme format got hint history human ie illustration incorrect
    info input instance like log logger logs model nb never not note notes notice observation old output
    outputs pattern plan previous prints quote quoted reasoning received reply response
    responses result results return returned returns sample schema scratchpad see signature spec stderr stdout
    such synopsis syntax system template test tests think thinking thought thoughts tip todo trace usage user
    warn warning wrong yields
    """
)
# Of these, the words of a tag that may be around several calls.
_AROUND = _set("ai answer assistant bot event input next pending plan queued reply todo")
# Whole words of a label in prose.
_PROSE = _set(
    """
    also and because but correct e finally first g hence here i instead is it next now ok okay or please right
    since so sure that the then therefore this thus way well with yes no you i we
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


def may_be_around(element: str) -> bool:
    """Whether a tag of that name may be around calls, although it would not introduce one."""
    return _OTHERS.isdisjoint(set(parts_of(element)) - _AROUND)


def introduces_other(label: str) -> bool:
    """Whether the label introduces something other than a call."""
    return not (_OTHERS.isdisjoint(parts_of(label)) and _PROSE.isdisjoint(label.casefold().split()))


def introduces_call(label: str) -> bool:
    """Whether a part of the words says that they introduce a call."""
    return not _CALLS.isdisjoint(parts_of(label))


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
    """The parts of words in lower case: `toolCall` and `tool_call` have the same."""
    return [each.lower() for each in _part(words)]
