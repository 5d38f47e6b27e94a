# How a log of turns becomes a file of rows, read by several processes, and how a run that broke off is continued.
# Does not depend on how a turn is parsed, or on where it is in a line (batch/turns.py).
#
#   source.py     the log: JSON lines, plain or compressed, or Parquet; in chunks of rows
#   rows.py       a chunk of rows becomes a piece of output: the work of the processes
#   workers.py    the processes
#   pieces.py     the output, which grows by whole pieces, and what a kill leaves of it
#   table.py      the output as Parquet
#   run.py        all of these together
#
# The output is the only record of a run. Each row has the number of the line from which it was made, and rows are in
# the order of the lines, so the last whole row shows how far the run came. Nothing else is stored that could disagree
# with it after a kill.
"""Logs of turns, of any size."""
