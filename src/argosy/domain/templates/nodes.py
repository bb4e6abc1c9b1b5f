"""What a template says, as a tree: `parser` reads it, `evaluator` walks it. `str()` of a node is how Go shows it in errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Place:
    at: int


@dataclass(frozen=True, slots=True)
class Dot(Place):
    def __str__(self) -> str:
        return "."


@dataclass(frozen=True, slots=True)
class Nil(Place):
    def __str__(self) -> str:
        return "nil"


@dataclass(frozen=True, slots=True)
class Bool(Place):
    value: bool

    def __str__(self) -> str:
        return str(self.value).lower()


@dataclass(frozen=True, slots=True)
class Number(Place):
    """What it can be taken for; `text` as it was written."""

    text: str
    whole: int | None
    real: float | None
    ideal: int | float | None
    """What it is where nothing says. None: an integer that fits nowhere."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Text(Place):
    quoted: str
    value: str

    def __str__(self) -> str:
        return self.quoted


@dataclass(frozen=True, slots=True)
class Field(Place):
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "".join(f".{name}" for name in self.names)


@dataclass(frozen=True, slots=True)
class Variable(Place):
    """The name with its `$`, then fields."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.names)


@dataclass(frozen=True, slots=True)
class Function(Place):
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Chain(Place):
    """Fields of what a pipeline in parentheses, or a function, answers."""

    inner: Operand
    names: tuple[str, ...]

    def __str__(self) -> str:
        inside = f"({self.inner})" if isinstance(self.inner, Pipe) else str(self.inner)
        return inside + "".join(f".{name}" for name in self.names)


@dataclass(frozen=True, slots=True)
class Command(Place):
    args: tuple[Operand, ...]

    def __str__(self) -> str:
        return " ".join(f"({one})" if isinstance(one, Pipe) else str(one) for one in self.args)


@dataclass(frozen=True, slots=True)
class Pipe(Place):
    declares: tuple[Variable, ...]
    assigns: bool
    commands: tuple[Command, ...]

    def __str__(self) -> str:
        names = ", ".join(map(str, self.declares))
        sign = (" = " if self.assigns else " := ") if names else ""
        return names + sign + " | ".join(map(str, self.commands))


@dataclass(frozen=True, slots=True)
class Plain(Place):
    text: str


@dataclass(frozen=True, slots=True)
class Action(Place):
    pipe: Pipe

    def __str__(self) -> str:
        return f"{{{{{self.pipe}}}}}"


@dataclass(frozen=True, slots=True)
class Branch(Place):
    """`if` and `with`."""

    word: str
    pipe: Pipe
    then: Block
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class Range(Place):
    pipe: Pipe
    body: Block
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class Leave(Place):
    """`break` and `continue`."""

    word: str


@dataclass(frozen=True, slots=True)
class Call(Place):
    """`template` and `block`."""

    name: str
    pipe: Pipe | None

    def __str__(self) -> str:
        return f'{{{{template "{self.name}"{f" {self.pipe}" if self.pipe else ""}}}}}'


Operand: TypeAlias = Dot | Nil | Bool | Number | Text | Field | Variable | Function | Chain | Pipe
Statement: TypeAlias = Plain | Action | Branch | Range | Leave | Call
Block: TypeAlias = tuple[Statement, ...]


@dataclass(slots=True)
class Tree:
    """One source: its own statements, and what it defines beside them."""

    name: str
    source: str
    body: Block = ()
    defined: dict[str, Block] = field(default_factory=dict)


def is_empty(block: Block) -> bool:
    return all(isinstance(one, Plain) and not one.text.strip() for one in block)
