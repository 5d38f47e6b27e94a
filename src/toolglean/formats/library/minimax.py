# What MiniMax's models write.
"""MiniMax M1, M2, M3."""

from __future__ import annotations

from toolglean.formats.spec import Format, Pairs, Tree

NAMESPACE = "]<]minimax[>["
ARROWS = '[TOOL_CALL]\n{tool => "{name}", args => {\n  {arguments}\n}}\n[/TOOL_CALL]'

FORMATS = (
    Format(
        "minimax-m1",
        section=("<tool_calls>\n", "\n</tool_calls>"),
        call="{call}",
        separator="\n",
        reasoning=("<think>", "</think>"),
        drop=("<end_of_sentence>",),
        models=("minimax-m1", "minimax-text-01", "minimax-01"),
        source="chat template of MiniMaxAI/MiniMax-M1-80k",
    ),
    # vLLM's tests know names between double quotes, single quotes and none at all.
    Format(
        "minimax-m2",
        section=("<minimax:tool_call>\n", "\n</minimax:tool_call>"),
        sections=(("<minimax:toolcall>\n", "\n</minimax:toolcall>"),),
        call='<invoke name="{name}">\n{parameters}</invoke>',
        also=(
            *("<invoke name='{name}'>\n{parameters}</invoke>", "<invoke name={name}>\n{parameters}</invoke>"),
            *('<invoke name="{name}"/>', "{call}"),
        ),
        separator="\n",
        parameter=(
            '<parameter name="{key}">{value}</parameter>\n',
            "<parameter name='{key}'>{value}</parameter>\n",
            "<parameter name={key}>{value}</parameter>\n",
        ),
        reasoning=("<think>\n", "\n</think>"),
        drop=("[e~[", "<response>", "</response>"),
        end_markers=("<response>",),
        aliases=("minimax", "minimax-m2.5", "minimax-m2.7"),
        models=("minimax-m2",),
        source="chat template of MiniMaxAI/MiniMax-M2",
    ),
    Format(
        "minimax-m3",
        section=(NAMESPACE + "<tool_call>\n", NAMESPACE + "</tool_call>"),
        call=NAMESPACE + '<invoke name="{name}">{arguments}' + NAMESPACE + "</invoke>\n",
        arguments=Tree(NAMESPACE),
        reasoning=("<mm:think>", "</mm:think>"),
        # It closes once more what it has closed, or never opened.
        drop=("[e~[", NAMESPACE + "</invoke>", NAMESPACE + "</tool_call>"),
        models=("minimax-m3",),
        source="chat template of MiniMaxAI/MiniMax-M3",
    ),
    # What M2.5 and M2.7 fall back to: arrows as in Ruby, and arguments as on a command line.
    Format(
        "minimax-arrows",
        call=ARROWS,
        also=(ARROWS.replace('"', "'"),),
        separator="\n",
        arguments=Pairs("--{key} {value}", separator="\n  ", quoted=True),
        registered_only=True,
        source="issue threads: MiniMax M2.5 and M2.7",
    ),
)
