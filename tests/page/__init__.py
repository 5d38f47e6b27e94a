"""Where in the text a place is: the reference for it, and its comparison with the engine."""
