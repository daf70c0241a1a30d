"""The design that a command works on: a store, found by the name of its module or its file.

A file is imported as part of its package if it lies in one, so that its own imports work; the
current directory is on the path, as it is with ``python -m``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from sysconfig import get_path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.errors import DesignError, SingletableError, UsageError

if TYPE_CHECKING:
    from singletable.store.store import Store

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="The store: package.module:Store, or a file, path/design.py, that has one store.",
        show_default=False,
    ),
]


def load(target: str) -> type[Store]:
    """Import the store that a target names; raise ``UsageError`` where there is no such store."""
    where, name = _split(target)
    module = _module(target, where)
    return _named(module, where, name) if name else _only(module, where)


def load_object(target: str, only: type | None = None) -> Any:
    """Import whatever a target names: ``package.module:name``, or ``path/file.py:name``.

    Where it names a module alone, the one class in it that is derived from ``only`` is meant.
    """
    where, name = _split(target)
    if not name and only is not None:
        return _only_of(only, _module(target, where), where)
    if not name:
        raise UsageError(f"{target!r} names a module alone: write package.module:name")
    found = getattr(_module(target, where), name, None)
    if found is None:
        raise UsageError(f"{where} has no {name!r}")
    return found


def _module(target: str, where: str) -> ModuleType:
    if not where or (where.startswith(".") and not _is_file(where)):
        raise UsageError(f"{target!r} names no module: write package.module:Store or a file")
    _see(Path.cwd())
    try:
        return _of_file(Path(where)) if _is_file(where) else import_module(where)
    except (DesignError, UsageError) as error:  # goes on as it is, but for the line
        error.args = (f"{error}{_line(error)}", *error.args[1:])
        raise
    except SingletableError:
        raise
    except SystemExit as stop:
        raise UsageError(f"{where} ends the program when it is imported") from stop
    except Exception as error:
        raise UsageError(_why(where, error)) from error


def _split(target: str) -> tuple[str, str]:
    where, colon, name = target.rpartition(":")
    # A drive's letter has a colon too: C:\design.py
    return (where, name) if colon and not name.startswith(("/", "\\")) else (target, "")


def _is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or "\\" in where


def _see(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _of_file(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise UsageError(f"There is no file {path}")
    folder, names = path.parent, [path.stem]
    while (folder / "__init__.py").is_file():
        folder, names = folder.parent, [folder.name, *names]
    _see(folder)
    return import_module(".".join(names)) if len(names) > 1 else _of_lone_file(path)


def _of_lone_file(path: Path) -> ModuleType:
    """Import a file that is in no package, under a name that no other file's module has."""
    name, numbers = path.stem, count(2)
    while (taken := sys.modules.get(name)) is not None:
        if taken.__dict__.get("__file__") == str(path):
            return taken
        name = f"{path.stem}_{next(numbers)}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python: write package.module:Store, or a file, design.py")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _why(where: str, error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and f"{where}.".startswith(f"{error.name}."):
        return f"There is no module {error.name!r}; looked in the current directory and on the path"
    return f"{where} cannot be imported: {type(error).__name__}: {error}{_line(error)}"


def _line(error: Exception) -> str:
    """Tell which line of the user's led to an error, unless it says so itself."""
    if isinstance(error, SyntaxError):
        return ""
    installed = [get_path(name) for name in ("stdlib", "purelib", "platlib")]
    others = ("<", str(Path(__file__).parents[1]), *installed)
    lines = [
        f" ({Path(frame.filename).name}, line {frame.lineno})"
        for frame in extract_tb(error.__traceback__)
        if not frame.filename.startswith(others)
    ]
    return lines[-1] if lines else ""  # none, where Python could not read the file


def _named(module: ModuleType, where: str, name: str) -> type[Store]:
    from singletable.store.store import Store

    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, Store) and found is not Store:
        return found
    fault = f"has no {name!r}" if found is None else f"has a {name!r} that is no store"
    raise UsageError(f"{where} {fault}; {_listed(_stores(module))}")


def _only(module: ModuleType, where: str) -> type[Store]:
    stores = _stores(module)
    if len(stores) != 1:
        raise UsageError(f"{where}: {_listed(stores)}")
    return next(iter(stores.values()))


def _only_of(base: type, module: ModuleType, where: str) -> Any:
    found = _derived(base, module)
    kind = base.__name__.lower()
    if not found:
        raise UsageError(f"{where}: it has no {kind}: class My{base.__name__}({base.__name__}[…])")
    if len(found) > 1:
        names = ", ".join(f":{name}" for name in found)
        raise UsageError(f"{where}: name one of its {kind}s behind it: {names}")
    return next(iter(found.values()))


def _stores(module: ModuleType) -> dict[str, type[Store]]:
    """Give the stores that a module defines, or, where it defines none, those that it imports."""
    from singletable.store.store import Store

    return _derived(Store, module)


def _derived(base: type, module: ModuleType) -> dict[str, type[Any]]:
    classes = {name: one for name, one in vars(module).items() if isinstance(one, type)}
    found = {n: one for n, one in classes.items() if issubclass(one, base) and one is not base}
    own = {name: one for name, one in found.items() if one.__module__ == module.__name__}
    return own or found


def _listed(stores: dict[str, type[Store]]) -> str:
    if not stores:
        return "it has no store: class MyStore(Store, table=table)"
    names = ", ".join(f":{name}" for name in stores)
    return f"name one of its stores behind it: {names}"
