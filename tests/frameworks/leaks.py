# What servers send that do not parse calls, or not all of them, and what a program must get from it.
# Does not depend on any client or framework.
"""Seventeen answers of a server, and what is right for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.support.loopback import Call, Turn

__all__ = ["LEAKS", "Leak", "Read", "hermes"]


class Read(NamedTuple):
    """What a client reads in one choice: without the white space around it."""

    content: str
    reasoning: str
    calls: list[tuple[str, Any]]
    reason: str | None


def hermes(city: str, name: str = "get_weather") -> str:
    """A call as many models write it."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


HARMONY = (
    "<|channel|>analysis<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather "
    '<|constrain|>json<|message|>{"city": "Oslo"}<|call|>'
)
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Oslo'
    "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
)
FENCED = 'For example:\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```\n'
PIECE = 5


@dataclass(frozen=True)
class Leak:
    """One answer.

    Attributes:
        says: what is special about it, for the table.
        gives: what a program gets, for the table.
        text: the content that the server sends.
        runs: the cities with which the tool is called.
        left: the content that the user sees.
        reasoning: the reasoning that remains.
        thinking: what the server sends in its own reasoning field.
        calls: what it has parsed itself.
        finish: its reason; "" for the one that fits.
        size: characters of a chunk.
        second: a second choice: its text, its cities and its content.
        raw: the chunks of the stream instead.
    """

    says: str
    gives: str
    text: str = ""
    runs: tuple[str, ...] = ("Oslo",)
    left: str = ""
    reasoning: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    size: int = PIECE
    second: tuple[str, tuple[str, ...], str] | None = None
    raw: Sequence[Mapping[str, Any]] | None = field(default=None, repr=False)

    def turn(self, *, stream: bool) -> Turn:
        """What the server plays."""
        other = [Turn(self._cut(self.second[0]))] if self.second else []
        return Turn(
            self._cut(self.text), self.calls, self._cut(self.thinking), self.finish, choices=other,
            raw=self.raw if stream else None,
        )  # fmt: skip

    def _cut(self, text: str) -> list[str]:
        return [text[at : at + self.size] for at in range(0, len(text), self.size)]

    def read(self) -> list[Read]:
        """What a client must read: its choices."""
        calls = [("get_weather", {"city": city}) for city in self.runs]
        found = [Read(self.left.strip(), self.reasoning.strip(), calls, self.reason)]
        if self.second is not None:
            _, cities, left = self.second
            found.append(Read(left, "", [("get_weather", {"city": city}) for city in cities], "tool_calls"))
        return found

    @property
    def reason(self) -> str:
        """The finish reason that a program gets."""
        return "tool_calls" if self.runs else self.finish or "stop"


def _role_twice(text: str) -> list[dict[str, Any]]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, {"role": "assistant", "content": ""}]
    deltas += [{"content": text[at : at + PIECE]} for at in range(0, len(text), PIECE)]
    chunks = [{**head, "choices": [{"index": 0, "delta": each, "finish_reason": None}]} for each in deltas]
    return [*chunks, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}]


I_LOOK = f"I will look.\n{hermes('Oslo')}"

LEAKS: dict[str, Leak] = {
    "hermes": Leak("a call in the text, as Qwen writes it", "the call", I_LOOK, left="I will look."),
    "harmony": Leak("a call as gpt-oss writes it", "the call, and the reasoning", HARMONY, reasoning="Let me look."),
    "dsml": Leak("a call as DeepSeek V4 writes it", "the call", f"I will look.\n\n{DSML}", left="I will look."),
    "single characters": Leak("a chunk for each character", "the call", I_LOOK, left="I will look.", size=1),
    "two calls": Leak(
        "two calls", "both calls", f"{hermes('Oslo')}\n{hermes('Rome')}", runs=("Oslo", "Rome")
    ),
    "other letters": Leak(
        "arguments with characters other than ASCII", "the call", hermes("Tromsø 😀"), runs=("Tromsø 😀",)
    ),
    "text after it": Leak("text before and after a call", "the call; both texts are content",
                          f"{I_LOOK}\nOne moment.", left="I will look.\n\nOne moment."),
    "reasoning in the text": Leak("`<think>` in the text, before a call", "the call; the reasoning in its own field",
                                  f"<think>Hm.</think>{I_LOOK}", left="I will look.", reasoning="Hm."),
    "role sent twice": Leak("the role of the message, twice", "the call", I_LOOK, left="I will look.",
                            raw=_role_twice(I_LOOK)),
    "several choices": Leak("two choices, each with a call", "the call of each choice, in its choice",
                            I_LOOK, left="I will look.", second=(hermes("Rome"), ("Rome",), "")),
    "parsed too": Leak("a call that the server has parsed, and left in the text", "one call",
                       I_LOOK, left="I will look.", calls=(Call("get_weather", {"city": "Oslo"}),)),
    "in the reasoning field": Leak("a call at the end of the server's own reasoning field", "the call",
                                   thinking=f"Let me look.\n{hermes('Oslo')}", reasoning="Let me look."),
    "a draft in the reasoning field": Leak(
        "such a call, and content after it", "the call stays reasoning", "It is sunny.", (), "It is sunny.",
        thinking=f"Maybe {hermes('Oslo')}", reasoning=f"Maybe {hermes('Oslo')}",
    ),
    "cut by length": Leak("a call that is cut off by the token limit", "content: nothing runs",
                          I_LOOK[:-30], (), I_LOOK[:-30], finish="length"),
    "quoted": Leak("a call between backticks", "content: nothing runs",
                   f"Write `{hermes('Oslo')}` then.", (), f"Write `{hermes('Oslo')}` then."),
    "example": Leak("a call as an example in a code fence", "content: nothing runs", FENCED, (), FENCED.strip()),
    "unknown tool": Leak("a call to a tool that the request does not have", "content, and a warning in the log",
                         hermes("Oslo", "delete_all"), (), hermes("Oslo", "delete_all")),
}  # fmt: skip
