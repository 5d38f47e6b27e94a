# What is known of special tokens, and what follows from it. The laws are those of fuzz/special.py.
"""Markers that special tokens wrote, and markers that are spelled out."""

from __future__ import annotations

import pickle
import re
from itertools import product
from typing import Any

import pytest

from fuzz import special
from fuzz.laws import Subject
from fuzz.special import FUZZER, Case, special_of
from tests.support import depth
from toolglean import Format, Limits, Parser, ParserOptions, UsageError, render
from toolglean.events import Content, Output, Problem, fold

TOOL = {
    "name": "write_file",
    "parameters": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}},
        "required": ["path", "text"],
    },
}
ARGUMENTS = {"path": "a.txt", "text": "Hello"}

# The markers that are one token in a vocabulary of the family.
FAMILIES = {
    "hermes": "<tool_call> </tool_call> <think> </think> <|im_start|> <|im_end|>",
    "qwen3-coder": "<tool_call> </tool_call> <think> </think> <|im_start|> <|im_end|>",
    "glm-4.5": "<tool_call> </tool_call> <arg_key> </arg_key> <arg_value> </arg_value> <think> </think> <|user|>",
    "kimi-k2": "<|tool_calls_section_begin|> <|tool_calls_section_end|> <|tool_call_begin|> "
    "<|tool_call_argument_begin|> <|tool_call_end|> <|im_end|>",
    "deepseek-v3.1": "<｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁call▁end｜> "
    "<｜tool▁sep｜> <｜end▁of▁sentence｜> <think> </think>",
    "minimax-m2": "<minimax:tool_call> </minimax:tool_call> <think> </think> [e~[",
    "mistral": "[TOOL_CALLS] [AVAILABLE_TOOLS] [TOOL_RESULTS] </s> [THINK] [/THINK]",
    "mistral-v11": "[TOOL_CALLS] [/TOOL_CALLS] [ARGS] [CALL_ID] </s> [THINK] [/THINK]",
    "mistral-v13": "[TOOL_CALLS] [ARGS] [CALL_ID] </s> [THINK] [/THINK]",
    "gemma-4": '<|tool_call> <tool_call|> <|"|> <|channel> <channel|> <turn|>',
    "harmony": "<|start|> <|channel|> <|message|> <|call|> <|end|> <|return|> <|constrain|>",
    "lfm2": "<|tool_call_start|> <|tool_call_end|> <|im_end|>",
    "granite": "<|tool_call|> <|end_of_text|> <tool_call> </tool_call>",
}


def tokens(family: str) -> tuple[str, ...]:
    return tuple(FAMILIES[family].split())


def known(family: str, *parts: tuple[str, bool]) -> Case:
    """A case of these parts: text, and whether its markers are written by their tokens."""
    text, kinds, single = "", b"", tokens(family)
    expression = "|".join(map(re.escape, sorted(single, key=len, reverse=True)))
    for part, written in parts:
        known_of = bytearray(b"\1" * len(part))
        for found in re.finditer(expression, part) if written else ():
            known_of[found.start() : found.end()] = b"\2" * len(found[0])
        text, kinds = text + part, kinds + bytes(known_of)
    return Case(Subject(family, "none"), text, kinds, single)


def read(case: Case, tools: Any = (TOOL,), **options: Any) -> Output:
    parser = Parser(tools, format=case.subject.name, atomic=case.atomic, options=ParserOptions(**options))
    return fold(parser.feed(case.text, special_of(case.kinds)) + parser.finish())


def ran(output: Output) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in output.calls]


def call_of(family: str, arguments: dict[str, str] = ARGUMENTS) -> str:
    return render(family, [("write_file", arguments)], tools=[TOOL])


def broken(case: Case) -> tuple[str, str, str] | None:
    """The law that is broken: see fuzz/special.py."""
    return special.broken(case, brief=not depth.is_full())


# -- the five kinds of case, in each family ----------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_that_its_tokens_wrote(family: str) -> None:
    case = known(family, (call_of(family), True))
    assert broken(case) is None
    assert ran(read(case)) == [("write_file", ARGUMENTS)]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_call_that_is_spelled_out_in_a_sentence(family: str) -> None:
    text = f"To call it I would write {call_of(family)} and then wait."
    case = known(family, (text, False))
    assert broken(case) is None
    output = read(case)
    assert output.content == text
    assert not output.calls
    assert [problem.code for problem in output.problems][:1] == ["spelled-marker"]


@pytest.mark.parametrize("family", FAMILIES)
def test_markers_that_are_spelled_out_in_a_value(family: str) -> None:
    call = call_of(family, {"path": "a.txt", "text": "QQQ"})
    before, after = call.split("QQQ")
    markers = " ".join(each for each in tokens(family) if each in call)
    inner = f"before {markers} after"
    case = known(family, (before, True), (inner, False), (after, True))
    assert broken(case) is None
    assert ran(read(case)) == [("write_file", {"path": "a.txt", "text": inner})]


@pytest.mark.sampled(2, each="before")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("before", ["Here:\n```\n", "Look at `", "> ", "See <pre>", "See <!-- ", 'So {"a": "'])
def test_a_call_that_its_tokens_wrote_is_one_in_a_quotation(family: str, before: str) -> None:
    case = known(family, (before, False), (call_of(family), True))
    assert broken(case) is None
    output = read(case)
    assert ran(output) == [("write_file", ARGUMENTS)]
    assert output.content.strip() == before.strip()


@pytest.mark.parametrize("family", FAMILIES)
def test_an_example_that_is_spelled_out_before_a_call(family: str) -> None:
    example = f"For example: {call_of(family, {'path': 'x', 'text': 'y'})}\nNow for real.\n"
    case = known(family, (example, False), (call_of(family), True))
    assert broken(case) is None
    assert ran(read(case)) == [("write_file", ARGUMENTS)]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_turn_whose_calls_are_all_spelled_out(family: str) -> None:
    """As some models and some grammars write them."""
    case = known(family, (call_of(family), False))
    assert broken(case) is None
    assert ran(read(case)) == [("write_file", ARGUMENTS)]


# -- what decides ------------------------------------------------------------------------------------------------------


CALL = call_of("hermes")
OTHER = '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>'

MALFORMED = CALL.replace("}}", "}x}")

# What was written, with whether tokens wrote its markers; how many calls run; the content; the codes of problems.
ROWS: dict[str, tuple[tuple[tuple[str, bool], ...], int, str, list[str]]] = {
    "text follows": (((CALL + " is how.", False),), 0, CALL + " is how.", ["spelled-marker"]),
    "a call of an unknown tool": (((OTHER, False),), 0, OTHER, []),
    "behind a call of its token": (((CALL, True), ("\n" + CALL, False)), 1, "\n" + CALL, ["spelled-marker"]),
    "before a call of its token": (((CALL + "\n", False), (CALL, True)), 1, CALL + "\n", ["spelled-marker"]),
    "before an opener of its token, behind another opener": (
        (('x<tool_call>\n{"name": "write_fil' + CALL[:-12], False), (CALL, True)),
        1,
        'x<tool_call>\n{"name": "write_fil' + CALL[:-12],
        ["spelled-marker"],
    ),
    "two that are spelled out": (((CALL + "\n" + CALL, False),), 2, "", []),
    "cut off": (((CALL[:60], False),), 0, CALL[:60], ["spelled-marker"]),
    "an opener alone": (((CALL[:11], False),), 0, CALL[:11], []),
    "malformed": (((MALFORMED, False),), 0, MALFORMED, ["spelled-marker"]),
    "behind one that is malformed": (
        ((MALFORMED + "\n" + CALL, False),),
        0,
        MALFORMED + "\n" + CALL,
        ["spelled-marker"] * 2,
    ),
    "a closer that is spelled out": (((CALL[:-12], True), ("</tool_call>", False)), 1, "", []),
    "an opener alone that is spelled out": (((CALL[:-12], False), ("</tool_call>", True)), 1, "", []),
    "openers alone that are spelled out": (((CALL[:-12], False), ("</tool_call>", True)) * 2, 2, "", []),
    "such a call before a call of its token": (
        ((CALL[:-12], False), ("</tool_call>", True), (CALL, True)),
        1,
        CALL,
        ["spelled-marker"],
    ),
    "the end of the turn": (((CALL, False), ("<|im_end|>", True)), 1, "", []),
    "an end that is spelled out": ((("Hi<|im_end|>", False),), 0, "Hi", []),
    "an end that is mentioned": ((("Hi <|im_end|> there", False),), 0, "Hi <|im_end|> there", []),
}


@pytest.mark.parametrize("row", ROWS)
def test_what_decides_about_a_spelled_marker(row: str) -> None:
    parts, calls, content, codes = ROWS[row]
    case = known("hermes", *parts)
    assert broken(case) is None
    for name in ("hermes", "auto"):
        output = read(Case(Subject(name, "none"), case.text, case.kinds, case.atomic))
        assert (len(output.calls), output.content) == (calls, content)
        assert not output.unfinished
        assert [problem.code for problem in output.problems] == codes


@pytest.mark.parametrize("family", ["kimi-k2", "mistral-v13", "deepseek-v3.1", "hermes"])
def test_markers_of_one_call_that_are_written_in_both_ways(family: str) -> None:
    """The call runs, or a problem says why not."""
    call = call_of(family)
    places = [found.span() for found in re.finditer("|".join(map(re.escape, tokens(family))), call)]
    choices = product((1, 2), repeat=len(places))
    for choice in depth.chosen(choices, 4, key=str):
        kinds = bytearray(b"\1" * len(call))
        for kind, (begin, end) in zip(choice, places, strict=True):
            kinds[begin:end] = bytes([kind]) * (end - begin)
        case = Case(Subject(family, "none"), call, bytes(kinds), tokens(family))
        assert broken(case) is None
        output = read(case)
        assert not output.unfinished
        assert output.calls or [each.code for each in output.problems] == ["spelled-marker"], choice
        assert output.calls or output.content == call


@pytest.mark.parametrize("before", ["[TOOL_CALLS]write_file[CALL_ID]", "[TOOL_CALLS]no_tool[CALL_ID]"])
def test_a_spelled_call_behind_one_that_cannot_be_read(before: str) -> None:
    """Fixed bug: it ran, though it is malformed where nothing is known of the tokens."""
    call = call_of("mistral-v11")
    case = known("mistral-v11", (before + call, False))
    assert broken(case) is None
    output = read(case, ["write_file"])
    assert (output.calls, output.content) == ([], before + call)
    assert [(each.code, each.text) for each in output.problems] == [("spelled-marker", call)]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_spelled_call_directly_behind_another_is_missed_with_a_problem(family: str) -> None:
    call = call_of(family)
    case = known(family, (call, True), (call, False))
    assert broken(case) is None
    output = read(case)
    assert len(output.calls) == 1
    assert [each.code for each in output.problems][:1] == ["spelled-marker"]


@pytest.mark.parametrize(
    ("parts", "reasoning", "content"),
    [
        (
            (("<think>", True), ("I write </think> here.", False), ("</think>Done", True)),
            "I write </think> here.",
            "Done",
        ),
        ((("<think>Hm.</think>Done", False),), "Hm.", "Done"),
        ((("The <think> tag opens it.", False),), "", "The <think> tag opens it."),
        ((("<think>", True), ("Hm.</think>Done", False)), "Hm.</think>Done", ""),
    ],
    ids=["mentioned", "all spelled out", "a word of a sentence", "never closed"],
)
def test_markers_of_reasoning(parts: tuple[tuple[str, bool], ...], reasoning: str, content: str) -> None:
    case = known("hermes", *parts)
    assert broken(case) is None
    output = read(case)
    assert (output.reasoning, output.content) == (reasoning, content)


def test_reasoning_that_is_never_closed_says_so() -> None:
    [problem] = read(known("hermes", ("<think>", True), ("Hm.</think>Done", False))).problems
    assert (problem.code, problem.text, problem.start) == ("spelled-marker", "</think>", 10)


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        ("<|channel|>", 't<|channel|>c<|tools_prefix|>[{"e":"\''),
        ("<tool_call|>", '<tool_call|>|<atem:function_calls>\n<atem:invoke name="f">\n</atem:invoke>'),
    ],
)
def test_a_call_behind_a_spelled_out_marker_that_opens_none_is_not_missed(marker: str, text: str) -> None:
    """Fixed bug: whether that was told depended on cuts."""
    for size in (1, 3, len(text)):
        parser = Parser(["f"], atomic=[marker])
        events = [each for i in range(0, len(text), size) for each in parser.feed(text[i : i + size], special=False)]
        assert not [each for each in [*events, *parser.finish()] if isinstance(each, Problem)]


def test_which_marker_opens_the_next_reading_does_not_depend_on_cuts() -> None:
    """Fixed bug: the reading before it was refuted sooner or later, as the text was cut, and so between others."""
    text = f'<｜tool_call_begin｜>{"9" * 200}.5e-90<｜tool_sep｜><steptml:invoke name="a.b.c"><steptml:parameter name='
    single = ('">', 'name="', "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<steptml:invoke", "<steptml:parameter")
    case = Case(Subject("step-3", "odd typed", repair=True), text, b"\1" * len(text), single)
    for cut in range(1, len(text)):
        parser = case.parser()
        events = parser.feed(text[:cut], special=False) + parser.feed(text[cut:], special=False) + parser.finish()
        assert [each for each in events if not isinstance(each, Content)] == [], cut


def test_quoted_calls_that_are_wanted_may_be_spelled_out() -> None:
    case = known("hermes", (f"I would write {CALL} so.", False))
    assert len(read(case, quoted="call").calls) == 1


def test_the_markers_of_a_tools_result_are_heeded_however_they_are_written() -> None:
    text = "<tool_response>" + CALL + "</tool_response>"
    case = known("hermes", (text, False))
    assert not read(Case(case.subject, text, case.kinds, (*(case.atomic or ()), "<tool_response>"))).calls


def test_a_character_that_hides_markers_is_replaced() -> None:
    parser = Parser(["f"], atomic=tokens("hermes"))
    output = fold(parser.feed("a\ufdd0b <tool_call>", special=False) + parser.finish())
    assert output.content == "a\ufffdb <tool_call>"


def test_without_the_vocabulary_nothing_is_doubted() -> None:
    parser = Parser([TOOL], format="hermes")
    assert len(fold(parser.feed(f"So: {CALL} ok", special=False) + parser.finish()).calls) == 1


# -- the laws, and wrong arguments -------------------------------------------------------------------------------------


def test_the_laws() -> None:
    assert FUZZER.run(120 if depth.is_full() else 8, seed=25) == []


@pytest.mark.parametrize("text", ["<tool>", "Yes."])
@pytest.mark.parametrize("special", [[(0, 9)], [(2, 1)], [(-1, 2)], 0, 3, "ab", [(1,)], [("a", "b")], [1]])
def test_wrong_spans(special: Any, text: str) -> None:
    with pytest.raises(UsageError, match=r"^special="):
        Parser(["f"]).feed(text, special=special)


@pytest.mark.parametrize("atomic", ["<tool_call>", 3, [1], b"<tool_call>", [["<tool_call>"]]])
def test_wrong_markers(atomic: Any) -> None:
    with pytest.raises(UsageError, match=r"^atomic="):
        Parser(["f"], atomic=atomic)


def test_a_turn_that_is_over() -> None:
    parser = Parser(["f"], atomic=["<tool_call>"])
    parser.feed("Hi", special=False)
    parser.finish()
    assert parser.finish() == []
    with pytest.raises(UsageError, match="the turn is over"):
        parser.feed("<", special=False)


def test_a_spelled_marker_inside_a_call() -> None:
    """What is read again begins behind the marker, wherever the call around it began."""
    text = '<<f>><paramname="x"></param><</>>>'
    assert broken(Case(Subject("own:signs", "numbers", known=True), text, b"\1" * len(text), (">>>",))) is None


@pytest.mark.parametrize("pad", range(40, 53))
def test_a_spelled_marker_at_the_limit_of_a_call(pad: int) -> None:
    """The second reading has room for the beginning of the marker, not for its end."""
    opener = '<tool_call>\n{"name": "write_file", "arguments": {"text": "' + "x" * pad
    case = known("hermes", (f"So {opener}{CALL} is how.", False))
    assert not ran(read(case, limits=Limits(call_chars=100)))
    limits = Subject("hermes", "none", limits=(("call_chars", 100),))
    assert broken(Case(limits, case.text, case.kinds, case.atomic)) is None


def test_a_pickle_of_another_version() -> None:
    parser = Parser(["f"])
    older = (13, *parser.__getstate__()[0][1:])
    with pytest.raises(UsageError, match="another version"):
        parser.__setstate__(older)


# Text in which all is spelled out, and text follows: the marker in front of a call is text, and so is the call.
BEHIND = {
    "behind another opener": ("qwen3-coder", "So: <tool_call>{}"),
    "behind two openers of a section": (
        "kimi-k2",
        "<|tool_calls_section_begin|><|tool_call_end|><|tool_calls_section_begin|>{}",
    ),
    "behind an opener of another kind": ("qwen3-coder", "So: </tool_call><think><tool_call><think>{}"),
    "behind a call without its marker": ("minimax-m2", '<invoke name="write_file">{}'),
    "in one that is malformed, behind an end": (
        "minimax-m2",
        '[e~[<minimax:tool_call>\n<invoke name="write_file">\n<parameter name={}',
    ),
    "in a call that is malformed": ("qwen3-coder", "So: <tool_call>\n<function=write_file>\n<parameter=pa{}"),
}


@pytest.mark.parametrize("row", BEHIND)
def test_a_call_behind_a_marker_that_is_text(row: str) -> None:
    family, before = BEHIND[row]
    text = before.format(call_of(family)) + " and that is all."
    case = known(family, (text, False))
    for name in (family, "auto"):
        assert broken(Case(Subject(name, "none"), text, case.kinds, case.atomic)) is None
        output = read(Case(Subject(name, "none"), text, case.kinds, case.atomic))
        assert not output.calls
        assert output.content == text


def test_a_call_of_its_token_behind_a_marker_that_is_text() -> None:
    case = known("qwen3-coder", ("So: <tool_call>\n", False), (call_of("qwen3-coder"), True))
    assert broken(case) is None
    assert len(read(case).calls) == 1


def test_text_that_waits_is_the_beginning_of_the_turn() -> None:
    """A partial marker is text that nothing has told yet."""
    text = "<|tool_call_star<|im_end|> and more"
    case = known("lfm2", (text, False))
    assert broken(case) is None
    assert read(case).content == text


def test_a_marker_of_another_kind_is_no_call_to_a_tag() -> None:
    """A tag declares no markers: those of the library's formats that open no call do not speak against one."""
    parser = Parser([TOOL], format=Format.from_tag("<tool_call>"), atomic=tokens("hermes"))
    parts = (("<think>", True), ("Hm.", False), ("</think>", True), ("\n" + CALL, False))
    events = [event for text, special in parts for event in parser.feed(text, special)]
    assert len(fold(events + parser.finish()).calls) == 1


def test_an_escape_of_a_character_that_hides_markers_is_no_marker() -> None:
    """Arguments are what their text says."""
    before, after = call_of("hermes", {"text": "QQQ"}).split("QQQ")
    case = known("hermes", (before, True), ("\\ufdd0 <tool_call>", False), (after, True))
    assert ran(read(case)) == [("write_file", {"text": "\ufdd0 <tool_call>"})]


def test_the_pickle_of_two_readings_of_a_turn() -> None:
    """The two share what neither has changed, and must not after a pickle: each would change what the other has."""
    text = ": [2]})\n</>f\n<arg_key>x</arg_key>\n<>y</>\n</>\n<></>\n</>\n<tool_call></f"
    subject = Subject("glm-4.5", "odd", known=True, reasons=True)
    assert broken(Case(subject, text, b"\1" * len(text), tokens("glm-4.5"))) is None


def test_forks_that_are_pickled_together() -> None:
    """In a call that is kept back, as in reasoning, they share what was before it."""
    text = f"Hm. {CALL} so.</think>Done"
    whole = fold(Parser([TOOL], format="hermes", start="reasoning").feed(text))
    for cut in range(0, len(text) + 1, 1 if depth.is_full() else 3):
        parser = Parser([TOOL], format="hermes", start="reasoning")
        events = parser.feed(text[:cut])
        one, other = pickle.loads(pickle.dumps([parser, parser.fork()]))  # our own
        other.feed('zz}"]</tool_call>')
        output = fold(events + one.feed(text[cut:]) + one.finish())
        assert (output.reasoning, output.content) == (whole.reasoning, "Done")


def test_a_call_that_began_with_its_token_and_is_named_behind_a_spelled_marker() -> None:
    text = "3\n<tool_call><function=f></function>parameter>/"
    kinds = b"\1\1" + b"\2" * 11 + b"\1" * (len(text) - 13)
    single = ("</function>", "</tool_call>", "<function=", "<parameter=", "<tool_call>")
    assert broken(Case(Subject("mimo", "spaced"), text, kinds, single)) is None
