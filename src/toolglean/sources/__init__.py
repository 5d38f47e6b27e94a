# What this room knows: what can say how a model writes its calls, and which of them a parser uses.
# What it does not depend on: how a turn is read.
#
#   templates/   chat templates, Jinja and Go: rendered, and read for the format they write
#   response/    Hugging Face's response templates
#   tag.py       a bare tag
#   choose/      which of them is used, when several are given
"""What says how a model writes: chat templates, response templates, tags, and the names of models and formats."""
