# What this file knows: what all functions made from a prompt and a model have in common.
# Does not depend on what the model is asked for.
"""Checks of prompts and models."""

from __future__ import annotations

from typing import Any, ClassVar

from toolglean.errors import shown
from toolglean.llm.base import LLM
from toolglean.llm.errors import ConfigurationError, MissingLLMError
from toolglean.llm.prompts import BasePromptTemplate, PromptTemplate

__all__ = ["Configs", "WithPrompt", "validated_llm", "validated_prompt"]


class Configs:
    """Defaults for the whole program: `Configs.llm = Ollama(model=...)`."""

    llm: ClassVar[Any] = None
    """The language model of orchestrators that are created without one."""


def validated_llm(llm: LLM | None) -> LLM:
    """The given model, or `Configs.llm`.

    Raises:
        MissingLLMError: there is neither.
    """
    found: LLM | None = Configs.llm if llm is None else llm
    if found is None:
        raise MissingLLMError("there is no language model: pass llm=..., or set Configs.llm", field="llm")
    return found


def validated_prompt(prompt: BasePromptTemplate | str) -> BasePromptTemplate:
    """The template, or a new one with that text.

    Raises:
        ConfigurationError: it is neither.
    """
    if isinstance(prompt, str):
        return PromptTemplate(prompt)
    if isinstance(prompt, BasePromptTemplate):
        return prompt
    raise ConfigurationError(
        f"prompt={shown(prompt)} is not a prompt: pass text or a prompt template", field="prompt", value=prompt
    )


class WithPrompt:
    """A base class with a prompt that can be replaced."""

    _prompt: BasePromptTemplate

    @property
    def prompt(self) -> BasePromptTemplate:
        """The prompt; you can set another template, or a text."""
        return self._prompt

    @prompt.setter
    def prompt(self, prompt: BasePromptTemplate | str) -> None:
        self._prompt = validated_prompt(prompt)
