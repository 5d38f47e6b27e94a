"""Chat templates: how a model writes a tool call, and what a template renders."""

from __future__ import annotations

from toolglean.sources.templates.language import Language, template_language
from toolglean.sources.templates.rendering import Renderer, renderer
from toolglean.sources.templates.tag import TemplateTag, parse_tag, tag_of

__all__ = ["Language", "Renderer", "TemplateTag", "parse_tag", "renderer", "tag_of", "template_language"]
