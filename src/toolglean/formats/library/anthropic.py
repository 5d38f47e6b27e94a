# Anthropic's markup, which models of many makes have learnt and write unasked.
"""Anthropic's markup."""

from __future__ import annotations

from toolglean.formats.spec import Format, Tree


def invoke(name: str, prefix: str, *, aliases: tuple[str, ...] = ()) -> Format:
    """Values as they are; some models mark each one as text or not, as DSML does."""
    return Format(
        name,
        section=(f"<{prefix}function_calls>\n", f"\n</{prefix}function_calls>"),
        sections=()
        if prefix
        else (("<tool_code>\n", "\n</tool_code>"), ("<tml:function_calls>\n", "\n</tml:function_calls>")),
        call=f'<{prefix}invoke name="{{name}}">\n{{parameters}}</{prefix}invoke>',
        also=(f'<{prefix}invoke name="{{name}}"/>',),
        separator="\n",
        parameter=(
            f'<{prefix}parameter name="{{key}}">{{value}}</{prefix}parameter>\n',
            f'<{prefix}parameter name="{{key}}" string="{{type}}">{{value}}</{prefix}parameter>\n',
        ),
        types={"string": "true", "*": "false"},
        aliases=aliases,
        source="issue threads of many models",
    )


FORMATS = (
    invoke("anthropic", "", aliases=("invoke", "function-calls-xml")),
    invoke("anthropic-antml", "antml:"),
    # What a proxy teaches models that have no format of their own: the oldest form of that markup.
    Format(
        "litellm",
        section=("<function_calls>\n", "\n</function_calls>"),
        call="<invoke>\n<tool_name>{name}</tool_name>\n<parameters>\n{arguments}</parameters>\n</invoke>",
        separator="\n",
        arguments=Tree(""),
        aliases=("tool-name-xml",),
        source="LiteLLM, the prompt for models without tools of their own",
    ),
)
