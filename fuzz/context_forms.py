# What may be written instead of a plain call, and what is decided about each: changed names,
# keys and closers; comments; documents and sentences that only name a tool.
# Does not depend on how a turn is read (contexts.py).
"""Contexts that change the call, and texts that only look like one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.context_calls import ARGUMENTS, DELETE, SEND, Context, Written

__all__ = ["FORMS"]

Turn = Callable[[Written], "str | None"]

_ALONE = "without a marker: only alone on its lines"
_OPERATOR = "without a marker: no operator, condition or comprehension around it"
_OWN_VALUE = "JSON without a marker: only the turn's own value"
_DEFINITION = "a description or a schema beside the name: a definition"
_BESIDE = "keys beside name and arguments: left out, with a Problem"
_AFTER = "text after the arguments, comments: malformed"
_CLOSER = "a value that swallowed markup is not ok"
_NAME = "another name is an unknown tool"
_SPACE = "functions., tools., default_api. are left out"
_DROPPED = "arguments that were written are never dropped"
_CUT = "a call that is cut off is incomplete"


def _rows() -> Iterator[Context]:
    yield from _sentences()
    yield from _operators()
    yield from _documents()
    yield from _definitions()
    yield from _inside()
    yield from _keys()
    yield from _closers()
    yield from _names()
    yield from _cut_off()


def _text(text: str) -> Turn:
    # The same text, whatever the format is.
    return lambda _: text


# -- calls without a marker --------------------------------------------------------------------------------------------


def _sentences() -> Iterator[Context]:
    for name, text in (
        ("a sentence begins with a call", "delete_all() removes every record."),
        ("a sentence begins with a call with arguments", "send_money(to='Ann', amount=5) sends five to Ann."),
        ("a sentence ends with a call", "To remove every record, call delete_all()"),
        ("a sentence begins with a call in brackets", "[delete_all()] removes every record."),
        ("a list of calls, explained", "- delete_all(): removes every record\n- send_money(): sends money\n"),
        ("a call with a comment", "delete_all()  # removes every record"),
        ("a tool's own tag in a sentence", "Write <delete_all></delete_all> to remove every record."),
        (
            "a tool's own tag in a sentence, with arguments",
            "So <send_money><to>Ann</to><amount>5</amount></send_money> pays.",
        ),
        ("a sentence begins with a tool's own tag", "<delete_all></delete_all> removes every record."),
        ("JSON begins a sentence", '{"name": "delete_all", "arguments": {}} removes every record.'),
        ("JSON in a sentence", 'Write {"name": "delete_all", "arguments": {}} to remove every record.'),
    ):
        yield Context(name, "content", _ALONE, _text(text), calls=(DELETE,))


def _operators() -> Iterator[Context]:
    for text in (
        "[delete_all() if False else None]",
        "[delete_all() for _ in range(3)]",
        "[delete_all()] if False else []",
        "[not delete_all()]",
        "[False and delete_all()]",
        "delete_all() == None",
        "delete_all() if False else None",
        "if False: delete_all()",
        "lambda: delete_all()",
        "assert not delete_all()",
    ):
        yield Context(f"Python: {text}", "content", _OPERATOR, _text(text), calls=(DELETE,))
    for name, around in (
        ("a condition", "{} if False else None"),
        ("a comparison", "{} == None"),
        ("a negation", "not {}"),
        ("a comprehension", "{} for _ in range(3)"),
    ):
        yield Context(f"{name} inside the markers", "malformed", _OPERATOR, _in_python(around), calls=(DELETE,))


def _in_python(around: str) -> Turn:
    def turn(written: Written) -> str | None:
        marked = written.is_python and written.delete != "delete_all()"
        return written.delete.replace("delete_all()", around.format("delete_all()")) if marked else None

    return turn


# -- documents ---------------------------------------------------------------------------------------------------------

_CALLS = [{"name": name, "arguments": dict(arguments)} for name, arguments in (SEND, DELETE)]


def _json(value: Any, before: str = "", after: str = "") -> Turn:
    return _text(before + json.dumps(value) + after)


def _documents() -> Iterator[Context]:
    both = (SEND, DELETE)
    for key in ("forbidden", "denied", "examples", "plan", "history", "do_not_call"):
        yield Context(f"JSON: calls under {key!r}", "content", _OWN_VALUE, _json({key: _CALLS}), calls=both)
    yield Context(
        "JSON: a call under 'example'", "content", _OWN_VALUE, _json({"example": _CALLS[0], "warning": "never"})
    )
    yield Context(
        "JSON: a fenced plan", "content", _OWN_VALUE, _json({"plan": _CALLS}, "```json\n", "\n```"), calls=both
    )
    yield Context(
        "JSON: names under 'plan'", "content", _OWN_VALUE, _json({"plan": [{"name": "delete_all"}]}), calls=(DELETE,)
    )
    yield Context("JSON: a list in a list", "content", _OWN_VALUE, _json([_CALLS]), calls=both)
    yield Context(
        "JSON: calls by their names", "content", _OWN_VALUE, _json({"a": {"delete_all": {}}}), calls=(DELETE,)
    )
    yield Context("JSON: calls, deeper", "content", _OWN_VALUE, _json({"a": {"tool_calls": _CALLS}}), calls=both)
    required = "JSON without a marker: the required arguments must be there"
    yield Context(
        "JSON: required arguments missing", "content", required, _json({"name": "send_money", "arguments": {}})
    )
    yield Context("JSON: only a name, arguments required", "content", required, _json({"name": "send_money"}))
    own = "name and arguments in the turn's own object"
    given = dict(ARGUMENTS)
    yield Context("JSON: arguments under 'params'", "either", _DROPPED, _json({"name": "send_money", "params": given}))
    yield Context("JSON: arguments written flat", "either", _DROPPED, _json({"name": "send_money", **given}))
    yield Context("JSON: 'dry_run' beside", "either", _BESIDE, _json({**_CALLS[0], "dry_run": True}), said=True)
    yield Context("JSON: 'cancelled' beside", "either", _BESIDE, _json({**_CALLS[0], "cancelled": True}), said=True)
    two = "\n".join(map(json.dumps, _CALLS))
    yield Context("JSON: two objects, line by line", "runs", own, _text(two), calls=both)
    function = {"type": "function", "function": _CALLS[0]}
    yield Context("JSON: one object", "runs", own, _json(_CALLS[0]))
    yield Context("JSON: a list of calls", "runs", own, _json(_CALLS), calls=both)
    yield Context("JSON: only a name, no arguments needed", "runs", own, _json({"name": "delete_all"}), calls=(DELETE,))
    yield Context("JSON: under tool_calls", "runs", own, _json({"tool_calls": _CALLS}), calls=both)
    yield Context("JSON: OpenAI's own", "runs", own, _json({"tool_calls": [{"id": "a", **function}]}))
    for key in ("function_call", "tool_call", "call", "function"):
        yield Context(f"JSON: under {key}", "runs", own, _json({key: _CALLS[0]}))


def _definitions() -> Iterator[Context]:
    schema = {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "integer"}}}
    tool = {"name": "send_money", "description": "Sends money.", "parameters": schema}
    simple = {"name": "delete_all", "description": "Removes every record."}
    declarations: tuple[tuple[str, Any], ...] = (
        ("a name and a description", simple),
        ("a tool", tool),
        ("a tool without a description", {"name": "send_money", "parameters": schema}),
        ("OpenAI's declaration", {"type": "function", "function": tool}),
        ("a list of declarations", [{"type": "function", "function": each} for each in (tool, simple)]),
        ("tools under 'tools'", {"tools": [tool, simple]}),
    )
    for name, value in declarations:
        yield Context(f"definition: {name}", "content", _DEFINITION, _json(value), calls=(SEND, DELETE))
    yield Context("definition: a fenced list", "content", _DEFINITION, _json({"tools": [simple]}, "```json\n", "\n```"))
    result = "JSON without a marker: name and arguments, nothing else"
    results: tuple[tuple[str, Any], ...] = (
        ("a name and a result", {"name": "delete_all", "result": "ok"}),
        ("a tool's message", {"role": "tool", "name": "delete_all", "content": "ok"}),
        ("a tool and its status", {"tool": "send_money", "status": "done"}),
        ("results in a list", [{"name": "delete_all", "output": {"removed": 3}}]),
        ("results under 'results'", {"results": [{"name": "delete_all", "content": "ok"}]}),
    )
    for name, value in results:
        yield Context(f"result: {name}", "content", result, _json(value), calls=(DELETE,))


# -- changed calls -----------------------------------------------------------------------------------------------------


def _after_arguments(text: str) -> Turn:
    def turn(written: Written) -> str | None:
        place = written.arguments_end()
        return None if place < 0 else written.send[:place] + text + written.send[place:]

    return turn


def _inside() -> Iterator[Context]:
    def commented(written: Written) -> str | None:
        opener, closer = written.opener, written.closer
        inner = written.send[len(opener) : len(written.send) - len(closer)]
        known = opener and closer and "send_money" in inner
        return f"{opener}<!-- {inner} -->{closer}" if known else None

    yield Context("an HTML comment between the markers", "malformed", _AFTER, commented)
    for name, text in (
        ("// after the arguments", " // cancelled\n"),
        ("/* */ after the arguments", " /* cancelled */"),
        ("# after the arguments", " # cancelled\n"),
        ("<!-- --> after the arguments", " <!-- cancelled -->"),
        ("words after the arguments", " (only an example) "),
    ):
        yield Context(name, "malformed", _AFTER, _after_arguments(text))


def _renamed(pattern: str) -> Turn:
    # The arguments under another key, in JSON that has a marker; not where the key itself is one of the markers.
    def turn(written: Written) -> str | None:
        key = written.arguments_key()
        free = key and written.marked and f"{key}:" not in written.format.markers
        return written.send.replace(key, f'"{pattern}"') if free else None

    return turn


def _beside(extra: str) -> Turn:
    def turn(written: Written) -> str | None:
        key, end = written.arguments_key(), written.arguments_end()
        return written.send[:end] + extra + written.send[end:] if key and end >= 0 and written.marked else None

    return turn


def _keys() -> Iterator[Context]:
    for key in ("dry_run", "cancelled", "confirmed"):
        yield Context(f"{key!r} beside the arguments", "runs", _BESIDE, _beside(f', "{key}": true'), said=True)
    for key in ("arguments", "parameters", "input"):
        yield Context(f"arguments under {key!r}", "runs", "a name of arguments", _renamed(key))
    for key in ("params", "kwargs", "tool_args"):
        yield Context(f"arguments under {key!r}", "runs", "the only other object", _renamed(key))

    def flat(written: Written) -> str | None:
        inner = json.dumps(dict(ARGUMENTS))
        key = written.arguments_key()
        return written.send.replace(f"{key}: {inner}", inner[1:-1]) if key and written.marked else None

    yield Context("arguments written flat", "either", _DROPPED, flat)
    yield Context(
        "arguments that are a string",
        "malformed",
        "a string argument that is not an object: malformed",
        lambda written: (
            written.send.replace(json.dumps(dict(ARGUMENTS)), '"Ann"')
            if written.arguments_key() and written.marked
            else None
        ),
    )


def _closers() -> Iterator[Context]:
    def other(change: Callable[[str], str]) -> Turn:
        def turn(written: Written) -> str | None:
            closer = written.parameter_closer()
            changed = re.sub(r"(?<=</)(.*)(?=>)", lambda found: change(found[1]), closer) if closer else ""
            broken = written.send.replace(closer, changed, 1) if changed else ""
            return broken if broken and broken != written.send else None

        return turn

    for name, change in (
        ("</param>", lambda word: word[: max(word.find("para"), 0) + 5] if "parameter" in word else word),
        ("</Parameter>", lambda word: word[:1].upper() + word[1:]),
        ("</parameter >", lambda word: word + " "),
        ("</value>", lambda _: "value"),
    ):
        yield Context(f"a parameter closed by {name}", "either", _CLOSER, other(change))

    def twice(written: Written) -> str | None:
        closer = written.parameter_closer()
        return (
            re.sub(re.escape(closer), f"{closer}\n{closer}", written.send)
            if closer in written.send and closer
            else None
        )

    yield Context("a parameter closed twice", "either", _CLOSER, twice)
    child = "a child that the schema does not declare: malformed"
    for name, text in (
        ("one more", "<send_money><to>Ann</to><amount>5</amount><dry_run>true</dry_run></send_money>"),
        ("all of them in one", "<send_money><args><to>Ann</to><amount>5</amount></args></send_money>"),
        ("the only one", "<delete_all><path>/tmp</path></delete_all>"),
    ):
        yield Context(f"own tag, undeclared child: {name}", "malformed", child, _text(text), calls=(SEND, DELETE))
    yield Context(
        "no arguments, no closer, something else follows",
        "malformed",
        "a call without its closer, not followed by what may: malformed, never {}",
        _text("<tool_call>delete_all<tool_call>path</arg_key><arg_value>/tmp</arg_value></tool_call>"),
    )


def _names() -> Iterator[Context]:
    def send(name: str) -> Turn:
        return lambda written: written.named(name)

    def delete(name: str) -> Turn:
        return lambda written: written.named_delete(name)

    for name in ("dry_run.delete_all", "functions.undo.delete_all", "undo/delete_all", "mock::delete_all"):
        yield Context(f"named {name}", "unknown", _NAME, delete(name), calls=(DELETE,))
    for space in ("functions", "tools", "default_api"):
        yield Context(f"named {space}.send_money", "runs", _SPACE, _in_namespace(space))
    near = {
        "send_mony": "near",
        "send_money_now": "longer",
        "dont_send_money": "longer",
        "Send_Money": "other case",
        "send-money": "another dash",
        "ѕend_money": "a Cyrillic letter",
        "\uff53end_money": "a wide letter",
        "send_mo\u200bney": "a zero-width space",
        "send_mo\u00adney": "a soft hyphen",
        "\ufeffsend_money": "a byte order mark",
    }
    for name, kind in near.items():
        shown = name if name.isascii() else ascii(name)[1:-1]
        yield Context(f"named {shown} ({kind})", "unknown", _NAME, send(name))
    markers = "only the format's own markers open calls"
    yield Context(
        "markers with a zero-width space", "content", markers, _spoilt(lambda word: word[0] + "\u200b" + word[1:])
    )
    yield Context("markers with Cyrillic letters", "content", markers, _spoilt(_confused))


def _in_namespace(space: str) -> Turn:
    # Not where the format itself writes one, or Harmony's `to=functions.` would come of it.
    def turn(written: Written) -> str | None:
        own = "functions." in written.send or "to=send_money" in written.send
        return written.named(f"{space}.send_money") if written.marked and not own else None

    return turn


def _confused(word: str) -> str:
    return word.translate(str.maketrans("aceopxi", "асеорхі"))


def _spoilt(change: Callable[[str], str]) -> Turn:
    # Every word of every marker changed. The name and the arguments are as they were.
    def turn(written: Written) -> str | None:
        if not written.marked:
            return None
        words = {word for marker in written.format.markers for word in re.findall(r"[A-Za-z_]{2,}", marker)}
        kept = {"send_money", "to", "amount", "name", "arguments", "parameters", "Ann"}
        chosen = sorted(words - kept, key=len, reverse=True)
        pattern = "|".join(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" for word in chosen)
        changed = re.sub(pattern, lambda found: change(found[0]), written.send) if pattern else written.send
        return "So:\n" + changed if changed != written.send else None

    return turn


def _cut_off() -> Iterator[Context]:
    yield Context("cut off in a value", "malformed", _CUT, lambda written: written.send.partition("nn")[0])
    yield Context("cut off after the name", "malformed", _CUT, _after_name, calls=(SEND,))


def _after_name(written: Written) -> str | None:
    place = written.send.rindex("send_money") if "<to>" not in written.send else written.send.index("send_money")
    return written.send[: place + len("send_money")]


FORMS: tuple[Context, ...] = tuple(_rows())
"""The contexts, in the order of the table."""
