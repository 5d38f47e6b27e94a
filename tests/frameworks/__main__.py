# The table of frameworks.
# Does not depend on what is run.
#
#   python -m tests.frameworks
"""What each framework makes of a server that leaks: directly, with the transport, and behind the proxy."""

from __future__ import annotations

import logging
import sys
import warnings
from importlib.metadata import packages_distributions, version

from tests.frameworks.runs import WAYS, cases, run, servers
from tests.frameworks.ways import FRAMEWORKS, installed


def main() -> int:
    """Print the table. 1 if a tool did not run behind the transport or the proxy."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    wrong = 0
    print("| framework | API | answers | directly | transport | proxy |\n|---|---|---|---|---|---|")
    with servers() as among:
        for name, api, stream in cases():
            cells = []
            for way in WAYS:
                found = run(name, way, api, stream=stream, among=among)
                told = "both tools ran, answered" if found.right else f"{len(found.calls)} tools ran"
                if way != "direct" and not found.right:
                    wrong += 1
                    told += f" ({found.results} results): {found.answer[:120]!r}"
                cells.append(told)
            print(f"| {name} | {api} | {'streamed' if stream else 'whole'} | {' | '.join(cells)} |", flush=True)
    distributions = packages_distributions()
    for name, framework in FRAMEWORKS.items():
        top = framework.module.partition(".")[0]
        shown = ", ".join(f"{each} {version(each)}" for each in sorted(set(distributions.get(top, ()))))
        print(f"{name}: {shown if installed(framework) else 'not installed'}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
