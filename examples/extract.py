"""Typed records from a text: every person in it, as an object that has been validated.

    python examples/extract.py --replay              a turn that ships with the example, without a server
    python examples/extract.py notes.txt qwen3:8b    a model of the Ollama server at OLLAMA_HOST

Needs the extra [examples] (`python -m pip install '.[examples]'` in a checkout).
"""

import os
import sys
from pathlib import Path

from pydantic import BaseModel, Field

from toolglean.llm import InvalidObjectError, LLMError, Ollama, ReplayClient, ToolOrchestratingLLM

TEXT = "Ada Lovelace (born 1815) wrote to Charles Babbage, who was 23 years older and lived in London."
# As Qwen3-Coder writes: all values are text. That `born` is a number is known from the class.
CALL = "<tool_call>\n<function=Person>\n{}</function>\n</tool_call>\n"
PARAMETER = "<parameter={}>\n{}\n</parameter>\n"
PEOPLE = ({"name": "Ada Lovelace", "born": 1815}, {"name": "Charles Babbage", "born": 1792, "city": "London"})
REPLAY = "".join(CALL.format("".join(PARAMETER.format(*each) for each in person.items())) for person in PEOPLE)


class Person(BaseModel):
    """A person in the text. Call this once for each."""

    name: str
    born: int | None = Field(default=None, description="the year")
    city: str | None = None


def main(path: str = "", model: str = "qwen3:8b") -> int:
    """Print the people as JSON, one a line."""
    replay = path == "--replay"
    text = TEXT if replay or not path else Path(path).read_text(encoding="utf-8")
    host = os.environ.get("OLLAMA_HOST", "http://localhost:11434")
    llm = Ollama(
        model, base_url=host if "://" in host else f"http://{host}", client=ReplayClient([REPLAY]) if replay else None
    )
    people = ToolOrchestratingLLM(Person, "Who is in this text?\n\n{text}", llm)
    try:
        for person in people(text=text, allow_parallel_tool_calls=True):
            print(person.model_dump_json())
    except InvalidObjectError as error:
        for fault, span in zip(error.errors(), error.spans, strict=True):
            print(f"{fault['msg']}: {error.text[slice(*span)]}", file=sys.stderr)
        return 1
    except LLMError as error:
        print(f"{error}\nWithout a server: python examples/extract.py --replay", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:3]))
