# What Mistral's models write, by the version of their tokenizer.
"""Mistral v3, v11, v13."""

from __future__ import annotations

from toolglean.formats.spec import Format

# One spelling is the template's; models of every version write the others too.
LIST = "[TOOL_CALLS] {calls}"
WITH_ID = "[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{arguments}"
NAMED = "[TOOL_CALLS]{name}[ARGS]{arguments}"
TOUCHING = "[TOOL_CALLS]{name}{arguments}"
SPACED = "[TOOL_CALLS]{ws}{name}{ws}[ARGS]{ws}{arguments}"
WITHOUT_SPECIAL_TOKENS = ("{name}[ARGS]{arguments}", "{name}[CALL_ID]{id}[ARGS]{arguments}")
SPELLINGS = (LIST, WITH_ID, NAMED, TOUCHING)
CLOSED = "[TOOL_CALLS] {calls}[/TOOL_CALLS]"  # some models close what has no closer
THINK = ("[THINK]", "[/THINK]")
PLAIN_THINK = ("<think>", "</think>")
ENDS = ("</s>",)


def others(main: str) -> tuple[str, ...]:
    """All spellings but that one."""
    return (*(each for each in SPELLINGS if each != main), SPACED, CLOSED)


FORMATS = (
    Format(
        "mistral-v13",
        call=NAMED,
        also=others(NAMED),
        without_special_tokens=WITHOUT_SPECIAL_TOKENS,
        reasoning=THINK,
        reasonings=(PLAIN_THINK,),
        drop=ENDS,
        aliases=("mistral", "mistral-v15", "ministral", "devstral"),
        models=(
            *("devstral", "magistral-*-1.1", "magistral-*-1.2", "magistral-*-2507", "magistral-*-2509", "ministral"),
            *(
                "ministral-3b-*-2512",
                "ministral-8b-*-2512",
                "mistral-medium",
                "mistral-large-3",
                "mistral-large-*-2512",
            ),
            *("mistral-small-4", "mistral-small-*-2603", "codestral-2508", "leanstral", "voxtral"),
        ),
        source="mistral-common, tokenizers v13 and v15; chat template of mistralai/Ministral-3-14B-Reasoning-2512",
    ),
    Format(
        "mistral-v11",
        call=WITH_ID,
        also=others(WITH_ID),
        without_special_tokens=WITHOUT_SPECIAL_TOKENS,
        reasoning=PLAIN_THINK,
        reasonings=(THINK,),
        drop=ENDS,
        models=("mistral-small", "magistral", "mistral-small-3.2"),
        source="mistral-common, tokenizer v11; chat template of mistralai/Mistral-Small-3.2-24B-Instruct-2506",
    ),
    Format(
        "mistral-v3",
        call=LIST,
        also=others(LIST),
        without_special_tokens=WITHOUT_SPECIAL_TOKENS,
        reasoning=THINK,
        reasonings=(PLAIN_THINK,),
        drop=ENDS,
        aliases=("mistral-list", "mistral-v2", "mistral-v7", "mistral-nemo", "mistral-old"),
        models=(
            *("mistral", "mixtral", "codestral", "pixtral", "ministral-3b", "ministral-8b", "mistral-small-3"),
            *("mistral-small-3.1", "mistral-small-22b", "mistral-small-24b", "mistral-small-*-2409"),
            *("mistral-small-*-2501", "mistral-small-*-2503", "nemo-12b", "cydonia", "magnum-*-12b", "armeniangpt"),
        ),
        source="mistral-common, tokenizers v2 to v7; chat template of mistralai/Mistral-Nemo-Instruct-2407",
    ),
)
