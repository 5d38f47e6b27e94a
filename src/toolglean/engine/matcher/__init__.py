# Walks a turn over the places of a program, from an opener to the end of a call. Does not depend on any family, on how
# places were laid (formats/compile.py), or on what a dialect looks like (scan).
#
# payload.py    where a reading begins, and what the machine sees of it
# reading.py    its state: the walk, the call, what is being read (a stage), who else may read
# walk.py       the automaton: where it is on the places, and how it goes on along literals
# between.py    stages between slots, after arguments, after a call
# texts.py      what a marker ends: words and text values; swallowed_markers.py: markers that a value may have swallowed
# arguments.py  what its own brackets end: arguments, JSON objects
# calls.py      a call begins, ends, or turns out not to be one
# fallback.py   a policy: which formats get a second try at text that did not yield a call
