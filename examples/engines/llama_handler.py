"""A chat handler for llama-cpp-python: the calls that a model writes become tool calls, even in streams.

    llm = Llama("model.gguf", chat_handler=handler)

`tool_choice="required"`, or a tool by name, is enforced. Needs
`python -m pip install '.[jinja]' llama-cpp-python` in a checkout.
"""

from typing import Any

from llama_cpp import Llama, LlamaGrammar
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from toolglean import choose_format
from toolglean.clients.chat import dict_chunks, dict_completion
from toolglean.grammar import grammar_of


def handler(*, llama: Llama, stream: bool = False, grammar: Any = None, **asked: Any) -> Any:
    """Answer as the handler of the model's own template does, with calls as tool calls."""
    template = llama.metadata["tokenizer.chat_template"]
    end = llama.token_eos()
    specials = ([each] if each >= 0 else [] for each in (end, llama.token_bos()))  # -1: the model has none
    eos, bos = (llama.detokenize(each, special=True).decode() for each in specials)
    plain = Jinja2ChatFormatter(template, eos, bos, stop_token_ids=[end]).to_chat_handler()
    tools, choice = asked.get("tools"), asked.get("tool_choice") or "auto"
    if not tools or choice == "none":
        return plain(llama=llama, stream=stream, grammar=grammar, **asked)
    if choice != "auto":
        name = choice if isinstance(choice, str) else choice["function"]["name"]
        declared = choose_format(template=template).format
        grammar = LlamaGrammar.from_string(grammar_of(declared, tools, choice=name).gbnf())
        asked["tool_choice"] = None  # the other handler would ask for bare JSON
    answer = plain(llama=llama, stream=stream, grammar=grammar, **asked)
    return (dict_chunks if stream else dict_completion)(answer, tools, template=template, whole_calls=True)
