# What this file knows: how to find an object in the text of an answer.
# Does not depend on where the text comes from.
"""Objects in text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Generic, TypeVar

from pydantic import BaseModel

from toolglean.llm.errors import ObjectError, ParseError
from toolglean.llm.objects import object_of
from toolglean.llm.objects.tree import Builder

__all__ = ["PydanticParser"]

Model = TypeVar("Model", bound=BaseModel)

THOUGHT_OVER = "</think>"
INSTRUCTIONS = """{query}

Answer with a JSON object that fits this schema, and nothing else:

{schema}"""


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
