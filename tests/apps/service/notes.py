"""A service with one entity, for what all services have in common."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel, Field

from apps.service import (
    After,
    Caller,
    Idempotent,
    IfMatch,
    Listing,
    Receipt,
    Settings,
    documented,
    make_app,
    tagged,
)
from singletable import Entity, Get, Query, Store, Table, Transaction, pattern, ulid, version

table = Table("notes", ttl="ttl")


class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE#{note_id}"):
    user_id: str
    note_id: str = ulid()
    text: str
    version: int = version()


class Done(Receipt, Entity, table=table, pk="REQUEST#{request_id}", sk="REQUEST"):
    pass


class Notes(Store, table=table):
    @pattern(page=2)
    def notes(self, user_id: str) -> Query[Note]:
        """The notes of a user."""
        return Note.query(user_id=user_id)

    @pattern()
    def note(self, user_id: str, note_id: str) -> Get[Note]:
        """One note."""
        return Note.get(user_id=user_id, note_id=note_id).strong()

    @pattern()
    def receipt(self, request_id: str) -> Get[Done]:
        """What became of a request."""
        return Done.get(request_id=request_id).strong()


class NewNote(BaseModel):
    text: str = Field(max_length=50)


router = APIRouter(prefix="/notes", responses=documented(401, 404, 409, 412, 413, 422, 428, 429))


@router.post("", status_code=201)
def write(
    body: NewNote, caller: Caller, once: Idempotent, request: Request, response: Response
) -> Note:
    store: Notes = request.app.state.service.store
    note = Note(user_id=caller.subject, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(note)
        return {"note_id": note.note_id}

    ids = once.write(store, work)
    made: Note = tagged(response, store.note(caller.subject, **ids).one())
    return made


@router.get("")
def read_all(caller: Caller, request: Request, after: After = None) -> Listing[Note]:
    store: Notes = request.app.state.service.store
    return Listing.of(store.notes(caller.subject).page(after))


@router.put("/{note_id}")
def change(
    note_id: str, body: NewNote, caller: Caller, version: IfMatch, request: Request,
    response: Response,
) -> Note:  # fmt: skip
    store: Notes = request.app.state.service.store
    note = store.note(caller.subject, note_id).one()
    changed: Note = tagged(
        response, store.update(note.model_copy(update={"version": version}), text=body.text)
    )
    return changed


@router.get("/{note_id}")
def read(note_id: str, caller: Caller, request: Request, response: Response) -> Note:
    found: Note = tagged(
        response, request.app.state.service.store.note(caller.subject, note_id).one()
    )
    return found


@router.get("/broken/thing")
def fail() -> None:
    raise RuntimeError("a secret of the house")


def notes_app(settings: Settings) -> FastAPI:
    return make_app("Notes", Notes, settings, router)
