"""`python -m toolglean.engines.tensorrt_llm ...` is `trtllm-serve ...`, with toolglean's parsers."""

from __future__ import annotations

from importlib import import_module

from toolglean.engines.tensorrt_llm import register

if __name__ == "__main__":
    register()
    import_module("tensorrt_llm.commands.serve").main()
