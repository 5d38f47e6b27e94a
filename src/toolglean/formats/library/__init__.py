# The families, one file for each vendor: data only. Each module has a tuple FORMATS. Depends on nothing but spec.py.
"""The library of families."""

from __future__ import annotations

import importlib

from toolglean.formats.spec import Format

__all__ = ["MODULES", "UNSUPPORTED", "formats"]

MODULES = (
    *(
        "qwen",
        "llama",
        "deepseek",
        "glm",
        "anthropic",
        "minimax",
        "moonshot",
        "mistral",
        "google",
        "openai",
        "cohere",
        "ibm",
    ),
    *("others", "clients", "prompts"),
)

UNSUPPORTED: dict[str, str] = {
    "hf": "the format is in the checkpoint's response_template and has no name: pass that template",
    "response_template": "the format is in the checkpoint's response_template and has no name: pass that template",
    "passthrough": "it reads nothing, so use no parser",
    "identity": "it reads nothing, so use no parser",
    "minimax_m2_append_think": "it leaves the reasoning and its markers in the content: use minimax-m2",
    "minimax_append_think": "it leaves the reasoning and its markers in the content: use minimax-m2",
}
"""Names that engines know but that have no format, each with the reason."""


def formats() -> tuple[Format, ...]:
    """All families, in the order in which `auto` prefers them."""
    modules = [importlib.import_module(f"{__name__}.{name}") for name in MODULES]
    return tuple(declared for module in modules for declared in module.FORMATS)
