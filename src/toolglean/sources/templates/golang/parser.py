# The grammar outside pipelines: text, actions, blocks, and the templates that a template defines. Does not depend on
# how tokens are made, or on what a pipeline contains.
#
# The open blocks are a list, not Python's call stack; {{else}} and {{end}} apply to the innermost one, which is the
# last.
#
#   {{if a}} text {{else if b}} text {{end}}      blocks: [if a]  →  [if a, if b (chained)]  →  []
#
# An {{else if}} is a separate block that is chained to the block before it: one {{end}} closes both.
"""The parser of Go's `text/template`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from toolglean.sources.templates.golang import nodes as tree
from toolglean.sources.templates.golang.lexer import Kind, Token, Tokens
from toolglean.sources.templates.golang.pipeline import literal_value, parse_pipeline
from toolglean.sources.templates.golang.scope import Scope

__all__ = ["parse"]

Control: TypeAlias = tree.If | tree.Range | tree.With
_CONTROLS: dict[str, type[Control]] = {"if": tree.If, "range": tree.Range, "with": tree.With}


def parse(source: str) -> tree.Template:
    """Read a Go template, as Ollama does: its own name is "".

    Args:
        source: its text.

    Returns:
        Its tree, and the trees of the templates that it defines.

    Raises:
        TemplateError: it is broken, or nested deeper than `MAX_DEPTH` levels. Fix it at the place that the error shows.
    """
    parser = _Parser(Tokens(source))
    parser.add("", parser.run(), 0)
    return tree.Template(source, parser.trees)


@dataclass(slots=True)
class _Block:
    """An open block.

    Attributes:
        word: its keyword.
        pos: offset of its keyword.
        nodes: the list to which nodes within it are added now.
        mark: the state of its scope that is restored when it ends.
        outer: the scope outside it.
        node: the control node; None for a define or a block.
        name: of the template that a define or a block defines.
        chained: it was opened by {{else if}} or {{else with}}: the {{end}} that closes it also closes the block below.
    """

    word: str
    pos: int
    nodes: list[tree.Node]
    mark: int
    outer: Scope
    node: Control | None = None
    name: str = ""
    chained: bool = False


class _Parser:
    __slots__ = ("blocks", "nodes", "root", "scope", "tokens", "trees")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.trees: dict[str, list[tree.Node]] = {}
        self.blocks: list[_Block] = []
        self.root: list[tree.Node] = []
        self.nodes = self.root  # where nodes are added now: the innermost block's list, or the root
        self.scope = Scope()

    def run(self) -> list[tree.Node]:
        while (token := self.tokens.next()).kind is not Kind.EOF:
            if token.kind is Kind.TEXT:
                self.nodes.append(tree.Text(token.pos, token.text))
            else:
                self.action()
        if self.blocks:
            top = self.blocks[-1]
            self.tokens.fail(f"{{{{{top.word}}}}} has no {{{{end}}}}", top.pos)
        return self.root

    def action(self) -> None:
        token = self.tokens.peek()
        if token.kind is not Kind.KEYWORD or token.text == "nil":
            self.nodes.append(tree.Action(token.pos, parse_pipeline(self.tokens, self.scope, "command")))
            return
        self.tokens.next()
        _ACTIONS[token.text](self, token)

    # --- opening a block ---

    def control(self, token: Token, *, chained: bool = False) -> None:
        mark = self.scope.mark()
        pipe = parse_pipeline(self.tokens, self.scope, token.text)
        node = _CONTROLS[token.text](token.pos, pipe)
        self.nodes.append(node)
        self.open(_Block(token.text, token.pos, node.body, mark, self.scope, node, chained=chained))
        if isinstance(node, tree.Range):
            self.scope.ranges += 1

    def define(self, token: Token) -> None:
        """At `define` or `block`: its body cannot use variables from outside, or break a range outside."""
        if token.text == "define" and self.blocks:
            self.tokens.fail("{{define}} within another block", token.pos)
        context = f"{token.text} clause"
        name = self.template_name(context)
        if token.text == "block":
            pipe = parse_pipeline(self.tokens, self.scope, context)
            self.nodes.append(tree.TemplateCall(token.pos, name, pipe))
        else:
            self.tokens.expect(Kind.RIGHT, context)
        self.open(_Block(token.text, token.pos, [], self.scope.mark(), self.scope, name=name))
        self.scope = Scope()

    def open(self, block: _Block) -> None:
        if len(self.blocks) >= tree.MAX_DEPTH:
            self.tokens.fail(f"blocks nested deeper than {tree.MAX_DEPTH} levels", block.pos)
        self.blocks.append(block)
        self.nodes = block.nodes

    # --- the innermost block ---

    def turn(self, token: Token) -> None:
        """At `else`: alone, or followed by an `if` or `with` that is chained to the open block of that kind."""
        top = self.blocks[-1] if self.blocks else None
        if top is None or top.node is None or top.node.otherwise is not None:
            self.tokens.fail("unexpected {{else}}", token.pos)
        top.node.otherwise = self.nodes = top.nodes = []
        if isinstance(top.node, tree.Range):
            self.scope.ranges -= 1  # its else branch is outside the loop
        following = self.tokens.peek()
        if following.kind is Kind.KEYWORD and following.text == top.word and top.word in {"if", "with"}:
            self.control(self.tokens.next(), chained=True)
        else:
            self.tokens.expect(Kind.RIGHT, "else")

    def end(self, token: Token) -> None:
        self.tokens.expect(Kind.RIGHT, "end")
        if not self.blocks:
            self.tokens.fail("unexpected {{end}}", token.pos)
        while self.close().chained:
            pass

    def close(self) -> _Block:
        block = self.blocks.pop()
        if isinstance(block.node, tree.Range) and block.node.otherwise is None:
            self.scope.ranges -= 1
        if block.node is None:
            self.add(block.name, block.nodes, block.pos)
        self.scope = block.outer
        self.scope.release(block.mark)
        self.nodes = self.blocks[-1].nodes if self.blocks else self.root
        return block

    # --- the rest ---

    def jump(self, token: Token) -> None:
        self.tokens.expect(Kind.RIGHT, f"{{{{{token.text}}}}}")
        if self.scope.ranges == 0:
            self.tokens.fail(f"{{{{{token.text}}}}} outside {{{{range}}}}", token.pos)
        self.nodes.append(tree.Jump(token.pos, token.text))

    def call(self, token: Token) -> None:
        name = self.template_name("template clause")
        pipe: tree.Pipe | None = None
        if self.tokens.peek().kind is Kind.RIGHT:
            self.tokens.next()
        else:
            pipe = parse_pipeline(self.tokens, self.scope, "template clause")
        self.nodes.append(tree.TemplateCall(token.pos, name, pipe))

    def template_name(self, context: str) -> str:
        return str(literal_value(self.tokens, self.tokens.expect(Kind.STRING, context)))

    def add(self, name: str, nodes: list[tree.Node], pos: int) -> None:
        """Add a template. A blank one never replaces another, and any other replaces a blank one; two others clash."""
        if name not in self.trees or _is_blank(self.trees[name]):
            self.trees[name] = nodes
        elif not _is_blank(nodes):
            self.tokens.fail(f"multiple definition of template {name!r}", pos)


_ACTIONS: dict[str, Callable[[_Parser, Token], None]] = {
    "block": _Parser.define,
    "break": _Parser.jump,
    "continue": _Parser.jump,
    "define": _Parser.define,
    "else": _Parser.turn,
    "end": _Parser.end,
    "if": _Parser.control,
    "range": _Parser.control,
    "template": _Parser.call,
    "with": _Parser.control,
}


def _is_blank(nodes: list[tree.Node]) -> bool:
    return all(isinstance(node, tree.Text) and not node.text.strip() for node in nodes)
