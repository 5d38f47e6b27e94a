# What DeepSeek's models write.
"""DeepSeek V3, V3.1, V3.2, V4, V4.1, with bars of ASCII; Cogito."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>", "</think>")
SECTION = ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
V3_CALL = "<｜tool▁call▁begin｜>{ws}function<｜tool▁sep｜>{ws}{name}\n```json\n{arguments}\n```{ws}<｜tool▁call▁end｜>"
V3_WITHOUT_FENCE = "<｜tool▁call▁begin｜>{ws}function<｜tool▁sep｜>{ws}{name}\n{arguments}{ws}<｜tool▁call▁end｜>"
V31_CALL = "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>"
# It falls back to V3's fence, and to V3's word before the name.
V31_LIKE_V3 = (
    *(
        f"<｜tool▁call▁begin｜>{{name}}{each}```json\n{{arguments}}\n```<｜tool▁call▁end｜>"
        for each in ("<｜tool▁sep｜>", "\n")
    ),
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>",
)
# What is left of V3's calls: `function`, the name, and JSON in a fence.
V3_LEFT = tuple(f"function{each}{{name}}\n```json\n{{arguments}}\n```" for each in ("<｜tool▁sep｜>", "\n", ""))
# What has passed through a keyboard, or a tokenizer that folds wide letters.
NARROW_SECTION = (SECTION[0].replace("｜", "|"), SECTION[1].replace("｜", "|"))
NARROW = tuple(each.replace("｜", "|") for each in (V31_CALL, V3_CALL))
ENDS = ("<｜end▁of▁sentence｜>", "<｜Assistant｜>", "<|Assistant|>", "<｜begin▁of▁sentence｜>")

# DSML as V4 spells it: <, bars, DSML, the same bars, r: or a blank or neither, a word. Bars are one or two, wide,
# narrow or double, and may stand apart.
BARS = tuple(sign * count for sign in "｜|‖" for count in (1, 2))
SPELLINGS = (
    *(f"{bars}DSML{bars}{mark}" for bars in BARS for mark in ("", "{_}", "r:")),
    *(f"{{_}}{bars}{{_}}DSML{{_}}{bars}{{_}}" for bars in BARS),
)
SECTIONS = ("tool_calls", "function_calls", "calls", "tool_use", "toolcalls", "tool")


def dsml(
    name: str, section: str, space: str = "", *, bar: str = "｜", aliases: tuple[str, ...], models: tuple[str, ...]
) -> Format:
    """DSML: each value is marked as text or not; the versions differ in the section's name and in a space."""
    tag = f"{bar}DSML{bar}{space}"
    invoke = f'<{tag}invoke name="{{name}}">'
    others = (each for each in SECTIONS if each != section) if name == "deepseek-v4" else ()
    return Format(
        name,
        section=(f"<{tag}{section}>\n", f"\n</{tag}{section}>"),
        # V4 misspells its own section, and closes it with the right word; and it writes that of V3.2.
        # And some heads have no bracket, or a bar in its place.
        sections=(
            *((f"<{tag}{other}>\n", f"\n</{tag}{section}> </{tag}{other}>") for other in others),
            *((f"<{tag}{section}{end}\n", f"\n</{tag}{section}>") for end in ("", "|")),
        ),
        respelt=SPELLINGS if name == "deepseek-v4" else (),
        call=f"{invoke}\n{{parameters}}</{tag}invoke>",
        also=(f'<{tag}invoke name="{{name}}"/>', f"{invoke}{{arguments}}</{tag}invoke>"),
        separator="\n",
        parameter=(
            f'<{tag}parameter name="{{key}}" string="{{type}}">{{value}}</{tag}parameter>\n',
            f'<{tag}parameter name="{{key}}">{{value}}</{tag}parameter>\n',
            *(f'<{tag}parameter name="{{key}}"{typed} value="{{value}}" />\n' for typed in (' string="{type}"', "")),
        ),
        types={"string": "true", "*": "false"},
        wrappers=("arguments", "input"),
        reasoning=THINK,
        drop=ENDS,
        aliases=aliases,
        models=models,
        source="encoding of deepseek-ai/DeepSeek-V3.2 and deepseek-ai/DeepSeek-V4; vLLM 0.33, parser " + aliases[0],
    )


FORMATS = (
    Format(
        "deepseek-v3",
        section=SECTION,
        call=V3_CALL,
        also=(V3_WITHOUT_FENCE,),
        without_special_tokens=V3_LEFT,
        separator="\n",
        reasoning=THINK,
        drop=ENDS,
        aliases=("deepseek", "deepseekv3", "deepseek-r1"),
        models=(
            *("deepseek-v3", "deepseekv3", "deepseek-v2.5", "deepseek-r1", "deepseek-chat-v3"),
            *("*-r1-distill", "*-deepseek-r1-0528-qwen3", "deepseek-prover-v2", "mai-ds"),
            *("r1-1776", "skywork-or1"),
        ),
        source="chat templates of deepseek-ai/DeepSeek-V3-0324 and deepseek-ai/DeepSeek-R1-0528",
    ),
    Format(
        "deepseek-v3.1",
        section=SECTION,
        sections=(NARROW_SECTION,),
        call=V31_CALL,
        also=(*V31_LIKE_V3, *NARROW),
        reasoning=THINK,
        drop=ENDS,
        aliases=("deepseek-v31", "deepseekv31", "deepseek3", "deepseek31"),
        # Amazon calls V3.1 deepseek.v3-v1:0.
        models=("deepseek-v3.1", "deepseek-v3-v1", "deepseek-chat-v3.1", "deepseek-v3.2-exp"),
        source="chat template of deepseek-ai/DeepSeek-V3.1",
    ),
    Format(
        "cogito",
        section=SECTION,
        call=V3_CALL,
        separator="\n",
        reasoning=("<think>\n", "\n</think>"),
        drop=(*ENDS, "<|im_end|>"),
        models=("cogito-v2", "cogito-671b"),
        source="Ollama, model/parsers/cogito.go (deepcogito/cogito-v2.1-671B)",
    ),
    dsml(
        "deepseek-v3.2",
        "function_calls",
        aliases=("deepseek-v32", "deepseekv32", "deepseek32", "deepseek-dsml"),
        models=("deepseek-v3.2",),
    ),
    dsml("deepseek-v4", "tool_calls", aliases=("deepseekv4",), models=("deepseek-v4",)),
    dsml("deepseek-v4.1", "calls", "{_}", aliases=("deepseek-v41", "deepseekv41"), models=("deepseek-v4.1",)),
    dsml("dsml-ascii", "tool_calls", bar="|", aliases=("deepseek-dsml-ascii",), models=()),
)
