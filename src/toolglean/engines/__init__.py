# The engines that load toolglean as a plugin, each in the package of its name; what they share is in names.py,
# syntax.py and reading.py.
# Does not depend on how calls are written or read. Nothing is imported here, because an engine loads its plugins in
# each of its processes, most of which never parse.
"""toolglean inside engines: parsers for vLLM and SGLang, found through entry points."""

__all__: list[str] = []
