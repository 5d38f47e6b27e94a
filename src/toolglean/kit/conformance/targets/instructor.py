# instructor's mode MD_JSON, which reads one object of one schema from a text: here, a call. Tried with instructor
# 1.17.0. Its modes TOOLS and PARALLEL_TOOLS read what a server has parsed already, so they are not parsers of text. Not
# claimed: all formats but hermes. Does not depend on what is right.
"""`toolglean conformance --target instructor`."""

from __future__ import annotations

from typing import Any

import instructor
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

__all__ = ["md_json"]


class Call(BaseModel):
    """A call."""

    name: str
    arguments: dict[str, Any]


MODEL = instructor.openai_schema(Call)


def md_json(text: str, tools: list[dict[str, Any]], *, format: str | None = None) -> dict[str, Any] | None:  # noqa: ARG001
    """One call; the text around it is not instructor's business."""
    if format != "hermes":
        return None
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    completion = ChatCompletion.model_validate(body)
    try:
        call = MODEL.from_response(completion, mode=instructor.Mode.MD_JSON)
    except ValueError:
        return {"content": text}
    return {"calls": [{"name": call.name, "arguments": call.arguments}]}
