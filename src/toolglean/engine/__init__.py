# What this room knows: how a turn is read, chunk by chunk.
# What it must not know: what the user had to name the format (choose/), and any family of formats.
#
# A chunk's way: parser.py → machine.py → a payload → emit.py.
#
# machine.py     the loop, and the short ways past it
# turn.py        where a turn stands, and the verbs by which payloads change that; its parts: region.py (text that may
#                become a call, text that is read again), bound.py (the limit in force), names.py (tools by their
#                names), emit.py (events)
# modes.py       what the machine does with the text that comes next
# plan.py        what is looked for, and what it opens:
# places/        where formats are known; envelope.py, readers.py and parameters.py read what fills their holes
# document.py    JSON without a marker: calls or data, by the rule in values/data.py; undecided.py and passing.py: what
#                becomes of it; strings.py: whether text is in a string of JSON
# discovery.py   where only a tag is known (tag.py)
