"""Photographs, and documents with their versions."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from apps.service import After, Idempotent, Limit, Listing
from apps.surveys.design import Document, Image
from apps.surveys.shapes import ImageUpload, NewDocument, NewImage
from singletable import Transaction

from .here import READS, WRITES, Here, Id, Own

router = APIRouter(tags=["files"])


@router.get("/images", responses=READS)
def read_images(here: Here, store: Own, after: After = None, limit: Limit = 50) -> Listing[Image]:
    """Give all photographs of the company."""
    return Listing.of(store.images(here.tenant_id).limit(limit).page(after))


@router.post("/images", status_code=201, responses=WRITES)
def add_image(
    body: NewImage, here: Here, store: Own, once: Idempotent, request: Request
) -> ImageUpload:
    """Note a photograph, and give the address that takes it, with PUT."""
    new = Image(tenant_id=here.tenant_id, image_path="", caption=body.caption)
    new = new.model_copy(update={"image_path": f"images/{here.tenant_id}/{new.image_id}"})

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        return {"image_id": new.image_id}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    image = store.bind(Image.get(tenant_id=here.tenant_id, **ids).strong()).one()
    root = request.scope.get("root_path", "")
    return ImageUpload(
        image=image, upload=request.app.state.uploads.address(image.image_path, root)
    )


@router.get("/documents/{document_id}", responses=READS)
def read_document(
    document_id: Id, here: Here, store: Own, after: After = None, limit: Limit = 10
) -> Listing[Document]:
    """Give the versions of a document, the latest first."""
    found = store.document_versions(here.tenant_id, document_id)
    return Listing.of(found.limit(limit).page(after))


@router.post("/documents/{document_id}", status_code=201, responses=WRITES)
def add_version(
    document_id: Id, body: NewDocument, here: Here, store: Own, once: Idempotent
) -> Document:
    """Add a version to a document, after the latest; of two at once, one is refused."""
    of: dict[str, Any] = {"tenant_id": here.tenant_id, "document_id": document_id}

    def work(tx: Transaction) -> dict[str, str]:
        latest = store.document_versions(**of).strong().limit(1).page()
        number = latest[0].number + 1 if latest else 1
        tx.create(Document(**of, number=number, body=body.body))
        return {"number": str(number)}

    ids = once.write(store, work, tenant_id=here.tenant_id)
    return store.bind(Document.get(**of, number=int(ids["number"])).strong()).one()
