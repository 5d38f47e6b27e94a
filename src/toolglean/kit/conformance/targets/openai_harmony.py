# openai-harmony, OpenAI's own reader of gpt-oss. Runs in a Python that has it. Its vocabulary, o200k_base.tiktoken, is
# fetched when it starts, or is in the folder TIKTOKEN_ENCODINGS_BASE. Tried with openai-harmony 0.0.8.
#
#   a stream      StreamableParser.process for each token; its delta goes by the channel and the recipient
#   the end       process_eos: a call that it completes is unfinished
#   tokens        the real ones: each marker is one, unless the case says that it was spelled out
#   start         "reasoning": the tokens that the prompt ends with come first
#
# Not claimed: all formats but harmony. Does not depend on what is right.
"""`toolglean conformance --target openai-harmony`."""

from __future__ import annotations

from typing import Any

from openai_harmony import HarmonyEncodingName, Role, StreamableParser, load_harmony_encoding

from toolglean.kit.conformance.targets.tokens import Adapter

__all__ = ["OpenaiHarmony"]

PROMPT = "<|start|>assistant"
REASONING = "<|channel|>analysis<|message|>"

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
"""Loaded first: a vocabulary that cannot be fetched is no fault of the parser."""


class OpenaiHarmony(Adapter):
    """A turn, read by `StreamableParser`."""

    def open(self) -> None:
        """See `Adapter`."""
        if self.format != "harmony":
            raise NotImplementedError(f"openai-harmony reads harmony, not {self.format or 'turns of no known format'}")
        self._parser = StreamableParser(ENCODING, Role.ASSISTANT)
        self._count = 0
        if self.opened:
            self._read(REASONING)

    def pieces(self, text: str) -> list[str]:
        """The tokens of the turn, also the one that ends it: it is what completes a call."""
        return [piece for piece, _ in self._tokens.split(text.removeprefix(PROMPT))]

    def feed(self, chunk: str) -> dict[str, Any]:
        """The answer to a chunk."""
        return self._read(chunk.removeprefix(PROMPT) if not self._parser.tokens else chunk)

    def finish(self) -> dict[str, Any]:
        """The answer to the end."""
        calls = self._calls()
        self._parser.process_eos()
        return {"calls": calls, "unfinished": [str(each) for each in self._calls()]}

    def _read(self, text: str) -> dict[str, Any]:
        found = {"content": "", "reasoning": ""}
        for piece, is_marker in self._tokens.split(text):
            for token in ENCODING.encode(piece, allowed_special="all" if is_marker else set(), disallowed_special=()):
                self._parser.process(token)
                if self._parser.last_content_delta and not self._parser.current_recipient:
                    part = "reasoning" if self._parser.current_channel == "analysis" else "content"
                    found[part] += self._parser.last_content_delta
        return found | {"calls": self._calls()}

    def _calls(self) -> list[dict[str, Any]]:
        # Those of the messages that were completed since the last time.
        messages = self._parser.messages
        done, self._count = messages[self._count :], len(messages)
        return [
            {"name": message.recipient.removeprefix("functions."), "arguments": message.content[0].text}
            for message in done
            if message.recipient and message.recipient != "assistant"
        ]
