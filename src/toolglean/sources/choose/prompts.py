# Where the model's own message begins in a prompt. Does not depend on how the prompt is read from there.
"""The model's own part of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglean.formats.spec import Format

__all__ = ["own_prompt"]

PROMPT_CHARS = 2048  # how much is read of the end of a prompt that does not show where the model's message begins


def own_prompt(prompt: str, found: Format | None, formats: tuple[Format, ...]) -> tuple[str, bool | None]:
    """The text after the header of the model's message, and after the last message of others.

    Args:
        prompt: the prompt, or its end.
        found: the format of the turn, with what is known of its template; None where it is detected from the turn.
        formats: what is read.

    Returns:
        That text, and True. If nothing shows where it begins: the prompt, and False; or if that is long its end, and
        None.
    """
    from toolglean.formats.headers import ENDS, HEADERS, own_part  # noqa: PLC0415  # only for those with a prompt
    from toolglean.formats.origin import ResponseTemplate  # noqa: PLC0415

    marks = found.origin.prompt_marks if found is not None else ()
    own = own_part(prompt, marks, formats)
    if own is not None:
        return own, True
    if found is not None and isinstance(found.reads, ResponseTemplate):
        from toolglean.sources.response import prompt_of  # noqa: PLC0415  # only those who have one pay for it

        own = prompt_of(found.reads.template, prompt)
    rest = prompt if own is None else own  # another's message may be after the last anchor, too
    declared = formats[0].drop if len(formats) == 1 and not _is_ours(formats[0]) else ()
    last = own_part(rest, (*HEADERS, *ENDS, *declared), formats)
    own = own if last is None else last
    if own is not None:
        return own, True
    return (prompt, False) if len(prompt) <= PROMPT_CHARS else (prompt[-PROMPT_CHARS:], None)


def _is_ours(declared: Format) -> bool:
    # Whether it is of the library: what ends a message there is known (headers.py), and not all that it drops does.
    from toolglean.formats.library import formats  # noqa: PLC0415

    return any(each.name == declared.name for each in formats())
