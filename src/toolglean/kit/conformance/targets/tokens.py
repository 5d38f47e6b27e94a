# What adapters of servers have in common: how they are made for a turn, and what a token is. Does not depend on any
# peer, or on toolglean's own formats: adapters run in another Python, and import the standard library, this file and
# the peer.
#
# No weights and no real tokenizer are at hand, so this stands in for one: each marker of a model's format is one token,
# as in the model's own vocabulary (a table, because a marker that is cut would be unfair to most peers), and the text
# between them is cut about as byte-pair encodings cut it. A case may know better: `atomic` replaces the table, and
# where `special` is known, a marker outside its spans was spelled out by the model in ordinary tokens, and is cut like
# text.
"""Stand-ins for the tokenizers of models."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["ENDS", "MARKERS", "Adapter", "Spans", "Tokens"]

THINK = ("<think>", "</think>")

MARKERS = {
    "apertus": "<|assistant_end|> <|inner_prefix|> <|inner_suffix|> <|tools_prefix|> <|tools_suffix|>",
    "command-a": (
        "<|CHATBOT_TOKEN|> <|END_ACTION|> <|END_OF_TURN_TOKEN|> <|END_RESPONSE|> <|END_TEXT|> <|END_THINKING|> "
        "<|START_ACTION|> <|START_OF_TURN_TOKEN|> <|START_RESPONSE|> <|START_TEXT|> <|START_THINKING|>"
    ),
    "deepseek-v3": (
        "<｜end▁of▁sentence｜> <｜tool▁calls▁begin｜> <｜tool▁calls▁end｜> <｜tool▁call▁begin｜> <｜tool▁call▁end｜> "
        "<｜tool▁sep｜> <｜Assistant｜>"
    ),
    "deepseek-v3.2": (
        "</｜DSML｜function_calls> <｜DSML｜function_calls> </｜DSML｜invoke> <｜DSML｜invoke </｜DSML｜parameter> "
        "<｜DSML｜parameter <｜end▁of▁sentence｜> <｜Assistant｜>"
    ),
    "deepseek-v4": (
        "</｜DSML｜calls> <｜DSML｜calls> </｜DSML｜function_calls> <｜DSML｜function_calls> </｜DSML｜invoke> "
        "<｜DSML｜invoke </｜DSML｜parameter> <｜DSML｜parameter </｜DSML｜tool> <｜DSML｜tool> </｜DSML｜tool_calls> "
        "<｜DSML｜tool_calls> </｜DSML｜tool_use> <｜DSML｜tool_use> </｜DSML｜toolcalls> <｜DSML｜toolcalls> "
        "<｜end▁of▁sentence｜> <｜Assistant｜>"
    ),
    "deepseek-v4.1": "</｜DSML｜ <｜DSML｜ <｜end▁of▁sentence｜> <｜Assistant｜>",
    "dots": "</dots_function_call> <dots_function_call> <|endofassistant|> </invoke> <invoke </parameter> <parameter",
    "ernie-4.5": "<0x0A> <|end_of_sentence|> </response> <response> </s> </tool_call> <tool_call>",
    "firefunction": "<|end_header_id|> <|end_of_text|> <|eom|> <|eom_id|> <|eot|> <|eot_id|> <|start_header_id|>",
    "functionary-v3.1": (
        "<|end_header_id|> <|end_of_text|> <|eom|> <|eom_id|> <|eot|> <|eot_id|> </function> <function "
        "<|python_tag|> <|start_header_id|>"
    ),
    "functiongemma": "<end_function_call> <end_of_turn> <eos> <escape> <start_function_call> <start_function_response>",
    "gemma-4": (
        '<|"|> <channel|> <|channel> <eos> <tool_call|> <|tool_call> <tool_response|> <|tool_response> <turn|> <|turn>'
    ),
    "gigachat-3": "<|function_call|> <|message_sep|> <|role_sep|> </s>",
    "glm-4.5": (
        "</arg_key> <arg_key> </arg_value> <arg_value> <|assistant|> <|endoftext|> <|observation|> </tool_call> "
        "<tool_call> <|user|>"
    ),
    "granite-20b-fc": "<|end_of_text|> <|endoftext|> <function_call>",
    "granite-3": (
        "<|end_of_text|> <|endoftext|> </function> <function </parameter> <parameter </response> <response> "
        "</tool_call> <tool_call> <|tool_call_end|> <|tool_call|>"
    ),
    "granite-4": "<|end_of_text|> <|endoftext|> </tool_call> <tool_call>",
    "harmony": "<|call|> <|channel|> <|constrain|> <|end|> <|message|> <|return|> <|start|>",
    "hermes": (
        "<|begin_of_thought|> <|end_of_thought|> <|endoftext|> <|eot_id|> <|im_end|> <|im_start|> </thought> <thought> "
        "</tool_call> <tool_call>"
    ),
    "hunyuan-3": (
        "</arg_key> <arg_key> </arg_value> <arg_value> </tool_call> <tool_call> </tool_calls> <tool_calls> "
        "<tool_sep> <｜hy_eos｜>"
    ),
    "hunyuan-3-opensource": (
        "</arg_key:opensource> <arg_key:opensource> </arg_value:opensource> <arg_value:opensource> "
        "</think:opensource> <think:opensource> </tool_call:opensource> <tool_call:opensource> "
        "</tool_calls:opensource> <tool_calls:opensource> <tool_sep:opensource> <｜hy_eos:opensource｜>"
    ),
    "hunyuan-4": (
        "</arg_key> <arg_key> </arg_value> <arg_value> </tool_call> <tool_call> </tool_calls> <tool_calls> <｜hy_eos｜>"
    ),
    "hunyuan-a13b": "</answer> <answer> <|endoftext|> <|eos|> </tool_calls> <tool_calls>",
    "inkling": (
        "<|content_invoke_tool_json|> <|content_model_end_sampling|> <|content_text|> <|content_thinking|> "
        "<|content_tool_error|> <|end_message|> <|message_model|>"
    ),
    "internlm": "<|action_end|> <|action_start|> <|endoftext|> <|im_end|> <|im_start|> <|plugin|>",
    "jamba": "<|endoftext|> <|eom|> </tool_calls> <tool_calls>",
    "k2-horizon": (
        "</ifm|arg_key> <ifm|arg_key> </ifm|arg_type> <ifm|arg_type> </ifm|arg_value> <ifm|arg_value> "
        "</ifm|think> <ifm|think> </ifm|think_fast> <ifm|think_fast> </ifm|think_faster> <ifm|think_faster> "
        "</ifm|tool_call> <ifm|tool_call> </ifm|tool_calls> <ifm|tool_calls>"
    ),
    "kimi-k2": (
        "[EOS] <|im_end|> <|tool_call_argument_begin|> <|tool_call_begin|> <|tool_call_end|> "
        "<|tool_call_section_begin|> <|tool_call_section_end|> <|tool_calls_section_begin|> "
        "<|tool_calls_section_end|>"
    ),
    "kimi-k3": "<|close|> <|end_of_msg|> <|open|> <|sep|>",
    "laguna": (
        "</arg_key> <arg_key> </arg_value> <arg_value> </assistant> <assistant> <|endoftext|> </tool_call> "
        "<tool_call> </user> <user>"
    ),
    "lfm2": "<|endoftext|> <|im_end|> <|im_start|> <|tool_call_end|> <|tool_call_start|>",
    "ling-3": "</arg_key> <arg_key> </arg_value> <arg_value> <|endoftext|> <|role_end|> </tool_call> <tool_call>",
    "llama3-json": (
        "<|end_header_id|> <|end_of_text|> <|eom|> <|eom_id|> <|eot|> <|eot_id|> <|python_tag|> <|start_header_id|>"
    ),
    "llama4": "<|end_of_text|> <|eom|> <|eom_id|> <|eot|> <|eot_id|> <|python_end|> <|python_start|>",
    "longcat": (
        "</arg_key> <arg_key> </arg_value> <arg_value> </longcat_arg_key> <longcat_arg_key> </longcat_arg_value> "
        "<longcat_arg_value> </longcat_s> </longcat_think> <longcat_think> </longcat_tool_call> "
        "<longcat_tool_call>"
    ),
    "mimo": (
        "<|endoftext|> </function> <function <|im_end|> <|im_start|> </parameter> <parameter </tool_call> <tool_call>"
    ),
    "minicpm-3": (
        "<|endoftext|> <|im_end|> <|im_start|> <|thought_end|> <|thought_start|> <|tool_call_end|> <|tool_call_start|>"
    ),
    "minicpm-5": (
        "<![CDATA[ </arguments> <arguments> <|endoftext|> </function> <function <|im_end|> <|im_start|> </param> <param"
    ),
    "minimax-m1": "<end_of_sentence> </tool_calls> <tool_calls>",
    "minimax-m2": "</invoke> <invoke </minimax:tool_call> <minimax:tool_call> </parameter> <parameter",
    "minimax-m3": "</invoke> <invoke ]<]minimax[>[ </mm:think> <mm:think> </tool_call> <tool_call>",
    "mistral-v3": "[ARGS] [CALL_ID] </s> [/THINK] [THINK] [/TOOL_CALLS] [TOOL_CALLS]",
    "muse": (
        "</atem:function_calls> <atem:function_calls> </atem:invoke> <atem:invoke </atem:parameter> "
        "<atem:parameter <atem:parameter> <|eom|> <|eot|> <|message|> <|start|>"
    ),
    "nemotron": (
        "<|end_of_text|> <|eom|> <|eom_id|> <|eot|> <|eot_id|> "
        "<|im_end|> <|im_start|> <SPECIAL_12> </TOOLCALL> <TOOLCALL>"
    ),
    "olmo-3": "<|endoftext|> </function_calls> <function_calls> <|im_end|> <|im_start|>",
    "phi-4-mini": "<|assistant|> <|end|> <|endoftext|> <|/tool_call|> <|tool_call|>",
    "plamo-3": (
        "<|plamo:begin_think:plamo|> <|plamo:begin_tool_arguments:plamo|> <|plamo:begin_tool_name:plamo|> "
        "<|plamo:begin_tool_request:plamo|> <|plamo:begin_tool_requests:plamo|> <|plamo:bos|> <|plamo:constrain|> "
        "<|plamo:end_think:plamo|> <|plamo:end_tool_arguments:plamo|> <|plamo:end_tool_name:plamo|> "
        "<|plamo:end_tool_request:plamo|> <|plamo:end_tool_requests:plamo|> <|plamo:eos|> <|plamo:msg|> "
        "<|plamo:tag|>"
    ),
    "pythonic": (
        "<|end_header_id|> <|end_of_text|> <end_of_turn> <|eom|> <|eom_id|> <|eot|> <|eot_id|> <|python_end|> "
        "<|python_start|> <|start_header_id|>"
    ),
    "seed-oss": (
        "</function> <function </parameter> <parameter <seed:eos> </seed:think> <seed:think> </seed:tool_call> "
        "<seed:tool_call>"
    ),
    "solar": (
        "<|begin|> <|calls|> <|content|> <|end|> <|flush|> <|think|> <|tool_call:args|> <|tool_call:begin|> "
        "<|tool_call:end|> <|tool_call:name|> <|tool_calls|>"
    ),
    "step-3": (
        "<|EOT|> </steptml:invoke> <steptml:invoke </steptml:parameter> <steptml:parameter <｜end▁of▁sentence｜> "
        "<｜tool_call_begin｜> <｜tool_call_end｜> <｜tool_calls_begin｜> <｜tool_calls_end｜> <｜tool_sep｜>"
    ),
    "step-3.5": (
        "<|endoftext|> <|EOT|> </function> <function <|im_end|> "
        "<|im_start|> </parameter> <parameter </tool_call> <tool_call>"
    ),
    "xlam": "<|endoftext|> <|EOT|> <|eot_id|> <|im_end|> <|im_start|> </tool_call> <tool_call> [TOOL_CALLS]",
    "xlam-object": "<|endoftext|> <|EOT|> <|eot_id|> <|im_end|> <|im_start|>",
}
MARKERS |= {"deepseek-v3.1": MARKERS["deepseek-v3"], "gigachat-3.1": MARKERS["gigachat-3"]}
MARKERS |= {"glm-4.7": MARKERS["glm-4.5"], "llama4-pythonic": MARKERS["llama4"], "qwen3-coder": MARKERS["mimo"]}
MARKERS |= dict.fromkeys(("mistral-v11", "mistral-v13"), MARKERS["mistral-v3"])
"""For each format: the markers that are one token, or what precedes a name in them, separated by spaces. `<think>` and
`</think>` are tokens everywhere."""

_ENDS = (
    "</assistant> </s> <SPECIAL_12> <end_of_sentence> <end_of_turn> <eos> <seed:eos> <turn|> <|END_OF_TURN_TOKEN|> "
    "<|EOT|> <|assistant_end|> <|calls|> <|call|> <|content_model_end_sampling|> <|end_of_msg|> <|end_of_sentence|> "
    "<|end_of_text|> <|endofassistant|> <|endoftext|> <|end|> <|eom_id|> <|eot_id|> <|eot|> <|im_end|> "
    "<|message_sep|> <|plamo:eos|> <|return|> <|role_end|> <|start_header_id|>assistant<|end_header_id|> "
    "<|tool_response> <｜end▁of▁sentence｜> <｜hy_eos:opensource｜> <｜hy_eos｜> [e~["
)
ENDS = frozenset(_ENDS.split())
"""The tokens at which generation stops: a server does not pass their text on to its parser. One is the header of the
next turn, which some templates write after the end."""

_TEXT = re.compile(r" ?[^\W\d_]{1,8}|\d{1,3}| ?[^\s\w]{1,3}|\s|.", re.DOTALL)
"""Part of a word, digits, some signs, white space."""

Spans = Sequence[Sequence[int]]


class Tokens:
    """The tokens of one turn.

    Args:
        name: the format.
        special: the spans of the turn that special tokens wrote; None: not known, so each marker is one.
        atomic: the markers that are one token; None: those of the table.
        prompt: the end of the prompt, which some cases repeat at their beginning.
    """

    def __init__(
        self,
        name: str | None,
        special: Spans | None = None,
        atomic: Iterable[str] | None = None,
        *,
        prompt: str = "",
    ) -> None:
        known = {*THINK, *MARKERS.get(name or "", "").split()} if atomic is None else set(atomic)
        self.markers = tuple(sorted(known, key=lambda marker: (-len(marker), marker)))
        self._special = special
        self.prompt = prompt
        self._whole: str | None = None
        self._marker = re.compile("|".join(map(re.escape, self.markers)) or r"(?!)")

    def split(self, text: str, special: Spans | None = None) -> list[tuple[str, bool]]:
        """The tokens of a text, each with whether it is a marker.

        Args:
            text: the turn, or a chunk of it that does not cut a token.
            special: the spans of this text that special tokens wrote; None: as in the constructor.
        """
        spans = self._special if special is None else special
        found: list[tuple[str, bool]] = []
        place = 0
        for match in self._marker.finditer(text):
            if spans is None or any(begin < match.end() and match.start() < end for begin, end in spans):
                found += [(piece, False) for piece in _TEXT.findall(text[place : match.start()])]
                found.append((match[0], True))
                place = match.end()
        return found + [(piece, False) for piece in _TEXT.findall(text[place:])]

    def pieces(self, text: str) -> list[str]:
        """The tokens of a turn, as text: those that a server passes on."""
        self._whole = text
        return [piece for piece, _ in self.split(self._passed(text))]

    def passed(self, text: str) -> str:
        """What a server passes on of a turn, without what the prompt wrote and the token that ends it.

        Args:
            text: the whole turn, or a chunk that was made of `pieces`, which is returned as it is.
        """
        return text if self._whole not in {None, text} else self._passed(text)

    def _passed(self, text: str) -> str:
        if self._special is not None:
            return self._up_to_end(text)
        return self._up_to_end(text.removeprefix(self.prompt))

    def _up_to_end(self, text: str) -> str:
        rest = text.rstrip()
        end = next((marker for marker in ENDS if rest.endswith(marker)), None)
        if end is None:
            return text
        begin = len(rest) - len(end)
        if self._special is not None and all(span[1] <= begin for span in self._special):
            return text  # it was spelled out
        return self._up_to_end(text[:begin])


class Adapter(ABC):
    """A turn, read as a server reads it.

    Args:
        tools: the tools of the request.
        format: the case's format.
        start: "reasoning": the prompt has opened the reasoning.
        special, atomic: what the case knows of its tokens; see `Tokens`.
        reasons: whether the turn has reasoning, so that the server is started with a parser of reasoning too.
        ended: the reason for the end of the turn, "stop" or "length".
        id: the case's id, for other spellings of a format, and for what is not claimed.

    Raises:
        NotImplementedError: the server does not claim the case.
    """

    def __init__(
        self,
        tools: list[dict[str, Any]],
        format: str | None = None,
        start: str | None = None,
        special: Spans | None = None,
        atomic: list[str] | None = None,
        reasons: bool = False,
        ended: str = "stop",
        id: str = "",
    ) -> None:
        self.tools, self.format, self.id = tools, format, id
        self.opened, self.reasons, self.ended = start == "reasoning", reasons, ended
        self._tokens = Tokens(format, special, atomic)
        self.open()

    @abstractmethod
    def open(self) -> None:
        """Make the server's parsers for the turn, or refuse the case."""

    def pieces(self, text: str) -> list[str]:
        """The tokens of the turn."""
        return self._tokens.pieces(text)
