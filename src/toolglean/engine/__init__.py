# How a turn is read, chunk by chunk. Does not know what the user had to name the format (choose/), or any family of
# formats. docs/explanation/engine.md has the picture, and which piece owns which state.
#
# fast.py, machine.py   what goes out without being read; the loop
# tape.py               the text: what is read, what waits, what is read again, and the region that may become a call
# prose.py, modes.py    what is done with text in each mode of the machine
# state.py, speech.py, turn.py
#                       a turn: its fields; what is said in it; its regions and calls
# judge/, attempt.py    which calls count, and how a reading is undone
# emit.py, open_call.py, strays.py
#                       events in order; the open call; markers that wait
# reasons.py            every reason of a `Problem`, with its code
# names.py              the tools, by the names that a model writes
# plan.py, payload.py, watch.py
#                       what is looked for, what is asked of what it opens, and who may watch that
# places/               payloads where formats are known; envelope.py, frame.py, readers.py and parameters.py read what
#                       fills a call
# document.py, passing.py
#                       JSON without a marker: calls or data, by the rule in scan/data.py
# discovery.py, tag.py  payloads where only a tag is known
# missed.py             calls that were missed: an opener, a tool's name, and no call
# repair/               a call that cannot be read as written, read as it was meant
