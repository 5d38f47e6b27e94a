# Which laws hold for any text at all, and how texts are made that try to break them.
# Does not depend on what any text means.
