# The sources that tell how a model writes its calls, and the choice between them. Does not depend on how a turn is
# read.
#
#   templates/   chat templates, Jinja and Go: rendered, and read for the format they write
#   response/    Hugging Face's response templates
#   tag.py       a bare tag
#   choose/      which of them is used, when several are given
"""The sources that tell how a model writes: chat templates, response templates, tags, names of models and formats."""
