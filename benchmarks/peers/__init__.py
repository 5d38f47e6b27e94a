# How each peer is used as its own documents and servers use it, and how all are compared.
# Does not depend on which of them should win.
#
#   names.py        the peers: version, parser, environment, whether they stream
#   with_*.py       how one peer is timed, in its own environment, mostly through the adapter of the conformance kit
#   inside_vllm.py  toolglean's plugin and vLLM's own parsers through the same layer
#   workloads.py    what is timed; timer.py: the process that times one peer
#   correctness.py  the kit on every peer; speed.py: all timers in turn
#   figures.py      docs/explanation/figures.md and its plots
#
# `nox -s peers` makes the environments and runs `python -m benchmarks.peers`.
"""toolglean beside its peers."""
