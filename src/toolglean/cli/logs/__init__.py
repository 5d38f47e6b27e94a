# What this room knows: how a log of turns becomes a file of rows, by several processes, and how a run that broke off
# goes on.
# What it must not know: how a turn is parsed, and where in a line it stands (turns.py).
#
#   source.py     the log: JSON lines, plain or compressed, or Parquet; in chunks of rows
#   rows.py       a chunk of rows becomes a piece of output: what the processes do
#   workers.py    the processes
#   pieces.py     the output, which grows by whole pieces, and what is left of it after a kill
#   table.py      the output as Parquet
#   progress.py   the bar
#   run.py        all of these together
#
# The output is the only record of a run. Each row says from which line it was made, and rows are in the order of the
# lines, so the last whole row tells how far the run came. Nothing else is kept that a kill could leave in disagreement
# with it.
"""Logs of turns, as many as there are."""
