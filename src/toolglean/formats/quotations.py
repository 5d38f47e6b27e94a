# The markers around a tool's result, the headers of messages that the model does not write, and the tags around a
# parameter, in the chat templates that we know. Does not depend on how they are read (engine/page/table.py).
#
# Results and headers are written by others. A model that writes them makes up a tool's answer, or the user's next
# message; a call in there is part of that text. The families share their templates, so the tables are one for all
# formats. They were collected from the chat templates of the families in this library (for `HEADERS`, the model's own,
# see headers.py).
"""Markers of text that is not the model's own message, or a value outside a call."""

from __future__ import annotations

__all__ = [
    "MADE_UP", "MESSAGE_ENDS", "OTHERS", "PARAMETER_PAIRS", "PARAMETER_PREFIXES", "RESULTS", "ROLES", "ROLE_HEADERS",
    "USERS",
]  # fmt: skip

# The words for a result, in tags: families write some of them, and models others.
_RESULT_TAGS = tuple(
    (f"<{of}{sign}{word}{several}>", f"</{of}{sign}{word}{several}>")
    for sign in "_-"
    for of in ("tool", "function", f"tool{sign}call", f"function{sign}call")
    for word in ("response", "result", "output")
    for several in ("", "s")
)

RESULTS = (
    # Hermes, Qwen, GLM 4.7, EXAONE 4, Reka; Hunyuan; Anthropic's markup, DeepSeek V3.2 and V4, Spark, Cogito, Step
    ("<tool_response:opensource>", "</tool_response:opensource>"),
    ("<tool_responses:opensource>", "</tool_responses:opensource>"),
    ("<TOOL_RESPONSE>", "</TOOL_RESPONSE>"),
    ("<|tool_response_start|>", "<|tool_response_end|>"),  # LFM2
    ("<|tool_response:begin|>", "<|tool_response:end|>"),
    ("<|tool_response:start|>", "<|tool_response:end|>"),
    ("<|tool_response>", "<tool_response|>"),  # Gemma 4
    ("<start_function_response>", "<end_function_response>"),  # FunctionGemma
    *_RESULT_TAGS,
    *(
        (f"<{of}_{word}>", f"</{of}_{word}>")
        for of in ("dots_function", "longcat_tool", "iquest_tool")
        for word in ("response", "result")
    ),
    ("<ifm|tool_result>", "</ifm|tool_result>"),  # K2 Horizon
    *(
        (f"<{word}>", f"</{word}>")
        for word in (
            "observation",
            "Observation",
            "OBSERVATION",
            "tool_use_result",
            "call_result",
            "result_record",
            "execution_result",
            "code_output",
        )
    ),
    ("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),  # Command A
    ("<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),  # DeepSeek V3
    ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
    ("<|tool▁outputs▁begin|>", "<|tool▁outputs▁end|>"),  # its bars in ASCII, as its calls are read
    ("<|tool▁output▁begin|>", "<|tool▁output▁end|>"),
    ("<｜tool_outputs_begin｜>", "<｜tool_outputs_end｜>"),  # Step 3
    ("<｜tool_output_begin｜>", "<｜tool_output_end｜>"),
    ("<|begin_tool_result|>", "<|end|>"),  # Apriel
    ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),  # Mistral
    *((f"[{word}]", f"[/{word}]") for word in ("TOOL_RESULT", "TOOL_OUTPUT", "TOOL_RESPONSE", "FUNCTION_RESULT")),
)
"""The texts before and after a tool's result."""

PARAMETER_PREFIXES = ("", "｜DSML｜", "｜DSML｜ ", "|DSML|", "｜GCML｜", "atem:", "rfl:", "steptml:")
"""What is before `parameter` and `invoke` in tags whose attribute is the key."""

PARAMETER_PAIRS = tuple(
    (f"{before}_key{behind}", f"{before}_value{behind}")
    for before, behind in (("arg", ""), ("param", ""), ("longcat_arg", ""), ("arg", ":opensource"), ("ifm|arg", ""))
)
"""The tags of a key, and of its value."""

OTHERS = (
    *("<|user|>", "<|User|>", "<｜User｜>", "[|user|]", "<|USER_TOKEN|>", "<｜hy_User｜>", "<｜hy_User:opensource｜>"),
    *("<|system|>", "<|System|>", "[|system|]", "<|SYSTEM_TOKEN|>", "<|im_user|>", "<|im_system|>", "<|message_user|>"),
    *("<|user_start|>", "<|system_start|>", "<|developer_start|>", "<|begin_user|>", "<|begin_system|>", "<|HUMAN|>"),
    *("<|Human|>", "<|prompter|>", "<|hy_User|>"),
    *("<|observation|>", "<|Tool|>", "[|tool|]", "<|function_output|>", "<|tool_result|>", "<start_user>"),
    *("<|tool_response|>", "<|tool_responses|>", "<|tool_results|>", "<|tool_output|>", "<|tool_outputs|>"),
    *("<start_system>", "<_user>", "<_system>", "<#user#>", "<#system#>", "<reserved_106>"),
    *(
        "[INST]",
        "[SYSTEM_PROMPT]",
        "<|prompt|>",
        "<|userprompt|>",
        "<|tool|>",
        "<|message_tool|>",
        "<|message_system|>",
    ),
    *("[Tool result:", "<end><User>", "<end><System>", "<|eos|><|startoftext|>"),
    *(f"[unused9]{role}：" for role in ("用户", "系统", "工具", "方法")),  # Pangu
    *("[e~[\n]~b]user", "[e~[\n]~b]tool", "[e~[\n]~b]system", "[e~[]~b]user", "[e~[]~b]tool", "[e~[]~b]system"),
    *('<|open|>message role="user"', '<|open|>message role="tool"', '<|open|>message role="system"'),
)
"""Complete headers of messages of others."""

ROLE_HEADERS = (
    *("<|im_start|>", "<|start_header_id|>", "<|header_start|>", "<|start_of_role|>", "<start_of_turn>", "<|turn>"),
    *("<|start|>", "<|begin|>", "<|from|>", "<seed:bos>", "<|BOT|>", "<role>"),
    *("<extra_id_1>", "<extra_id_0>", "<SPECIAL_10>", "<SPECIAL_11>", "<|plamo:begin_message:plamo|>"),
    "<beginning_of_sentence>",  # MiniMax M1
)
"""Texts after which a message's header names its role."""

MESSAGE_ENDS = (
    *("</s>", "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|end_of_sentence|>", "<|message_sep|>", "<|EOT|>"),
    *("<｜end▁of▁sentence｜>", "<|end_of_turn|>", "<end_of_turn>", "<|eot_id|>", "<|eom|>"),
)
"""Texts that end a message: in some templates the next one's role follows as text."""

ROLES = (
    *("user", "human", "system", "developer", "tool", "tools", "function", "functions", "ipython", "observation"),
    *("environment", "tool_response", "tool_result", "tool_results", "available_tools", "documents", "context"),
    *("tool_output", "function_output", "function result"),
)
"""Names of roles other than the model's own; templates write them in upper or lower case."""

USERS = ("user", "human", "### instruction", "### user", "### human", "@@ instruction", "GPT4 Correct User")
"""Those that count as text, too, with a colon or a line of their own: others are ordinary words."""

MADE_UP = (
    *("Observation:", "OBSERVATION:", "Output:", "<result>", "<results>", "<tools_output>", "<system-reminder>"),
    *("Human:", "User:", "USER:"),
)
"""With what a result, or a message, begins that a model makes up directly behind its call, whatever its family is. Text
that begins with another character belongs to the call, between markers (`f() or g()`): so no lower letter begins one.
"""
