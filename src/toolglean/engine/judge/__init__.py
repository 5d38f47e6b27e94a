# The policies: when a call that was read must be ignored, or must wait. Each file can be read alone. None of them
# depends on how a call is read.
#
# judge.py     all policies, in the order in which they are asked; which of them a turn has
# drafts.py    calls inside reasoning, after a backtick, without a marker: held back until it is certain what they are
# code.py      quotations, strings of JSON, and the header of another message, as the page says (engine/page)
# closers.py   closers outside a call: of a call that failed, and of one whose closer comes late
# fence.py     a code fence that opens the turn, with nothing but calls in it
