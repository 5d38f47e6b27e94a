# The laws that apply to any text, and how to make texts that try to break them. Does not depend on what a text means.
