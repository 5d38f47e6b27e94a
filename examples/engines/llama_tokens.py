"""llama-cpp-python in your own program: the events of a turn, with markers identified by token ids.

    llm = Llama("model.gguf", n_ctx=8192)
    for event in events(llm, messages, tools):
        print(event)

Needs `python -m pip install '.[jinja]' llama-cpp-python` in a checkout.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import islice
from typing import Any

from llama_cpp import Llama
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from toolglean import Event, Parser
from toolglean.engines import SpecialTokens


def events(
    llm: Llama, messages: list[Any], tools: list[Any], max_tokens: int = 1024, **options: Any
) -> Iterator[Event]:
    """Generate one turn, and read it. The options are those of `Llama.generate`, such as `temp` and `grammar`."""
    template, end = llm.metadata["tokenizer.chat_template"], llm.token_eos()
    prompt = Jinja2ChatFormatter(template, eos_token="", bos_token="")(messages=messages, tools=tools).prompt
    special = SpecialTokens.from_llama_cpp(llm)  # None: the file does not say which tokens are markers
    parser = Parser(tools, template=template, prompt=prompt, atomic=special and special.atomic)
    turn = special and special.turn()
    decoder = getincrementaldecoder("utf-8")(errors="replace")  # a token may write a part of a character
    for token in islice(llm.generate(llm.tokenize(prompt.encode(), special=True), **options), max_tokens):
        if token == end:
            break
        text = decoder.decode(llm.detokenize([token], special=True))
        yield from parser.feed(text, turn and turn.spans(text, [token]))
    yield from parser.feed(decoder.decode(b"", final=True))
    yield from parser.finish()
