# @ai-sdk-tool/parser, the middleware of the AI SDK that reads calls from text. Runs node (22 or later) with ai_sdk.mjs,
# which imports the package from the folder in TOOLGLEAN_AI_SDK. Tried with 4.1.26 and node 22.
#
#   a stream      createStreamParser: a `text-delta` for each chunk, then `finish`
#   a whole turn  parseGeneratedText
#   format        the protocol that a model of the format would be given (PROTOCOLS)
#
# Not claimed: formats without a protocol. Reasoning is not its business: another middleware of the AI SDK takes what
# `<think>` opens out of the text first, so the text is given without it.
# Does not depend on what is right.
"""`toolglean conformance --target ai-sdk`."""

from __future__ import annotations

import atexit
import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from toolglean._child import LineChild
from toolglean.kit.conformance.targets.tokens import SECONDS, Adapter

__all__ = ["PROTOCOLS", "AiSdk", "version"]

PROTOCOLS = {"hermes": "hermesProtocol", "qwen3-coder": "qwen3CoderProtocol", "ui-tars": "uiTarsXmlProtocol"}
"""For each format: the protocol of the package."""

OPENER = "<think>"
_reasoning = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL).match


@cache
def _node() -> LineChild:
    folder = os.environ.get("TOOLGLEAN_AI_SDK", "")
    if not folder:
        raise FileNotFoundError(
            "TOOLGLEAN_AI_SDK is not set; run `npm install @ai-sdk-tool/parser` in a folder, and set it to that folder"
        )
    started = LineChild(["node", str(Path(__file__).with_suffix(".mjs")), folder])
    atexit.register(started.close)
    return started


def version() -> str:
    """That of the package."""
    return str(_ask("version"))


def _ask(step: str, **given: Any) -> Any:
    answer = json.loads(_node().ask(json.dumps({"step": step, **given}), SECONDS))
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["answer"]


class AiSdk(Adapter):
    """A turn, read as the AI SDK's middleware reads it."""

    def open(self) -> None:
        """See `Adapter`. Another middleware would take out reasoning that the prompt has opened: not claimed."""
        protocol = PROTOCOLS.get(self.format or "")
        if protocol is None or self.opened:
            raise NotImplementedError(f"the package has no protocol for {self.format or 'turns of no known format'}")
        functions = [each.get("function", each) for each in self.tools]
        given = [
            {"type": "function", "name": each["name"], "inputSchema": each.get("parameters") or {"type": "object"}}
            for each in functions
        ]
        self._held: str | None = ""  # what may be reasoning; None once it is over
        _ask("open", protocol=protocol, tools=given)

    def pieces(self, text: str) -> list[str]:
        """The characters of the turn: a middleware is not given tokens."""
        return list(text)

    def whole(self, text: str) -> dict[str, Any]:
        """The answer to a whole turn."""
        thought = _reasoning(text)
        rest = text[thought.end() :] if thought else text
        return _answer(_ask("whole", text=rest)) | {"reasoning": thought[1] if thought else ""}

    def feed(self, chunk: str) -> dict[str, Any]:
        """The answer to a chunk."""
        if self._held is None:
            return _answer(_ask("feed", text=chunk))
        self._held += chunk
        begun, thought = self._held.lstrip(), _reasoning(self._held)
        if thought is None and (begun.startswith(OPENER) or OPENER.startswith(begun)):
            return {}
        rest, self._held = self._held[thought.end() if thought else 0 :], None
        return _answer(_ask("feed", text=rest)) | {"reasoning": thought[1] if thought else ""}

    def finish(self) -> dict[str, Any]:
        """The answer to the end."""
        rest = _answer(_ask("feed", text=self._held)) if self._held else {"content": "", "calls": []}
        last = _answer(_ask("finish"))
        return {key: rest[key] + last[key] for key in last}


def _answer(parts: list[dict[str, Any]]) -> dict[str, Any]:
    texts = (each for each in parts if each["type"] in {"text", "text-delta"})
    text = "".join(each.get("text") or each.get("delta") or "" for each in texts)
    calls = [{"name": each["toolName"], "arguments": each["input"]} for each in parts if each["type"] == "tool-call"]
    return {"content": text, "calls": calls}
