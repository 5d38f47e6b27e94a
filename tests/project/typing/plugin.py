# A user's program, for the type checkers only: an engine of one's own that reads turns with toolglean. Never run.
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""A plugin of an engine."""

from collections.abc import Iterator
from typing import Any, assert_type

from toolglean import Format, Quoted, ToolSet
from toolglean.engines.names import format_of, parser_names
from toolglean.engines.reading import ToolCallDelta, TurnDelta, TurnReader
from toolglean.engines.syntax import ModelSyntax, model_syntax, tools_of
from toolglean.formats import register

NOVA = Format("nova", call="@call {name} {arguments}", arguments=Quoted("~"), reasoning=("<t>", "</t>"))
register(NOVA)


class NovaParser:
    """Reads the turns of one request."""

    def __init__(self, flag: str, template: str, tools: list[dict[str, Any]]) -> None:
        self.syntax: ModelSyntax = model_syntax(format_of(flag), "nova-7b", template)
        found = tools_of(tools)
        assert_type(found, ToolSet | None)
        self.reader = TurnReader(self.syntax, found, prompt="<t>", single_call=True)

    def deltas(self, texts: list[str]) -> Iterator[TurnDelta]:
        """What the engine sends."""
        for text in texts:
            delta = self.reader.feed(text)
            assert_type(delta.calls, list[ToolCallDelta])
            if delta:
                yield delta
        yield self.reader.finish()


assert_type(parser_names(), tuple[str, ...])
for delta in NovaParser("toolglean-nova", "", []).deltas(["text"]):
    assert_type([call.arguments for call in delta.calls], list[str])

TurnReader("nova")  # type: ignore[arg-type]
Format("nova", calls="@call")  # type: ignore[call-arg]
