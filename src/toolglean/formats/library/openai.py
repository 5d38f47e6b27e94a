# What this file knows: what OpenAI's open models write, and those that took over their messages.
"""Harmony (gpt-oss), Beam."""

from __future__ import annotations

from toolglean.formats.spec import Format

HEADER = "<|start|>assistant"
SPEAKS = (
    HEADER,
    *("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
    "<|channel|>final <|constrain|>json<|message|>",
)
ENDS = ("<|end|>", "<|return|>", "<|call|>")
CHANNELS = ("commentary", "analysis")
BODY = "<|message|>{arguments}<|call|>"
KINDS = (" <|constrain|>json", "<|constrain|>json", " json", "")


def _recipients() -> tuple[str, ...]:
    # The recipient stands behind the channel, or in the message's role before it; `functions.` is left out by some.
    behind = [f"<|channel|>{channel} to={{to}}{kind}" for channel in CHANNELS for kind in KINDS]
    before = [f"to={{to}}<|channel|>{channel}{kind}" for channel in CHANNELS for kind in KINDS]
    return tuple(each.format(to=to) + BODY for to in ("functions.{name}", "{name}") for each in behind + before)


FORMATS = (
    Format(
        "harmony",
        call=_recipients()[0],
        also=_recipients()[1:],
        separator=HEADER,
        reasoning=("<|channel|>analysis<|message|>", "<|end|>"),
        speaks=SPEAKS,
        drop=(
            *("<|start|>", *ENDS),
            *("<|channel|>final", "<|channel|>commentary to=assistant"),
        ),
        aliases=("openai", "gpt-oss", "gptoss", "openai-gptoss"),
        models=("gpt-oss*", "*gpt-oss*"),
        source="chat template of openai/gpt-oss-120b; https://github.com/openai/harmony",
    ),
    Format(
        "beam",
        call=HEADER + " to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",
        also=("to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",),
        parameter='<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>\n',
        reasoning=("<|channel|>analysis<|message|>", "<|end|>"),
        speaks=SPEAKS,
        drop=("<|start|>", *ENDS),
        source="vLLM 0.33, parser beam",
    ),
)
