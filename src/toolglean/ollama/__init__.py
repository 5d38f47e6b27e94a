# What this room knows: how Ollama's `tools.Parser` answers, output for output, its defects included.
# What it must not know: formats, events, and how it should have answered (that is `toolglean.Parser` with a tag).
#
# The rules, as measured against the Go parser. Docstrings in this room cite them by number.
#
#  1  Done: whatever comes is content.
#  2  LookingForTag: text before the first tag is content; the tag and what follows stay in the buffer. Without a tag,
#     the longest end of the buffer with which the tag could begin is held back.
#  3  Tags `{` and `[`: text other than white space (Go's: Unicode White_Space) before the tag ends the search for good.
#     The buffer is not cleared then, so `content()` repeats what was already given out.
#  4  ToolCalling: calls are taken as long as there are any, then `done` is asked. If it says yes, the content of this
#     `add` is the whole buffer and replaces the text before the tag. There is no way back to LookingForTag.
#  5  The tool is the name with the first place in the buffer, the longest of those; anywhere, also in the tag and in
#     strings. (a) While the buffer ends in the beginning of any name there is no tool, not even a complete name before.
#  6  The arguments' object is sought from the buffer's start. A quote toggles "in a string" and a backslash hides the
#     next character everywhere, also outside of JSON. A `}` too many is forgotten; an object that cannot be decoded is
#     skipped whole, with all that is in it.
#  7  In the object: `arguments`, else `parameters`, beside a `name`; else the value under the tool's name; else the
#     same in objects further down; else the object itself. Go walks down in random order, we in the order written.
#  8  A `name` without such arguments: no call, nothing is consumed, and nothing ever will be.
#  9  A call consumes the buffer up to its closing brace or the end of the name, whichever is later. The brace stays,
#     unless the name stands after it.
# 10  `done`: for tags `{` and `[` only: a closing one has brought the count of that kind to exactly 0.
# 11  `content()`: the buffer, for tags `{` and `[`, as long as no call came.
# 12  JSON as Go's `encoding/json` reads it: gojson.py.
# 13  The tag is read from the template: toolglean/sources/templates/go_tag.py.
# 14  Go works on bytes, we on characters: no rule can tell, as long as no chunk is cut inside a character.
#
# It gives Ollama's answers in linear time. Every scan remembers where it stopped, so each character is looked at a
# fixed number of times, whatever the model writes and however it is cut.
"""An exact port of Ollama's tool parser. Unless you must match Ollama, use `toolglean.Parser`."""

from __future__ import annotations

from toolglean.ollama.arguments import find_arguments
from toolglean.ollama.names import find_tool
from toolglean.ollama.parser import Added, Call, Parser, State, content, done, find_tag, parse_tag

__all__ = [
    "Added",
    "Call",
    "Parser",
    "State",
    "content",
    "done",
    "find_arguments",
    "find_tag",
    "find_tool",
    "parse_tag",
]
