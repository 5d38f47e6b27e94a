# Tools around the parser, one for each question. Does not depend on the command line.
#
#   explain/       why was this turn read as it was?
#   replay/        what was known when? A turn as a page that plays it
#   anonymize/     how can I report a turn without revealing what is in it?
#   conformance/   does this parser, or this server, read what models write?
#   testing/       do calls survive the round trip through my template?
#   demo/          what does it look like? The streams that ship with the package
#   tiles.py       a turn in tiles, with lines and columns: for explain and replay
"""Tools around the parser: explain, replay, anonymize, conformance, testing, demo."""
