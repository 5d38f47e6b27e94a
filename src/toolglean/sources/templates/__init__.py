"""Chat templates: how a model writes a tool call, and what a template renders."""

from __future__ import annotations

from toolglean.sources.templates.go_tag import parse_tag
from toolglean.sources.templates.language import Language, TemplateTag, tag_of, template_language
from toolglean.sources.templates.rendering import Renderer, renderer

__all__ = ["Language", "Renderer", "TemplateTag", "parse_tag", "renderer", "tag_of", "template_language"]
