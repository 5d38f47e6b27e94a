# Which messages this template accepts, and where the assistant's turn is in what it writes. Does not depend on how a
# call is written.
#
# Of the styles in which messages can be passed (input_style.py), the first is used in which every sentinel of one call
# comes out, and the user's too. A style in which the arguments come out as Python's repr is the last choice.
#
# Variables that not all clients set tell the template that the model should think. So the answers are checked once more
# without these variables (`doubts`).
#
# The turn is what follows the prompt, which is the rendering up to and including the generation prompt, if the
# rendering with the turn begins with it. Otherwise (a prompt that opens the reasoning, a turn that has none) the turn
# begins where the two differ.
"""From messages to turns."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from toolglean.errors import FormatError, TemplateError
from toolglean.sources.templates.infer.input_style import InputStyle, all_styles, styles_for_texts
from toolglean.sources.templates.infer.probes import REPLY, TOOLS, TYPED, USER, Call, Message, call
from toolglean.sources.templates.infer.texts import common_prefix, common_suffix, markers_of, snapped, turn_ends
from toolglean.sources.templates.markers import GENERIC, closer_for, tag_before
from toolglean.sources.templates.time_budget import TimeBudget

if TYPE_CHECKING:
    from toolglean.sources.templates.rendering import Renderer
    from toolglean.tools import Tool

__all__ = ["Prober", "Turn", "shown_tag"]

FOLLOWUP = "zqxnext"
RESULT = "zqxresult"
ASKED = {"role": "user", "content": USER}
ASKED_AGAIN = {"role": "user", "content": FOLLOWUP}
THINKING = {"enable_thinking": True, "thinking": True}
LATE_SECONDS = 1.0
"""If failed renderings have taken this many seconds, no other styles are tried: they would fail too."""
PROMPTS = 8  # how many prompts are cached; when fuzzing, the tools differ each time
WALL_SECONDS = 20.0
"""How many seconds all renderings together may take, by the clock."""
CPU_SECONDS = 5.0
"""How many seconds of processor time an untrusted template may take in all: to be rendered, and to be read. Real ones
take one to three."""
LONGEST = 50_000
"""Characters that an untrusted template may write for one short conversation. Real ones write 6,000."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the template writes for an assistant's message.

    Attributes:
        text: the turn, including its end.
        prompt: the text between the user's text and the turn.
        opened: what the generation prompt adds to that, and the template did not write for this message.
    """

    text: str
    prompt: str
    opened: str = ""


class Prober:
    """Renders messages with a template, in the style that it accepts.

    Args:
        renderer: renders the template.
        variables: variables that are passed to it besides the messages.
        time_budget: how long all renderings together may take; None: any time.
        calls: whether the template must write calls; False: only texts are rendered.

    Raises:
        FormatError: the template writes a call in none of the styles.
    """

    def __init__(
        self,
        renderer: Renderer,
        variables: Mapping[str, Any] | None = None,
        *,
        time_budget: TimeBudget | None = None,
        calls: bool = True,
    ) -> None:
        self.renderer = renderer
        self._time_budget = time_budget or TimeBudget(math.inf)
        self.variables: dict[str, Any] = THINKING | dict(variables or {})
        self.assumed = tuple(each for each in THINKING if each not in (variables or {}))
        self.writes_user = True  # whether the user's text is written, as far as that is known
        self.style = InputStyle()
        self._failed = 0.0  # seconds of renderings that failed
        self._prompts: dict[str, tuple[str, str]] = {}
        self._header = ""  # the text with which every turn begins, markers included
        self._rest = ""  # the text after the end of a turn: the header of the next one
        self._turns: dict[str, Turn] = {}
        self.style = self._working_style() if calls else self._style_for_texts()
        self._header, self._rest = self._around()
        self._turns.clear()

    def render(
        self,
        messages: list[dict[str, Any]],
        tools: Iterable[Tool],
        *,
        prompt: bool = False,
        variables: Mapping[str, Any] | None = None,
    ) -> str:
        """The whole rendering; `variables`: what is passed instead of the prober's own. Raises TemplateError."""
        listed = self.style.tools(tools)
        given = self.variables if variables is None else variables
        extra = {"functions": json.dumps(listed, indent=4), "datetime": "2026-01-15", **given}
        messages = self.style.messages(messages, extra["functions"])
        begin = time.monotonic()
        try:
            text = self.renderer.render(messages, listed or None, add_generation_prompt=prompt, **extra)
        except TemplateError as error:
            # A template that exceeds its limits does so each time, so the other styles are not tried.
            self._failed += time.monotonic() - begin
            if self._failed > LATE_SECONDS:
                raise FormatError(f"no format can be read from the template: {error.reason}") from error
            raise
        finally:
            self._time_budget.add_wall(time.monotonic() - begin)
            self.check_time()
        if self._time_budget.is_strict and len(text) > LONGEST:
            raise FormatError(
                f"no format can be read from the template: it writes {len(text)} characters for one short "
                f"conversation; an untrusted template may write {LONGEST}"
            )
        return text

    @property
    def is_short_of_time(self) -> bool:
        """Whether it is time to do with fewer samples."""
        return self._time_budget.is_half_used

    def check_time(self) -> None:
        """Raises FormatError if there is no time left."""
        if self._time_budget.exceeded:
            raise FormatError(f"no format can be read from the template: its probes take {self._time_budget.exceeded}")

    def turn(self, message: Message, tools: tuple[Tool, ...] = TOOLS) -> Turn:
        """The turn that the template writes for that message. Raises TemplateError."""
        key = repr((message.calls, message.content, message.reasoning))
        if tools is not TOOLS or key not in self._turns:
            text = self.render(self._conversation(message), tools)
            found = self._cut(self._without_next(text, tools), tools)
            if message.reasoning and found.opened and found.text.lstrip().startswith(message.reasoning):
                found = Turn(found.text, found.prompt + found.opened)
            if tools is not TOOLS:
                return found
            self._turns[key] = found
        return self._turns[key]

    def written(self, message: Message) -> str:
        """The text of that turn; "" if the template refuses the message."""
        try:
            return self.turn(message).text
        except TemplateError:
            return ""

    def typed(self, kind: str) -> str:
        """The turn with one argument of that JSON type; "" if the template refuses it."""
        key, _, value = TYPED[kind]
        return self.written(Message((Call("zqxtyped", {key: value}),)))

    def _conversation(self, message: Message) -> list[dict[str, Any]]:
        # The user's text and the message; and what must follow it, if it has calls.
        after = [ASKED_AGAIN] if self.style.followed and message.calls else []
        return [ASKED, self.style.message(message), *after]

    def _without_next(self, text: str, tools: tuple[Tool, ...]) -> str:
        # The text up to the header of the user's next message, which is the header of the first one too; or up to the
        # words with which the model's next message begins, if the template always writes them last.
        words = self._prompt(tools)[0].rpartition(USER)[2].strip()
        if words and FOLLOWUP not in text and text.rstrip().endswith(words) and not set(words) & _SIGNS:
            return text.rstrip()[: -len(words)]
        text, followed, _ = text.rpartition(FOLLOWUP) if FOLLOWUP in text else (text, "", "")
        header = common_suffix(text, self._prompt(tools)[0].rpartition(USER)[0]) if followed else ""
        return text[: len(text) - len(header)]

    def followed(self, message: Message) -> str:
        """What the template writes between two of the user's texts, with the message between. Raises TemplateError."""
        text = self.render([ASKED, self.style.message(message), ASKED_AGAIN], TOOLS)
        begin, end = text.rfind(USER), text.rfind(FOLLOWUP)
        return text[begin + len(USER) : end] if -1 < begin < end else ""

    def before_user(self) -> str:
        """The text before the user's first text. Raises TemplateError."""
        text = self.render([ASKED], ())
        return text[: text.rfind(USER)]

    def after_user(self) -> str:
        """The text after the user's only text. Raises TemplateError."""
        return self.render([ASKED], ()).rpartition(USER)[2]

    def doubts(self, pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """What the template writes differently without the variables for thinking: "prompt", "calls", "content".

        Args:
            pairs: the markers of reasoning, which are ignored when calls and content are compared.
        """
        probed = {
            "prompt": ([ASKED], True),
            "calls": (self._conversation(Message((call(0), call(1)))), False),
            "content": (self._conversation(Message(content=REPLY)), False),
        }
        marks = [each.strip() for pair in pairs for each in pair if each.strip()]
        without = {name: value for name, value in self.variables.items() if name not in self.assumed}
        found = []
        for what, (messages, prompt) in probed.items() if self.assumed else ():
            texts = [self._after_user(messages, given, prompt=prompt) for given in (self.variables, without)]
            for mark in () if prompt else marks:
                texts = [text and "".join(text.replace(mark, "").split()) for text in texts]
            if None not in texts and texts[0] != texts[1]:
                found.append(what)
        return tuple(found)

    def _after_user(self, messages: list[dict[str, Any]], variables: Mapping[str, Any], *, prompt: bool) -> str | None:
        try:
            return self.render(messages, TOOLS, prompt=prompt, variables=variables).rpartition(USER)[2]
        except TemplateError:
            return None

    def after_result(self) -> str:
        """The generation prompt after the result of a call; "" if no result is written. Raises TemplateError."""
        result = {"role": "tool", "content": RESULT, "name": call(0).name, "tool_call_id": self.style.id_of(call(0), 0)}
        whole = self.render([ASKED, self.style.message(Message((call(0),))), result], TOOLS, prompt=True)
        return whole.rpartition(RESULT)[2] if RESULT in whole else ""

    def prompt(self, *, thinking: bool = True) -> str:
        """The generation prompt after the user's text. Raises TemplateError."""
        if thinking:
            whole = self._prompt(TOOLS)[0]
        else:
            off = dict.fromkeys(THINKING, False)
            whole = self.render([ASKED], TOOLS, prompt=True, variables=self.variables | off)
        return whole.rpartition(USER)[2]

    # -- where the turn begins -----------------------------------------------------------------------------------------

    def _prompt(self, tools: tuple[Tool, ...]) -> tuple[str, str]:
        # The rendering with the generation prompt, and the one with a plain reply.
        key = repr(tools)
        if key not in self._prompts:
            if len(self._prompts) > PROMPTS:
                self._prompts.clear()
            whole = self.render([ASKED], tools, prompt=True)
            try:
                plain = self.render([ASKED, {"role": "assistant", "content": REPLY}], tools)
            except TemplateError:
                plain = ""
            self._prompts[key] = (whole, plain)
        return self._prompts[key]

    def _cut(self, text: str, tools: tuple[Tool, ...]) -> Turn:
        whole, plain = self._prompt(tools)
        after_user = len(text) - len(text.rpartition(USER)[2])  # a template may not write the user's text
        if text.startswith(whole):
            cut = len(whole)
        else:
            shared = commonprefix([whole, text, plain or whole])  # noqa: RUF071  # characters are meant
            cut = max(after_user, snapped(text, len(shared)))
        if self._header and text.startswith(self._header, cut):
            cut += len(self._header)
        turn = text[cut:]
        rest = common_suffix(turn, self._rest) if self._rest else ""
        if markers_of(rest):
            turn = turn[: len(turn) - len(rest)]
        return Turn(turn, text[after_user:cut], whole[cut:] if text.startswith(whole[:cut]) else "")

    def _around(self) -> tuple[str, str]:
        # Markers with which both a plain reply and a call begin are not part of either. Nor is the text after the
        # marker that ends them.
        try:
            plain = self.turn(Message(content=REPLY)).text
            shared = common_prefix(plain, self.turn(Message((call(0),))).text)
        except TemplateError:
            return "", ""
        after = plain.rpartition(REPLY)[2]
        ends = turn_ends(after)
        rest = after[after.find(ends[-1]) + len(ends[-1]) :] if ends else ""
        return shared[: max(shared.rfind(">"), shared.rfind("]")) + 1], rest if rest.strip() else ""

    # -- which style works ---------------------------------------------------------------------------------------------

    def _working_style(self) -> InputStyle:
        probed, reason = Message((call(0),)), ""
        unwritten: list[str] | None = None  # None: the template refuses the call in each style
        second: InputStyle | None = None  # writes the call, but in an unlikely form
        for style in all_styles():
            self.style = style
            self._prompts.clear()
            try:
                found = self.turn(probed).text
                writes_user = USER in self._prompt(TOOLS)[0]
            except TemplateError as error:
                reason = reason or _located(error)  # the most usual style comes first
                continue
            finally:
                self._turns.clear()
            missing = _unwritten(found, probed.calls[0], self.style.id_of(probed.calls[0], 0))
            unwritten = missing if unwritten is None else min(unwritten, missing, key=len)
            if not missing:
                unlikely = _is_repr(found, probed.calls[0]) or _is_doubled(found, probed.calls[0])
                if writes_user and not unlikely:
                    return style
                second = second or style
        self._prompts.clear()
        if second is None:
            reason = reason if unwritten is None else _said(unwritten)
            raise FormatError(f"no format can be read from the template: probe 'one call' failed: {reason}")
        return second

    def _style_for_texts(self) -> InputStyle:
        # The template writes no call, so only the style of texts is tested.
        for style in styles_for_texts():
            self.style = style
            self._prompts.clear()
            with suppress(TemplateError):
                self.writes_user = USER in self._prompt(TOOLS)[0]
                if self.writes_user:
                    break
        return self.style


_SIGNS = frozenset("<[{|")  # of markers


def _located(error: TemplateError) -> str:
    return f"{error.reason} (line {error.line})" if error.text else error.reason


def _is_repr(text: str, probed: Call) -> bool:
    # Python's repr of the arguments, which no model writes: the template expects a JSON string.
    return any(f"{key!r}: {value!r}" in text for key, value in probed.arguments.items())


def _unwritten(text: str, probed: Call, given_id: str) -> list[str]:
    # What of the call is not in the text.
    named = probed.name in text.replace(given_id, "") or (given_id.startswith("functions.") and probed.name in text)
    keys, values = (all(each in text for each in part) for part in (probed.arguments, probed.arguments.values()))
    return [what for what, is_there in (("name", named), ("keys", keys), ("values", values)) if not is_there]


def _said(unwritten: list[str]) -> str:
    if len(unwritten) == len(("name", "keys", "values")):
        return "it does not write tool calls"
    return f"it does not write the {' and the '.join(unwritten)} of a call: write all of each of message.tool_calls"


def _is_doubled(text: str, probed: Call) -> bool:
    # The arguments are JSON in a JSON string.
    return any(f'\\"{each}' in text for each in (*probed.arguments, *probed.arguments.values()))


# -- the tag of the template -------------------------------------------------------------------------------------------


def shown_tag(calling: Prober | None, texts: Callable[[], Prober]) -> tuple[str, str]:
    """The tag and its closer; "{" and "" if the template writes none.

    Args:
        calling: renders calls; None: the template writes none of them whole.
        texts: makes the prober that is used then: what is before a call is of use even if its values are changed.
    """
    try:
        return _written(calling or texts())
    except (FormatError, TemplateError):
        return GENERIC, ""


def _written(prober: Prober) -> tuple[str, str]:
    probed = call(0)
    text = prober.turn(Message((probed,))).text
    leaves = [probed.name, *probed.arguments, *probed.arguments.values(), prober.style.id_of(probed, 0)]
    places = [(text.find(leaf), text.rfind(leaf) + len(leaf)) for leaf in leaves if leaf in text]
    if not places:
        return GENERIC, ""
    tag = tag_before(text[: min(first for first, _ in places)])
    return tag, closer_for(tag, text[max(last for _, last in places) :].lstrip("\"'})"))
