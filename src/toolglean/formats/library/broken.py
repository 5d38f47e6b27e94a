# What is left of calls whose markers lost their beginning, whichever family they belong to.
#
# A server, or the model itself, drops the first token of a marker, or all of a call before its name. What is left is
# accepted only at the beginning of a line, or of the turn; with a tool's name; and as a whole.
"""Markers without their beginning."""

from __future__ import annotations

from toolglean.formats.spec import Format

INVOKE_ENDS = "</invoke>\n</function_calls>\n</minimax:tool_call>"
FUNCTION_ENDS = "</function>\n</tool_call>"

FORMATS = (
    Format(
        "lost-brackets",
        call='invoke name="{name}">\n{parameters}</invoke>',
        also=(
            'invoke name="{name}">\n{parameters}' + INVOKE_ENDS,
            '<minimax:tool_call>\ninvoke name="{name}">\n{parameters}invoke>\n</minimax:tool_call>',
            *(
                "function={name}>\n{parameters}" + FUNCTION_ENDS,
                'function name="{name}">\n{parameters}' + FUNCTION_ENDS,
            ),
            *(
                f"<tool_call>\n{tag}{{name}}>\n{{parameters}}{FUNCTION_ENDS}"
                for tag in ("function=", "<parameter=", "<function_")
            ),
            *(
                f"<tool_call>\n{name}\n{{parameters}}{FUNCTION_ENDS}"
                for name in ("{name}", "<tool_name>{name}</tool_name>")
            ),
        ),
        separator="\n",
        parameter=(
            *('<parameter name="{key}">{value}</parameter>\n', 'parameter name="{key}">{value}parameter>\n'),
            *('<param name="{key}">{value}</param>\n', "<parameter={key}>\n{value}\n</parameter>\n"),
        ),
        registered_only=True,
        at_line_start=True,
        source="issue threads of many models",
    ),
    Format(
        "lost-openers",
        call="tool_call>\n{call}\n</tool_call>",
        also=(
            *(
                "<tool_call\n{call}\n</tool_call>",
                "<tool_call>\njson\n{call}\n</tool_call>",
                "tool_call>{ws}{name}{ws}{parameters}</tool_call>",
            ),
            *("TOOL_CALLS]{calls}", "TOOL_CALLS]{name}[ARGS]{arguments}"),
            "tool_call_begin|>functions.{name}:{index}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>",
        ),
        without_special_tokens=(
            *(
                "{name}{ws}{parameters}</tool_call>",
                "{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
            ),
        ),
        separator="\n",
        parameter="<arg_key>{key}</arg_key>{ws}<arg_value>{value}</arg_value>{ws}",
        registered_only=True,
        at_line_start=True,
        source="issue threads of many models",
    ),
)
