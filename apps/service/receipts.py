"""POST once: a request that is sent again with its Idempotency-Key finds what the first one did.

A receipt is written in the transaction that has the effect, so there is never one without the
other, whatever fails and whoever tries at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Header, Request

from apps.receipts import Receipt
from singletable import SingletableError, Store, Transaction

from .callers import Caller
from .problems import Problem

KEY_MAX = 200

Work = Callable[[Transaction], Mapping[str, str]]
"""Asks for writes, or refuses to; gives the ids of what they make."""


@dataclass(frozen=True, slots=True)
class Once:
    """Writes what a request asks for, once for its Idempotency-Key."""

    request_id: str | None
    fingerprint: str

    def step(self, number: int, content: bytes) -> Once:
        """Give what writes one of several steps of a request, once each, by what it asks for."""
        if self.request_id is None:
            return self
        return Once(f"{self.request_id}-{number}", sha256(content).hexdigest())

    def write(self, store: Store, work: Work, **scope: str) -> Mapping[str, str]:
        """Have ``work`` ask for writes; give the ids of what it made.

        They are those of the first request with this key. What might refuse the request belongs
        into ``work``: it is not called for one that was carried out, whatever has changed since.
        ``scope`` are further key fields of the service's receipts.
        """
        if self.request_id is None:
            with store.transaction() as tx:
                return work(tx)
        found = self.done(store, **scope)
        return self._written(store, work, scope) if found is None else found

    def done(self, store: Any, **scope: str) -> Mapping[str, str] | None:
        """Give the ids of what was made by an earlier request with this key; None if none was."""
        if self.request_id is None:
            return None
        receipt: Receipt | None = store.receipt(request_id=self.request_id, **scope).first()
        if receipt is None:
            return None
        if receipt.fingerprint != self.fingerprint:
            raise Problem(422, "This Idempotency-Key was used for another request")
        return receipt.made

    def _written(self, store: Store, work: Work, scope: Mapping[str, str]) -> Mapping[str, str]:
        receipt = partial(
            _entity_of(store), request_id=self.request_id, fingerprint=self.fingerprint, **scope
        )
        try:
            with store.transaction() as tx:
                made = work(tx)
                tx.create(receipt(made=dict(made)))
        except (Problem, SingletableError):
            # Perhaps because the same request was carried out in between.
            found = self.done(store, **scope)
            if found is None:
                raise
            return found
        return made


def _entity_of(store: Store) -> Any:
    """Find the receipts of a service: the entity that is one."""
    types = (schema.entity for schema in store.table.entities.values())
    return next(one for one in types if issubclass(one, Receipt))


async def _once(
    request: Request,
    caller: Caller,
    idempotency_key: Annotated[
        str | None,
        Header(
            description="Any text, the same whenever the request is sent again.",
            min_length=1,
            max_length=KEY_MAX,
        ),
    ] = None,
) -> Once:
    fingerprint = sha256(await request.body()).hexdigest()
    if idempotency_key is None:
        return Once(None, fingerprint)
    parts = (caller.subject, request.method, request.url.path, idempotency_key)
    return Once(sha256("\n".join(parts).encode()).hexdigest(), fingerprint)


Idempotent = Annotated[Once, Depends(_once)]
