# The policies: in which cases a call that was read must not count, or must wait. Each is a file that can be read alone.
# None of them knows how a call is read.
#
# judge.py     all of them, in the order in which they are asked; which of them a turn has
# drafts.py    calls inside reasoning, after a backtick, without a marker: kept back until it is certain what they are
# code.py      quotations: code, HTML, results of tools, quoted lines; and the header of another message
# ticks.py     backticks, for code.py; signs.py: the tokens that quote
# strings.py   strings of JSON documents: data is no call
# closers.py   closers outside a call: of one that failed, and of one whose closer comes late
# fence.py     a code fence that opens the turn, with nothing but calls in it
