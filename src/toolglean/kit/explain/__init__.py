# Why a turn was read as it was, and what would read it differently. Does not depend on how anything is read: it lets
# the engine read, and looks at how far it came.
#
#   explanation.py     the parts of an explanation
#   assemble.py        `explain`: all of the parts, in order
#   reading.py         what the turn was read as, in spans with lines and columns
#   openers.py         the markers of the library's formats in the text, and the formats that each fits
#   probe.py           how far one format's reading comes from a marker: the engine's own walk, watched
#   expected.py        what could have followed where a walk ended, in words
#   names_and_code.py  what the text shows besides markers: code, and names before arguments
#   evidence.py        all of the above, as the rules get it
#   causes.py          the likely cause; near_misses.py: what is nearly a call
#   rules.py           which rule a text breaks: tried, not guessed
#   stories.py         what is said about each cause, in one table
#   trials.py          what to pass to read the turn differently: tried, not guessed
#   wording.py         the parts of an explanation in words
"""Why was my call not found?"""

from __future__ import annotations

from toolglean.kit.explain.assemble import explain
from toolglean.kit.explain.explanation import Advice, Cause, Explanation, Opener, Quotation, Reach, Span, Trouble

__all__ = ["Advice", "Cause", "Explanation", "Opener", "Quotation", "Reach", "Span", "Trouble", "explain"]
