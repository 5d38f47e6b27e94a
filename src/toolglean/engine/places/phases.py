# What this file knows: the names of what a walk can be reading, and of whose reading it is.
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

# Whose reading a walk is, and what happens to its region if no call comes of it.
ONLY = 0  # the format's own: the region is text
OWN = 1  # the format's own: its siblings read the region again
SIBLING = 2  # that of siblings: the region is text
DOUBTED = 3  # that of siblings, because the own reading found an unknown name: the format reads the region again
