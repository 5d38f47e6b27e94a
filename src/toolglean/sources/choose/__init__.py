# What a user gives a parser, and which plan follows from it. Does not depend on how anything is read.
#
# arguments.py     what is wrong with an argument
# precedence.py    which of several sources is used; constructors.py: the same for one source, as `Format.from_…`
# frame.py         what is read if a template shows the frame of its turns, and no format of calls
# choice.py        what was chosen, and why, for those who ask
# prompts.py       where the model's message begins in a prompt
# plans.py         the plan of formats, made once for all parsers
"""From what the user has to what the parser reads."""

from toolglean.sources.choose.precedence import Choice, Given, choose, choose_for_parser

__all__ = ["Choice", "Given", "choose", "choose_for_parser"]
