# Matches a turn against the automaton of a program, from an opener to the end of a call. Does not depend on any family,
# on how the automaton was built (formats/compile.py), or on what a dialect looks like (scan/).
#
# payload.py    where a reading begins, and its interface to the machine
# reading.py    its state: the walk, the call, what is being read (a stage), which other formats may read
# walk.py       the walk: which states it has reached, and how it advances along literals
# between.py    stages between slots, after arguments, after a call
# words.py      what a marker ends: names, keys and the like
# values.py     values of parameters; swallowed_markers.py: markers that a value may have swallowed
# arguments.py  what ends with its own brackets: arguments, JSON objects
# calls.py      a call begins, ends, or turns out not to be one
# fallback.py   a policy: which formats get a second try at text that did not yield a call
