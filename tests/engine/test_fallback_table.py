# The policy of the fallback, alone: who reads again what did not yield a call, and who after that.
# Does not depend on how anything is read: test_advice.py has that, turn by turn.
"""The fallback, as a table."""

from __future__ import annotations

import pickle

import pytest

from toolglean.engine.matcher.fallback import Fallback, Role
from toolglean.engine.reasons import Reason
from toolglean.formats.compile import compiled
from toolglean.formats.fallback_formats import fallback_formats_of
from toolglean.formats.registry import get_format

WHY = Reason("unreadable-call", "why")
OWN = compiled((get_format("hermes"),))
FALLBACK_FORMATS = fallback_formats_of(OWN, ("f",))
XML = "<tool_call>\n<function=f>"
"""Opens as hermes does; qwen3-coder, among others, reads it."""
NOBODY = "<nothing>"


@pytest.mark.parametrize(
    ("role", "others", "text", "expected"),
    [
        (Role.OWN, Role.FALLBACK, XML, Role.FALLBACK),
        (Role.OWN, Role.DOUBTED, XML, Role.DOUBTED),
        (Role.OWN, Role.FRAMED, XML, Role.FRAMED),
        (Role.OWN, Role.FALLBACK, NOBODY, None),
        (Role.OWN, Role.DOUBTED, NOBODY, None),
        (Role.OWN, Role.FRAMED, NOBODY, None),
        (Role.DOUBTED, Role.FALLBACK, XML, Role.ONLY),
        (Role.FRAMED, Role.FALLBACK, XML, Role.ONLY),
        (Role.FALLBACK, Role.FALLBACK, XML, None),
        (Role.ONLY, Role.FALLBACK, XML, None),
        (Role.ONLY, Role.DOUBTED, XML, None),
    ],
)
def test_who_reads_next(role: Role, others: Role, text: str, expected: Role | None) -> None:
    found = Fallback(role, FALLBACK_FORMATS).second_try(text, 0, "", WHY, others)
    assert (None if found is None else found.fallback.role) == expected
    if found is not None:
        assert found.opener == len("<tool_call>")
        assert found.fallback.problem == WHY
        assert (found.program is OWN) == (expected is Role.ONLY)


@pytest.mark.parametrize("others", [Role.FALLBACK, Role.DOUBTED, Role.FRAMED])
def test_nobody_reads_a_third_time(others: Role) -> None:
    fallback, roles = Fallback(Role.OWN, FALLBACK_FORMATS), []
    while (found := fallback.second_try(XML, 0, "", None, others)) is not None:
        fallback = found.fallback
        roles.append(fallback.role)
    assert roles == ([Role.FALLBACK] if others is Role.FALLBACK else [others, Role.ONLY])


def test_a_format_without_fallback_formats_has_no_second_try() -> None:
    assert Fallback(Role.OWN).second_try(XML, 0, "", None) is None


@pytest.mark.parametrize(("text", "opener"), [('{"name": "f"', 0), ("f(x=1)", 0)])
def test_at_the_start_of_a_turn_nothing_is_an_opener(text: str, opener: int) -> None:
    found = Fallback(Role.OWN, FALLBACK_FORMATS, from_start=True).second_try(text, 0, "", None)
    assert found is not None
    assert (found.opener, found.fallback.from_start) == (opener, True)


def test_other_numbers_of_formats_are_those_of_fallback_formats() -> None:
    assert {role for role in Role if Fallback(role).is_foreign} == {Role.FALLBACK, Role.DOUBTED, Role.FRAMED}


@pytest.mark.parametrize("role", Role)
def test_after_a_call_text_is_read_once(role: Role) -> None:
    before = Fallback(role, FALLBACK_FORMATS, from_start=True, in_line=True, problem=WHY)
    after = before.after_call()
    assert (after.is_foreign, after.in_line, after.problem) == (before.is_foreign, True, None)
    assert after.second_try(XML, 0, "", None) is None
    assert after.after_call() is after


@pytest.mark.parametrize("role", Role)
def test_it_is_pickled(role: Role) -> None:
    assert pickle.loads(pickle.dumps(Fallback(role, in_line=True))) == Fallback(role, in_line=True)
