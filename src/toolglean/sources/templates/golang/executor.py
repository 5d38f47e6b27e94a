# How the blocks of a Go template run, and what is printed. Does not depend on how pipelines are evaluated, or on where
# the data comes from.
#
# The open blocks are a list of frames, not Python's call stack: a template may nest them deeper than Python can
# recurse, and may call itself. A frame runs a list of nodes; a range's frame starts its list again for each element.
#
#   {{range .A}} a {{if .B}} b {{end}}{{end}}      frames: [root]  →  [root, range]  →  [root, range, if]
#
# When a frame ends, the variables that were declared in it are forgotten.
"""Runs a Go template."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from toolglean.errors import TemplateError
from toolglean.sources.templates.golang import nodes as tree
from toolglean.sources.templates.golang.budget import Budget, Exceeded
from toolglean.sources.templates.golang.builtins import functions
from toolglean.sources.templates.golang.evaluator import Evaluator
from toolglean.sources.templates.golang.printing import show
from toolglean.sources.templates.golang.values import bytes_of, is_true

__all__ = ["execute"]


def execute(
    template: tree.Template,
    data: Any,
    *,
    now: datetime,
    budget: Budget,
    until: int | None = None,
) -> str:
    """Run a template.

    Args:
        template: the template to run.
        data: the value of `.` and `$`.
        now: the date and time for the template.
        budget: how much it may do; several renderings may share it.
        until: an offset in the source; nothing of the template itself is run after it.

    Returns:
        The text that it writes.

    Raises:
        TemplateError: it cannot be run with this data, or exceeds a limit; the error has the place.
    """
    executor = _Executor(template, now, budget)
    executor.run(data, until)
    text = "".join(executor.parts)
    # Parts of characters that `slice` has cut are joined again here, or become U+FFFD.
    return text if text.isascii() else bytes_of(text).decode("utf-8", "replace")


@dataclass(slots=True)
class _Frame:
    """A list of nodes that is being run.

    Attributes:
        nodes: the list.
        dot: the value of `.` within it.
        mark: how many variables there were before it.
        at: the next node.
        loop: the elements that are left, with their keys; None for a block that is not a range.
        round_mark: how many variables there are at the start of each round of a range.
        pipe: the range's pipeline.
        outer: the caller's variables, if this frame runs another template.
    """

    nodes: list[tree.Node]
    dot: Any
    mark: int
    at: int = 0
    loop: Iterator[tuple[Any, Any]] | None = None
    round_mark: int = 0
    pipe: tree.Pipe | None = None
    outer: list[tuple[str, Any]] | None = None


class _Executor(Evaluator):
    __slots__ = ("calls", "frames", "parts", "pos", "template")

    def __init__(self, template: tree.Template, now: datetime, budget: Budget) -> None:
        super().__init__(template.source, functions(now), budget)
        self.template = template
        self.parts: list[str] = []
        self.frames: list[_Frame] = []
        self.calls = 0
        self.pos = 0  # of the node that is being run, for errors about limits

    def run(self, data: Any, until: int | None) -> None:
        self.variables = [("$", data)]
        self.frames.append(_Frame(self.template.root, data, 1))
        last = len(self.source) if until is None else until
        try:
            while self.frames:
                frame = self.frames[-1]
                if frame.at == len(frame.nodes):  # the next round of a range, or the frame below
                    if frame.loop is None or not self.advance(frame, frame.loop):
                        self.drop()
                    continue
                node = frame.nodes[frame.at]
                frame.at += 1
                self.budget.step()
                if node.pos > last and not self.calls:
                    continue
                self.pos = node.pos
                _RUN[type(node)](self, node, frame)
        except Exceeded as error:
            raise TemplateError.at(str(error), self.source, self.pos) from error

    def drop(self) -> None:
        frame = self.frames.pop()
        if frame.outer is not None:
            self.calls -= 1
            self.variables = frame.outer
        else:
            del self.variables[frame.mark :]

    def write(self, text: str) -> None:
        self.budget.write(len(text))
        self.parts.append(text)

    # --- nodes ---

    def text(self, node: tree.Text, _: _Frame) -> None:
        self.write(node.text)

    def action(self, node: tree.Action, frame: _Frame) -> None:
        value = self.pipeline(node.pipe, frame.dot)
        if not node.pipe.variables:
            self.write("<no value>" if value is None else show(value, self.budget))

    def choice(self, node: tree.If | tree.With, frame: _Frame) -> None:
        mark = len(self.variables)
        value = self.pipeline(node.pipe, frame.dot)
        if is_true(value):
            self.frames.append(_Frame(node.body, value if isinstance(node, tree.With) else frame.dot, mark))
        else:
            self.frames.append(_Frame(node.otherwise or [], frame.dot, mark))

    def call_template(self, node: tree.TemplateCall, frame: _Frame) -> None:
        nodes = self.template.trees.get(node.name)
        if nodes is None:
            self.fail(f'template "{node.name}" not defined', node.pos)
        if self.calls >= self.budget.limits.templates:
            self.fail(f"templates nested deeper than {self.budget.limits.templates:,} levels", node.pos)
        self.calls += 1
        dot = None if node.pipe is None else self.pipeline(node.pipe, frame.dot)
        self.frames.append(_Frame(nodes, dot, 1, outer=self.variables))
        self.variables = [("$", dot)]

    # --- ranges ---

    def loop(self, node: tree.Range, frame: _Frame) -> None:
        mark = len(self.variables)
        value = self.pipeline(node.pipe, frame.dot)
        elements = self.elements(value, node)
        inner = _Frame(node.body, frame.dot, mark, loop=elements, round_mark=len(self.variables), pipe=node.pipe)
        self.frames.append(inner)
        if elements is None or not self.advance(inner, elements):
            self.frames[-1] = _Frame(node.otherwise or [], frame.dot, mark)

    def elements(self, value: Any, node: tree.Range) -> Iterator[tuple[Any, Any]] | None:
        """Keys and elements; None if the value has none."""
        if not isinstance(value, int | list | dict | None) or isinstance(value, bool):
            self.fail(f"range can't iterate over {show(value, self.budget)[:40]}", node.pos)
        if isinstance(value, dict):
            self.budget.step(len(value))
            return iter(sorted(value.items()))
        if isinstance(value, list):
            return enumerate(value)
        if value is not None and len(node.pipe.variables) > 1:
            self.fail(f"can't use {value} to iterate over more than one variable", node.pos)
        return None if value is None else ((None, each) for each in range(value))

    def advance(self, frame: _Frame, elements: Iterator[tuple[Any, Any]]) -> bool:
        """Start the next round; False if there is none."""
        following = next(elements, None)
        if following is None:
            return False
        self.budget.step()
        del self.variables[frame.round_mark :]
        frame.at = 0
        frame.dot = following[1]
        assert frame.pipe is not None
        names = frame.pipe.variables
        given = following if len(names) > 1 else following[1:]
        for at, (name, value) in enumerate(zip(names, given, strict=False)):
            if frame.pipe.assigns:
                self.assign(name, value)
            else:
                self.variables[frame.round_mark - len(names) + at] = (name, value)
        return True

    def jump(self, node: tree.Jump, _: _Frame) -> None:
        while self.frames[-1].loop is None:
            self.drop()
        if node.word == "break":
            self.drop()
        else:
            self.frames[-1].at = len(self.frames[-1].nodes)


_RUN: dict[type[Any], Callable[[_Executor, Any, _Frame], None]] = {
    tree.Action: _Executor.action,
    tree.If: _Executor.choice,
    tree.Jump: _Executor.jump,
    tree.Range: _Executor.loop,
    tree.TemplateCall: _Executor.call_template,
    tree.Text: _Executor.text,
    tree.With: _Executor.choice,
}
