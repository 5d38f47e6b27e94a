# A user's program, for the type checkers only: a typed object from a model. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Objects that a model fills."""

from typing import assert_type

from pydantic import BaseModel

from toolglean.llm import LLMError, Ollama, Partial, ToolOrchestratingLLM


class Song(BaseModel):
    """A song."""

    title: str
    seconds: int


llm = Ollama("qwen3:8b", base_url="http://localhost:11434")
songs = ToolOrchestratingLLM(Song, "A song about {topic}.", llm)
try:
    song = songs(topic="rain")
except LLMError as error:
    raise SystemExit(str(error)) from error
assert_type(song, Song)
assert_type(song.seconds, int)
assert_type(songs(topic="rain", allow_parallel_tool_calls=True), list[Song])
for each in songs.stream_call(topic="rain"):
    if isinstance(each, Partial):
        assert_type(each.is_set("title"), bool)


async def asked() -> Song:
    """Asynchronously."""
    return await songs.acall(topic="rain")


length = song.minutes  # type: ignore[attr-defined]
ToolOrchestratingLLM(3, "A song.")  # type: ignore[arg-type]
