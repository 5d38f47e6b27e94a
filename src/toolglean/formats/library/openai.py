# What OpenAI's open models write, and those that took over their messages.
"""Harmony (gpt-oss, LLM-jp), Beam."""

from __future__ import annotations

from toolglean.formats.spec import Format, JsonOrText

HEADER = "<|start|>assistant"
SPACED_HEADER = "<|start|> assistant"
# What is between the channel and the text: nothing, white space, the kind of an answer in JSON, or its reader.
TAILS = (
    *("\n", " code\n", " to=user\n"),
    *(f" {constrain}{kind}\n" for constrain in ("<|constrain|>", "") for kind in ("json", "JSON", "text")),
)
CONTENT_MARKERS = (
    HEADER,
    *("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
    *(f"<|channel|>{channel}{tail}<|message|>" for channel in ("final", "commentary") for tail in TAILS),
    *(f"<|channel|>commentary to=assistant{header}<|message|>" for header in ("\n", "<|channel|>final")),
)
HEADERS = ("<|start|>", "<|channel|>")
ENDS = ("<|end|>", "<|return|>", "<|call|>")
CHANNELS = ("commentary", "analysis")
BODY = "<|message|>{arguments}<|call|>"
# Muse's reasoning: its header begins as that of a call does here.
MUSE_END = "<|eom|>"
TO_SELF = tuple((f"{header} to=self<|message|>", MUSE_END) for header in (HEADER, ""))
JSON_KINDS = (" <|constrain|>json", "<|constrain|>json", " json", " ", "")
KINDS = (*JSON_KINDS, " code", " <|constrain|>code", " python", " <|constrain|>python")  # to `python`, the text is code
# A blank comes before the kind: without one, `shelljson` would be two words, and might be the name of another tool.
WITHOUT_SPECIAL_TOKENS = (
    *("assistant to=functions.{name} commentary json{arguments}", "to=functions.{name} commentary json{arguments}"),
    *("assistant commentary to=functions.{name}{_}json{arguments}", "commentary to=functions.{name}{_}json{arguments}"),
    # The channel's name, once more before the header.
    *(f"commentary{{ws}}<|channel|>commentary to=functions.{{name}}{kind}{BODY}" for kind in JSON_KINDS),
)
# Between two calls: the next message's header, whole or without its first token. The recipient may be in the role.
LEADS = (HEADER, "assistant")
# In the middle of the text too: after a channel's name, which is glued to the text before.
GLUED = ("to=functions.{name}{_}json{arguments}", "to=functions.{name}{_}code{arguments}")


def _recipients() -> tuple[str, ...]:
    # The recipient is after the channel, or in the message's role before it; `functions.` is left out by some.
    after = [f"<|channel|>{channel} to={{to}}{kind}" for channel in CHANNELS for kind in KINDS]
    before = [f" to={{to}}{{ws}}<|channel|>{channel}{kind}" for channel in CHANNELS for kind in KINDS]
    alone = [f" to={{to}}{kind}" for kind in KINDS]  # and some leave out the channel
    twice = [f"<|channel|>commentary to={{to}}{{ws}}<|channel|>commentary{kind}" for kind in JSON_KINDS]
    return tuple(
        each.format(to=to, ws="{ws}") + BODY
        for to in ("functions.{name}", "{name}")
        for each in after + before + alone + twice
    )


# A header with its recipient in the role: as part of the call, because LLM-jp's own calls begin so too, and among all
# formats a turn must not count as theirs alone.
HEADED = tuple(
    f"{HEADER} to={to}{{ws}}<|channel|>{channel}{kind}" + BODY
    for to in ("functions.{name}", "{name}")
    for channel in CHANNELS
    for kind in (" <|constrain|>json", "")
)

# The same, with a line break before the text; and with the recipient behind the kind.
BROKEN = tuple(
    f"<|channel|>commentary{header}{BODY}"
    for kind in JSON_KINDS[:2]
    for header in (f" to=functions.{{name}}{kind}\n", f" to={{name}}{kind}\n", f"{kind} to=functions.{{name}}")
)

FORMATS = (
    Format(
        "harmony",
        call=_recipients()[0],
        also=(*_recipients()[1:], *HEADED, *BROKEN, *GLUED),
        without_special_tokens=WITHOUT_SPECIAL_TOKENS,
        leads=LEADS,
        separator=HEADER,
        arguments=JsonOrText(),
        reasoning=("<|channel|>analysis<|message|>", "<|end|>"),
        reasonings=(*((f"<|channel|>analysis{tail}<|message|>", "<|end|>") for tail in TAILS), *TO_SELF),
        content_markers=CONTENT_MARKERS,
        headers=HEADERS,
        drop=(*("<|start|>", *ENDS, MUSE_END), *("<|channel|>final", "<|channel|>commentary to=assistant")),
        aliases=("openai", "gpt-oss", "gptoss", "gpt-oss-harmony", "openai-gptoss"),
        models=(
            *("gpt-oss", "gptoss", "fare-20b", "hypernova-60b", "optimind", "schgen"),
            *("internvl-3.5-gpt-oss", "atom-electron"),
        ),
        source="chat template of openai/gpt-oss-120b; https://github.com/openai/harmony",
    ),
    # A space after each special token, and calls in parallel.
    Format(
        "llm-jp-harmony",
        call=(
            f"{SPACED_HEADER} to=functions.{{name}}<|channel|> commentary <|constrain|> json<|message|> {{arguments}}"
            "<|end|>"
        ),
        also=(
            *(
                f"to={to}<|channel|> {channel}{kind}<|message|> {{arguments}}<|end|>"
                for to in ("functions.{name}", "{name}")
                for channel in CHANNELS
                for kind in (" <|constrain|> json", "")
            ),
            *_recipients(),  # its template writes no such spaces
        ),
        arguments=JsonOrText(),
        leads=("assistant",),
        reasoning=("<|channel|> analysis<|message|> ", "<|end|>"),
        reasonings=(("<|channel|>analysis<|message|>", "<|end|>"), *TO_SELF),
        calls_in_reasoning=False,
        content_markers=(
            *(SPACED_HEADER, "<|channel|> final<|message|>", "<|channel|> commentary<|message|>"),
            *("<|channel|>final<|message|>", "<|channel|>commentary<|message|>"),
        ),
        drop=("<|start|>", *ENDS, MUSE_END),
        models=("llm-jp-4",),
        source="llama.cpp b11549, common/parsers/llm-jp-harmony.cpp",
    ),
    Format(
        "beam",
        call=HEADER + " to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",
        also=("to={name}<|channel|>analysis <|constrain|>xml<|message|>{parameters}<|call|>",),
        parameter='<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>\n',
        reasoning=("<|channel|>analysis<|message|>", "<|end|>"),
        reasonings=TO_SELF,
        content_markers=CONTENT_MARKERS,
        headers=HEADERS,
        drop=("<|start|>", *ENDS, MUSE_END),
        source="vLLM 0.33, parser beam",
    ),
)
