"""What comes of one row, put in the place of what came of it before.

Several may be at the same row at once, each with another state of it. So whoever has put something
reads the row again, and does it again if that has changed: the last of them puts what is there.

A row whose unique value another has, or whose item, is refused, and nothing of it stays. It is put
when the other gives that up: so values may move between rows, told in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from singletable.errors import (
    Contended,
    IndexMissing,
    NotFound,
    ObjectStoreFailed,
    StoreError,
    TableMissing,
    Throttled,
    TransactionCancelled,
)
from singletable.model.entity import Entity
from singletable.model.reads import Get, Key
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.writing.writes import Identity, identity
from singletable.values import Item

from .bookkeeping import Rejected, Run
from .copying import keys_of
from .counting import counted, owner_of, recount, recount_owners
from .items import Draft, fixed
from .layouts.beside import guards_of, put_beside
from .migration import Rule
from .orphans import orphaned
from .owners import Owners, read, written
from .placing import place, remove
from .rejects import rejected
from .running import Sides
from .sources.source import Id, Row
from .transforming import (
    Made,
    Reject,
    Transformer,
    drafts_of,
    name_of,
    reason_of,
    reference_of,
)
from .wanting import Wants
from .writing import write

ROUNDS = 5
"""So often a row is put again that changes meanwhile: whoever changes it puts it, or it is told."""
PASSING = (
    Contended,
    IndexMissing,
    ObjectStoreFailed,
    TableMissing,
    Throttled,
    TransactionCancelled,
)
"""What is no fault of the row."""


class Placer:
    """Puts what rows become, and keeps the list of those that were refused.

    ``owners``, where they are at hand, tell which rows make an item: so none takes another's.
    """

    def __init__(self, sides: Sides, begun: Run, owners: Owners | None = None) -> None:
        self._sides = sides
        self._name = begun.name
        self._owners = owners
        self._wants = Wants(sides.books, begun.name)
        self._context = fixed(sides.store.context, begun.began_at)
        self._transformer = Transformer(sides.migration, self._context, begun.began_at)

    def make(self, rule: Rule, row: Row | None) -> Made | Reject | None:
        """Give what a row becomes; nothing, if it is gone."""
        return None if row is None else self._transformer.transform(rule, row)

    def entities(self, rule: Rule, row: Row) -> list[Entity]:
        """Give what a row became before; nothing, if it was refused."""
        try:
            return self._transformer.entities(rule, row)
        except Exception:  # noqa: BLE001 - it was refused, so there is nothing of it
            return []

    def put(
        self, rule: Rule, root: Id, made: Made | Reject | None, before: Iterable[Entity]
    ) -> Made | Reject | None:
        """Put what a row becomes, and take away what it became before; give what came of it."""
        before = list(before)
        row, is_listed = Row(rule.kind, root, {}), self._is_listed(rule.kind, root)
        # What a refused row would have made is another's, if it is there.
        gone = [] if is_listed else [one for one in before if self._maker(row, _key(one)) is None]
        had = [] if is_listed else [*gone, *(draft.entity for draft in drafts_of(made))]
        held = self._held(had)
        result = self._put(made, gone)
        if isinstance(made, Made) and isinstance(result, Reject):
            result = self._put_again(made, had)
        self._note(rule.kind, root, result, is_listed=is_listed)
        kept = {*keys_of(result)} if isinstance(result, Made) else set[Identity]()
        # Who died here may have put the row, and not those that wait for what it had before.
        held |= {key for one in before for key in _had(one)}
        self._free(held - kept, (rule.kind, root))
        return result

    def _put_again(self, made: Made, had: list[Entity]) -> Made | Reject | None:
        """Note what a row wants that another has; take away what it had, if that is still so.

        It is noted before the row is tried once more, so that whoever frees it is not missed.
        """
        self._wants.note([made])
        result = self._put(made, [])
        if isinstance(result, Reject):
            self._remove(one for one in had if self._maker(made.row, _key(one)) is None)
        return result

    def _put(self, made: Made | Reject | None, gone: list[Entity]) -> Made | Reject | None:
        if isinstance(made, Made):
            made = self._claimed(made)
        kept = {draft.key for draft in drafts_of(made)}
        if self._sides.migration.in_place:
            return run(put_beside(self._context, made, gone), self._sides.store.backend)
        self._remove(one for one in gone if _key(one) not in kept)
        return self._placed(made) if isinstance(made, Made) else made

    def _remove(self, entities: Iterable[Entity]) -> None:
        backend = self._sides.store.backend
        for entity in {_key(one): one for one in entities}.values():
            if self._sides.migration.in_place:
                run(put_beside(self._context, None, [entity]), backend)
            else:
                run(remove(self._context, entity), backend)

    def _placed(self, made: Made) -> Made | Reject:
        """Put what a row becomes, all or nothing."""
        placed: list[Entity] = []
        for draft in made.drafts:
            try:
                reason = self._place(made.row, draft)
            except PASSING:
                raise
            except StoreError as error:
                reason = reason_of(error)
            if reason is not None:
                self._remove(placed)
                return Reject(made.row, reason)
            placed.append(draft.entity)
        return made

    def _place(self, row: Row, draft: Draft) -> str | None:
        """Put an item; where a parent is not there to count it, as the copy does."""
        store, entity, schema = self._sides.store, draft.entity, draft.entity.__schema__
        owner = owner_of(entity)
        is_new = bool(schema.aggregates) and store.bind(_get(entity)).first() is None
        counts = counted(store, schema, owner) if is_new else {}
        try:
            # It may have been there a moment ago, and have gone meanwhile.
            is_new |= run(place(self._context, entity, counts), store.backend)
        except NotFound:
            _, refused = run(write(self._context, [Made(row, (draft,))]), store.backend)
            if refused:
                return refused[0].reason
            is_new = True
            recount_owners(store, entity)
        if is_new:  # what came just now was counted by nobody
            recount(store, schema, owner)
        return None

    # Rows that make the same

    def _claimed(self, made: Made) -> Made | Reject:
        """Claim the items of a row, unless another has one of them."""
        for draft in made.drafts:
            maker = self._maker(made.row, draft.key)
            if maker is not None:
                key = ", ".join(draft.key)
                return Reject(made.row, f"{maker} makes an item with the key {key}, too")
        if self._owners is not None:
            mine = written(made.row)
            keys = [draft.key for draft in made.drafts]
            new = [key for key in keys if mine not in self._owners.claiming(key)]
            self._owners.claim((key, mine) for key in new)
        return made

    def _maker(self, row: Row, key: Identity) -> str | None:
        """Name another row that makes an item now, and was not refused."""
        mine = written(row)
        for claiming in self._owners.claiming(key) if self._owners is not None else ():
            kind, id_ = read(claiming)
            if claiming != mine and not self._is_listed(kind, id_):
                other = self._row(kind, id_)
                made = self.make(self._sides.migration.rules[kind], other)
                if isinstance(made, Made) and key in {draft.key for draft in made.drafts}:
                    return name_of(made.row)
        return None

    def _held(self, entities: Iterable[Entity]) -> set[Identity]:
        """Give the keys that these have: of items, and of the guards of values that are stored."""
        store, named = self._sides.store, {_key(one): one for one in entities}
        guarded = [one for one in named.values() if one.__schema__.unique]
        keys = [one.__schema__.item_key(one.__dict__) for one in guarded]
        found = run(get_items(store.context, keys, consistent=True), store.backend) if keys else []
        return {*named, *(key for item in found if item for key in self._guards(item))}

    def _guards(self, item: Item) -> Iterator[Identity]:
        table = self._sides.store.table
        schema = table.entities.get(item.get(table.type_attribute, {}).get("S", ""))
        if schema is not None:
            yield from (identity(one.key) for one in guards_of(schema.items.read(item)))

    def _free(self, keys: Iterable[Identity], by: tuple[str, Id]) -> None:
        """Put rows that were refused because of what another frees now."""
        for key in keys:
            for want in self._wants.of(key):
                if (want.kind, tuple(want.id)) == by:
                    continue
                result = self._again(self._sides.migration.rules[want.kind], tuple(want.id))
                if not isinstance(result, Reject):
                    self._wants.forget(want)
                if isinstance(result, Made) and key in keys_of(result):
                    break

    def _again(self, rule: Rule, root: Id) -> Made | Reject | None:
        """Put a row as it is, until it stays so."""
        row, passed = self._row(rule.kind, root), list[Entity]()
        for _ in range(ROUNDS):
            result = self.put(rule, root, self.make(rule, row), passed)
            passed += [one.entity for one in drafts_of(result)]
            before, row = row, self._row(rule.kind, root)
            if is_same(before, row):
                break
        return result

    def _row(self, kind: str, root: Id) -> Row | None:
        rule = self._sides.migration.rules[kind]
        [row] = self._sides.source.fetch(kind, [root], rule.related)
        return row

    # Rejects

    def has_listed(self, kind: str) -> bool:
        """Tell whether rows of a kind are among the rejects."""
        return self._sides.books.rejected(self._name, kind).first() is not None

    def list_orphans(self, kind: str, ids: Sequence[Id]) -> None:
        """Keep rows among the rejects that come along with none, and forget those that do."""
        parents = self._sides.migration.along[kind]
        rows = self._sides.source.fetch_orphans(kind, parents, ids) if ids else []
        for id_, row in zip(ids, rows, strict=True):
            made = orphaned(row, parents) if row else None
            self._note(kind, id_, made, is_listed=self._is_listed(kind, id_))

    def _is_listed(self, kind: str, root: Id) -> bool:
        key = {"name": self._name, "kind": kind, "row_id": reference_of(kind, root)}
        return self._sides.books.bind(Rejected.get(**key).strong()).first() is not None

    def _note(self, kind: str, root: Id, made: Made | Reject | None, *, is_listed: bool) -> None:
        """Keep a row that was refused, and forget one that no longer is."""
        books = self._sides.books
        if isinstance(made, Reject):
            books.put(rejected(self._name, made))
        elif is_listed:
            row_id = reference_of(kind, root)
            books.delete(Rejected.key(name=self._name, kind=kind, row_id=row_id))


def is_same(one: Row | None, other: Row | None) -> bool:
    """Tell whether a row is as it was; not a number is as itself, unlike in Python."""
    return one == other or repr(one) == repr(other)


def _get(entity: Entity) -> Get[Entity]:
    return Get[Any].of(key=Key(entity.__schema__, owner_of(entity)), consistent=True)


def _had(entity: Entity) -> Iterator[Identity]:
    yield _key(entity)
    yield from (identity(one.key) for one in guards_of(entity))


def _key(entity: Entity) -> Identity:
    return identity(entity.__schema__.item_key(entity.__dict__))
