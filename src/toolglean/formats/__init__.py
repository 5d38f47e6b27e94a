# What this room knows: how model families write their calls and their reasoning, as data, and what follows from it.
# What it must not know: events, and the text of any turn.
