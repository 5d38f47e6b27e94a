# What this room knows: how a turn is walked through the places of a program, from an opener to the end of a call.
# What it must not know: any family; how places were laid (formats/compile.py); what a dialect looks like (scan).
#
# walk.py     where a walk stands, and what the machine sees of it
# markers.py  between holes: literals, white space, and what to do where nothing leads on; behind a call
# holes.py    names, values, arguments, JSON objects
# calls.py    a call begins, ends, or turns out to be none
