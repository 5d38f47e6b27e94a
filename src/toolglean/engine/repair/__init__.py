# Reads a call that cannot be read as written as it was meant, where that is one way only. Does not depend on any
# family, or on what its markers are: payloads say that.
#
# candidates.py  the table of all repairs: what each is called, where it is asked, and what may have been meant there
# suspended.py   what is kept while the end of the call is awaited, and what is asked of a payload
# repairer.py    when to wait, what to try, and what to do if nothing comes of it
# meant.py       which calls count as meant
