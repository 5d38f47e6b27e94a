# What this room knows: the engines that load toolglean as a plugin, each in the file or folder of its name; what they
# share is in names.py, syntax.py and reading.py.
# What it must not know: how calls are written or read. Nothing is imported here, because an engine loads its plugins in
# every one of its processes, most of which never parse.
"""toolglean inside engines: parsers for vLLM and SGLang, found by their entry points."""

__all__: list[str] = []
