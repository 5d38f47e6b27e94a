# What this room knows: why a turn was read as it was, and what would read it otherwise.
# What it must not know: how anything is read. It lets the engine read, and looks at how far it came.
#
#   shapes.py    what an explanation is made of
#   turn.py      what the turn was read as, in spans with lines and columns
#   openers.py   the markers of the library's formats in the text, and which formats each fits
#   probe.py     how far one format's reading comes from a marker: the engine's own walk, watched
#   expected.py  what could have followed where a walk ended, in words
#   signs.py     what the text shows besides markers: fences, names before arguments
#   causes.py    the likely cause, in plain words
#   trials.py    what to pass to read it otherwise: tried, not guessed
"""Why was my call not found?"""

from __future__ import annotations

from toolglean.kit.explain.shapes import Advice, Cause, Explanation, Opener, Reach, Span, Trouble
from toolglean.kit.explain.whole import explain

__all__ = ["Advice", "Cause", "Explanation", "Opener", "Reach", "Span", "Trouble", "explain"]
