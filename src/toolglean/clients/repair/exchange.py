# Which requests ask for an answer that can be repaired, and what they say about the tools and the model.
# Does not depend on how bytes arrive (the transport and the proxy pass them), on how an answer is divided into parts
# (answers.py), or on how calls are written. No package is needed.
#
#   POST …/chat/completions        OpenAI's chat API, also with `functions` instead of tools
#   POST …/responses               OpenAI's Responses API
#   POST …/v1/messages             Anthropic's Messages API
#   POST …/api/chat                Ollama's chat
#
# Everything else is passed through: answers to other paths, to requests without function tools or whose `tool_choice`
# allows none, and all answers whose status is not 200.
"""Reads one request to a server, and repairs the bytes of its answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, Unpack

from toolglean.clients.chat.reader import StreamReader, dict_completion
from toolglean.clients.messages.reader import MessageReader, dict_message
from toolglean.clients.ollama_lines import LineReader, dict_answer
from toolglean.clients.repair.answers import AnswerReader, Lines, ServerSentEvents, Whole, decoded
from toolglean.clients.responses.reader import ResponseReader, dict_response
from toolglean.conversation.fields import field, listed, text_in
from toolglean.conversation.reading.arguments import TurnArguments, check_parsing, says_format
from toolglean.conversation.reading.counts import Counts
from toolglean.errors import ToolError, UsageError
from toolglean.formats.registry import format_of_model
from toolglean.formats.spec import Format
from toolglean.options import options_of
from toolglean.parser import Parser, ParserArguments
from toolglean.tools import Tool, ToolSet, as_tool

__all__ = ["Exchange", "Kind", "Repair", "RepairArguments", "functions_of", "kind_of", "type_of_answer"]

Kind: TypeAlias = Literal["chat", "responses", "messages", "ollama"]
"""The APIs whose answers are repaired: OpenAI's chat completions, OpenAI's responses, Anthropic's messages, Ollama's
chat.
"""

APIS: Mapping[Kind, tuple[str, Any, Any]] = {
    "chat": ("/chat/completions", StreamReader, dict_completion),
    "responses": ("/responses", ResponseReader, dict_response),
    "messages": ("/v1/messages", MessageReader, dict_message),
    "ollama": ("/api/chat", LineReader, dict_answer),
}
"""How the path of a request ends, what reads a streamed answer, and what repairs a whole one."""
MOST_TOOLS, MOST_LETTERS = 4096, 128 * 1024
"""How many tools a request may have, and how many characters their names together, for its answer to be read. Searching
for the names costs time and memory for each character, and a caller can write as many as fit into the request."""
LONGEST_NAME = 256
"""Characters of a tool's name. A parser reads no longer name, so a tool with a longer one is never called."""
TOO_MANY = "the request has too many tools: its answer was not read"
MANY_LETTERS = 8 * 1024
OWN_HEADER = "<|im_start|>assistant\n"
"""Stands for the header of the model's own message, before the text with which a request has begun it."""
UNSAID = frozenset({"", "text/plain", "application/octet-stream"})
"""Content types that do not say what an answer is; then the request tells."""


def kind_of(method: str, path: str) -> Kind | None:
    """Which API a request is for, by its `method` and `path`; None for one whose answer is never repaired."""
    if method.upper() != "POST":
        return None
    return next((kind for kind, (end, *_) in APIS.items() if path.rstrip("/").endswith(end)), None)


class RepairArguments(ParserArguments, total=False):
    """The arguments of `Repair`, for functions that pass them on: those of `toolglean.Parser` besides `tools`, and:

    Attributes:
        whole_calls, counts: as for `Repair`.
    """

    whole_calls: bool
    counts: Counts | None


class Repair:
    """Moves the calls that models leak into their text to where a server's API has them.

    Args:
        whole_calls: whether a call of a stream is sent only once it has ended well, in one piece. Some clients run a
            call that was cut off, because they complete its arguments; this way they never see one. If False, the
            arguments are streamed as the model writes them.
        counts: what was found is added to it; None: new counts, in `Repair.counts`.
        parsing: as for `toolglean.Parser`. If none of them says how calls are written (`format`, `model`, `template`,
            …), the `model` of each request determines the format, if it is known; otherwise the format is detected in
            the turn.

    Raises:
        UsageError: at once: an argument is unknown or wrong, or is for a single turn only (`prompt`).

    One `Repair` can serve any number of requests, from any number of threads.
    """

    def __init__(
        self, *, whole_calls: bool = True, counts: Counts | None = None, **parsing: Unpack[ParserArguments]
    ) -> None:
        check_parsing(parsing)
        wrong = {"prompt": parsing.get("prompt"), "markup": options_of(parsing.get("options")).markup}
        for name, value in wrong.items():
            if value:
                raise UsageError(f"{name}={value!r:.80} cannot be used for the answers of a server: leave it out")
        # The server has read the prompt, so reasoning that it leaves in the text begins with its marker, unless the
        # user says otherwise.
        chosen = {name: value for name, value in parsing.items() if value is not None}
        self._parsing: dict[str, Any] = {"start": "content", **chosen}
        self._named = says_format(self._parsing)
        self.whole_calls = whole_calls
        self.counts = Counts() if counts is None else counts

    def exchange(self, method: str, path: str, body: bytes) -> Exchange | None:
        """Look at a request.

        Args:
            method, path: of the request; the path without its query.
            body: its whole body, not compressed.

        Returns:
            How to read its answer; None if the answer must be passed through unchanged.
        """
        kind = kind_of(method, path)
        asked = None if kind is None else decoded(body)
        return None if kind is None or asked is None else self.asked(kind, asked)

    def asked(self, kind: Kind, asked: Mapping[str, Any]) -> Exchange | None:
        """The same for a request whose body is already decoded.

        Args:
            kind: which API it is for.
            asked: the fields of its body.
        """
        tools, legacy = functions_of(kind, asked)
        if not tools:
            return None
        if len(tools) > MOST_TOOLS or sum(map(len, tools)) > MOST_LETTERS:
            self.counts.problems[TOO_MANY] += 1
            return None
        streamed = asked.get("stream", kind == "ollama")  # Ollama streams unless told otherwise
        parsing: Any = {**self._parsing, **self._model(asked), "counts": self.counts}
        if asked.get("parallel_tool_calls") is False or (
            field(asked.get("tool_choice"), "disable_parallel_tool_use") is True
        ):
            parsing["single_call"] = True
        if kind != "ollama":
            parsing["whole_calls"] = self.whole_calls
        if legacy:
            parsing["legacy"] = True
        if begun := _begun(kind, asked):
            parsing["prompt"] = f"{OWN_HEADER}{begun}"
        return Exchange(kind, ToolSet(tools.values()), parsing, streamed is True)

    def format_for(self, asked: Mapping[str, Any]) -> Format | None:
        """The format that a request's model writes, if it is known without the answer.

        Args:
            asked: the fields of the request's body.
        """
        return Parser(None, **{**self._parsing, **self._model(asked)}).format

    def _model(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        model = asked.get("model")
        if self._named or not isinstance(model, str) or format_of_model(model) is None:
            return {}
        return {"model": model}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request whose answer can be repaired.

    Attributes:
        kind: which API it is for.
        tools: the functions that the model may call.
        parsing: how its text is read.
        streamed: whether it asked for a stream.
    """

    kind: Kind
    tools: ToolSet
    parsing: TurnArguments
    streamed: bool

    @property
    def is_large(self) -> bool:
        """Whether reading its answer may take long, so that a server with other requests should read it in a thread."""
        return sum(len(tool.name) for tool in self.tools) > MANY_LETTERS

    def reader(self, status: int, content_type: str) -> AnswerReader | None:
        """A reader for the answer's body, which must not be compressed.

        Args:
            status: of the answer.
            content_type: its header; "" if it has none.

        Returns:
            The reader: what `feed` and, at the end, `finish` return is the repaired body. None: pass the answer through
            unchanged.
        """
        streams = "application/x-ndjson" if self.kind == "ollama" else "text/event-stream"
        kind = type_of_answer(status, content_type, streams if self.streamed else "application/json")
        _, read, whole = APIS[self.kind]
        if kind == "text/event-stream" and self.kind != "ollama":
            return ServerSentEvents(read(self.tools, self.parsing), named=self.kind != "chat")
        if kind in {"application/x-ndjson", "application/jsonl"} and self.kind == "ollama":
            return Lines(read(self.tools, self.parsing))
        return Whole(partial(whole, tools=self.tools, **self.parsing)) if kind == "application/json" else None


def type_of_answer(status: int, content_type: str, asked: str) -> str:
    """What an answer contains, as a content type; "" for an error, which is the server's own message.

    Args:
        status, content_type: as for `Exchange.reader`.
        asked: the type that the request asks for, if the server does not say one.
    """
    if status != 200:
        return ""
    found = content_type.partition(";")[0].strip().lower()
    return asked if found in UNSAID else found


def _begun(kind: Kind, asked: Mapping[str, Any]) -> str:
    # The text with which a request has begun the answer: that of its last message, if it is the assistant's. A call in
    # a quotation that it opens is quoted.
    last = next(reversed(listed(asked, "input" if kind == "responses" else "messages")), None)
    content = field(last, "content")
    if field(last, "role") != "assistant" or field(last, "tool_calls"):
        return ""
    if isinstance(content, str):
        return content
    parts = listed(last, "content")
    ends = bool(parts) and field(parts[-1], "type") in ("text", "output_text")
    return "".join(text_in(part, "text") for part in parts) if ends else ""


def functions_of(kind: Kind, asked: Mapping[str, Any]) -> tuple[dict[str, Tool], bool]:
    """The functions that a request declares and allows to call: by their names.

    Args:
        kind: which API it is for.
        asked: the fields of its body.

    Returns:
        The functions; and whether they are in the deprecated `functions`.
    """
    choice = asked.get("tool_choice")
    if choice == "none" or field(choice, "type") == "none":
        return {}, False
    tools, old = _tools(asked.get("tools"), kind), asked.get("function_call")
    if tools or kind != "chat" or old == "none":
        return _allowed(tools, choice), False
    return _allowed(_tools(asked.get("functions"), kind), old), True


def _allowed(tools: dict[str, Tool], choice: Any) -> dict[str, Tool]:
    # A choice may name the only function that can be called, or several: as in each API's own form.
    several = field(choice, "type") == "allowed_tools"
    named = listed(field(choice, "allowed_tools") or choice, "tools") if several else [choice]
    names = {text_in(each, "name") or text_in(field(each, text_in(each, "type")), "name") for each in named} - {""}
    return {name: tool for name, tool in tools.items() if name in names} if several or names else tools


def _is_function(tool: Any, kind: Kind) -> bool:
    # Leave an entry that does not declare a function to the server, which may know that kind of tool.
    if kind == "messages":
        return field(tool, "type") in (None, "custom") and isinstance(field(tool, "input_schema"), Mapping)
    return isinstance(tool, Mapping) and tool.get("type", "function") == "function"


def _tools(given: Any, kind: Kind) -> dict[str, Tool]:
    found: dict[str, Tool] = {}
    for each in given if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else ():
        if _is_function(each, kind):
            try:
                tool = as_tool(each)
            except (ToolError, UsageError):
                continue
            if len(tool.name) <= LONGEST_NAME:
                found.setdefault(tool.name, tool)
        if len(found) > MOST_TOOLS:
            break
    return found
