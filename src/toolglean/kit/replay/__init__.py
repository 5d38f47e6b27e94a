# One turn, shown again step by step: what was fed, what came out, what each character became, and a page that plays it.
# Does not depend on how anything is read: it feeds a `Parser`, as any user does, and looks at its events.
#
#   recording.py    a turn fed chunk by chunk, with the events of each step
#   call_places.py  where the name and the arguments are in a call's text
#   parts.py        the turn in parts: what each became, and at which step that was known
#   page.py         all of it, and what `explain` finds in it, as JSON and as one HTML file
#   request.py      the same for the playground: a request in JSON, an answer in JSON
#   player.html, player.css, player.js    the player, which the page and the playground share
"""A turn, replayed: what each token became, and when."""

from __future__ import annotations

from toolglean.kit.replay.page import html_page
from toolglean.kit.replay.recording import Recording, Step, cut_turn, record

__all__ = ["Recording", "Step", "cut_turn", "html_page", "record"]
