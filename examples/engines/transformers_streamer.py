"""A streamer for transformers: content, reasoning and calls while the model writes.

    streamer = CallStreamer(tokenizer, tools)
    model.generate(**inputs, streamer=streamer, max_new_tokens=1024)
    print(streamer.calls)

Needs `python -m pip install '.[jinja]' transformers torch` in a checkout.
"""

from typing import Any

from transformers import TextStreamer

from toolglean import Event, Parser, ToolCall, fold
from toolglean.engines import SpecialTokens


class CallStreamer(TextStreamer):
    """Reads what the model writes. For a batch of one; make a new one for each turn."""

    def __init__(self, tokenizer: Any, tools: list[Any], **parsing: Any) -> None:
        super().__init__(tokenizer, skip_prompt=True, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        special = SpecialTokens.from_tokenizer(tokenizer)
        parsing.setdefault("template", tokenizer.chat_template)  # or format="hermes", or model=...
        self.parser = Parser(tools, atomic=special and special.atomic, **parsing)
        self.turn = special and special.turn()
        self.ids: list[int] = []  # since the last text
        self.calls: list[ToolCall] = []

    def put(self, value: Any) -> None:
        if not self.next_tokens_are_prompt:
            self.ids += value.flatten().tolist()
        super().put(value)

    def on_finalized_text(self, text: str, stream_end: bool = False) -> None:  # noqa: FBT001, FBT002
        ids, self.ids = self.ids, []
        self.on_events(self.parser.feed(text, self.turn and self.turn.spans(text, ids)))
        if stream_end:
            self.on_events(self.parser.finish())

    def on_events(self, events: list[Event]) -> None:
        """Show the content, and keep the calls. Override it to do something else."""
        output = fold(events)
        print(output.content, end="", flush=True)
        self.calls += output.calls
