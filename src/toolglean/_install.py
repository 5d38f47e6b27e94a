# How a user gets an extra that is missing. The address comes from the installed package's
# metadata, which has it from pyproject.toml.
# Does not depend on which extras there are, or on what needs them.
"""How to install what is missing."""

from __future__ import annotations

__all__ = ["how_to_install", "needs"]

INDEX = "Package index"
"""The label under which `[project.urls]` names the project's page on a package index, once there is one."""


def needs(what: str, extra: str) -> str:
    """The message for a missing package.

    Args:
        what: what needs which package: "toolglean.clients.mcp needs mcp 2.3 or later".
        extra: the extra that installs it.
    """
    return f"{what}: {how_to_install(extra)}"


def how_to_install(extra: str, what: str = "it") -> str:
    """How to install an extra, or several with commas between them, which the message calls `what`."""
    urls = _urls()
    if INDEX in urls:
        return f"install {what} with python -m pip install 'toolglean[{extra}]'"
    source = urls.get("Repository")
    anywhere = f", or anywhere with python -m pip install 'toolglean[{extra}] @ git+{source}'" if source else ""
    return f"in a checkout, install {what} with python -m pip install '.[{extra}]'{anywhere}"


def _urls() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, metadata  # noqa: PLC0415  # slow, and only an error needs it

    try:
        found = metadata("toolglean").get_all("Project-URL") or []
    except PackageNotFoundError:  # run from the source
        return {}
    return {label: url for label, _, url in (each.partition(", ") for each in found)}
