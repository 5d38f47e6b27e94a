# What opens the model's own message at the end of a prompt, and what ends any message, in the chat templates that we
# know; and where in a prompt the model's message begins. Does not depend on how it is read.
#
# A prompt is often complete: instructions that show a call, tools, the user's words, results of tools. None of it was
# written by the model. Its own message begins after the last of these texts: after, because the texts themselves belong
# to the template; the last, because everything that others wrote comes before it. The families share their templates
# (Hermes's calls are written in ChatML, in Llama's and in Mistral's headers), so the table is one for all formats.
"""Where the model's own text begins in a prompt."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from toolglean.formats.spec import Format, Literal, tokens_of

__all__ = ["ENDS", "HEADERS", "beginnings", "own_part"]

HEADERS = (
    # ChatML and its kin
    *("<|im_start|>assistant", "<|im_assistant|>assistant<|im_middle|>", "<seed:bos>assistant", "<|BOT|>assistant"),
    *("<|start|>assistant", "<|begin|>assistant", "<|begin_assistant|>", "<|assistant_start|>", "<|message_model|>"),
    *("<|start_header_id|>assistant<|end_header_id|>", "<|header_start|>assistant<|header_end|>", "<|from|>assistant"),
    *("<|start_of_role|>assistant<|end_of_role|>", "assistant<|role_sep|>", "<beginning_of_sentence>ai name=assistant"),
    *("<|assistant|>", "<|Assistant|>", "[|assistant|]", "<assistant>", "<start_assistant>", "<role>ASSISTANT</role>"),
    *("<|model|>", "<start_of_turn>model", "<|turn>model", "<|CHATBOT_TOKEN|>", "<|Bot|>", "<|bot|>", "<_bot>"),
    *("<｜Assistant｜>", "<｜hy_Assistant｜>", "<｜hy_Assistant:opensource｜>", "]~b]ai", "<#bot#>", "<s>bot", "<AI>"),
    *("<extra_id_1>Assistant", "<SPECIAL_11>Assistant", "<sep>assistant:", "<|answer|>", "<reserved_107>", "[RESP]"),
    *('<|open|>message role="assistant"<|sep|>', "<|plamo:begin_message:plamo|>assistant", "Source: assistant"),
    # what precedes an answer without naming a role: the end of the user's message, or of a tool's result
    *("[/INST]", "[/TOOL_RESULTS]", "<tool_response|>", "<｜tool▁outputs▁end｜>", "<｜tool▁output▁end｜>"),
    *("</function_results>", "<end_function_response>", "<｜tool_outputs_end｜>", "</tool_response>", "</tool_result>"),
    *("</tool_results>", "</tool_output>", "<|tool_response_end|>", "<|tool_response:end|>", "<|END_TOOL_RESULT|>"),
    *("</TOOL_RESPONSE>", "</tool_response:opensource>", "</tool_responses:opensource>"),
    # words at the beginning of a line
    *("\n### Response", "\n###Response", "\n@@ Response", "\n### Assistant", "\n###Assistant", "\n>>> Assistant:"),
    *("\nAssistant:", "\nASSISTANT:", " ASSISTANT:", "Correct Assistant:", "\n<|Assistant|>:", "\nFalcon:"),
    *("\nAnswer:", "\nAI:", "\nBot:", "\n答："),
)
"""Texts that open the model's message."""

ENDS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|eot|>", "<|eom|>", "<|EOT|>"),
    *("<|end|>", "<|return|>", "<|call|>", "<|end_of_turn|>", "<|END_OF_TURN_TOKEN|>", "<end_of_turn>", "<turn|>"),
    *("<｜end▁of▁sentence｜>", "<|end_of_sentence|>", "<end_of_sentence>", "</s>", "</longcat_s>", "[EOS]", "<eos>"),
    *("<|user_end|>", "<|system_end|>", "<|assistant_end|>", "<|developer_end|>", "[|endofturn|]", "<|role_end|>"),
    *("<seed:eos>", "[e~[", "<|message_sep|>", "<|end_message|>", "<|end_of_msg|>", "<|plamo:eos|>", "<|eos|>"),
    *("<end_message>", "<end_of_utterance>", "<｜hy_eos｜>", "<｜hy_eos:opensource｜>", "<|stop|>", "<bot_end>"),
    *("<|endofassistant|>", "<|endofuser|>", "<|endofsystem|>", "</user>", "</assistant>"),
)
"""Texts that end a message of any role."""


def own_part(prompt: str, marks: Iterable[str], formats: Iterable[Format] = ()) -> str | None:
    """The model's own message in a prompt: everything after the last of the marks; None if there is none of them.

    Args:
        prompt: the prompt, or its end.
        marks: texts that open the model's message, or end another.
        formats: the formats that will be read. If a mark ends with the beginning of what one of them writes
            (functionary's prompt ends with `>>>`, harmony's with the header of the model's message), that beginning is
            kept.
    """
    found = [(prompt.rfind(each), each) for each in marks]
    end, mark = max(((place + len(each), each) for place, each in found if place >= 0), default=(-1, ""))
    return None if end < 0 else prompt[end - _begun(mark, tuple(formats)) :]


@lru_cache(maxsize=512)
def _begun(mark: str, formats: tuple[Format, ...]) -> int:
    # How many characters at the mark's end may be the beginning of what is read.
    openers = {each for declared in formats for each in beginnings(declared)}
    stripped = mark.rstrip()
    sizes = (size for opener in openers for size in range(2, len(opener) + 1) if stripped.endswith(opener[:size]))
    most = max(sizes, default=0)
    return most + len(mark) - len(stripped) if most else 0


@lru_cache(maxsize=512)
def beginnings(declared: Format) -> tuple[str, ...]:
    """The literals with which a format's calls, sections, reasoning and content begin."""
    patterns = [*declared.calls, *declared.content_markers]
    patterns += [opener for opener, _ in (*declared.all_sections, *declared.all_reasonings)]
    firsts = [next(iter(tokens_of(pattern)), None) for pattern in patterns]
    return tuple(dict.fromkeys(each.text for each in firsts if isinstance(each, Literal)))
