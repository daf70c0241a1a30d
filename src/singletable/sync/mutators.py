"""Mutators: methods that make a client's edit, in a transaction.

A mutator asks its transaction for writes and returns. One that has to know what is there is a
generator: it yields a read, and is sent what was found. So the same mutator runs sync and async,
and sends nothing by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints, overload

from pydantic import TypeAdapter, ValidationError

from singletable.errors import DesignError, NoStrongRead, UsageError
from singletable.model.reads import BatchGet, Collection, Get, Query
from singletable.model.running import Action, Read
from singletable.model.validating import faults_of
from singletable.store.context import Context
from singletable.store.reading.programs import program
from singletable.store.steps import Program
from singletable.store.writing.transactions import Transaction

M = TypeVar("M", bound=Callable[..., Any])

Mutates = Generator[Read[Any], Any, None]
"""What a mutator returns that reads: it yields reads, and is sent what they found."""

MARK = "__mutator__"
"""The attribute by which mutators are found; it has the name that clients call them by."""
FORM = "def rename(self, tx: Transaction, args: Rename, user: User) -> None"


@dataclass(frozen=True, slots=True)
class Mutator:
    """A method that makes a client's edit."""

    name: str
    method: Callable[..., Any]
    arguments: TypeAdapter[Any]

    def checked(self, args: Any) -> Any:
        """Give the arguments as the mutator declares them; they come from a client."""
        try:
            return self.arguments.validate_python(args)
        except ValidationError as error:
            raise UsageError(faults_of(self.name, error)) from error

    def call(
        self, sync: Any, tx: Transaction, args: Any, user: Any, context: Context
    ) -> Program[None]:
        """Call the method, and read what it asks for on the way."""
        answer = self.method(sync, tx, args, user)
        if not inspect.isgenerator(answer):
            return
        try:
            read = next(answer)
            while True:
                found = yield from _found(self.name, context, read)
                read = answer.send(found)
        except StopIteration:
            return


@overload
def mutator(method: M, /) -> M: ...
@overload
def mutator(*, name: str) -> Callable[[M], M]: ...
def mutator(method: Any = None, /, *, name: str | None = None) -> Any:
    """Let clients ask for what a method does; ``name`` is what they call it, if not its name."""

    def declare(method: Callable[..., Any]) -> Callable[..., Any]:
        setattr(method, MARK, name or method.__name__)
        return method

    return declare if method is None else declare(method)


def declared(cls: type) -> Iterator[Mutator]:
    """Give the mutators of a class and its bases."""
    members = {
        name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()
    }
    for member in members.values():
        name = getattr(member, MARK, None)
        if name is not None:
            yield Mutator(name, member, TypeAdapter(_args_of(member, f"{cls.__name__}.{name}")))


def _args_of(method: Callable[..., Any], label: str) -> Any:
    """Give the type of a mutator's arguments; any JSON where it says nothing."""
    parameters = list(inspect.signature(method).parameters)
    if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
        raise DesignError(f"{label} is async: write it as in {FORM}, and yield what it has to read")
    if len(parameters) != len(("self", "tx", "args", "user")):
        raise DesignError(f"{label} takes {', '.join(parameters)}: write it as in {FORM}")
    try:
        return get_type_hints(method).get(parameters[2], Any)
    except NameError as error:
        raise DesignError(
            f"{label}: its annotations are not understood: {error}. Declare what they name in the "
            "module"
        ) from None


def _found(name: str, context: Context, read: Any) -> Program[Any]:
    """Read what a mutator asks for, with all that was answered before."""
    if not isinstance(read, Get | Query | BatchGet | Collection):
        raise UsageError(f"{name} yields {read!r}: yield a read, as in Survey.get(…)")
    action: Action = "first" if isinstance(read, Get) else "all"
    return (yield from program(context, action, _strong(read), None))


def _strong(read: Any) -> Any:
    """Give a read that sees every write which was answered before, where DynamoDB has such."""
    try:
        return read.strong()
    except NoStrongRead:
        return read
