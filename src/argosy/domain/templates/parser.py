"""Reads a template into its tree, with Go's words for what cannot be read. `tokens` has cut it already."""

from __future__ import annotations

from collections.abc import Collection

from argosy.domain.templates import literals
from argosy.domain.templates.errors import TemplateError, cure_for
from argosy.domain.templates.nodes import (
    Action,
    Block,
    Bool,
    Branch,
    Call,
    Chain,
    Command,
    Dot,
    Field,
    Function,
    Leave,
    Nil,
    Number,
    Operand,
    Pipe,
    Plain,
    Range,
    Statement,
    Text,
    Tree,
    Variable,
    is_empty,
)
from argosy.domain.templates.quoting import BadQuotes, quoted, unquoted
from argosy.domain.templates.tokens import Token, TokenKind, tokens

_OPERANDS: frozenset[TokenKind] = frozenset(
    ["bool", "rune", "complex", "dot", "field", "word", "number", "nil", "raw", "string", "variable", "open"]
)
_DEEPEST = 60


def parse(source: str, *, name: str, functions: Collection[str]) -> Tree:
    return _Parser(source, name, functions).parse()


class _Parser:
    def __init__(self, source: str, name: str, functions: Collection[str]) -> None:
        self._tree = Tree(name, source)
        self._functions = functions
        self._tokens = tokens(source)
        self._next = 0
        self._variables = ["$"]
        self._loops = 0
        self._depth = 0
        self._action_line = 0
        self._ended = ""

    def parse(self) -> Tree:
        found: list[Statement] = []
        while self._peek().kind != "end":
            if self._starts("define"):
                self._definition()
                continue
            statement = self._statement()
            if statement is None:
                raise self._error(f"unexpected {{{{{self._ended}}}}}")
            found.append(statement)
        body = tuple(found)
        before = self._tree.defined.pop(self._tree.name, ())
        if not is_empty(before) and not is_empty(body):
            raise self._error(f"template: multiple definition of template {quoted(self._tree.name)}")
        self._tree.body = body if is_empty(before) else before
        return self._tree

    # What stands in the text

    def _statement(self) -> Statement | None:
        """None at an `end` or `else`, which `_ended` names."""
        token = self._word()
        if token.kind == "text":
            return Plain(token.at, token.text)
        if token.kind != "left":
            raise self._unexpected(token, "input")
        self._action_line = token.line
        try:
            return self._action()
        finally:
            self._action_line = 0

    def _block(self) -> Block:
        """Up to the `end` or `else` that closes it."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"blocks are nested deeper than {_DEEPEST} levels")
        found: list[Statement] = []
        while self._peek_word().kind != "end":
            statement = self._statement()
            if statement is None:
                self._depth -= 1
                return tuple(found)
            found.append(statement)
        raise self._error("unexpected EOF")

    def _action(self) -> Statement | None:
        token = self._word()
        if token.kind == "keyword":
            match token.text:
                case "if" | "with":
                    return self._branch(token.text)
                case "range":
                    return self._range()
                case "end" | "else":
                    self._end(token.text)
                    return None
                case "break" | "continue":
                    return self._leave(token)
                case "template":
                    return self._template()
                case "block":
                    return self._named_block()
        self._back()
        return Action(token.at, self._pipe("command", "right"))

    def _end(self, word: str) -> None:
        self._ended = word
        if word == "else" and self._peek_word().text in {"if", "with"}:
            return
        self._expect("right", word)

    def _leave(self, token: Token) -> Leave:
        following = self._word()
        if following.kind != "right":
            raise self._unexpected(following, f"{{{{{token.text}}}}}")
        if not self._loops:
            raise self._error(f"{{{{{token.text}}}}} outside {{{{range}}}}")
        return Leave(token.at, token.text)

    def _branch(self, word: str) -> Branch:
        known = len(self._variables)
        pipe = self._pipe(word, "right")
        then = self._block()
        otherwise: Block | None = None
        if self._ended == "else":
            following = self._peek_word()
            if following.kind == "keyword" and following.text == word:
                self._word()
                self._depth += 1
                if self._depth > _DEEPEST:
                    raise self._error(f"blocks are nested deeper than {_DEEPEST} levels")
                otherwise = (self._branch(word),)
                self._depth -= 1
            else:
                otherwise = self._last_block()
        del self._variables[known:]
        return Branch(pipe.at, word, pipe, then, otherwise)

    def _last_block(self) -> Block:
        found = self._block()
        if self._ended != "end":
            raise self._error(f"expected end; found {{{{{self._ended}}}}}")
        return found

    def _range(self) -> Range:
        known = len(self._variables)
        pipe = self._pipe("range", "right")
        self._loops += 1
        body = self._block()
        self._loops -= 1
        otherwise = self._last_block() if self._ended == "else" else None
        del self._variables[known:]
        return Range(pipe.at, pipe, body, otherwise)

    def _template(self) -> Call:
        token = self._word()
        name = self._name(token, "template clause")
        pipe: Pipe | None = None
        if self._word().kind != "right":
            self._back()
            pipe = self._pipe("template clause", "right")
        return Call(token.at, name, pipe)

    def _named_block(self) -> Call:
        token = self._word()
        name = self._name(token, "block clause")
        pipe = self._pipe("block clause", "right")
        self._define(name, "block clause")
        return Call(token.at, name, pipe)

    def _definition(self) -> None:
        name = self._name(self._word(), "define clause")
        self._expect("right", "define clause")
        self._define(name, "define clause")

    def _define(self, name: str, context: str) -> None:
        """Its variables are its own."""
        outside, self._variables = self._variables, ["$"]
        loops, self._loops = self._loops, 0
        body = self._block()
        self._variables, self._loops = outside, loops
        if self._ended != "end":
            raise self._error(f"unexpected {{{{{self._ended}}}}} in {context}")
        before = self._tree.defined.get(name, ())
        if is_empty(before):
            self._tree.defined[name] = body
        elif not is_empty(body):
            raise self._error(f"template: multiple definition of template {quoted(name)}")

    def _name(self, token: Token, context: str) -> str:
        if token.kind not in {"string", "raw"}:
            raise self._unexpected(token, context)
        return self._unquoted(token)

    # Pipelines

    def _pipe(self, context: str, end: TokenKind) -> Pipe:
        start = self._peek_word()
        declares, assigns = self._declarations(context)
        commands: list[Command] = []
        while True:
            token = self._word()
            if token.kind == end:
                break
            if token.kind not in _OPERANDS:
                raise self._unexpected(token, context)
            self._back()
            commands.append(self._command())
        if not commands:
            raise self._error(f"missing value for {context}")
        for stage, command in enumerate(commands[1:], 2):
            if isinstance(command.args[0], Bool | Dot | Nil | Number | Text):
                raise self._error(f"non executable command in pipeline stage {stage}")
        return Pipe(start.at, tuple(declares), assigns, tuple(commands))

    def _declarations(self, context: str) -> tuple[list[Variable], bool]:
        declares: list[Variable] = []
        while self._peek_word().kind == "variable":
            mark = self._next
            token = self._word()
            sign = self._peek_word()
            if sign.kind in {"assign", "declare"}:
                self._word()
                declares.append(self._declared(token))
                return declares, sign.kind == "assign"
            if sign.kind == "char" and sign.text == ",":
                self._word()
                declares.append(self._declared(token))
                if context != "range" or len(declares) > 1:
                    raise self._error(f"too many declarations in {context}")
                if self._peek_word().kind not in {"variable", "right", "close"}:
                    raise self._error("range can only initialize variables")
                continue
            self._next = mark
            break
        return declares, False

    def _declared(self, token: Token) -> Variable:
        self._variables.append(token.text)
        return Variable(token.at, tuple(token.text.split(".")))

    def _command(self) -> Command:
        start = self._peek_word().at
        args: list[Operand] = []
        while True:
            operand = self._operand()
            if operand is not None:
                args.append(operand)
            token = self._take()
            if token.kind == "space":
                continue
            if token.kind in {"right", "close"}:
                self._back()
            elif token.kind != "pipe":
                raise self._unexpected(token, "operand")
            break
        if not args:
            raise self._error("empty command")
        return Command(start, tuple(args))

    def _operand(self) -> Operand | None:
        term = self._term()
        if term is None or self._peek().kind != "field":
            return term
        at, names = self._peek().at, []
        while self._peek().kind == "field":
            names.append(self._take().text[1:])
        match term:
            case Field():
                return Field(at, (*term.names, *names))
            case Variable():
                return Variable(at, (*term.names, *names))
            case Bool() | Text() | Number() | Nil() | Dot():
                raise self._error(f"unexpected . after term {quoted(str(term))}")
        return Chain(at, term, tuple(names))

    def _term(self) -> Operand | None:
        token = self._word()
        match token.kind:
            case "word":
                if token.text not in self._functions:
                    raise self._error(f"function {quoted(token.text)} not defined")
                return Function(token.at, token.text)
            case "dot":
                return Dot(token.at)
            case "nil":
                return Nil(token.at)
            case "variable":
                if token.text not in self._variables:
                    raise self._error(f"undefined variable {quoted(token.text)}")
                return Variable(token.at, (token.text,))
            case "field":
                return Field(token.at, (token.text[1:],))
            case "bool":
                return Bool(token.at, token.text == "true")
            case "rune" | "number" | "complex":
                return self._number(token)
            case "string" | "raw":
                return Text(token.at, token.text, self._unquoted(token))
            case "open":
                return self._parentheses()
        self._back()
        return None

    def _parentheses(self) -> Pipe:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("max expression depth exceeded")
        found = self._pipe("parenthesized pipeline", "close")
        self._depth -= 1
        return found

    def _number(self, token: Token) -> Number:
        try:
            return (literals.rune if token.kind == "rune" else literals.number)(token.at, token.text)
        except literals.BadNumber as error:
            raise self._error(str(error)) from error

    def _unquoted(self, token: Token) -> str:
        try:
            return unquoted(token.text)
        except BadQuotes as error:
            raise self._error(str(error)) from error

    # Tokens

    def _take(self) -> Token:
        token = self._tokens[min(self._next, len(self._tokens) - 1)]
        self._next += 1
        return token

    def _back(self) -> None:
        self._next -= 1

    def _peek(self) -> Token:
        return self._tokens[min(self._next, len(self._tokens) - 1)]

    def _word(self) -> Token:
        """The next that is no space."""
        while (token := self._take()).kind == "space":
            pass
        return token

    def _peek_word(self) -> Token:
        token = self._word()
        self._back()
        return token

    def _starts(self, keyword: str) -> bool:
        """Whether an action with this keyword begins here; it is then read."""
        if self._peek().kind != "left":
            return False
        mark = self._next
        self._take()
        token = self._word()
        if token.kind == "keyword" and token.text == keyword:
            return True
        self._next = mark
        return False

    def _expect(self, kind: TokenKind, context: str) -> Token:
        token = self._word()
        if token.kind != kind:
            raise self._unexpected(token, context)
        return token

    def _unexpected(self, token: Token, context: str) -> TemplateError:
        if token.kind != "error":
            return self._error(f"unexpected {token} in {context}")
        extra = ""
        if self._action_line not in {0, token.line}:
            extra = f" in action started at {self._tree.name}:{self._action_line}"
            if token.text.endswith(" action"):
                extra = extra.removeprefix(" in action")
        return self._error(f"{token}{extra}")

    def _error(self, cause: str) -> TemplateError:
        line = self._tokens[min(max(self._next - 1, 0), len(self._tokens) - 1)].line
        told = f"template: {self._tree.name}:{line}: {cause}"
        return TemplateError(told, name=self._tree.name, line=line, cause=cause, cure=cure_for(cause))
