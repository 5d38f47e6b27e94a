# What this file knows: how a prompt, a model and a class become a function that returns instances of the class, which
# the model writes as text; and how such an object is found in the text of an answer.
# Does not depend on any server. orchestrators.py uses calls instead.
"""From a prompt to a typed object, without tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from toolglean.clients.at_once import at_once, settled
from toolglean.llm.again import AGAIN, Attempt, Attempts, checked_retries, with_error
from toolglean.llm.base import LLM
from toolglean.llm.errors import ObjectError, ParseError
from toolglean.llm.objects.final import object_of
from toolglean.llm.objects.tree import Builder
from toolglean.llm.prompts import BasePromptTemplate, Kwargs, WithPrompt, validated_llm, validated_prompt
from toolglean.llm.types import Message, TextChunk

__all__ = ["PydanticParser", "TextCompletionLLM"]

Model = TypeVar("Model", bound=BaseModel)

THOUGHT_OVER = "</think>"
INSTRUCTIONS = """{query}

Answer with a JSON object that fits this schema, and nothing else:

{schema}"""


class TextCompletionLLM(WithPrompt, Generic[Model]):
    """A function that returns an object, which the model writes as text. For models without tools.

    Args:
        output_parser: finds the object in the answer.
        prompt: a template, or its text; the schema is added after its last message.
        llm: the model; None: `Configs.llm`.
        max_retries: how often the model is asked again, with its answer and the error, if the answer does not contain
            such an object. Every attempt costs a request.
        on_attempt: called with each failed `Attempt`.

    Raises:
        MissingLLMError: there is no model.
        ConfigurationError: the prompt is neither a text nor a template, or `max_retries` is not a number of 0 or more.
    """

    def __init__(
        self,
        *,
        output_parser: PydanticParser[Model],
        prompt: BasePromptTemplate | str,
        llm: LLM | None = None,
        max_retries: int = 0,
        on_attempt: Callable[[Attempt], Any] | None = None,
    ) -> None:
        self._output_parser = output_parser
        self._max_retries, self._on_attempt = checked_retries(max_retries), on_attempt
        self._llm = validated_llm(llm)
        self._prompt = validated_prompt(prompt)

    @property
    def output_cls(self) -> type[Model]:
        """The class of the objects."""
        return self._output_parser.output_cls

    def __call__(self, /, *, llm_kwargs: Kwargs = None, **variables: Any) -> Model:
        """An object.

        Args:
            llm_kwargs: passed on to the model's `chat`.
            variables: the prompt's variables.

        Raises:
            MissingVariablesError: variables of the prompt are missing.
            ParseError: the answer does not contain such an object.
            RequestError: the server did not answer, or answered with an error.
        """
        return at_once(self._parsed(self._llm.complete, self._llm.chat, llm_kwargs, variables))

    async def acall(self, /, *, llm_kwargs: Kwargs = None, **variables: Any) -> Model:
        """Return an object, asynchronously: see `__call__`."""
        return await self._parsed(self._llm.acomplete, self._llm.achat, llm_kwargs, variables)

    async def _parsed(self, complete: Any, chat: Any, llm_kwargs: Kwargs, variables: Mapping[str, Any]) -> Model:
        attempts, options = Attempts(self._max_retries, self._on_attempt), dict(llm_kwargs or {})
        prompt = self._first(variables)
        while True:
            response: Any = None
            try:
                if isinstance(prompt, str):
                    return self._output_parser.parse((await settled(complete(prompt, **options))).text)
                response = await settled(chat(prompt, **options))
                return self._output_parser.parse(response.message.content)
            except ParseError as error:
                error.response = response
                attempt = attempts.failed(error)
                if isinstance(prompt, str):
                    prompt = f"{prompt}\n\n{error.text}\n\n{AGAIN.format(error=error)}"
                else:
                    prompt = with_error(prompt, attempt)

    def _first(self, variables: Mapping[str, Any]) -> str | list[Message]:
        if not self._llm.metadata.is_chat_model:
            return self._output_parser.format(self._prompt.format(**variables))
        messages = self._prompt.format_messages(**variables)
        if not messages:
            return [Message.from_str(self._output_parser.format(""))]
        last = messages[-1]
        text = TextChunk(content=self._output_parser.format(last.content))
        others = [chunk for chunk in last.chunks if not isinstance(chunk, TextChunk)]
        return [*messages[:-1], last.model_copy(update={"chunks": [text, *others]})]


# -- objects in text ---------------------------------------------------------------------------------------------------


class PydanticParser(Generic[Model]):
    """Finds an object of a class in a text: alone, in a code fence, or in prose.

    Args:
        output_cls: the class.
        instructions: the text that adds the schema to a prompt, with `{query}` and `{schema}`.
    """

    def __init__(self, output_cls: type[Model], *, instructions: str = INSTRUCTIONS) -> None:
        self._output_cls = output_cls
        self._instructions = instructions

    @property
    def output_cls(self) -> type[Model]:
        """The class."""
        return self._output_cls

    def format(self, query: str) -> str:
        """The prompt `query`, with the schema for the answer."""
        schema = json.dumps(self._output_cls.model_json_schema(), ensure_ascii=False)
        return self._instructions.replace("{schema}", schema).replace("{query}", query)

    def parse(self, text: str) -> Model:
        """The first object in the text that is valid for the class. The text after `</think>` is searched first,
        because the reasoning may contain drafts.

        Raises:
            ParseError: there is none; `text` is the whole answer. If JSON was found but is not valid, the cause is an
                `InvalidObjectError` with the positions of the faults in `text`.
        """
        fault: ObjectError | None = None
        answer = text.rfind(THOUGHT_OVER) + 1
        for begin, end in chain(_objects(text, answer), _objects(text, 0) if answer else ()):
            try:
                return object_of(self._output_cls, text[begin:end])
            except ObjectError as error:
                fault = fault or error
        name = self._output_cls.__name__
        if fault is None:
            raise ParseError(f"no JSON object for {name} in: {text[:200]!r}", text=text)
        raise ParseError(f"no {name} in the answer: {fault}", text=text) from fault


def _objects(text: str, begin: int) -> Iterator[tuple[int, int]]:
    # Complete outermost JSON objects. Broken text that has a key is not searched again. A brace without a key after it
    # does not begin an object, and the next brace may be inside what looked like its first string.
    place = text.find("{", begin)
    while place >= 0:
        builder = Builder()
        end = builder.feed(text, 0, place)
        if builder.done and not builder.fault:
            yield place, end
        elif builder.certain and end >= len(text):
            return
        place = text.find("{", max(end, place + 1) if builder.certain else place + 1)
