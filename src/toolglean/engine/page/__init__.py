# Where in a text a place is: in plain text, code, a quotation, JSON, a tool's result, another message. The only code
# that knows it; the judge, drafts and explanations ask it.
#
# table.py        the contexts, as data
# expressions.py  what is looked for in each of them
# page.py         the face: reads on, and returns where it is
# reading.py      what is done with what is found
# documents.py    JSON
# where.py        where one is, as a value; and of every part of a text, for those who ask
"""Where in a text a place is."""
