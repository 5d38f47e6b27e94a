# Reads a turn, chunk by chunk. Does not depend on how the format was chosen (sources/choose/), or on any family of
# formats. docs/explanation/engine.md has a picture, and says which piece owns which state.
#
# fast.py, machine.py   text that is passed on without being read; the loop
# tape.py               the text: what is read, what waits, what is read again, and the region that may become a call
# prose.py, modes.py    what is done with text in each mode of the machine
# state.py, speech.py, turn.py
#                       a turn: its fields; its text; its regions and calls
# judge/, attempt.py    which calls are accepted, and how a reading is undone
# emit.py, open_call.py, strays.py
#                       events in order; the open call; markers that wait
# reasons.py            every reason of a `Problem`, with its code
# names.py              the tools, by the names that a model writes
# plan.py, payload.py, watch.py
#                       the interfaces: what to look for, what that opens, and an observer of it
# matcher/              payloads of known formats; envelope.py, frame.py, readers.py and parameters.py read the parts of
#                       a call
# document.py, passing.py
#                       JSON without a marker: calls or data, according to the rule in scan/data.py
# discovery.py, tag.py  payloads when only a tag is known
# missed.py             missed calls: an opener and a tool's name, but no call
# repair/               reads a malformed call as it was meant
