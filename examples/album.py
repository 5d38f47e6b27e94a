"""An album that a model makes up, filling itself on the screen while it is written.

    python examples/album.py --replay                      a turn that ships with the example, without a server
    python examples/album.py "songs about rain" qwen3:8b   a model of the Ollama server at OLLAMA_HOST

Needs the extra [examples] (`python -m pip install '.[examples]'` in a checkout).
"""

import os
import sys

from pydantic import BaseModel
from rich.console import Console
from rich.live import Live
from rich.table import Table

from toolglean.llm import LLMError, Ollama, Partial, ReplayClient, ToolOrchestratingLLM

REPLAY = """I will make one up.
<tool_call>
{"name": "Album", "arguments": {"name": "Under the Eaves", "artist": "The Gutters", "songs": [
{"title": "First Drop", "seconds": 184}, {"title": "Tin Roof", "seconds": 241},
{"title": "Puddle Waltz", "seconds": 203}]}}
</tool_call>"""


class Song(BaseModel):
    """A song."""

    title: str
    seconds: int


class Album(BaseModel):
    """An album of songs."""

    name: str
    artist: str
    songs: list[Song]


def shown(album: Partial[Album] | Album) -> Table:
    """As much of the album as is there."""
    known = album.is_set if isinstance(album, Partial) else lambda _: True
    table = Table("song", "length", title=album.name if known("name") else "…", width=50)
    table.caption = f"by {album.artist}" if known("artist") else "…"
    for song in album.songs if known("songs") else ():
        whole = isinstance(song, Song) or song.is_complete("seconds")  # half a number is another number
        title = song.title if isinstance(song, Song) or song.is_set("title") else "…"
        table.add_row(title, f"{song.seconds // 60}:{song.seconds % 60:02}" if whole else "…")
    return table


def main(topic: str = "songs about rain", model: str = "qwen3:8b") -> int:
    """Make an album."""
    host = os.environ.get("OLLAMA_HOST", "http://localhost:11434")
    client = ReplayClient([REPLAY], delay=0.02 if sys.stdout.isatty() else 0) if topic == "--replay" else None
    llm = Ollama(model, base_url=host if "://" in host else f"http://{host}", client=client)
    make = ToolOrchestratingLLM(Album, "Make up an album: {topic}. Three songs.", llm)
    try:
        with Live(console=Console(), refresh_per_second=20) as live:
            for album in make.stream_call(topic=topic):
                live.update(shown(album))  # type: ignore[arg-type]  # a list only where parallel calls are wanted
    except LLMError as error:
        print(f"{error}\nWithout a server: python examples/album.py --replay", file=sys.stderr)
        return 1
    print(f"\n{type(album).__name__}: {album!r}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:3]))
