"""Who the caller is."""

from __future__ import annotations

from fastapi import APIRouter

from apps.campaigns.design import User
from apps.campaigns.shapes import Profile
from apps.service import Caller

from .here import READS, WRITES, Everyone, Own

router = APIRouter(prefix="/me", tags=["profile"])


@router.get("", responses=READS)
def read(caller: Caller, store: Own) -> User:
    """Give the caller's profile."""
    return store.profile(caller.subject).one()


@router.put("", responses=WRITES)
def write(body: Profile, caller: Caller, store: Everyone) -> User:
    """Make the caller's profile, or change it; the address is that of the token."""
    return store.upsert(User(user_id=caller.subject, email=caller.email, name=body.name))
