# How a format was found, and what is read where no patterns are known. Does not depend on how either was found out.
"""The origin of a format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["NO_ORIGIN", "AnyFormat", "Origin", "ResponseTemplate", "Source", "TagOnly"]


@dataclass(frozen=True, slots=True)
class TagOnly:
    """Only the marker that starts a call is known; the rest is discovered while reading.

    Attributes:
        tag: the marker.
        closer: the marker that ends a call; None: derived from the tag.
        ends: markers that end a turn.
    """

    tag: str
    closer: str | None = None
    ends: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of a format that is read so."""
        return f"tag {self.tag}"


@dataclass(frozen=True, slots=True)
class ResponseTemplate:
    """A response template of Hugging Face describes how to read the turn.

    Attributes:
        template: the response template.
    """

    template: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of a format that is read so."""
        return "response template"


@dataclass(frozen=True, slots=True)
class AnyFormat:
    """The format is detected from the turn, as with "auto"; a template shows what else its turns are made of.

    What ends a turn, and its reasoning, are the fields of the format that is read so.

    Attributes:
        tag: the marker that starts a call, for JSON that no known format reads; "" if the template shows none.
        closer: the marker that ends such a call; None: derived from the tag.
    """

    tag: str = ""
    closer: str | None = None

    @property
    def name(self) -> str:
        """The name of a format that is read so."""
        return f"auto, or tag {self.tag}" if self.tag else "auto"


Source: TypeAlias = TagOnly | ResponseTemplate | AnyFormat
"""What is read if the patterns of a format do not describe it, or not all of it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a format was found.

    Attributes:
        reason: why it is this one, in a sentence.
        losses: what does not come back as the template wrote it, one line each.
        starts_reasoning: whether the generation prompt opens the reasoning.
        prompt_marks: the texts after which the model's own message begins in a prompt.
    """

    reason: str = ""
    losses: tuple[str, ...] = ()
    starts_reasoning: bool = False
    prompt_marks: tuple[str, ...] = ()


NO_ORIGIN = Origin()
"""That of a format that somebody declared."""
