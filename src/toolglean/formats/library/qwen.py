# What Qwen's models, Hermes, and the makes write that took over their formats.
"""Hermes, Qwen, MiMo, Seed-OSS, LongCat, Apriel."""

from __future__ import annotations

from toolglean.formats.spec import Format

THINK = ("<think>\n", "\n</think>")
CHATML = ("<|im_end|>", "<|endoftext|>", "<|im_start|>assistant")
"""What ends a turn in ChatML, and the header of the model's own message: the turn continues after it."""

# What prompts ask for, Hermes's own among them. Words that answers in XML have are none: see engine/page/table.py.
THOUGHTS = tuple(
    (f"<{word}>", f"</{word}>") for word in ("scratch_pad", "scratchpad", "inner_monologue", "antml:thinking")
)

CODER_CALL = "<function={name}>\n{parameters}</function>"
CODER_PARAMETER = "<parameter={key}>\n{value}\n</parameter>\n"

# A name that says Qwen and a size, but no version: only these versions have models of that size. (Those of the first
# Qwen, which call no tools, are known by their owner: see NO_FORMAT.)
HERMES_SIZES = ("0.6b", "1.5b", "1.7b", "3b", "7b", "8b", "14b", "32b", "72b", "235b")
CODER_SIZES = ("0.8b", "9b", "27b", "35b", "122b", "397b")

# Beside Qwen's own, models of many makes that were trained from them, or whose template has their calls.
HERMES_MODELS = (
    *(f"qwen-{size}" for size in HERMES_SIZES),
    *"""
    a.x-4.0 a.x-k1 aescoder afm-4.5b agentcpm antares-1b antares-350m arctic-awm arctic-text2sql areal asearcher
    avibe bagel-7b baichuan-m2 baichuan-m3 bfs-prover bielik blip3o-next bytedance-seed/taskmem caprl-video
    chemdfm-v2 cmu-lti/osim coda-v0 cogito confucius cosmos-3 cosmos-reason2 covo-audio cudallm dami-lab/ari
    darwin-28b dasd deepseek-r1t2 diffucoder dr-venus dream-v0 efficient-dlm exaone-4 falcon-3 falcon-e falcon-h1
    fare-8b fastvlm gelab-zero goedel-prover-v2 grovemoe hipo holo2 intern-s1-pro internvl-3.5 jamba-2
    jamba-reasoning jan-nano jan-v1 jan-v2 jan-v3 januscoder k-exaone kanana-2 kat kimi-dev ling-1t ling-2
    ling-flash ling-mini llada-2.0 llada-2.1 llada-moe llama-3-groq luciole lucy-128k marco-deepresearch
    marco-mini marco-nano mellum2 memoperator menlo/lucy midm mimo-7b mimo-vl mindlink ming-flash minicpm-o
    minimind motif-2 motif-3 neura-tech-ai/neuron nextcoder nextstep nomos nouscoder nvidia/egm onerec
    opengvlab/navil openthaigpt openthinker openthinkeragent oreal pacore privasis-cleaner pythagoras-prover
    qvikhr qwen2 qwen2.5 qwen3 qwq r1t2 reka ring-1t ring-2 ring-flash ring-mini rio-2.5 rio-3.0 rio-3.1 rnj
    robobrain2 s1-deepresearch sakanaai/rlt salesforce/xrouter sdar sdlm sequential-hidden-decoding sera-14b
    sera-32b sera-8b simplechat simplesd skywork-r1v2 skywork-r1v3 skywork-swe skyworkvl smallthinker smollm3
    step-3-vl stepfun-ai/rlvr supernova-medius swe-dev swe-fixer swerankllm synlogic t-lite t-pro tencent/drive
    tencent/points tinyswallow tmax-8b tmax-sft tongyi-deepresearch trinity ui-venus uigen vaetki vibethinker
    virtuoso webworld wedlm xiyansql youtu zwz *-alternate-tokenizer *-arch-function *-cogito-v1 *-deephermes
    *-dolphin-3.0-r1-mistral *-hermes *-nemotron-cascade *-nemotron-orchestrator *-nemotron-terminal *-sing-guard
    """.split(),  # noqa: SIM905  # so many names
)
CODER_MODELS = (
    *(f"qwen-{size}" for size in CODER_SIZES),
    *"""
    agents-a1 arex cosmos-3-edge darwin-36b darwin-398b darwin-9b delentia/jitna dna-3.0 fara-1.5 feyninc/sqrl
    frogboss frogmini granite-4.2 holo-3.1 inclusionai/vista intellect-3 intern-s2 iquest-coder k-exaone-2
    kat-coder kat-dev keural-nova macaron-*-tall minicpm-robotmanip minicpm-v-4.5 minicpm-v-4.6 minicpm-v4.5
    minicpm-v4.6 nanbeige4 nex-n2 nvidia/ising nvidia/nl-diffusion omnicoder ornith osunlp/quest
    primeintellect/qwen3 procreations/grug qwable qwen-agentworld qwen3-coder qwen3.5 qwen3.6 qwen3.7 qwen3.8
    qwenpaw qwythos rio-3.2 t-tech/t-search tiny-nemotronhforcausallm tmax trinity-large-thinking
    unipatai/unimath xyzailab/xyz-aquila *-jitna-guardian *-nemotron-*-120b *-nemotron-*-30b *-nemotron-*-550b
    *-nemotron-3 *-nemotron-3.5 *-nemotron-cascade-2 *-nemotron-labs *-nemotron-nano-3 *-nl-diffusion-image
    *-sing-guard-0.8b *-sing-guard-nsfa
    """.split(),  # noqa: SIM905  # so many names
)

FORMATS = (
    # Hermes 2 writes `arguments` first; Ollama's older templates put all calls into one wrapper. {call} reads both.
    # Hermes 2 Theta writes the marker of a turn for that of a call.
    Format(
        "hermes",
        call="<tool_call>\n{call}\n</tool_call>",
        also=("<|im_start|>\n{call}\n<|im_start|>",),
        separator="\n",
        reasoning=THINK,
        # OpenThinker; EXAONE Deep
        reasonings=(("<|begin_of_thought|>", "<|end_of_thought|>"), ("<thought>", "</thought>"), *THOUGHTS),
        drop=(*CHATML, "<|eot_id|>", "[|endofturn|]", "[|assistant|]"),
        aliases=(
            *("qwen", "qwen25", "qwen2.5", "qwen3", "qwen3-json", "trinity", "exaone4", "qwen3-thinking"),
            *("qwen3-vl-instruct", "qwen3-vl-thinking", "holo2", "hermes-2-pro", "hermes3", "qwen2d5"),
            *("qwen3-next", "qwen-qwq", "json-tools", "tng", "tng-r1t2", "kolibri1", "exaone-moe", "k-exaone"),
            *("qwen3-moe", "qwen3-vl", "iquest-coder-v1", "youtu"),
        ),
        models=HERMES_MODELS,
        source="chat templates of NousResearch/Hermes-2-Pro-Llama-3-8B, Qwen/Qwen2.5-7B-Instruct and Qwen/Qwen3-0.6B",
    ),
    # Models forget the wrapper, or its opener alone, and fall back to the JSON of Qwen3; templates that are given JSON
    # write it between the tags of the function.
    Format(
        "qwen3-coder",
        call="<tool_call>\n" + CODER_CALL + "\n</tool_call>",
        also=(
            CODER_CALL + "\n</tool_call>",
            *("<function={name}/>", "<tool_call>\n<function={name}/>\n</tool_call>"),
            "<tool_call>\n<function={name}>\n{arguments}\n</function>\n</tool_call>",
            "<tool_call>\n" + CODER_CALL + "\n</function_invocation>\n</tool_call>",
            "<tool_call>\n{call}\n</tool_call>",
        ),
        separator="\n",
        parameter=CODER_PARAMETER,
        reasoning=THINK,
        drop=CHATML,
        aliases=(
            *("qwen3-xml", "qwen3.5", "ornith", "nanbeige", "minicpmv", "nemotron-3", "nemotron-v3"),
            *("nemotron-3-nano", "nemotron-3.5-nano", "granite-thinking-parser", "qwen-coder", "qwen-xml"),
            *("interns2-preview", "nemotron-nano", "nano-v3", "berrylm", "iquest-coder", "qwen3-tagged"),
        ),
        models=CODER_MODELS,
        source="chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct, Qwen/Qwen3.5-4B, nvidia/Nemotron-3-Nano-30B-A3B",
    ),
    # One line, and values verbatim: a line break next to a value belongs to it.
    Format(
        "mimo",
        call="<tool_call>{ws}<function={name}>{parameters}</function>{ws}</tool_call>",
        also=(
            "<function={name}>{parameters}</function>{ws}</tool_call>",
            "<tool_call>\n{call}\n</tool_call>",  # the template of MiMo-V2-Flash-Base
        ),
        separator="\n",
        parameter="<parameter={key}>{value}</parameter>",
        reasoning=("<think>", "</think>"),
        drop=CHATML,
        aliases=("xiaomi-mimo",),
        models=("mimo-v2",),
        source="vLLM 0.33, parser mimo; SGLang 0.5.23, detector mimo (XiaomiMiMo/MiMo-V2-Flash)",
    ),
    # The template writes values without line breaks, the models with them.
    Format(
        "seed-oss",
        call="<seed:tool_call>\n" + CODER_CALL + "\n</seed:tool_call>",
        also=(CODER_CALL + "\n</seed:tool_call>",),
        separator="\n",
        parameter=CODER_PARAMETER,
        reasoning=("<seed:think>", "</seed:think>"),
        drop=("<seed:eos>", "<seed:bos>assistant\n"),
        models=("seed-oss", "seed-36b"),
        source="chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
    ),
    # Doubao Seed 2.0 puts the tags of other families into its own.
    Format(
        "doubao-seed",
        call='<seed:tool_call>\n<function name="{name}">\n{parameters}</function>\n</seed:tool_call>',
        separator="\n",
        parameter=tuple(
            f'<parameter name="{{key}}"{typed}>{{value}}</parameter>\n' for typed in (' string="{type}"', "")
        ),
        types={"string": "true", "*": "false"},
        source="issue threads: Doubao Seed 2.0",
    ),
    Format(
        "longcat",
        call="<longcat_tool_call>\n{call}\n</longcat_tool_call>",
        also=("<longcat_tool_call>{ws}{name}\n{parameters}</longcat_tool_call>",),
        separator="\n",
        parameter=(
            "<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n",
            "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
        ),
        reasoning=("<longcat_think>\n", "\n</longcat_think>"),
        drop=("</longcat_s>",),
        aliases=("longcat-flash-lite",),
        models=("longcat",),
        source="vLLM 0.33, parser longcat (meituan-longcat/LongCat-Flash-Chat)",
    ),
    # Reasoning has no opener of its own that is certain: the prompt ends with "Here are my reasoning steps:\n".
    Format(
        "apriel",
        call="<tool_calls>{calls}</tool_calls>",
        reasoning=("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n"),
        reasonings=(("<thinking>", "</thinking>"),),
        drop=("[END FINAL RESPONSE]", "<|begin_assistant|>", "<|end|>"),
        aliases=("apriel-1.5",),
        models=("apriel", "*-apriel-nemotron"),
        source="chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker and Apriel-1.6-15b-Thinker",
    ),
)
