# How xgrammar stores the structural tags of models by name. Does not depend on how a tag is made.
"""Registers all formats with xgrammar."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from toolglean.errors import UsageError
from toolglean.formats.registry import all_formats
from toolglean.formats.spec import Format
from toolglean.grammar.grammar import grammar_of

__all__ = ["PREFIX", "register_xgrammar"]

PREFIX = "toolglean-"


def register_xgrammar(*, strict: bool = True) -> tuple[str, ...]:
    """Register every format for xgrammar's `get_model_structural_tag`.

    Each is registered as `toolglean-<name>`, and as `<name>` unless xgrammar has a model of that name. A tag is made
    when it is requested. If the format has markers for reasoning, reasoning is allowed unless the request disables it.

    Args:
        strict: as for `grammar_of`.

    Returns:
        The names that were registered.

    Raises:
        UsageError: xgrammar cannot be imported, or is too old: install xgrammar 0.2 or later.
    """
    try:
        # Imported only when it is needed, because it imports torch.
        builtin: Any = importlib.import_module("xgrammar.builtin_structural_tag")
        kind: Any = importlib.import_module("xgrammar.structural_tag").StructuralTag
        registry: dict[str, Any] = builtin._structural_tag_registry
        register: Callable[[str], Callable[[Any], Any]] = builtin.register_model_structural_tag
    except (ImportError, AttributeError) as error:
        raise UsageError(f"register_xgrammar() needs xgrammar 0.2 or later: install it ({error})") from error
    taken = {name for name, known in registry.items() if not hasattr(known, "toolglean")}
    names = []
    for declared in all_formats():
        builder = _builder(declared, kind, strict=strict)
        for name in (PREFIX + declared.name, declared.name):
            if name not in taken:
                register(name)(builder)
                names.append(name)
    return tuple(names)


def _builder(declared: Format, kind: Any, *, strict: bool) -> Callable[..., Any]:
    def build(
        tools: Sequence[Any] | None = None,
        builtin_tools: Sequence[Any] | None = None,
        tool_choice: str = "auto",
        reasoning: str = "enabled",
        *,
        parallel_tool_calls: bool = True,
        **_: Any,
    ) -> Any:
        if builtin_tools:
            raise UsageError(
                f"builtin_tools={builtin_tools!r:.80} is not supported: format {declared.name!r} cannot express calls "
                "of tools that the server runs itself"
            )
        given = [_tool(each) for each in tools or ()]
        choice = {"auto": "auto" if given else "none", "required": "required"}.get(tool_choice)
        found = grammar_of(
            declared,
            given,
            choice=choice or str(given[0]["name"]),
            parallel=parallel_tool_calls,
            reasoning=reasoning != "disabled" and bool(declared.reasoning[0]),
            strict=strict,
        )
        return kind.model_validate(found.structural_tag())

    build.toolglean = declared.name  # type: ignore[attr-defined]  # so that a second registration replaces the first
    return build


def _tool(given: Any) -> dict[str, Any]:
    function = given.function
    loose = function.strict is False or function.parameters is None
    return {"name": function.name, "parameters": {} if loose else function.parameters}
