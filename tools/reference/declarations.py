"""Declarations as they stand in the source: signatures, fields and what is said about them.

They are read from the text and not from the objects, since Python prints types and defaults
differently from version to version, and a page should not.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from textwrap import dedent
from typing import Any

OURS = "singletable"
LINE_MAX = 96


@dataclass(frozen=True, slots=True)
class Member:
    """A public attribute of a class: how it is written, and what it is for."""

    name: str
    shown: str
    doc: str


def doc_of(thing: Any) -> str:
    """Give a docstring in Markdown."""
    return markdown(inspect.getdoc(thing) or "")


def markdown(text: str) -> str:
    """Write a docstring's literals as Markdown does."""
    return re.sub(r"``(.+?)``", r"`\1`", text.strip(), flags=re.DOTALL)


def first_paragraph(text: str) -> str:
    """Give the first paragraph as one line."""
    return " ".join(text.partition("\n\n")[0].split())


def _in_a_line(text: str) -> str:
    """Give a docstring as one line; of one that has code in it, the first paragraph."""
    has_code = re.search(r"^    ", text, re.MULTILINE)
    return first_paragraph(text) if has_code else " ".join(text.split())


def signature(
    name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, line_max: int = LINE_MAX
) -> str:
    """Write how a function is called, without ``self``, and what it gives."""
    returns = "" if node.returns is None else f" -> {_plain(ast.unparse(node.returns))}"
    head = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    pieces = list(_pieces(node.args))
    line = f"{head}{name}({', '.join(pieces)}){returns}"
    if len(line) <= line_max:
        return line
    inside = "".join(f"    {piece},\n" for piece in pieces)
    return f"{head}{name}(\n{inside}){returns}"


def _pieces(args: ast.arguments) -> Iterator[str]:
    """Give each parameter as it is written, and the marks between them."""
    positional = [*args.posonlyargs, *args.args]
    lacking: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    pairs = list(zip(positional, [*lacking, *args.defaults], strict=True))
    for number, (arg, default) in enumerate(pairs, 1):
        if arg.arg not in {"self", "cls"}:
            yield _piece(arg, default)
            if number == len(args.posonlyargs):
                yield "/"
    if args.vararg:
        yield f"*{_piece(args.vararg, None)}"
    elif args.kwonlyargs:
        yield "*"
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield _piece(arg, default)
    if args.kwarg:
        yield f"**{_piece(args.kwarg, None)}"


def _piece(arg: ast.arg, default: ast.expr | None) -> str:
    kind = "" if arg.annotation is None else f": {_plain(ast.unparse(arg.annotation))}"
    between = " = " if kind else "="
    return f"{arg.arg}{kind}" + ("" if default is None else between + ast.unparse(default))


def function(name: str, made: Any) -> str:
    """Write the signature of a function."""
    node = _node(inspect.unwrap(made))
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef), name
    return signature(name, node)


def construction(cls: type) -> str:
    """Write how an object is made, or the name alone where nobody makes one by hand."""
    for base in _ours(cls):
        methods = _functions(base)
        if "__init__" in methods:
            return signature(cls.__name__, methods["__init__"]).removesuffix(" -> None")
    return cls.__name__


def members(cls: type) -> list[Member]:
    """List the public attributes of a class, its own before those of its bases."""
    found: dict[str, Member] = {}
    for base in _ours(cls):
        for member in _own(base):
            found.setdefault(member.name, member)
    return list(found.values())


def home(module: Any, name: str) -> str:
    """Name the module from which a package has a name."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            return f"{module.__name__}.{node.module}" if node.level else str(node.module)
    return str(module.__name__)


def constant(module: Any, name: str) -> str:
    """Give the text below an assignment in a module."""
    body = ast.parse(inspect.getsource(module)).body
    return next((doc for found, _, doc in _assigned(body) if found == name), "")


def _ours(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base.__module__.startswith(OURS)]


def _own(cls: type) -> Iterator[Member]:
    node = _node(cls)
    assert isinstance(node, ast.ClassDef), cls
    for name, shown, doc in _assigned(node.body):
        if not name.startswith("_") and name != "model_config":  # which is pydantic's
            yield Member(name, shown, first_paragraph(markdown(doc)))
    for name, method in _functions(cls).items():
        if not name.startswith("_"):
            doc = _in_a_line(markdown(ast.get_docstring(method) or ""))
            yield Member(name, _method(name, method), doc)


def _method(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    if decorators & {"property", "cached_property"}:
        return f"{name}: {_plain(ast.unparse(node.returns))}" if node.returns else name
    return signature(name, node, sys.maxsize)


def _functions(cls: type) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Give the methods of a class by name; of overloads, the last is the one that is."""
    node = _node(cls)
    assert isinstance(node, ast.ClassDef), cls
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {each.name: each for each in node.body if isinstance(each, kinds)}


def _assigned(body: list[ast.stmt]) -> Iterator[tuple[str, str, str]]:
    """Give annotated names with the text that stands below them."""
    for each, after in zip(body, [*body[1:], None], strict=True):
        target: ast.expr | None = each.target if isinstance(each, ast.AnnAssign) else None
        if isinstance(each, ast.Assign) and len(each.targets) == 1:
            target = each.targets[0]
        if isinstance(target, ast.Name):
            yield target.id, _plain(ast.unparse(each)), _text(after)


def _text(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return dedent(str(node.value.value))
    return ""


def _plain(text: str) -> str:
    """Leave out the quotes around a type that is not known yet where it is written."""
    return text[1:-1] if re.fullmatch(r"'[^']*'", text) else text


@cache
def _node(thing: Any) -> ast.stmt:
    return ast.parse(dedent(inspect.getsource(thing))).body[0]
