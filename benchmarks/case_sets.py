# The case sets of two other projects as files of cases for the conformance kit. Neither is part of a package, so that
# neither is fetched or run by a session here: whoever has a checkout names it. Does not depend on how cases are judged.
#
#   Dynamo       tests/parity/parser/fixtures/FAMILY/PARSER.*.yaml: a text, the tools, and what each engine answers.
#                Dynamo's answer is expected. Where the others differ, the case is policy, their calls are sound too,
#                and content is not judged. Needs PyYAML
#   bellwether   fixtures/SLUG/parse/*.jsonl, which Symphony's tests read: the output of a checkpoint's
#                template, and the message that it was rendered from. `bellwether unpack` unpacks those that end in .zst
#
# A package can add each as a set of its own with an entry point of the group `toolglean.kit.conformance` that is one of
# the two functions: they read the folder in TOOLGLEAN_DYNAMO or TOOLGLEAN_BELLWETHER.
"""`python -m benchmarks.case_sets dynamo|bellwether FOLDER FILE.jsonl`: other projects' cases, for `--cases`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolglean import Format, ToolgleanError
from toolglean.formats.registry import find_format

__all__ = ["READERS", "bellwether", "bellwether_cases", "dynamo", "dynamo_cases", "main"]

Row = dict[str, Any]


def dynamo_cases(folder: Path) -> Iterator[Row]:
    """The cases of Dynamo's corpus; those that Dynamo itself has no answer to are left out."""
    import yaml  # type: ignore[import-untyped, unused-ignore]  # noqa: PLC0415  # only this reader needs it

    for path in sorted(folder.glob("*/PARSER.*.yaml")):
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        declared = find_format(str(found["family"]))
        for name, case in found["cases"].items():
            own, given = case["expected"].get("dynamo"), [*case["expected"].values()]
            answers = [each for each in given if isinstance(each, Mapping) and "calls" in each]
            if own not in answers or not isinstance(case.get("model_text"), str):
                continue
            agreed = len(answers) == len(given) and len({each.get("normal_text") for each in answers}) == 1
            yield {
                "schema": 2,
                "id": f"dynamo/{path.parent.name}/{name}",
                "kind": str(name).rpartition(".")[0] or "batch",
                "text": case["model_text"],
                "tools": [{"type": "function", "function": each} for each in case.get("tools") or ()],
                "expected": {
                    "calls": own["calls"],
                    "content": own.get("normal_text") if agreed else None,
                    "reasoning": None,
                },
                "tier": "core" if agreed else "policy",
                "question": None if agreed else "engines",
                "also_sound": [each["calls"] for each in answers if each["calls"] != own["calls"]],
                "format": declared.name if declared is not None else None,
                "source": f"ai-dynamo/dynamo, {path.parent.name}/{path.name}",
                "license": "Apache-2.0",
            }


def bellwether_cases(folder: Path) -> Iterator[Row]:
    """The cases of one checkpoint of bellwether's, whose folder is named by it."""
    declared = _format_of(folder.name)
    for path in sorted((folder / "parse").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            message, text = found["reference"]["message"], found["reference"]["text"]
            head, closes, _ = text.partition("</think>")
            calls = [each["function"] for each in message.get("tool_calls") or ()]
            yield {
                "schema": 2,
                "id": f"bellwether/{found['id']}",
                "kind": path.stem,
                "text": text,
                "tools": (found.get("request") or {}).get("tools") or [],
                "expected": {
                    "calls": [{"name": each["name"], "arguments": json.loads(each["arguments"])} for each in calls],
                    "content": message.get("content") or "",
                    "reasoning": message.get("reasoning_content") or "",
                },
                "tier": "core",
                "format": declared,
                "start": "reasoning" if closes and "<think>" not in head else None,
                "source": f"smg-project/bellwether, {folder.name}/parse/{path.name}",
                "license": "as the sets that bellwether renders",
            }


def _format_of(model: str) -> str | None:
    try:
        return Format.from_model(model).name
    except ToolgleanError:
        return None


READERS: dict[str, Callable[[Path], Iterator[Row]]] = {"bellwether": bellwether_cases, "dynamo": dynamo_cases}


def dynamo() -> Path:
    """The file of the cases in the folder TOOLGLEAN_DYNAMO, for an entry point."""
    return _of_variable("dynamo")


def bellwether() -> Path:
    """The file of the cases in the folder TOOLGLEAN_BELLWETHER, for an entry point."""
    return _of_variable("bellwether")


def _of_variable(name: str) -> Path:
    folder = os.environ.get(f"TOOLGLEAN_{name.upper()}", "")
    if not folder:
        raise FileNotFoundError(f"TOOLGLEAN_{name.upper()} is not set; set it to the folder with the cases")
    return _write(READERS[name](Path(folder)), Path(tempfile.mkdtemp()) / f"{name}.jsonl")


def _write(rows: Iterable[Row], path: Path) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def main(arguments: list[str] | None = None) -> int:
    """Write the cases of a folder to a file. Returns 1 if there are none."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.case_sets", description=__doc__)
    options.add_argument("set", choices=sorted(READERS))
    options.add_argument("folder", type=Path)
    options.add_argument("output", type=Path)
    chosen = options.parse_args(arguments)
    count = len(_write(READERS[chosen.set](chosen.folder), chosen.output).read_text(encoding="utf-8").splitlines())
    print(f"{count} cases in {chosen.output}")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
