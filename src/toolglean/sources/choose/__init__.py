# What this room knows: what a user gives a parser, and which plan follows from it.
# What it must not know: how anything is read.
#
# arguments.py   what is wrong with an argument, said at the door
# precedence.py  which of several things counts
# choice.py      what was chosen, and why, for those who ask
# plans.py       the plan of formats, made once for all parsers
"""From what the user has to what the parser reads."""

from toolglean.sources.choose.precedence import Choice, Given, choose

__all__ = ["Choice", "Given", "choose"]
