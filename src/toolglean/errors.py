# Every exception that toolglean raises, and who must fix what caused it.
#
# Model output never raises: what a model writes wrongly is a `Problem` event. These errors are about what the *user*
# gives: a template, a declaration, a document, an argument.
"""The errors of toolglean. All of them are a `ToolgleanError`."""

from __future__ import annotations

__all__ = [
    "FormatError",
    "MessageError",
    "TemplateError",
    "ToolError",
    "ToolgleanError",
    "UnfinishedCallError",
    "UsageError",
]


class ToolgleanError(Exception):
    """The base class of every error that toolglean raises on purpose."""


class UsageError(ToolgleanError, ValueError):
    """The caller broke a rule: a wrong argument, or `feed` after `finish`. Fix the calling code."""


class UnfinishedCallError(UsageError):
    """Raised when you read the arguments of a call that was cut off or is malformed. Execute only calls that are "ok".

    Attributes:
        name: the tool's name.
        status: the status of the call: "incomplete" or "malformed".
    """

    def __init__(self, name: str, status: str) -> None:
        super().__init__(name, status)
        self.name = name
        self.status = status

    def __str__(self) -> str:
        return (
            f"the call of {self.name!r} is {self.status}, so it has no arguments and must not be executed: "
            "execute only calls whose status is 'ok'; arguments_text has what the model wrote"
        )


class ToolError(ToolgleanError, ValueError):
    """A tool has no name, or does not have one of the accepted shapes. The message shows the value."""


class MessageError(ToolgleanError, ValueError):
    """A message cannot be read, or cannot be written in a wire format. The error names its place in the history."""


class FormatError(ToolgleanError, ValueError):
    """The declaration of a wire format is wrong. The message names the faulty field or marker."""


class TemplateError(ToolgleanError, ValueError):
    """A chat template cannot be read, or cannot be rendered with the given values. Correct it at the place shown.

    Attributes:
        reason: what is wrong, without the place.
        line: the line of the fault, counted from 1.
        column: the column of the fault, in characters, counted from 1; 0 if only the line is known, as for Jinja.
        text: the line itself, without its line break. `str(error)` shows it with a caret under the column.
    """

    def __init__(self, reason: str, line: int = 1, column: int = 1, text: str = "") -> None:
        super().__init__(reason, line, column, text)
        self.reason = reason
        self.line = line
        self.column = column
        self.text = text

    @classmethod
    def at(cls, reason: str, source: str, pos: int) -> TemplateError:
        """The error for the character at `pos` of `source`, with that reason."""
        pos = max(0, min(pos, len(source)))
        line = source.count("\n", 0, pos) + 1
        begin = source.rfind("\n", 0, pos) + 1
        end = source.find("\n", begin)
        text = source[begin:] if end == -1 else source[begin:end]
        return cls(reason, line, pos - begin + 1, text)

    def __str__(self) -> str:
        column = f", column {self.column}" if self.column else ""
        head = f"{self.reason} (line {self.line}{column})"
        if not self.text:
            return head
        # Of a very long line, only the part around the fault is shown. A tab stays one column wide.
        begin = max(0, self.column - 61)
        shown = self.text[begin : begin + 100].replace("\t", " ")
        caret = f"\n    {' ' * (self.column - 1 - begin)}^" if self.column else ""
        return f"{head}\n    {shown}{caret}"


def shown(value: object, limit: int = 80) -> str:
    """The value as a message shows it.

    Args:
        value: anything, even an object whose `repr` fails.
        limit: the most characters that are shown.
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # an object that cannot even be shown
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
