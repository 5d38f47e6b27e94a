# A stranger's template: whatever it does, the answer is back within ten seconds, within 500 MB, and nothing is left behind.
"""Tests of rendering in a child process."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support import depth
from toolglean.errors import FormatError, TemplateError, UsageError
from toolglean.sources.templates import process, renderer
from toolglean.sources.templates.infer import infer
from toolglean.sources.templates.infer.verify import FEWEST_SAMPLES
from toolglean.sources.templates.process import ChildTemplate
from toolglean.sources.templates.time_budget import TimeBudget

pytest.importorskip("jinja2")
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
USER = {"role": "user", "content": "hi é😀\u2028"}
SOURCE = Path(process.__file__).parents[3]

posix = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no `resource`: only the time of a template is limited"
)


def test_many_renderings_in_one_child() -> None:
    with renderer(
        "{{ messages[0].content }} {{ tools }} {{ x }} {{ strftime_now('%d') }}", untrusted=True, now=NOW
    ) as prompt:
        child = the_child(prompt)
        for at in range(50):
            assert prompt.render([USER], [{"a": 1}], x=at) == f"hi é😀\u2028 [{{'a': 1}}] {at} 15"
        assert the_child(prompt) is child
    assert child.poll() is not None


FILTERS = ("striptags", "wordwrap(1)", "urlize", "pprint", "tojson", "forceescape", "title")


@pytest.mark.parametrize("names", [[each] for each in FILTERS] if depth.is_full() else [FILTERS[::2], FILTERS[1::2]])
def test_filters_render_as_they_do_in_process(names: Sequence[str]) -> None:
    # What a filter loads when it is first used must have been loaded before no more files may be opened.
    source = " ".join("{{ '<b>x</b> &amp; www.example.org' | " + name + " }}" for name in names)
    with renderer(source, "jinja", now=NOW) as here, renderer(source, "jinja", untrusted=True, now=NOW) as there:
        assert there.render([USER]) == here.render([USER])


def test_errors_are_those_of_the_same_process() -> None:
    with renderer("a\n{% if x %}{{ x.y.z }}{% endif %}{{ raise_exception('no') }}", untrusted=True) as prompt:
        for x, reason in ((0, "raised by the template: no"), (1, "UndefinedError")):
            with pytest.raises(TemplateError, match=reason) as caught:
                prompt.render([USER], x=x)
            assert caught.value.line == 2
            assert caught.value.text.startswith("{% if x %}")
    with pytest.raises(TemplateError, match="Unexpected end of template"):
        renderer("{% if a %}", untrusted=True)


# Each with a part of the reason, "" where it may as well succeed. `|` parts alternatives: memory and time race.
TIME, MEMORY = "takes longer than", "MiB of memory|runs out of memory|process died|takes longer"
HOSTILE = {
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}": TIME,
    "{% for i in range(10**9) %}x{% endfor %}": "Range too big",
    "{{ 'a' * 10**9 }}": "would create more than",
    "{{ 9 ** (9 ** 9) }}": "would create a number",
    "{% macro f(x) %}{{ f(x) }}{{ f(x) }}{% endmacro %}{{ f(1) }}": "nested too deeply",
    "{% set ns = namespace(x='aaaaaaaaaa') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}": MEMORY,
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}": MEMORY,
    "{{ '%1000000000d' % 1 }}": MEMORY,
    "{{ 'a'|center(10**9) }}": MEMORY,
    "{{ 'a'.ljust(10**10) }}": MEMORY,
    "{{ '{:1000000000}'.format(1) }}": MEMORY,
    "{{ ('a' * 4000000)|replace('a', 'b' * 4000000) }}": MEMORY,
    "{{ range(99999)|map('string')|join('a' * 99999) }}": MEMORY,
    "{{ lipsum(n=100000) }}": TIME,
    "{% for i in range(99999) %}" + "x" * 1_000 + "{% endfor %}": "it writes more than",
    "{{ 1" + "+1" * 50_000 + " }}": "",
    "{{" + "(" * 50_000 + "1" + ")" * 50_000 + "}}": "nested too deeply",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}": "SecurityError",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}": "SecurityError",
    "{{ ''|attr('__class__')|attr('__mro__') }}": "",
    "{{ '{0.__class__.__mro__}'.format(1) }}": "SecurityError",
    "{% include '/etc/passwd' %}": "no loader",
    "{{ messages.clear() }}": "SecurityError",
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", HOSTILE, ids=lambda source: source[:50])
def test_hostile_templates_come_back(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert process.SECONDS == 5
    if HOSTILE[source] == TIME and not depth.is_full():  # nothing else would happen in the other seconds
        monkeypatch.setattr(process, "ChildTemplate", partial(ChildTemplate, seconds=0.3))
    started, largest = worked(), _largest_child()
    try:
        with renderer(source, "jinja", untrusted=True) as prompt:
            prompt.render([USER])
    except TemplateError as error:
        reasons = HOSTILE[source].split("|")
        assert any(reason in error.reason for reason in reasons), error.reason  # noqa: PT017
    else:
        assert not HOSTILE[source]
    assert worked() - started < 10  # the clock stops it after half of that: see SECONDS
    # A child that is forked begins as large as the process that runs the tests: what matters is that none grew beyond.
    assert _largest_child() == largest or _largest_child() < max(500, _largest(of_children=False) // 1024 + 300) * 1024


def _largest_child() -> int:
    return _largest(of_children=True)


def _largest(*, of_children: bool) -> int:
    """The most memory that any child so far has had, or this process itself, in KB; 0 where nobody tells."""
    if sys.platform != "linux":
        return 0
    import resource  # noqa: PLC0415

    return resource.getrusage(resource.RUSAGE_CHILDREN if of_children else resource.RUSAGE_SELF).ru_maxrss


def worked() -> float:
    """Seconds of processor time, of this process and of its children: others may be in the way of both."""
    return sum(os.times()[:4])


def test_a_killed_child_is_replaced() -> None:
    loop = "{% if x %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}a"
    child = ChildTemplate(loop, seconds=0.4)
    assert child._child is not None
    first = child._child._process
    with pytest.raises(TemplateError, match=r"takes longer than 0\.4 seconds"):
        child.render([], None, {"x": True}, NOW)
    assert first.poll() is not None
    assert child.render([], None, {}, NOW) == "a"
    child.close()
    assert child.render([], None, {}, NOW) == "a"  # so it is after closing
    child.close()
    child.close()


def test_a_child_that_died_is_an_error_not_a_hang() -> None:
    child = ChildTemplate("a")
    assert child._child is not None
    child._child._process.kill()
    child._child._process.wait()
    with pytest.raises(TemplateError, match="process died"):
        child.render([], None, {}, NOW)
    assert child.render([], None, {}, NOW) == "a"
    child.close()


def test_nothing_is_left_behind() -> None:
    gc.freeze()  # else all that the tests before have made would be looked through
    prompt: Any = renderer("{{ 1 }}", "jinja", untrusted=True)
    child = the_child(prompt)
    del prompt
    gc.collect()
    assert child.poll() is not None
    assert child.stdin is not None
    assert child.stdin.closed


def test_threads_take_turns() -> None:
    with renderer("{{ x }}", "jinja", untrusted=True) as prompt:
        wrong: list[int] = []

        def work(number: int) -> None:
            given = range(number * 100, number * 100 + 20)
            wrong.extend(each for each in given if prompt.render([], x=each) != str(each))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_what_json_cannot_carry_is_the_callers_fault() -> None:
    with renderer("{{ x }}", "jinja", untrusted=True) as prompt, pytest.raises(UsageError, match="must be JSON values"):
        prompt.render([], x={1, 2})


# --- what the child may do -----------------------------------------------------------------------------------------

# What a template could do that broke out of the sandbox: the child's own limits, tried from within.
ESCAPED = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from toolglean.sources.templates import child
assert child.limit_memory()
child.limit_time()
assert child.warm() == {}
for attempt in (lambda: open(sys.argv[2]), lambda: bytearray(450_000_000)):
    try:
        attempt()
    except (OSError, MemoryError) as error:
        print(type(error).__name__)
    else:
        print("done")
"""


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS sets no limit of memory")
def test_the_child_opens_no_file_and_takes_no_more_memory(tmp_path: Path) -> None:
    import json  # noqa: PLC0415

    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    paths = [str(SOURCE), *(path for path in sys.path if path)]
    command = [sys.executable, "-I", "-c", ESCAPED, json.dumps(paths), str(secret)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True, encoding="utf-8")
    assert done.stdout.split() == ["OSError", "MemoryError"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_child_has_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGLEAN_SECRET", "hush")
    with renderer("a", "jinja", untrusted=True) as prompt:
        environment = Path(f"/proc/{the_child(prompt).pid}/environ").read_bytes()
    assert b"hush" not in environment


def test_without_limits_of_memory_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    started = "from toolglean.sources.templates.child import main"
    unlimited = "from toolglean.sources.templates import child; child.limit_memory = lambda: False; from toolglean.sources.templates.child import main"
    monkeypatch.setattr(process, "_START", process._START.replace(started, unlimited))
    with pytest.warns(UserWarning, match="cannot limit a process's memory"):
        renderer("a", "jinja", untrusted=True).close()


def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(UsageError, match=r"sys\.executable is not set"):
        renderer("a", "jinja", untrusted=True)
    monkeypatch.setattr(sys, "executable", os.path.join("no", "such", "python"))  # noqa: PTH118  a string, as it is there
    with pytest.raises(UsageError, match="starts a Python process, which failed"):
        renderer("a", "jinja", untrusted=True)


def test_from_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "toolglean.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted((SOURCE / "toolglean").rglob("*.py")):
            file.write(path, path.relative_to(SOURCE))
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import toolglean; assert '.zip' in toolglean.__file__; "
        "from toolglean.sources.templates import renderer; "
        "print(renderer('{{ x }}', 'jinja', untrusted=True).render([], x='zipped'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(archive)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.strip() == "zipped"


def the_child(prompt: Any) -> subprocess.Popen[bytes]:
    child = prompt._template._child._process
    assert isinstance(child, subprocess.Popen)
    return child


# -- all renderings together -------------------------------------------------------------------------------------------

WRAPS = "{% for i in range(150) %}{% set x = ('a b' * 3000)|wordwrap(2) %}{% endfor %}"
CHAT = "{% for m in messages %}{{ m.role }}: {{ m.content }}{% for c in m.tool_calls %}<c>{{ c.function.name }}"
REST = "{{ c.function.arguments|tojson }}</c>{% endfor %}\n{% endfor %}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "source",
    [
        WRAPS + CHAT + REST,
        CHAT + WRAPS + REST,
        "from_json unsafe " + WRAPS + CHAT + REST,
        WRAPS,
        CHAT + REST + "{{ '<c>' * 16000 }}",
        CHAT + REST + "{{ '[{' * 20000 }}",
    ],
    ids=[
        "each rendering",
        "each call",
        "in more than one way",
        "no chat template",
        "openers to read",
        "brackets to read",
    ],
)
def test_one_budget_for_everything(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rendering and no reading takes too long; all of them together would take minutes."""
    seconds = 1.0 if depth.is_full() else 0.4
    monkeypatch.setattr("toolglean.sources.templates.infer.CPU_SECONDS", seconds)
    spent: list[TimeBudget] = []

    def time_budget_of(*given: float) -> TimeBudget:
        spent.append(TimeBudget(*given))
        return spent[-1]

    monkeypatch.setattr("toolglean.sources.templates.infer.TimeBudget", time_budget_of)
    with pytest.raises(FormatError):
        infer(source, untrusted=True)
    (time_budget,) = spent  # one for all of the inference
    assert time_budget.exceeded
    assert time_budget._used < seconds + 5.0  # that of the last rendering comes on top


@pytest.mark.sampled(2)
@pytest.mark.parametrize("piece", ["x ", "<c>", "{{ '{{' }}", "`"])
def test_a_stranger_may_not_write_a_book(piece: str) -> None:
    """Two million characters for each call took 17 to 41 seconds to be read."""
    with pytest.raises(FormatError, match="characters for one short conversation; an untrusted template may write"):
        infer(CHAT + "{% for i in range(90000) %}" + piece + "{% endfor %}" + REST, untrusted=True)


def test_an_inference_that_is_short_of_time_tries_fewer_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    source, samples = CHAT + REST, (3 if depth.is_full() else 2) * FEWEST_SAMPLES
    whole = infer(source, untrusted=True, samples=samples)
    monkeypatch.setattr(TimeBudget, "is_half_used", True)
    short = infer(source, untrusted=True, samples=samples)
    assert short.format == whole.format
    assert f"{samples} of {samples} random messages came back" in whole.evidence
    assert f"{FEWEST_SAMPLES} of {FEWEST_SAMPLES} random messages came back" in short.evidence


def test_a_text_without_end_beside_each_call_is_no_marker() -> None:
    began = time.monotonic()
    with pytest.raises(FormatError, match="the same text of 20"):
        infer(CHAT + "{{ 'x ' * 1000 }}" + REST, untrusted=True)
    assert time.monotonic() - began < 15


def test_a_rendering_gets_no_more_than_is_left() -> None:
    time_budget = TimeBudget(0.5)
    template = ChildTemplate(
        "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", time_budget=time_budget
    )
    with pytest.raises(TemplateError, match=r"longer than 0\.5 seconds|time"):
        template.render([], None, {}, NOW)
    time_budget.add_wall(1.0)
    with pytest.raises(TemplateError, match=r"its renderings together take more than 0\.5 seconds"):
        template.render([], None, {}, NOW)
    template.close()
