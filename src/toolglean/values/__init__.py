# What this room knows: under which keys calls in JSON have their parts; which value a text stands for, by a tool's JSON
# schema; and the dialects whose values are typed by it.
# Does not depend on formats, events, or where the text was.
#
# It lies below `formats`, not in `engine`, because `render` also needs it: before it writes a text, it asks which value
# a reader would give that text (docs/explanation/structure.md).
