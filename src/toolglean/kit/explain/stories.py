# What is said about each cause, in one table: the names of causes, and their texts, with the words that differ in
# braces. Does not depend on how a cause is found (causes.py, near_misses.py).
#
# A name may have several texts: what follows its "/" is not shown. docs/how-to/troubleshooting.md explains each name.
"""What is said about causes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["TEXTS", "Story", "story"]


class Story(NamedTuple):
    """A cause as a rule returns it: see `Cause`."""

    name: str
    start: int
    text: str


def story(name: str, start: int, **words: object) -> Story:
    """The cause of that name, at that place of the turn, with these words in its text."""
    return Story(name.partition("/")[0], start, TEXTS[name].format(rarer=RARER, stripped=STRIPPED, **words))


RARER = "A lower temperature, a more precise quantisation or constrained output makes such calls rarer."
STRIPPED = (
    "The text does not show whether the server removed the special tokens that mark a call: if so, pass "
    "skip_special_tokens=False to vLLM, SGLang or transformers. `toolglean formats NAME` lists the markers that "
    "must stay."
)
UNREADABLE = (
    "The call of {call!r} began, but {what} cannot be read: at line {line}, column {column}, {said}. The model "
    "wrote it that way, so the call is malformed and must not run. {rarer}"
)
TEXTS: Mapping[str, str] = {
    "limit": "The turn exceeded the limit {limit!r}, so everything after that is content. If you expect such calls, "
    "pass options=ParserOptions(limits=Limits({limit}=…)) with a larger value.",
    "missing-closer": "The call of {call!r} was never closed: the turn ends where {waits} was expected. Another "
    "parameter might have followed, so the call is incomplete. Check max_tokens, and that no stop string removes "
    "the closing marker.",
    "missing-closer/value": "A value of the call of {call!r} was never closed: behind it, {waits} was expected, and "
    "{marker!r} became a part of it. A marker is missing, or misspelt, so the call is incomplete and must not run. "
    "{rarer}",
    "missing-closer/before": "A closing marker is missing before the end of the call of {call!r}, or a value quotes "
    "a call: {reason}. The parser cannot tell which, so the call is malformed.",
    "cut-off": "The turn ends inside {what}. If the server says finish_reason 'length', max_tokens stopped the "
    "model: raise it. If not, the model or a stop string left out the rest: the text does not show which. A call "
    "that is cut off is never returned as complete.",
    "json-broken": UNREADABLE,
    "arguments-malformed": UNREADABLE,
    "json-broken/marker": "{marker!r} is followed by JSON that breaks at line {line}, column {column}: {said}. Up "
    "to there it was not certain to be a call, so the text is content.",
    "json-broken/string": "A string of the call of {call!r} contains the closing marker, and the turn ends there: a "
    "quotation mark is missing at {at!r}, or before. Where it belongs cannot be known, so the call is incomplete "
    "and must not run. {rarer}",
    "arguments-not-object": "The arguments of the call of {call!r} are {kind}, but they must be a JSON object, such "
    'as {{"city": "Oslo"}}. It is not known which parameter was meant, so the call is malformed and must not run.',
    "in-reasoning": "The reasoning contains {what}. A call there is a draft, and stays reasoning. If the reasoning "
    "should have ended before it, its closing marker is missing, or the prompt did not open any reasoning.",
    "quoted": "{what} is quoted: in code, in a quoted line or in a tool's result. That makes it an example, so it "
    "is content. Tell the model not to quote its calls.",
    "other-dialect": "You passed {ways}, but {marker!r} begins {what} in another family's format ({formats}). Pass "
    "the format that the model really writes, or leave the argument out, so that the format is detected from the "
    "turn.",
    "other-dialect/registered": "{marker!r} begins {what} in a spelling that is read only if its format is named. Pass "
    "format={format!r}.",
    "data": "The JSON that names {text!r} is not a call but data, because {why}. So it is content. JSON without a "
    "marker is a call only if it is the whole answer, and has all required arguments and nothing else.",
    "in-json-string": "What looks like a call is inside a string of a JSON document, so it is content.",
    "addressed-to-user": "What looks like a call is in a message whose header addresses it to the user, so it is an "
    "example for the user, and content.",
    "left-over": "The marker {text!r} is left over next to a call. It is markup, and changes nothing.",
    "no-call-after-marker": "{marker!r} is not followed by a call: at line {line}, column {column}, {said}. In "
    "prose about tool calls that is normal; in a call, the model made a mistake.",
    "no-name": "{marker!r} is followed by JSON that is not a call: it has no key with the name of a tool, such as "
    '{{"name": …, "arguments": …}}.',
    "wrong-keys": "{marker!r} is followed by JSON that names the tool {call!r}, but does not have the keys of a "
    'call: the name must be under "name", and the arguments, an object, under "arguments". So it is content.',
    "unknown-tool": "{call!r} is not the name of any tool that you passed, {therefore}.{hint} Names must match "
    "exactly, including case. Pass every tool that the prompt lists.",
    "reasoning-opened-by-prompt": "{marker!r} ends reasoning that did not begin in the turn: the chat template "
    'probably wrote the opening marker at the end of the prompt. Pass start="reasoning", or the end of the prompt '
    "as prompt=.",
    "reasoning-not-closed": "The reasoning that {marker!r} opens never ends, so everything after it is reasoning. If "
    "the answer is in it, the model left out the closing marker. If the server says finish_reason 'length', max_tokens "
    "stopped the model while it was thinking: raise it.",
    "markers-stripped": "{call!r} looks like the name of a call, but there is no marker before it. {stripped}{hint}",
    "markers-stripped/closer": "{marker!r} closes a call, but no call began before it. {stripped} Otherwise the "
    "model forgot to write the opening marker.",
    "misspelt-marker": "{marker!r} {where}, but is not a marker of any known format. The most similar one is {near!r}. "
    "A marker must be written as in the model's chat template, so this is {kind}.{hint}",
    "misfit": "The call of {call!r} was read, but its arguments are not those of the tool. {said} What was written is "
    "passed on unchanged: answer the call with what is wrong, and the model can write it again.",
    "in-a-line": "{text!r} is a call, but it shares its line with other text, or is part of an expression: it reads "
    "like a sentence or like code, so it is content. Tell the model to write each call on a line of its own.",
    "unmarked-json": "The JSON that names {call!r} has no marker, and JSON without one breaks a rule here: {rule}. "
    "So it is content. The text does not show whether the model wrote no marker or the server removed it: pass "
    "skip_special_tokens=False to vLLM, SGLang or transformers to see.",
    "undeclared": "This names a tool and its parameters, but no format declares the spelling, and it breaks one of "
    "the rules by which such calls are read: {rule}. So it is content. If your model writes its calls like this, "
    "`toolglean learn` makes a format of a few turns.",
    "another-message": "{header!r} begins another message, which is not the model's own, so everything after it is "
    "content. Pass the text of one turn only, and check that the server stops at the end of the turn.",
    "mention": "The text contains markers or names of calls, but nothing that reads like a whole call.",
    "no-opener": "Nothing in the turn begins a call in any of the {formats} known formats. Check that the tools are "
    "in the prompt, that this text is what the model wrote (the server may have taken the calls out of it), and "
    "that the model's format is known (`toolglean formats`).",
}
"""By the names of the causes."""
