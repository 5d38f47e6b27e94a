# The four ways to give a text to the parser of a server whose model the kit does not control. Does not depend on how
# other parsers run (parsers.py).
#
#   upstream   the kit is the model: the server passes requests on to it (a proxy, a gateway), and the kit cuts.
#   vllm       vLLM's own /tokenize and /v1/chat/completions/derender: the text as tokens of the real tokenizer, through
#              the real serving layer, whole and streamed. `vllm launch render`, or `vllm serve --enable-scale-out`.
#   sglang     SGLang's own /separate_reasoning and /parse_function_call: whole texts only.
#   echo       the model is asked to repeat the text, which it may fail to do: a case is judged only if the tokens in
#              the logprobs of the response spell the text. Weaker than the others; for servers that have none of them.
"""Servers as targets."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from toolglean.conversation.fields import field, listed
from toolglean.errors import UsageError
from toolglean.kit.conformance.cases import Case
from toolglean.kit.conformance.cuts import ONE_CHUNK, WHOLE, chunks_of
from toolglean.kit.conformance.http import message_of, post, streamed
from toolglean.kit.conformance.reading import Reading, folded
from toolglean.kit.conformance.target import About, CrashError, UnprovenError
from toolglean.kit.conformance.upstream import Upstream

__all__ = ["Derender", "Echo", "NativeParse", "Proxied"]

ASK: Final = "Repeat the following text exactly, character by character, with nothing before or after it:\n\n"
PROMPT: Final = [{"role": "user", "content": "Go on."}]


class _Server:
    """What the four have in common."""

    def __init__(self, url: str, *, model: str | None = None, timeout: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(f"engine={url!r} is not the URL of a server; pass one such as http://localhost:8000/v1")
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection((parts.hostname, port), timeout=timeout).close()
        except (OSError, ValueError) as error:
            raise UsageError(f"engine={url!r} cannot be reached: {error}") from error
        self.name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        """The URL without a password."""
        self._root = url.rstrip("/").removesuffix("/v1")
        self._model = {"model": model} if model else {}
        self._timeout = timeout

    @property
    def about(self) -> About:
        """What results say about it: a server tells neither its version nor where it runs."""
        return About(self.name, adapter=f"toolglean.kit.conformance.engines:{type(self).__name__}")

    def claims(self, case: Case, way: str) -> bool:
        """Not if the prompt has opened the reasoning, which a request cannot say; one chunk is a way of streams."""
        return case.start != "reasoning" and way != ONE_CHUNK

    def close(self) -> None:
        """Nothing to close."""

    def _request(self, case: Case, messages: Sequence[dict[str, Any]] = PROMPT) -> dict[str, Any]:
        tools = {"tools": list(case.tools)} if case.tools else {}
        return {"model": "conformance", **self._model, "messages": list(messages), **tools}

    def _asked(self, request: dict[str, Any], way: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The messages of the server's answers to a request, whole or as a stream; and the answers."""
        path = self._root + "/v1/chat/completions"
        if way == WHOLE:
            answers, place = [post(path, request, self._timeout)], "message"
        else:
            answers, place = list(streamed(path, request | {"stream": True}, self._timeout)), "delta"
        return [message_of(each, place) for each in answers], answers

    def _post(self, path: str, body: dict[str, Any], *needed: str) -> dict[str, Any]:
        found = post(self._root + path, body, self._timeout)
        for name in needed:
            if name not in found:
                raise CrashError(f"the response of {path} has no {name!r}: {found!r:.200}")
        return found


class Proxied(_Server):
    """A server that passes requests on to the kit: its own upstream must be `upstream.url`.

    Args:
        url: the server under test.
        upstream: the model.
        model: the name of the model in requests; None: "conformance".
        timeout: seconds for one turn.
    """

    def __init__(self, url: str, upstream: Upstream, *, model: str | None = None, timeout: float = 10.0) -> None:
        super().__init__(url, model=model, timeout=timeout)
        self._upstream = upstream

    def claims(self, case: Case, way: str) -> bool:
        """Also one chunk, because a stream is read by other code than a whole response."""
        return super().claims(case, WHOLE if way == ONE_CHUNK else way)

    def read(self, case: Case, way: str) -> Reading:
        """The server's reading of a case."""
        self._upstream.play(chunks_of(list(case.text), way, case.id))
        found, _ = self._asked(self._request(case), way)
        if not self._upstream.asked:
            raise UsageError(f"engine={self.name!r} did not ask its model; set its upstream to {self._upstream.url}")
        return folded(found)

    def close(self) -> None:
        """Stop the model."""
        self._upstream.close()


class Derender(_Server):
    """vLLM's render server."""

    def read(self, case: Case, way: str) -> Reading:
        """The reading of a case's tokens by vLLM."""
        request = self._request(case) | {"skip_special_tokens": False}
        prompt = self._post("/v1/chat/completions/render", request, "token_ids")["token_ids"]
        asked = self._model | {"prompt": case.text, "add_special_tokens": False}
        tokens = self._post("/tokenize", asked, "tokens")["tokens"]
        body = self._model | {"chat_request": request, "prompt_token_ids": prompt}
        return folded(self._whole(body, tokens) if way == WHOLE else self._stream(body, _cut(tokens, way, case.id)))

    def _whole(self, body: dict[str, Any], tokens: list[int]) -> list[dict[str, Any]]:
        response = {"choices": [{"index": 0, "token_ids": tokens, "finish_reason": "stop"}]}
        answer = self._post("/v1/chat/completions/derender", body | {"generate_response": response})
        return [message_of(answer, "message")]

    def _stream(self, body: dict[str, Any], chunks: list[list[int]]) -> Iterator[dict[str, Any]]:
        # The server keeps nothing between chunks: its state is in each response and in the next request.
        state = None
        for number, chunk in enumerate(chunks, 1):
            ended = "stop" if number == len(chunks) else None
            part = {"choices": [{"index": 0, "token_ids": chunk, "finish_reason": ended}]}
            asked = body | {"stream": True, "generate_chunk": part, "stream_state": state}
            answer = self._post("/v1/chat/completions/derender", asked, "chunk", "stream_state")
            state = answer["stream_state"]
            yield message_of(answer["chunk"], "delta")


def _cut(tokens: list[int], way: str, seed: str) -> list[list[int]]:
    # `chunks_of` cuts text, so each token becomes a character.
    letters = [chr(number) for number in range(len(tokens))]
    chunks = [[tokens[ord(letter)] for letter in chunk] for chunk in chunks_of(letters, way, seed)]
    return [chunk for chunk in chunks if chunk] or [[]]


class NativeParse(_Server):
    """SGLang's endpoints for texts.

    Args:
        url: the server under test.
        parser: as for `--tool-call-parser`.
        reasoning: as for `--reasoning-parser`; None: reasoning is not separated first.
        timeout: seconds for one turn.
    """

    def __init__(self, url: str, parser: str, *, reasoning: str | None = None, timeout: float = 10.0) -> None:
        super().__init__(url, timeout=timeout)
        self._parser = parser
        self._reasoning = reasoning

    def claims(self, case: Case, way: str) -> bool:
        """Whole texts only."""
        return super().claims(case, way) and way == WHOLE

    def read(self, case: Case, way: str) -> Reading:  # noqa: ARG002  # there is one way
        """SGLang's reading of a case."""
        text, reasoning = case.text, ""
        if self._reasoning is not None:
            asked = {"text": text, "reasoning_parser": self._reasoning}
            found = self._post("/separate_reasoning", asked, "text", "reasoning_text")
            text, reasoning = found["text"] or "", found["reasoning_text"] or ""
        turn = {"text": text, "tool_call_parser": self._parser, "tools": list(case.tools)}
        found = self._post("/parse_function_call", turn, "normal_text", "calls")
        calls = [
            {"name": field(call, "name"), "arguments": field(call, "parameters")} for call in listed(found, "calls")
        ]
        return folded([{"content": found["normal_text"], "reasoning": reasoning, "calls": calls}])


class Echo(_Server):
    """Any server: its model is asked to repeat the text."""

    def claims(self, case: Case, way: str) -> bool:
        """Whole, and one stream: the cuts are the server's."""
        return case.start != "reasoning" and way in {WHOLE, ONE_CHUNK}

    def read(self, case: Case, way: str) -> Reading:
        """The server's reading of a case.

        Raises:
            UnprovenError: the response does not show that the model wrote the text.
        """
        request = self._request(case, [{"role": "user", "content": ASK + case.text}])
        found, answers = self._asked(request | {"temperature": 0, "logprobs": True}, way)
        reading = folded(found)
        if _written(answers).strip() != case.text.strip():
            raise UnprovenError
        return reading


def _written(answers: list[dict[str, Any]]) -> str:
    """The text of the model, joined from the tokens in the logprobs, if the server returned them."""
    choices = [choice for answer in answers for choice in listed(answer, "choices")[:1]]
    entries = [entry for choice in choices for entry in listed(field(choice, "logprobs"), "content")]
    tokens = [field(entry, "token") for entry in entries]
    texts = [token for token in tokens if isinstance(token, str)]
    if len(texts) < len(tokens):
        raise CrashError("the logprobs of the response have entries without a token")
    return "".join(texts)
