# A process that answers each line with a line: how it is started, asked, timed and ended. Does not depend on what is
# asked, or on which program answers.
#
# The time limit is kept here, so that it works on every platform: a timer kills a child that is late, which ends the
# read.
"""Child processes that answer line by line."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

__all__ = ["ChildError", "LineChild"]


class ChildError(Exception):
    """The child has not answered, and was ended.

    Attributes:
        late: whether the time was up.
        flooded: whether the answer was too long.
        status: its exit status.
    """

    def __init__(self, status: int, *, late: bool, flooded: bool) -> None:
        super().__init__(f"its process died (exit status {status})")
        self.status, self.late, self.flooded = status, late, flooded


class LineChild:
    """A child process.

    Args:
        command: the program and its arguments.
        options: further arguments of `subprocess.Popen`.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603  # the caller says which
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options
        )

    def ask(self, line: str, seconds: float, most: int = -1) -> bytes:
        """The answer to a line, with its line break.

        Args:
            line: the line, in ASCII; "": only read one, which the child writes when it starts.
            seconds: how long the answer may take.
            most: the most bytes of the answer; -1: any number.

        Raises:
            ChildError: there is no answer. Like any other exception, it has ended the child.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        late = threading.Event()
        timer = threading.Timer(seconds, self._kill, (late,))
        timer.daemon = True
        timer.start()
        try:
            if line:
                stdin.write(line.encode("ascii") + b"\n")
                stdin.flush()
            answer = stdout.readline(most)
        except OSError:  # it is dead
            answer = b""
        except BaseException:  # interrupted before the answer: the next one could not be matched to its request
            self.close()
            raise
        finally:
            timer.cancel()
        if answer.endswith(b"\n"):
            return answer
        self.close()
        raise ChildError(self._process.returncode, late=late.is_set(), flooded=0 <= most <= len(answer))

    def _kill(self, late: threading.Event) -> None:
        late.set()
        self._process.kill()

    def close(self) -> None:
        """Kill the child, close its pipes, and wait for it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # the child can no longer read the rest
                if pipe is not None:
                    pipe.close()
        self._process.wait()
