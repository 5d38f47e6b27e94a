# What Z.ai's GLM models write, and the makes that took over their tags.
"""GLM, Ling, Laguna, Spark, IQuest; Hunyuan 3 and 4; K2-Horizon."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>", "</think>")
GLM_ENDS = ("<|user|>", "<|observation|>", "<|endoftext|>", "<|assistant|>", "[gMASK]<sop>")

LINE_CALL = "<tool_call>{ws}{name}{ws}{parameters}</tool_call>"
LINE_PARAMETER = "<arg_key>{key}</arg_key>{ws}<arg_value>{value}</arg_value>{ws}"
WRONG_KEYS = tuple(
    f"{key}{{ws}}<arg_value>{{value}}</arg_value>{{ws}}"
    for key in ("<arg_key><arg_key>{key}</arg_key>", "<arg_key>{key}</arg_key></arg_key>", "<arg_key>{key}")
)
BLOCK_CALL = "<tool_call>{ws}{name}\n{parameters}</tool_call>"
BLOCK_PARAMETER = "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"


def hunyuan(name: str, suffix: str, *, models: tuple[str, ...], aliases: tuple[str, ...] = ()) -> Format:
    """Hunyuan 3: each checkpoint's template has a suffix of its own in every tag."""
    return Format(
        name,
        section=(f"<tool_calls{suffix}>\n", f"\n</tool_calls{suffix}>"),
        call=f"<tool_call{suffix}>{{name}}<tool_sep{suffix}>\n{{parameters}}</tool_call{suffix}>",
        also=(f"<tool_call{suffix}>{{ws}}{{name}}{{ws}}{{parameters}}</tool_call{suffix}>",),  # Hunyuan 4
        separator="\n",
        parameter=f"<arg_key{suffix}>{{key}}</arg_key{suffix}>\n<arg_value{suffix}>{{value}}</arg_value{suffix}>\n",
        reasoning=(f"<think{suffix}>", f"</think{suffix}>"),
        reasonings=(("<think>", "</think>") if suffix else ("<think:opensource>", "</think:opensource>"),),
        drop=(f"<｜hy_eos{suffix}｜>", f"<｜hy_Assistant{suffix}｜>"),
        aliases=aliases,
        models=models,
        source="chat template of tencent/Hy3; vLLM 0.33, parsers hy_v3 and hy_v4",
    )


FORMATS = (
    # A line with the name, and JSON: only at the start of the turn.
    Format(
        "glm-4",
        call="{name}\n{arguments}",
        drop=GLM_ENDS,
        aliases=("glm4-chat", "chatglm4"),
        models=("glm-4", "glm-z1"),
        source="chat template of zai-org/glm-4-9b-chat",
    ),
    Format(
        "glm-4.5",
        call=BLOCK_CALL,
        separator="\n",
        parameter=(BLOCK_PARAMETER, *WRONG_KEYS),
        reasoning=THINK,
        drop=GLM_ENDS,
        aliases=(*("glm", "glm45", "glm-4.6", "glm46", "glm4", "glm4-moe", "glm45-moe", "hyperclovax-seed-think"),),
        models=(
            *("glm-4.5", "glm-4.6", "glm-4-moe", "hyperclovax-seed-omni", "hyperclovax-seed-think-32b"),
            *("macaron", "zai-org/glyph", "learning-unit/l1"),
        ),
        source="chat template of zai-org/GLM-4.6",
    ),
    Format(
        "glm-4.7",
        call=LINE_CALL,
        parameter=(LINE_PARAMETER, *WRONG_KEYS),
        reasoning=THINK,
        drop=GLM_ENDS,
        aliases=("glm47", "glm-ocr", "glm-5", "glm-5.1", "glm47-moe", "glm47-flash"),
        models=("glm-4.7", "glm-5", "glm-ocr"),
        source="chat template of zai-org/GLM-4.7-Flash",
    ),
    Format(
        "glm-5.3-flash",
        call="<tool_call>{name}>{arguments}</tool_call>",
        also=(LINE_CALL,),
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        drop=GLM_ENDS,
        models=("glm-5.3-flash",),
        source="SGLang (branch), detector glm53_flash",
    ),
    Format(
        "ling-3",
        call=BLOCK_CALL,
        separator="\n",
        parameter=(BLOCK_PARAMETER, *WRONG_KEYS),
        reasoning=THINK,
        drop=("<|role_end|>", "<|endoftext|>"),
        aliases=("ling3", "ling"),
        models=("ling-3", "ring-2.6", "ring-3"),
        source="chat template of inclusionAI/Ling-3.0-flash",
    ),
    # Ollama has seen `<user>…</user>` around calls; the templates' white space is not written by the models.
    Format(
        "laguna",
        call=BLOCK_CALL,
        also=(
            *("<tool_call>{name}\n{arguments}</tool_call>", "<tool_call>{call}</tool_call>", "{call}"),
            "<user>{call}</user>",
        ),
        separator="\n",
        parameter=(BLOCK_PARAMETER, *WRONG_KEYS),
        reasoning=THINK,
        drop=("</assistant>", "<|endoftext|>"),
        aliases=("poolside", "poolside-v1"),
        models=("laguna", "poolside"),
        source="chat template of poolside/Laguna-S-2.1",
    ),
    Format(
        "spark-2.5",
        call=LINE_CALL,
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        drop=("<｜end▁of▁sentence｜>",),
        aliases=("spark25", "spark3"),
        models=("spark-2.5",),
        source="chat template Spark2.5 in llama.cpp",
    ),
    # Its opener is that of a JSON dialect (phi-4-mini, granite-3), its closer has the slash inside the bar.
    Format(
        "spark-x2.5",
        call="<|tool_call|>\n{name}{parameters}\n<|/tool_call|>",
        separator="\n",
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        drop=("<｜end▁of▁sentence｜>", "<|endoftext|>"),
        models=("spark-x2", "spark-x2.5", "sparkx2"),
        source="tabbyAPI (branch), tool format of Spark-X2.5",
    ),
    Format(
        "telechat-4",
        call="<tool_call>{name}{parameters}</tool_call>",
        separator="\n",
        parameter="<param_key>{key}</param_key>{ws}<param_value>{value}</param_value>{ws}",
        reasoning=THINK,
        drop=("<_end>", "<|endoftext|>"),
        aliases=("xing4.0",),
        models=("telechat4", "telechat-4", "xingchen4", "xing4", "xing4.0"),
        source="SGLang (branch), detector of TeleChat4",
    ),
    Format(
        "iquest-q1",
        call="<iquest_tool_call>{name}{parameters}</iquest_tool_call>",
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        drop=("<|iquest_end|>", "<|im_end|>", "<|im_start|>assistant"),
        aliases=("iquest",),
        models=("iquest-q1",),
        source="SGLang 0.5.23, detector iquest_q1",
    ),
    Format(
        "iquest-coder-v2",
        call="<iquestcoder_tool_call>{name}{parameters}</iquestcoder_tool_call>",
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        drop=("<|im_end|>", "<|im_start|>assistant"),
        models=("iquest-coder-v2",),
        source="vLLM (branch), parser iquest_coder_v2",
    ),
    hunyuan("hunyuan-3", "", aliases=("hunyuan", "hy3", "hy-v3", "hy-v3-preview"), models=("hy-3-preview", "hy-mt2")),
    hunyuan("hunyuan-3-opensource", ":opensource", models=("hy-3", "hunyuan-3")),
    Format(
        "hunyuan-4",
        section=("<tool_calls>", "</tool_calls>"),
        call=LINE_CALL,
        parameter=LINE_PARAMETER,
        reasoning=THINK,
        reasonings=(("<think:opensource>", "</think:opensource>"),),
        drop=("<｜hy_eos｜>", "<｜hy_eos:opensource｜>"),
        aliases=("hy4", "hy-v4"),
        models=("hunyuan-4", "hy-4"),
        source="vLLM 0.33, parser hy_v4",
    ),
    Format(
        "k2-horizon",
        section=("<ifm|tool_calls>", "</ifm|tool_calls>"),
        call="<ifm|tool_call>{name}{parameters}</ifm|tool_call>",
        also=("<ifm|tool_call>{call}</ifm|tool_call>",),
        separator="\n",
        parameter=(
            "<ifm|arg_key>{key}</ifm|arg_key>{ws}<ifm|arg_value>{value}</ifm|arg_value>",
            "<ifm|arg_key>{key}</ifm|arg_key>\n<ifm|arg_type>{type}</ifm|arg_type>\n<ifm|arg_value>{value}</ifm|arg_value>\n",
        ),
        reasoning=("<ifm|think>", "</ifm|think>"),
        reasonings=(("<ifm|think_fast>", "</ifm|think_fast>"), ("<ifm|think_faster>", "</ifm|think_faster>")),
        types={word: word for word in ("string", "integer", "number", "boolean", "null", "array")} | {"*": "object"},
        models=("k2-horizon",),
        source="vLLM 0.33, parser k2_horizon",
    ),
)
