"""The server of the proof: push and pull over HTTP, and what lets a test look at the table.

``python -m tests.sync.proof.server FILE PORT`` ends when its input closes, as it does when whoever
started it is gone.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.sync.proof.design import Desk, DeskSync, Note, contents


def app(path: str) -> Starlette:
    """Make the application on a database file."""
    sync = DeskSync(Desk.connect(path))

    async def push(request: Request) -> Response:
        user, body = await _read(request)
        if user < "u3":  # some users are served by threads, the others on the event loop
            return _json(await asyncio.to_thread(sync.push, user, body))
        return _json(await sync.apush(user, body))

    async def pull(request: Request) -> Response:
        user, body = await _read(request)
        if user < "u3":
            return _json(await asyncio.to_thread(sync.pull, user, body))
        return _json(await sync.apull(user, body))

    def write(request: Request) -> Response:
        """Write as any other code does that knows nothing of sync."""
        note = Note(note_id=request.query_params["note"], text=request.query_params["text"])
        sync.store.put(note) if note.text else sync.store.delete(note)
        return _json({})

    def table(request: Request) -> Response:
        return _json({"rows": contents(sync), "skipped": len(sync.skipped), "torn": sync.tears})

    routes = [
        Route("/push", push, methods=["POST"]),
        Route("/pull", pull, methods=["POST"]),
        Route("/write", write, methods=["POST"]),
        Route("/table", table),
    ]
    return Starlette(routes=routes)


async def _read(request: Request) -> tuple[str, Any]:
    return request.headers["authorization"], orjson.loads(await request.body())


def _json(content: Any) -> Response:
    return Response(orjson.dumps(content), media_type="application/json")


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    uvicorn.run(app(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
