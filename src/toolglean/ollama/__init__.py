# How Ollama's `tools.Parser` answers, output for output, its defects included. Does not depend on formats, on events,
# or on how it should have answered (that is `toolglean.Parser` with a tag).
#
# The rules, as measured against the Go parser. The other files of this package cite them by number.
#
#  1  Done: everything that follows is content.
#  2  LookingForTag: text before the first tag is content; the tag and the text after it stay in the buffer. Without a
#     tag, the longest end of the buffer with which the tag could begin is held back.
#  3  Tags `{` and `[`: text other than white space (Go's: Unicode White_Space) before the tag ends the search for good.
#     The buffer is not cleared then, so `content()` repeats what was already returned.
#  4  ToolCalling: calls are taken as long as there are any, then `done` is checked. If it is true, the content of this
#     `add` is the whole buffer and replaces the text before the tag. The parser never returns to LookingForTag.
#  5  The tool is the name that occurs first in the buffer, and the longest of those; it may be anywhere, even in the
#     tag and in strings. (a) While the buffer ends with the beginning of any name, no tool is found, not even a
#     complete name before it.
#  6  The object of the arguments is sought from the start of the buffer. A quote toggles "in a string" and a backslash
#     hides the next character everywhere, even outside JSON. An extra `}` is ignored; an object that cannot be decoded
#     is skipped with everything in it.
#  7  In the object: `arguments`, else `parameters`, if there is a `name`; else the value under the tool's name; else
#     the same in nested objects; else the object itself. Go walks nested objects in random order; the port uses the
#     order written.
#  8  A `name` without such arguments: no call, nothing is consumed, and nothing ever will be.
#  9  A call consumes the buffer up to its closing brace or the end of the name, whichever is later. The brace stays,
#     unless the name comes after it.
# 10  `done`: only for tags `{` and `[`: a closing one has brought the count of that kind to exactly 0.
# 11  `content()`: the buffer, for tags `{` and `[`, as long as there has been no call.
# 12  JSON as Go's `encoding/json` reads it: gojson.py.
# 13  The tag is read from the template: toolglean/sources/templates/tag.py.
# 14  Go works on bytes, the port on characters. No rule can tell the difference, as long as no chunk is cut inside a
#     character.
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
