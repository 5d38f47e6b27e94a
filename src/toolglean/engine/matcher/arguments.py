# How arguments and JSON objects are read: their own brackets show that they are complete. Does not depend on how a
# dialect is read (engine/readers.py), or on how calls are written in JSON (engine/envelope.py).
"""Arguments and JSON objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglean.engine.envelope import READERS, Envelope
from toolglean.engine.matcher.calls import begin_unnamed, no_call
from toolglean.engine.matcher.ending import Ending
from toolglean.engine.matcher.reading import Description, Field
from toolglean.engine.modes import CALL
from toolglean.engine.readers import reader_for
from toolglean.engine.reasons import A_CALL, LEFTOVER_MARKER, NO_OBJECT
from toolglean.engine.repair.suspended import OFF, Fault, Kind, Refusal
from toolglean.formats.spec import Pairs, Tree
from toolglean.scan.json import JsonScanner, decode
from toolglean.scan.json_reader import JsonOrTextReader, JsonReader
from toolglean.scan.names import renamed_keys
from toolglean.scan.plain import Rope, grown, joined
from toolglean.scan.scanner import CLOSE, DONE, DOUBT, FAIL

if TYPE_CHECKING:
    from toolglean.engine.matcher.reading import Reading
    from toolglean.engine.matcher.walk import OpenSlot
    from toolglean.engine.turn import Stops, Turn
    from toolglean.scan.reader import Reader
    from toolglean.scan.scanner import Token

__all__ = ["Arguments", "Objects"]


_name_slot = re.compile(r"\{name(?:=[^{}]*)?\}")
_opens_markup = re.compile(r'\{"[^"]*": "(?:```json\b|<\|)').match


class Arguments(Field):
    """Arguments in the format's codec."""

    __slots__ = ("_kept", "source")

    source: Reader
    within = "arguments"
    ropes = frozenset({"_kept"})
    owned = ("source",)

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        edge, program, tool = slot.edges[0], reading.walk.program, turn.names.tool(reading.call.name)
        ends = program.ends_of_text(slot.edges) or program.ends(edge.format)[0]
        named_tag = program.formats[edge.format].is_written_out
        self.slot = slot
        self.source = reader_for(
            edge, turn.limits.depth, tool, ends=ends, stop_on_missing_quote=turn.may_repair(), named_tag=named_tag
        )
        # The arguments so far of a call that has a number for a name: they show which tool is meant.
        self._kept: Rope | None = None if turn.emit.open else ()
        if turn.emit.open and isinstance(self.source, JsonReader):
            turn.expect_json()

    def quotes_arguments(self) -> bool:
        """See `Stage`."""
        return bool(self._kept)

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        reader = self.source
        # The first delta is placed where the arguments begin; others, where they were read.
        begun = turn.emit.call.has_arguments and self._kept is None
        waiting = reader.waiting if isinstance(reader, JsonOrTextReader) else 0
        start = turn.tape.base + i - waiting if begun else reading.walk.pending_start
        j, piece, status = reader.read(text, i)
        if self._kept is not None:
            self._keep(turn, reading, text[i:j], (piece, status), j)
            return j
        rest = reader.rest
        end = turn.tape.base + j - len(rest)
        if piece:
            turn.delta(piece, min(start, end), after_comma=reader.after_comma)
        if status is FAIL:
            turn.refuse_arguments(reader.fault, rest or text[j], end)
        elif status is DOUBT:
            before = reading.before_refusal()
            assert before is not None
            turn.suspend(Fault(Kind.QUOTES, None, text[j], end), before)
        elif status is DONE and self._ends_message(reading):
            # What ends any message but a call shows that the text was for somebody else. It may quote a call.
            turn.end_malformed(NO_OBJECT, rest, end)
            turn.ignore_calls_until(reading.walk.program.ends(self.slot.edges[0].format)[0])
            turn.leave(text_follows=True)
        elif status is DONE and self._has_swallowed(turn, reading):
            turn.refuse_arguments("the end of the call was expected", rest or text[j - 1 : j], end)
        elif status is DONE:
            self._end(turn, reading, end)
        if rest or status is DONE:
            turn.read_again(rest, end, always=True)
        return j

    def _ends_message(self, reading: Reading) -> bool:
        # Whether text has ended where a message does that is no call.
        if not isinstance(self.source, JsonOrTextReader):
            return False
        program, number, end = reading.walk.program, self.slot.edges[0].format, self.source.rest.strip()
        return end in program.formats[number].drop and end not in program.closers(number)

    def _has_swallowed(self, turn: Turn, reading: Reading) -> bool:
        # Whether text in the arguments contains a header, or what begins another call: then nobody knows where it ends.
        # Or it begins with a marker, or a fence of JSON, which is no text of a parameter.
        edge = self.slot.edges[0]
        declared = reading.walk.program.formats[edge.format]
        if isinstance(self.source, JsonOrTextReader):
            markers = [each for each in declared.headers if each.startswith("<|")]
            written = turn.emit.call.arguments
            return self.source.is_text and (
                any(each in written for each in markers) or _opens_markup(written) is not None
            )
        if isinstance(edge.codec, Pairs):
            heads = filter(None, ("".join(each.partition("{name")[0].split()) for each in declared.calls))
            return any(each in "".join(self.source.unquoted.split()) for each in heads)
        if not isinstance(edge.codec, Tree):
            return False
        openers = [
            re.escape(_name_slot.sub(reading.call.name.replace("\\", ""), each.partition("\n")[0]))
            for each in declared.calls
            if "{arguments}" in each
        ]
        written = turn.emit.call.arguments
        if "<" not in written:
            return False
        if re.search(rf"(?:{'|'.join(openers)})(?:\s|\\n)*<", written) is not None:
            return True
        # The tag of a parameter, in its own value: the first one was not closed.
        values: dict[str, object] = decode(written)[0]
        return any(f"<{key}>" in value for key, value in values.items() if isinstance(value, str))

    def _end(self, turn: Turn, reading: Reading, end: int) -> None:
        reading.walk.close_slot(self.slot, "", end)
        if self.slot.kind == "keywords" or self.slot.edges[0].last:
            reading.read_as(Ending(self.slot))
        else:
            reading.go_on()

    def _keep(self, turn: Turn, reading: Reading, read: str, found: tuple[str, Token], j: int) -> None:
        # The arguments of a call that has a number for a name are kept until they are complete.
        piece, status = found
        turn.region.keep(read)
        self._kept = grown(self._kept or (), piece)
        if status is FAIL:
            no_call(turn, reading)
        elif status is DONE:
            arguments, start, end = joined(self._kept), reading.walk.pending_start, turn.tape.base + j
            self._kept = None
            if begin_unnamed(turn, reading, self.slot, arguments, end):
                turn.expect_json()
                turn.delta(arguments, start)
                turn.end_call(end)
                reading.go_after(self.slot.after)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        search = self.source.search()
        return search and (search, None)

    @property
    def json(self) -> JsonScanner | None:
        """See `Stage`."""
        return self.source.scanner

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        if self.json is None:
            return Refusal(char, last=self.source.refused())
        return Refusal(char, self.json.due, "," if turn.emit.call.lags else "", inner=len(self.json.stack) > 1)

    def quoting(self) -> tuple[str, tuple[str, ...]]:
        """See `Payload`."""
        return self.source.quoting()


class Objects(Field):
    """JSON objects with name and arguments. The envelope reads their first bracket itself."""

    __slots__ = ("_begun", "_envelope")

    within = "JSON"
    owned = ("_envelope",)

    def __init__(self, turn: Turn, reading: Reading, slot: OpenSlot) -> None:
        self.slot, self._begun = slot, False  # whether a call has begun
        number, program = slot.edges[0].format, reading.walk.program
        renamed = renamed_keys(program.formats[each].keys for each in slot.formats)
        bare = slot.is_unmarked
        ends = program.formats[number].drop if bare else ()
        self._envelope = Envelope(turn.limits.depth, bare=bare, leaves_open=not bare, renamed=renamed, ends=ends)
        reading.call.is_of(number)
        own = not reading.fallback.is_foreign
        turn.region.hand_out(stream_in_reasoning=own and program.calls_in_reasoning(number, turn.channel))

    def quotes_arguments(self) -> bool:
        """See `Stage`."""
        return self._envelope.in_arguments

    def expected(self) -> str:
        """See `Stage`."""
        return self._envelope.scanner.fault or A_CALL

    def describe(self, reading: Reading) -> Description:
        """See `Stage`."""
        envelope, scanner = self._envelope, self._envelope.scanner
        written = "" if envelope.document is None else envelope.document.written
        name = reading.call.name or ((envelope.frames[-1].name or "") if envelope.frames else written)
        is_open = bool(scanner.stack) and (envelope.document is None or not envelope.document.verdict)
        fault = scanner.fault if scanner.token is FAIL else None
        return Description(self.within, name, self.slot, fault=fault, is_open=is_open)

    def read(self, turn: Turn, reading: Reading, text: str, i: int) -> int:
        """See `Stage`."""
        envelope = self._envelope
        before = turn.emit.index
        j = READERS[envelope.reading](envelope, turn, text, i)  # as `Envelope.read`, without its call
        if turn.emit.index > before:
            self._begun = True
            if not reading.fallback.is_foreign:
                turn.narrow(turn.narrowed(self.slot.formats))
        if turn.mode is not CALL or turn.payload is not reading:  # given up, stopped or left; or it is data
            return j
        if envelope.scanner.token is FAIL:
            self._refuse(turn, reading, text[j], turn.tape.base + j)
        elif envelope.scanner.token is CLOSE and envelope.has_ended:
            if turn.emit.open:
                reading.walk.close_slot(self.slot, "", turn.tape.base + j)
                reading.read_as(Ending(self.slot))
            elif not self._begun:
                turn.region.settle()
                no_call(turn, reading)
            elif turn.region.open:
                turn.content_region()
                turn.leave(text_follows=True)
            else:
                reading.go_after(self.slot.after)
        return j

    def _closes_list(self, reading: Reading) -> bool:
        # Whether what follows the calls may begin with the bracket of their list.
        return self._envelope.bare and reading.walk.program.nfa.step(self.slot.after, "]") is not None

    def _refuse(self, turn: Turn, reading: Reading, char: str, place: int) -> None:
        envelope = self._envelope
        if envelope.scanner.fault == "depth":
            turn.stop("depth", char, place)
        elif turn.region.open:
            if not turn.suspend_refused(Kind.REGION, None, char, place):
                no_call(turn, reading)
        elif turn.repair is not OFF and char == "]" and envelope.last_read == "," and not self._closes_list(reading):
            # A list of calls with a comma after the last one: no call needs a repair, but the list must be closed.
            turn.emit.problem(LEFTOVER_MARKER, char, place)
            envelope.take_back()
        else:
            reading.go_after(self.slot.after)

    def stops(self) -> Stops | None:
        """See `Payload`."""
        return self._envelope.stops()

    def passed(self, turn: Turn, text: str) -> tuple[str, bool] | None:
        """See `Payload`."""
        return self._envelope.scanner.passed(text)

    def finish(self, turn: Turn, reading: Reading) -> bool:
        """See `Stage`."""
        marker = reading.walk.needs_follower or reading.walk.pending_action
        return not marker and self._envelope.finish(turn)

    @property
    def source(self) -> JsonScanner:
        """See `Stage`."""
        return self._envelope.scanner

    @property
    def json(self) -> Envelope:
        """See `Stage`."""
        return self._envelope

    def refusal(self, turn: Turn, reading: Reading, char: str) -> Refusal:
        """See `Payload`."""
        return self._envelope.refusal(char, lags=turn.emit.call.lags)

    def is_whole(self) -> bool:
        """See `Payload`."""
        return self._envelope.has_arguments
