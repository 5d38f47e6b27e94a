# What this file knows: the names of what a walk can be reading.
# What it must not know: how it is read.
"""Phases."""

# Phases of a walk, named for what is being read.
MARKERS = 0  # literals and white space
WORD = 1  # a name, id, index, key or type
VALUE = 2  # the text of a parameter
ARGUMENTS = 3  # the arguments in the format's codec
OBJECTS = 4  # JSON objects with name and arguments
BEHIND = 5  # markup behind a call
ENDING = 6  # what follows the parenthesis that closes a call
