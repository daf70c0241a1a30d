"""Content that is too long for an item: in the item stand its length and its beginning.

Short content stays in the item. The rest is kept elsewhere, and the item has a pointer to it. A
``Large`` is either content or such a pointer, never both: what was read stays small until it is
loaded. Pointers come from items alone, never from input that pydantic checks, so that nobody can
send a pointer to somebody else's content.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar, cast, get_args

from pydantic import GetCoreSchemaHandler, SerializationInfo, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from singletable.errors import DesignError, UsageError
from singletable.values import AttributeValue

T = TypeVar("T", str, bytes)

PREVIEW_MAX: Mapping[type, int] = {str: 200, bytes: 0}


@dataclass(frozen=True, slots=True)
class InParts:
    """Content is split over part items in the table."""


@dataclass(frozen=True, slots=True)
class InObjects:
    """Content is kept in the object store."""


@dataclass(frozen=True, slots=True)
class Preview:
    """Says how many characters or bytes of the beginning stand in the item."""

    length: int


@dataclass(frozen=True, slots=True)
class Inline:
    """Says up to how many bytes content stays in the item itself."""

    size_bytes: int


@dataclass(frozen=True, slots=True)
class Stored:
    """What an item knows of content that is elsewhere: in parts, or at a path."""

    id: str
    owner: tuple[str, ...]
    """The key of the item that it belongs to: the partition, and the sort key if there is one."""
    field: str
    """The entity and the field, as in ``Transcript.text``."""
    length: int
    size_bytes: int
    checksum: str
    parts: int | None = None
    path: str | None = None


class Large(Generic[T]):
    """A long text or long bytes: ``Large("…")`` to write; from an item, what to load.

    Two are equal if their contents are, wherever they are. It is frozen, but no dataclass: of
    those pydantic would ask no schema.
    """

    __slots__ = ("content", "preview", "stored")

    content: T | None
    preview: T
    stored: Stored | None

    def __init__(self, content: T) -> None:
        _fill(self, content, content[: PREVIEW_MAX[kind_of(content)]], None)

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"a Large cannot be changed: {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return made, (self.content, self.preview, self.stored)

    @property
    def length(self) -> int:
        """Tell how many characters or bytes it has."""
        return self.stored.length if self.stored else len(self._here)

    @property
    def size_bytes(self) -> int:
        """Tell how many bytes it takes, text in UTF-8."""
        return self.stored.size_bytes if self.stored else len(as_bytes(self._here))

    @property
    def checksum(self) -> str:
        """Give the SHA-256 of its bytes."""
        return self.stored.checksum if self.stored else checksum_of(as_bytes(self._here))

    @property
    def _here(self) -> T:
        assert self.content is not None
        return self.content

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Large) or kind_of(other.preview) is not kind_of(self.preview):
            return False
        if self.content is not None and other.content is not None:
            return bool(self.content == other.content)
        return self.length == other.length and self.checksum == other.checksum

    def __hash__(self) -> int:
        return hash(self.checksum)

    def __repr__(self) -> str:
        kind = kind_of(self.preview)
        unit = "characters" if kind is str else "bytes"
        beginning = f", {self.preview!r}" if self.preview else ""
        return f"<Large[{kind.__name__}]: {self.length} {unit}{beginning}>"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Accept a Large of the same kind, and plain content; show JSON its length and preview."""
        kind = _declared_kind(source)
        plain = core_schema.str_schema() if kind is str else core_schema.bytes_schema()

        def check(value: Any, inner: ValidatorFunctionWrapHandler) -> Large[Any]:
            if not isinstance(value, Large):
                return cls(inner(value))
            if kind_of(value.preview) is not kind:
                raise PydanticCustomError(
                    "large_kind", "Input should be Large[{kind}]", {"kind": kind.__name__}
                )
            return value

        shown = core_schema.plain_serializer_function_ser_schema(_shown, info_arg=True)
        return core_schema.no_info_wrap_validator_function(check, plain, serialization=shown)


def encode_large(value: Any) -> AttributeValue:
    """Give the map that an item has for a Large, or for plain content."""
    large: Large[Any] = value if isinstance(value, Large) else Large(value)
    entries: dict[str, AttributeValue] = {
        "length": {"N": str(large.length)},
        "size_bytes": {"N": str(large.size_bytes)},
    }
    stored = large.stored
    if stored is None:
        return {"M": entries | {"content": _plain(large.content)}}
    entries |= {
        "preview": _plain(large.preview),
        "checksum": {"S": stored.checksum},
        "id": {"S": stored.id},
        "owner": {"L": [{"S": text} for text in stored.owner]},
    }
    if stored.path is not None:
        return {"M": entries | {"object": {"S": stored.path}}}
    return {"M": entries | {"parts": {"N": str(stored.parts)}}}


def id_in(value: AttributeValue) -> str | None:
    """Give the id that an attribute points at, if it is the map of a Large that is elsewhere."""
    entries = value.get("M", {})
    elsewhere = "checksum" in entries and ("parts" in entries or "object" in entries)
    return cast(str, entries["id"]["S"]) if elsewhere and "id" in entries else None


def kind_of(content: str | bytes) -> type:
    """Tell text from bytes."""
    return str if isinstance(content, str) else bytes


def as_bytes(content: str | bytes) -> bytes:
    """Give the bytes that are stored for content."""
    try:
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise UsageError(f"This Large is no text that can be stored: {error}") from None


def from_bytes(data: bytes, kind: type) -> Any:
    """Give the content that was stored as these bytes."""
    return data.decode() if kind is str else data


def checksum_of(data: bytes) -> str:
    """Give the checksum by which content is known again."""
    return sha256(data).hexdigest()


def _fill(large: Large[T], content: T | None, preview: T, stored: Stored | None) -> None:
    object.__setattr__(large, "content", content)
    object.__setattr__(large, "preview", preview)
    object.__setattr__(large, "stored", stored)


def made(content: T | None, preview: T, stored: Stored | None) -> Large[T]:
    """Make a Large of its parts: of content, or of what an item knows of it."""
    large: Large[T] = object.__new__(Large)
    _fill(large, content, preview, stored)
    return large


def _plain(content: Any) -> AttributeValue:
    return {"S": content} if isinstance(content, str) else {"B": content}


def _shown(large: Large[Any], info: SerializationInfo) -> Any:
    """Give what JSON shows of a Large, never its content; for Python it is what it is."""
    if info.mode != "json":
        return large
    preview = large.preview
    text = preview if isinstance(preview, str) else b64encode(preview).decode()
    return {"length": large.length, "size_bytes": large.size_bytes, "preview": text}


def _declared_kind(source: Any) -> type:
    arguments = get_args(source)
    if len(arguments) != 1 or arguments[0] not in PREVIEW_MAX:
        raise DesignError(f"A Large holds text or bytes: Large[str] or Large[bytes], not {source}")
    return cast(type, arguments[0])
