# What this file knows: templates of prompts, as format strings or in Jinja, and what all functions made from a prompt
# and a model have in common. These are not chat templates (toolglean.sources.templates).
# Does not depend on what the model is asked for.
"""Prompt templates, and checks of prompts and models."""

from __future__ import annotations

import abc
import copy
import re
import string
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from jinja2 import StrictUndefined, TemplateError, UndefinedError, meta
from jinja2.sandbox import SandboxedEnvironment

from toolglean.errors import shown
from toolglean.llm.base import LLM
from toolglean.llm.errors import ConfigurationError, MissingLLMError, MissingVariablesError, PromptError
from toolglean.llm.types import Chunk, Message, Role, TextChunk

__all__ = ["BasePromptTemplate", "ChatPromptTemplate", "Configs", "PromptTemplate", "TemplateFormat", "WithPrompt"]
__all__ += ["Kwargs", "validated_llm", "validated_prompt"]

Kwargs: TypeAlias = Mapping[str, Any] | None
"""Arguments that are passed on to the model."""

TemplateFormat: TypeAlias = Literal["f-string", "jinja2"]

_jinja = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)


class _Text:
    """One text with variables."""

    def __init__(self, text: str, kind: TemplateFormat) -> None:
        if kind not in get_args(TemplateFormat):
            known = " or ".join(map(repr, get_args(TemplateFormat)))
            raise PromptError(f"template_format={kind!r} is not valid: pass {known}", template=text)
        self.text = text
        self.kind = kind
        self.variables = self._found()

    def _found(self) -> tuple[str, ...]:
        try:
            if self.kind == "jinja2":
                found = meta.find_undeclared_variables(_jinja.parse(self.text))
                return tuple(sorted(found, key=lambda name: _first(name, self.text)))
            names = _names(self.text)
        except (TemplateError, ValueError) as error:
            raise PromptError(f"the template is broken: {error}", template=self.text) from error
        odd = next((name for name in names if not name.isidentifier()), None)
        if odd is not None:
            raise PromptError(
                f"'{{{odd}}}' is not a variable; write literal braces as {{{{ and }}}}", template=self.text
            )
        return tuple(dict.fromkeys(names))

    def missing(self, values: Mapping[str, Any]) -> list[str]:
        """The variables without a value. A variable with a default in Jinja is not missing."""
        found = [name for name in self.variables if name not in values]
        if not found or self.kind != "jinja2":
            return found
        try:
            _jinja.from_string(self.text).render(**values)
        except UndefinedError:
            return found
        except Exception:  # noqa: BLE001  # `formatted` raises it
            return []
        return []

    def formatted(self, values: Mapping[str, Any]) -> str:
        """The text, filled. `values` must have all variables that are not optional."""
        try:
            if self.kind == "jinja2":
                return _jinja.from_string(self.text).render(**values)
            return self.text.format(**{name: values[name] for name in self.variables})
        except Exception as error:
            raise PromptError(f"the template cannot be filled: {error}", template=self.text) from error


def _first(name: str, text: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return found.start() if found else len(text)


def _names(text: str) -> list[str]:
    # Including nested ones, as in `{number:{width}}`.
    found: list[str] = []
    for _, name, spec, _ in string.Formatter().parse(text):
        if name is not None:
            found += [name, *_names(spec or "")]
    return found


class BasePromptTemplate(abc.ABC):
    """The base of all prompt templates.

    Args:
        partial_variables: values that are already known.
    """

    def __init__(self, partial_variables: Mapping[str, Any] | None = None) -> None:
        self.partial_variables = dict(partial_variables or {})

    @property
    def template_vars(self) -> tuple[str, ...]:
        """The variables, in the order of their first use."""
        return tuple(dict.fromkeys(name for text in self._all_texts() for name in text.variables))

    @abc.abstractmethod
    def _all_texts(self) -> Iterable[_Text]:
        """The texts that it consists of."""

    @abc.abstractmethod
    def format(self, /, **values: Any) -> str:
        """The prompt as one text.

        Raises:
            MissingVariablesError: values are missing; `missing` has the names.
            PromptError: a value cannot be formatted as the template specifies.
        """

    @abc.abstractmethod
    def format_messages(self, /, **values: Any) -> list[Message]:
        """The prompt as messages. Errors: as for `format`."""

    @abc.abstractmethod
    def get_template(self) -> str:
        """The template's text, unfilled."""

    def partial_format(self, /, **values: Any) -> Self:
        """The same template, with these `values` filled in."""
        found = copy.copy(self)
        found.partial_variables = {**self.partial_variables, **values}
        return found

    def _values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        known = {**self.partial_variables, **values}
        missing = list(dict.fromkeys(name for text in self._all_texts() for name in text.missing(known)))
        if missing:
            raise MissingVariablesError(
                f"the prompt has no value for: {', '.join(missing)}", missing=missing, template=self.get_template()
            )
        return known


class PromptTemplate(BasePromptTemplate):
    """A text with variables.

    Args:
        template: `"Songs about {topic}"`, or in Jinja `"Songs about {{ topic }}"`.
        template_format: "f-string" (write literal braces as {{ and }}) or "jinja2".
        partial_variables: values that are already known.

    Raises:
        PromptError: the template is broken.
    """

    def __init__(
        self,
        template: str,
        *,
        template_format: TemplateFormat = "f-string",
        partial_variables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(partial_variables)
        self._text = _Text(template, template_format)

    def _all_texts(self) -> Iterable[_Text]:
        return [self._text]

    def format(self, /, **values: Any) -> str:
        """The prompt as text: see `BasePromptTemplate.format`."""
        return self._text.formatted(self._values(values))

    def format_messages(self, /, **values: Any) -> list[Message]:
        """The prompt as one user message."""
        return [Message.from_str(self.format(**values))]

    def get_template(self) -> str:
        """The template's text."""
        return self._text.text


class ChatPromptTemplate(BasePromptTemplate):
    """Messages with variables.

    Args:
        message_templates: messages, or pairs of role and text; each text chunk is a template, other chunks are kept.
        template_format, partial_variables: as for `PromptTemplate`.

    Raises:
        PromptError: a template is broken.
    """

    def __init__(
        self,
        message_templates: Iterable[Message | tuple[Role | str, str]],
        *,
        template_format: TemplateFormat = "f-string",
        partial_variables: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(partial_variables)
        self.message_templates = [
            each if isinstance(each, Message) else Message.from_str(each[1], each[0]) for each in message_templates
        ]
        self._texts = {
            chunk.content: _Text(chunk.content, template_format)
            for message in self.message_templates
            for chunk in message.chunks
            if isinstance(chunk, TextChunk)
        }

    def _all_texts(self) -> Iterable[_Text]:
        return self._texts.values()

    def format_messages(self, /, **values: Any) -> list[Message]:
        """The messages, filled."""
        known = self._values(values)
        return [
            Message(
                role=message.role,
                chunks=[self._filled(chunk, known) for chunk in message.chunks],
                additional_kwargs=message.additional_kwargs,
            )
            for message in self.message_templates
        ]

    def _filled(self, chunk: Chunk, values: Mapping[str, Any]) -> Chunk:
        if isinstance(chunk, TextChunk):
            return TextChunk(content=self._texts[chunk.content].formatted(values))
        return chunk

    def format(self, /, **values: Any) -> str:
        """The messages as one text, each preceded by its role."""
        return "\n".join(f"{message.role}: {message.content}" for message in self.format_messages(**values))

    def get_template(self) -> str:
        """The templates as one text, each preceded by its role."""
        return "\n".join(f"{message.role}: {message.content}" for message in self.message_templates)


# -- functions made from a prompt and a model --------------------------------------------------------------------------


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
