# Anthropic's markup, which models of many makes have learnt and write unasked.
"""Anthropic's markup."""

from __future__ import annotations

from toolglean.formats.spec import Format


def invoke(name: str, prefix: str, *, aliases: tuple[str, ...] = ()) -> Format:
    """Values as they are; some models mark each one as text or not, as DSML does."""
    return Format(
        name,
        section=(f"<{prefix}function_calls>\n", f"\n</{prefix}function_calls>"),
        call=f'<{prefix}invoke name="{{name}}">\n{{parameters}}</{prefix}invoke>',
        separator="\n",
        parameter=(
            f'<{prefix}parameter name="{{key}}">{{value}}</{prefix}parameter>\n',
            f'<{prefix}parameter name="{{key}}" string="{{type}}">{{value}}</{prefix}parameter>\n',
        ),
        types={"string": "true", "*": "false"},
        aliases=aliases,
        source="issue threads of many models",
    )


FORMATS = (invoke("anthropic", "", aliases=("invoke", "function-calls-xml")), invoke("anthropic-antml", "antml:"))
