# The families, one file for each vendor: data only. Each module has a tuple FORMATS. Depends on nothing but spec.py.
"""The library of families."""

from __future__ import annotations

import importlib

from toolglean.formats.spec import Format

__all__ = ["MODULES", "NO_FORMAT", "UNSUPPORTED", "formats"]

MODULES = (
    *("qwen", "llama", "deepseek", "glm", "anthropic", "minimax"),
    *("moonshot", "mistral", "google", "openai", "cohere", "ibm"),
    *("others", "clients", "prompts", "broken"),
)

_REASONS = {
    "hf response_template": "the format is in the checkpoint's response_template and has no name: pass that template",
    "default": 'it stands for several formats: use "auto"',
    "basic base mixed_think_tool_handoff": "it reads reasoning alone: use the name of the model's format",
    "none passthrough identity": "it reads nothing, so use no parser",
    "minimax_m2_append_think minimax_append_think": "it leaves the reasoning and its markers in the content: "
    "use minimax-m2",
}
UNSUPPORTED: dict[str, str] = {name: reason for names, reason in _REASONS.items() for name in names.split()}
"""Names that engines know but that have no format, each with the reason."""

NO_FORMAT: tuple[str, ...] = (
    # They write no text of their own, or judge that of others.
    *("*-embed", "*-embedqa", "*-embedding", "*-embeddings", "*-embedder", "*-colbert", "*-colembed", "e5-mistral"),
    *("*-reranker", "*-rerank", "*-reward", "*-rm", "*-prm", "*-guard", "*-guardian", "*-safety", "*-tts", "*-asr"),
    *("*-speech", "*-image", "*-dots-ocr", "*-nemotron-ocr", "*-nemotron-parse", "*-hunyuan-3d", "*-llava", "*-cogvlm"),
    # They were made from a model that calls tools, and their own prompts have no place for tools.
    *("*-dolphin-2", "*-dolphin-3", "*-dolphin-mixtral", "*-openhermes", "*-openorca", "*-tulu", "*-chatqa"),
    *("phi-4-mini-reasoning", "phi-4-mini-flash", "*-acereason", "*-openreasoning", "*-openmath"),
    *("*-opencodereasoning", "*-nemotron-research", "*-arch-function-chat", "aya-expanse"),
    *("*-nemotron-4", "*-nemotron-3-8b", "glm-4v", "glm-4.1v", "glm-4-voice"),
    *("qwen/qwen-7b", "qwen/qwen-14b", "qwen/qwen-72b", "mistral-7b-*-0.1", "mistral-7b-*-0.2"),
    # Their template is not that of their family, or they are for an agent whose prompts decide.
    "*-hermes-agent",
)
"""Patterns of models, as in `Format(models=…)`, whose names contain a family's name but that write no known format."""


def formats() -> tuple[Format, ...]:
    """All families, in the order in which `auto` prefers them."""
    modules = [importlib.import_module(f"{__name__}.{name}") for name in MODULES]
    return tuple(declared for module in modules for declared in module.FORMATS)
