"""`toolglean inspect` and `toolglean fuzz`: a good, a lossy, a broken and a hostile template; `toolglean.kit.testing`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sources.test_infer import CASES, HEAD, PARAMETERS, chat, each
from tests.support import depth
from toolglean import Format
from toolglean.cli import main
from toolglean.kit.testing import RoundTrip, check_template

pytestmark = pytest.mark.usefixtures("few_signs", "rendered_here")

GOOD = chat(CASES["whole"][0])
LOSSY = chat(
    each("<go={{ c.function.name }}>" + PARAMETERS.replace("%s", "<p={{ k }}>{{ v }}</p>") + "</go>"), head=HEAD
)
BROKEN = "{% for m in messages %}{% if"
HOSTILE = (
    "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}{{ messages[0].tool_calls }}"
)
HUNGRY = "{{ 'a' * 10**9 }}{{ messages[0].tool_calls }}"
UNCLEAR = chat(
    each(
        '<go="{{ c.function.name }}">'
        + PARAMETERS.replace("%s", "<p={{ k }}>{{ v | upper if v is string else v }}</p>")
        + "</go>"
    )
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the template is written."""
    return tmp_path / "template.jinja"


def test_inspect(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD, encoding="utf-8")
    assert main(["inspect", str(file), "--examples", "3"]) == 0
    shown = capsys.readouterr().out
    for line in ("language    jinja", "format      inferred", "confidence  100%", 'call="<go>\\n{call}\\n</go>"'):
        assert line in shown


def test_inspect_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(LOSSY, encoding="utf-8")
    assert main(["inspect", str(file), "--json", "--examples", "3", "--no-recognition"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"]["parameter"] == ["<p={key}>{value}</p>"]
    assert Format.from_json(found["format"]).call == "<go={name}>{parameters}</go>"
    assert found["recognised"] is None
    assert 0.8 < found["confidence"] < 1
    assert any("None came back as 'None'" in line for line in found["losses"])


def test_inspect_a_config_and_a_modelfile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "tokenizer_config.json"
    config.write_text(json.dumps({"chat_template": GOOD, "eos_token": "<<end>>"}), encoding="utf-8")
    assert main(["inspect", str(config), "--examples", "2"]) == 0
    modelfile = tmp_path / "Modelfile"
    calls = '{{ range .ToolCalls }}<go>{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}</go>{{ end }}'
    modelfile.write_text(
        'FROM x\nTEMPLATE """{{ range .Messages }}<<{{ .Role }}>>{{ .Content }}'
        + calls
        + '<<end>>{{ end }}<<assistant>>"""\n',
        encoding="utf-8",
    )
    assert main(["inspect", str(modelfile), "--examples", "2"]) == 0
    assert "language    go" in capsys.readouterr().out


def test_a_tag_that_no_template_shows_is_not_shown_as_its_own(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # A template without calls had the tag '{', and so had one in Go whose calls begin with another marker.
    file.write_text("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}", encoding="utf-8")
    assert main(["inspect", str(file), "--examples", "2"]) == 1
    assert capsys.readouterr().out.split() == ["language", "jinja", "format", "none"]
    calls = "{{ range .ToolCalls }}[[do {{ .Function.Name }} {{ json .Function.Arguments }} done]]{{ end }}"
    file.write_text(
        f"{{{{ range .Messages }}}}<{{{{ .Role }}}}>{{{{ .Content }}}}{calls}</>{{{{ end }}}}", encoding="utf-8"
    )
    assert main(["inspect", str(file), "--examples", "2"]) == 0
    assert "\ntag         { (as Ollama reads it)\n" in capsys.readouterr().out


@pytest.mark.sampled(1, each="text")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ["inspect", "fuzz"])
@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (BROKEN, 2, "unexpected"),
        (HOSTILE, 1, "no format can be read"),
        (HUNGRY, 1, "no format can be read"),
        ("{}", 2, "no chat_template"),
        (UNCLEAR, 1, "probe"),
    ],
)
def test_refusals(
    command: str, text: str, code: int, words: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text, encoding="utf-8")
    begin = time.monotonic()
    assert main([command, str(file)]) == code
    assert time.monotonic() - begin < 20  # ten seconds, on a machine of its own
    assert words in capsys.readouterr().err


def test_a_refusal_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(UNCLEAR, encoding="utf-8")
    assert main(["inspect", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["format"] is None
    assert "probe" in found["reason"]


def test_fuzz_names_the_template_that_it_cannot_read(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # It advised to pass `format=` to a parser, but whoever fuzzes a template is writing it.
    file.write_text("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}", encoding="utf-8")
    assert main(["fuzz", str(file)]) == 1
    reason = "no format can be read from the template: probe 'one call' failed: it does not write tool calls"
    assert capsys.readouterr().err == f"toolglean: {file}: {reason}\n"


def test_fuzz(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD, encoding="utf-8")
    assert main(["fuzz", str(file), "--examples", "2"]) == 0
    assert "2 messages came back (inferred)" in capsys.readouterr().out


def test_the_name_of_a_loss_is_a_word_of_its_own(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # "several-callsthe template does not write more than 1 of 2 calls"
    file.write_text(GOOD.replace("m.tool_calls or []", "(m.tool_calls or [])[:1]"), encoding="utf-8")
    assert main(["fuzz", str(file), "--examples", "2"]) == 1
    assert "  several-calls the template does not write more than 1 of 2 calls" in capsys.readouterr().out


def test_fuzz_shows_the_smallest_example(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(chat(CASES["parameters"][0]).replace("else v | tojson", "else v"), encoding="utf-8")
    assert main(["fuzz", str(file), "--examples", "60", "--seed", "3", "--format", "hermes"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("difference  ")
    assert "turn\n" in shown
    assert "<go=" in shown


def test_check_template() -> None:
    examples = 20 if depth.is_full() else 2
    trip = check_template(GOOD, examples=examples, seed=1)
    assert trip.inference is not None
    assert trip.tried >= examples
    with pytest.raises(AssertionError, match="said: "):
        check_template(GOOD, format=Format("wrong", call="<no>{call}</no>"), examples=examples, seed=1)


def test_round_trip_reports_progress() -> None:
    told: list[int] = []
    trip = RoundTrip(GOOD)
    assert trip.find_failure(examples=3, seed=1, progress=told.append) is None
    assert told == list(range(1, trip.tried + 1))
    trip.close()


SWITCHED = GOOD.replace(
    "{% if add_generation_prompt %}<<bot>>\n",
    "{% if add_generation_prompt %}<<bot>>\n{% if thinking %}<mull>{% endif %}",
)


def test_what_a_template_is_given(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(SWITCHED, encoding="utf-8")
    for given, starts in (([], False), (["--set", "thinking=true", "--set", "enable_thinking=true"], True)):
        assert main(["inspect", str(file), "--json", "--examples", "2", *given]) == 0
        assert json.loads(capsys.readouterr().out)["starts_reasoning"] is starts
    assert main(["fuzz", str(file), "--examples", "2", "--set", "thinking=false", "--set", "name=some text"]) == 0
    turn = file.with_name("turn.txt")
    turn.write_text('<go>{"name": "f", "input": {}}</go>', encoding="utf-8")
    assert main(["parse", str(turn), "--template", str(file), "--set", "thinking=false"]) == 0
    capsys.readouterr()


def test_a_refused_template_is_reported_on_standard_error(file: Path) -> None:
    file.write_text(UNCLEAR.replace("go=", "gone="), encoding="utf-8")
    command = [sys.executable, "-m", "toolglean", "parse", "--template", str(file)]
    done = subprocess.run(command, input="Hello.", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "no format can be read from the template" in done.stderr
