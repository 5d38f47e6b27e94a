# What this room knows: which laws hold for any text at all, and how texts are made that try to break them.
# What it must not know: what any text means.
