# The optional packages that some logs need, and the error if they are missing.
"""Packages that are imported only for logs that need them."""

from __future__ import annotations

import importlib
from typing import Any

from toolglean._install import needs
from toolglean.batch.lines import InputError

__all__ = ["pyarrow", "zstd"]


def pyarrow(what: str) -> Any:
    """The package pyarrow, with `pyarrow.parquet`.

    Args:
        what: what needs it, for the message.

    Raises:
        InputError: it is not installed.
    """
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise InputError(needs(f"{what} needs pyarrow", "batch")) from error
    return importlib.import_module("pyarrow")


def zstd(what: str) -> Any:
    """The module `compression.zstd` of Python 3.14, or its backport for earlier versions.

    Args:
        what: what needs it, for the message.

    Raises:
        InputError: neither is installed.
    """
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise InputError(needs(f"{what}: zstd needs Python 3.14 or backports.zstd", "batch"))
