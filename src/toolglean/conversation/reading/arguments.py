# From the arguments that a user gives to the reader of a turn, and the options that every client has by default: ids
# that no other turn has, and calls to unknown tools as text. Does not depend on how the turn is read.
"""The reader of a turn, from a user's arguments."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from toolglean.conversation.parsing import check_names
from toolglean.conversation.reading.counts import Counts
from toolglean.conversation.reading.reasoning_field import reader_of_reasoning
from toolglean.conversation.reading.text import Manner, Tools, TurnText
from toolglean.options import ParserOptions, changed, options_of
from toolglean.parser import Parser, ParserArguments

__all__ = ["TurnArguments", "text_for", "with_own_ids"]

OWN = ("whole_calls", "single_call", "counts", "drop_duplicates")


class TurnArguments(ParserArguments, total=False):
    """How a turn is read: the arguments of `toolglean.Parser` besides `tools`, and of `TurnText`.

    Attributes:
        whole_calls: whether a call is sent only once it has ended well, and in one piece. The text of a call that does
            not stays text. If False, calls are sent as they are written.
        single_call: whether only the first call is sent as a call; the text of the others stays text.
        legacy: in the chat API, whether calls go into `function_call`, for a request that has `functions`.
        counts: what was found is added to it.
    """

    whole_calls: bool
    single_call: bool
    legacy: bool
    counts: Counts | None


def text_for(tools: Tools, parsing: Mapping[str, Any]) -> TurnText:
    """The text of a turn of which nothing has been read yet.

    Args:
        tools: as for `toolglean.Parser`.
        parsing: as for `toolglean.Parser`; and what is in `OWN`, as for `TurnText`.

    Raises:
        What `Parser` raises.
    """
    own = {name: parsing[name] for name in OWN if name in parsing}
    chosen = with_own_ids(parsing.get("options"))
    asked = {name: value for name, value in parsing.items() if name not in own}
    check_names(asked)
    unknown = chosen.unknown_tools or "content"
    given = {**asked, "options": changed(chosen, unknown_tools=unknown)}
    field = reader_of_reasoning(tools, given)
    said = {name: value for name, value in own.items() if value is not None}
    manner = Manner(chosen.id_prefix or "", unknown_tools=unknown, reasoning=field, **said)
    return TurnText(Parser(tools, **given), manner)


def with_own_ids(given: ParserOptions | None) -> ParserOptions:
    """The options, with a prefix of ids that no other turn has, if none was chosen."""
    parsing = options_of(given)
    return changed(parsing, id_prefix=f"call_{uuid.uuid4().hex[:12]}_") if parsing.id_prefix is None else parsing
