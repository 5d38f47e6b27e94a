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
    ("role", "doubted", "text", "expected"),
    [
        (Role.OWN, False, XML, Role.FALLBACK),
        (Role.OWN, True, XML, Role.DOUBTED),
        (Role.OWN, False, NOBODY, None),
        (Role.OWN, True, NOBODY, None),
        (Role.DOUBTED, False, XML, Role.ONLY),
        (Role.FALLBACK, False, XML, None),
        (Role.ONLY, False, XML, None),
        (Role.ONLY, True, XML, None),
    ],
)
def test_who_reads_next(role: Role, doubted: bool, text: str, expected: Role | None) -> None:
    found = Fallback(role, FALLBACK_FORMATS).second_try(text, 0, "", WHY, doubted=doubted)
    assert (None if found is None else found.fallback.role) == expected
    if found is not None:
        assert found.opener == len("<tool_call>")
        assert found.fallback.problem == WHY
        assert (found.program is OWN) == (expected is Role.ONLY)


@pytest.mark.parametrize("doubted", [False, True])
def test_nobody_reads_a_third_time(doubted: bool) -> None:
    fallback, roles = Fallback(Role.OWN, FALLBACK_FORMATS), []
    while (found := fallback.second_try(XML, 0, "", None, doubted=doubted)) is not None:
        fallback = found.fallback
        roles.append(fallback.role)
    assert roles == ([Role.DOUBTED, Role.ONLY] if doubted else [Role.FALLBACK])


def test_a_format_without_fallback_formats_has_no_second_try() -> None:
    assert Fallback(Role.OWN).second_try(XML, 0, "", None, doubted=False) is None


@pytest.mark.parametrize(("text", "opener"), [('{"name": "f"', 0), ("f(x=1)", 0)])
def test_at_the_start_of_a_turn_nothing_is_an_opener(text: str, opener: int) -> None:
    found = Fallback(Role.OWN, FALLBACK_FORMATS, from_start=True).second_try(text, 0, "", None, doubted=False)
    assert found is not None
    assert (found.opener, found.fallback.from_start) == (opener, True)


def test_other_numbers_of_formats_are_those_of_fallback_formats() -> None:
    assert {role for role in Role if Fallback(role).is_foreign} == {Role.FALLBACK, Role.DOUBTED}


@pytest.mark.parametrize("role", Role)
def test_after_a_call_text_is_read_once(role: Role) -> None:
    before = Fallback(role, FALLBACK_FORMATS, from_start=True, in_line=True, problem=WHY)
    after = before.after_call()
    assert (after.is_foreign, after.in_line, after.problem) == (before.is_foreign, True, None)
    assert after.second_try(XML, 0, "", None, doubted=False) is None
    assert after.after_call() is after


@pytest.mark.parametrize("role", Role)
def test_it_is_pickled(role: Role) -> None:
    assert pickle.loads(pickle.dumps(Fallback(role, in_line=True))) == Fallback(role, in_line=True)
