"""The base class of what is stored: a pydantic model with key templates beside its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from singletable.errors import DesignError
from singletable.values import Item

from .indexes import Index
from .reads import Get, Key, Query, Scan
from .schema import Schema
from .table import Table
from .upgrades import upgrade

KEYWORDS = ("table", "pk", "sk", "type", "schema", "copies")


def _forbid_extras(schema: Any) -> None:
    while schema["type"] != "model":  # but a validator around it
        schema = schema["schema"]
    schema["config"] = {**schema.get("config", {}), "extra_fields_behavior": "forbid"}


if TYPE_CHECKING:  # checkers know what pydantic's own makes of a class, not what is derived from it
    from pydantic._internal._model_construction import ModelMetaclass as EntityMeta
else:

    class EntityMeta(type(BaseModel)):
        """Names the indexes that an entity has, where one is asked for that it has not."""

        def __getattr__(cls, name: str) -> Any:
            schema = None if name.startswith("_") else getattr(cls, "__schema__", None)
            if schema is None:
                return super().__getattr__(name)
            known = ", ".join(schema.indexes) or "none"
            said = f"{cls.__name__} has no {name!r}; its indexes: {known}"
            raise AttributeError(said, name=name, obj=cls)


class Entity(BaseModel, metaclass=EntityMeta):
    """One kind of item, declared with its table and keys in the class statement.

    An entity that lacks a part of its key is a base for others, which inherit its table, its
    templates and its indexes; asked for its items, it gives those of all of them.
    """

    model_config = ConfigDict(ignored_types=(Index, upgrade))
    __schema__: ClassVar[Schema]

    # What an item has beside its fields; a slot, as pydantic's private attributes cost more to
    # make than all fields of a small entity together.
    __slots__ = ("_rest",)

    if TYPE_CHECKING:

        def __init_subclass__(
            cls,
            *,
            table: Table | None = None,
            pk: str | None = None,
            sk: str | None = None,
            type: str | None = None,  # noqa: A002 - the word that the field uses
            schema: int = 1,
            copies: int | None = None,
            **config: Any,
        ) -> None: ...

    else:

        def __init_subclass__(cls, **keywords: Any) -> None:
            """Leave the keywords to pydantic's own hook, which runs once the fields are known."""
            super().__init_subclass__()

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: Table | None = None,
        pk: str | None = None,
        sk: str | None = None,
        type: str | None = None,  # noqa: A002 - the word that the field uses
        schema: int = 1,
        copies: int | None = None,
        **others: Any,
    ) -> None:
        """Compile the schema and enter it in the table."""
        inherited: Schema | None = getattr(cls, "__schema__", None)
        table = table or (inherited.table if inherited else None)
        _check_keywords(cls.__name__, table, others)
        assert table is not None
        base_pk, base_sk = inherited.templates if inherited else (None, None)
        cls.__schema__ = Schema(
            cls,
            table,
            pk=pk if pk is not None else base_pk,
            sk=sk if sk is not None else base_sk,
            type_name=type or cls.__name__,
            version=schema,
            copies=copies,
        )
        if cls.__schema__.is_whole:
            table.enter(cls.__schema__)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse what is no field where an entity is made, unless ``extra`` says otherwise.

        As a setting of the model it would hold for the dataclasses in it too, and an item in which
        one has got a field more could no longer be read.
        """
        schema = handler(source)
        if "extra" not in cls.model_config:
            _forbid_extras(handler.resolve_ref_schema(schema))
        return schema

    def __copy__(self) -> Self:
        return _keep_rest(self, super().__copy__())

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        return _keep_rest(self, super().__deepcopy__(memo))

    @classmethod
    def key(cls, **fields: Any) -> Key[Self]:
        """Name one item by the fields of its key; sends nothing."""
        return Key(cls.__schema__, fields)

    @classmethod
    def get(cls, **fields: Any) -> Get[Self]:
        """Describe the read of one item, by the fields of its key; sends nothing."""
        return Get.of(key=Key(cls.__schema__, fields))

    @classmethod
    def query(cls, **known: Any) -> Query[Self]:
        """Describe a query of the table, by the fields that are known; sends nothing."""
        return Query.by(cls.__schema__, cls.__schema__.keys, known)

    @classmethod
    def scan(cls) -> Scan[Self]:
        """Describe a scan of the whole table for these items: every item there is read."""
        return Scan(schema=cls.__schema__, keys=cls.__schema__.keys)


E = TypeVar("E", bound=Entity)


# Not by getattr: where the slot is empty, pydantic would look for the name in many places.
_rest: Callable[[Entity], Item] = vars(Entity)["_rest"].__get__


def rest_of(entity: Entity) -> Item | None:
    """Give the attributes of an entity's item that are no fields, where there are any."""
    try:
        return _rest(entity)
    except AttributeError:
        return None


def _check_keywords(name: str, table: Any, others: dict[str, Any]) -> None:
    """Refuse what is misspelt, or missing, in a class statement."""
    if others:
        known = ", ".join(KEYWORDS)
        raise DesignError(
            f"class {name}(Entity, {next(iter(others))}=…): there is no such keyword; an entity "
            f"has {known}, and the settings of a pydantic model"
        )
    if table is None:
        raise DesignError(f"{name} has no table: class {name}(Entity, table=…)")
    if not isinstance(table, Table):
        raise DesignError(f"{name}: table={table!r} is no Table: table=Table({str(table)!r})")


def _keep_rest(entity: E, copy: E) -> E:
    rest = rest_of(entity)
    if rest:
        object.__setattr__(copy, "_rest", rest)
    return copy
