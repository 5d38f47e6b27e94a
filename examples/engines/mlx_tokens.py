"""mlx-lm in your own program: the events of a turn while the model writes, with markers identified by token ids.

    model, tokenizer = mlx_lm.load("./Qwen3-Coder-30B-A3B-Instruct-4bit")
    for event in events(model, tokenizer, messages, tools):
        print(event)

Needs `python -m pip install '.[jinja]' mlx-lm` in a checkout.
"""

from collections.abc import Iterator
from typing import Any

from mlx_lm import stream_generate

from toolglean import Event, Parser
from toolglean.engines import SpecialTokens


def events(model: Any, tokenizer: Any, messages: list[Any], tools: list[Any], **generation: Any) -> Iterator[Event]:
    """Generate one turn, and read it. The options are those of `mlx_lm.stream_generate`, such as `max_tokens`."""
    prompt = tokenizer.apply_chat_template(messages, tools=tools, add_generation_prompt=True, tokenize=False)
    special = SpecialTokens.from_tokenizer(tokenizer)
    parser = Parser(tools, template=tokenizer.chat_template, prompt=prompt, atomic=special and special.atomic)
    turn = special and special.turn()
    for response in stream_generate(model, tokenizer, prompt, **generation):
        spans = turn and turn.spans(response.text, [response.token])
        yield from parser.feed(response.text, spans)
    yield from parser.finish()
