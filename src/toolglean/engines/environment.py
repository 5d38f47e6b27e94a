# How the plugins of engines get the options of their parsers, for which an engine has no flags.
# Does not depend on any engine.
"""The options of a plugin's parsers, from the environment of the server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from toolglean.errors import UsageError
from toolglean.options import WORDS, ParserOptions

__all__ = ["VARIABLES", "options_from_environment"]

CHOICES = {f"TOOLGLEAN_{name.upper()}": name for name in WORDS}
SWITCHES = {"TOOLGLEAN_NO_REPAIR": ("repair", False), "TOOLGLEAN_STRICT_FORMAT": ("strict", True)}
VARIABLES = (*CHOICES, *SWITCHES)
"""The variables: `TOOLGLEAN_` and the name of the option on the command line."""
OFF = frozenset({"", "0", "false", "no", "off"})
ON = frozenset({"1", "true", "yes", "on"})


def options_from_environment(environment: Mapping[str, str] | None = None) -> ParserOptions:
    """The options that these variables set; those that are missing or empty have their default.

    Args:
        environment: the variables; None: those of this process.

    Raises:
        UsageError: a variable has a value that its option does not have.
    """
    given = os.environ if environment is None else environment
    options: dict[str, Any] = {option: given[name] for name, option in CHOICES.items() if given.get(name)}
    for name, (option, value) in SWITCHES.items():
        written = given.get(name, "").strip().lower()
        if written not in ON | OFF:
            raise UsageError(f"{name}={given[name]!r:.80} is not valid: set it to 1, or to 0")
        if written in ON:
            options[option] = value
    try:
        return ParserOptions(**options)
    except UsageError as error:
        raise UsageError(f"in the environment (TOOLGLEAN_...): {error}") from error
