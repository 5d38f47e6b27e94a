"""Chat templates: what they say of the way a model writes a tool call."""

from __future__ import annotations

from toolglean.templates.language import Language, TemplateTag, tag_of, template_language
from toolglean.templates.tag import parse_tag

__all__ = ["Language", "TemplateTag", "parse_tag", "tag_of", "template_language"]
