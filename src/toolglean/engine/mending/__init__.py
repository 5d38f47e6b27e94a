# What this room knows: how a call that cannot be read as written is read as it was meant, where that is one way only.
# What it must not know: any family, and what any of its markers are: payloads say that.
#
# asked.py   what mending asks of a payload
# state.py   what is kept while the end of the call is awaited
# tails.py   texts: what may have been meant, each with the names of its repairs
# trial.py   a copy of the turn reads such a text; what counts as a call that was meant
# mender.py  when to wait, what to try, and what to do where nothing comes of it
