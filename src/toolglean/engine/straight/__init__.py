# Calls that are written exactly as their format declares: followed along the declaration's own text, without the
# machine. Nothing in here decides what a call is: at the first character that is not as declared, the machine reads
# the text again from before the call (machine.py).
