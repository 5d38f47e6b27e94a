# Descriptions of formats that no library has. Does not depend on how they are read.
"""A chat template and a response template of our own."""

from __future__ import annotations

from typing import Any

__all__ = ["ANSWERS", "TEMPLATE"]

TEMPLATE = """{% for m in messages %}<|{{ m.role }}|>
{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}{% for c in m.tool_calls %}<do>{{ c.function.name }} ~ {{ c.function.arguments | tojson }}</do>
{% endfor %}{% endif %}<|stop|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}"""
ANSWERS: dict[str, Any] = {
    "start_anchor": "<|assistant|>",
    "fields": {
        "content": {"content": "text"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        },
    },
}
