"""The load run does what it says, and finds effects that are lost or doubled."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from apps.campaigns.design import Session
from apps.service import Settings
from apps.stories.design import Vote
from apps.surveys.design import SurveySection
from bench import services
from bench.services_client import Client
from bench.services_users import KINDS, GameMaster, Reader, Surveyor
from singletable import Store


@contextmanager
def served(name: str, file: Path) -> Iterator[int]:
    """Serve an app in this process, which takes less time to begin."""
    make = importlib.import_module(f"apps.{name}.service").make
    app = make(Settings.of_development(str(file), use="id"))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def one_less(store: Store, client: Client) -> None:
    """Lose an effect, past the store's care."""
    lost: Any
    if isinstance(client, GameMaster):
        ids = {"user_id": client.user, "campaign_id": client.campaign}
        lost = Session.key(**ids, session_id=next(iter(client.begun)))
    elif isinstance(client, Surveyor):
        ids = {"tenant_id": "acme", "survey_id": client.survey}
        lost = SurveySection.key(**ids, section_id=next(iter(client.added)))
    else:
        assert isinstance(client, Reader)
        lost = Vote.key(user_id=client.user, node_id=next(iter(client.votes))[1])
    store.send("DeleteItem", {"TableName": store.table_name, "Key": lost.item_key})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.app)
def test_a_short_load_loses_nothing_and_a_lost_effect_is_found(
    kind: type[Client], tmp_path: Path
) -> None:
    file = tmp_path / f"{kind.app}.db"
    with served(kind.app, file) as port:
        clients, _ = services.load(kind, port, seconds=0.5, count=2)
    assert services.audit(file, clients) == []
    with kind.store.connect(str(file)) as store:
        one_less(store, clients[0])

    assert services.audit(file, clients)
