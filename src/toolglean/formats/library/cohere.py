# What Cohere's models write.
"""Command R, Command A."""

from __future__ import annotations

from toolglean.formats.spec import Format

TURN_ENDS = ("<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>")

FORMATS = (
    Format(
        "command-a",
        call="<|START_ACTION|>{calls}<|END_ACTION|>",
        keys=("tool_name", "parameters"),
        reasoning=("<|START_THINKING|>", "<|END_THINKING|>"),
        content_markers=("<|START_TEXT|>", "<|START_RESPONSE|>"),
        drop=("<|END_TEXT|>", "<|END_RESPONSE|>", *TURN_ENDS),
        aliases=("cohere", "cohere-cmd", "cohere-command3", "cohere-command4", "command-r7b", "cohere2"),
        models=("command-a", "command-r7b", "cohere2", "north-mini"),
        source="chat templates of CohereLabs/c4ai-command-a-03-2025 and c4ai-command-r7b-12-2024",
    ),
    Format(
        "command-r",
        call="Action: ```json\n{calls}```",
        keys=("tool_name", "parameters"),
        drop=TURN_ENDS,
        aliases=("command-r-plus", "command-r-action"),
        models=("command-r",),
        source="chat template of CohereForAI/c4ai-command-r-plus",
    ),
)
