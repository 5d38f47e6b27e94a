"""Each program of examples/engines is short, and its page shows it as it is."""

from __future__ import annotations

import pytest

from tests.engines.programs import FOLDER

PAGES = {
    "litellm_hook.py": "litellm.md",
    "llama_handler.py": "llama-cpp-python.md",
    "llama_tokens.py": "llama-cpp-python.md",
    "mlx_server.py": "mlx-lm.md",
    "mlx_tokens.py": "mlx-lm.md",
    "transformers_streamer.py": "transformers.md",
}


def test_every_program_has_a_page() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == set(PAGES)


@pytest.mark.parametrize("program", PAGES)
def test_the_page_shows_the_program(program: str) -> None:
    text = (FOLDER / program).read_text(encoding="utf-8")
    page = (FOLDER.parents[1] / "docs" / "how-to" / PAGES[program]).read_text(encoding="utf-8")
    assert f"```py\n{text}```" in page
    assert len(text.splitlines()) <= 50
