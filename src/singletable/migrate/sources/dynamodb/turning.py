"""The stream of a table: turned on where it is off, and known again later."""

from __future__ import annotations

import time

from singletable.errors import ResourceNotFoundException
from singletable.migrate.sources.errors import SourceBusy, SourceUnusable
from singletable.streams.shards import Shard, ShardReader, shards_of

from .positions import DONE, Place
from .tables import SourceTable

IMAGES = "NEW_AND_OLD_IMAGES"
POLL_S = 0.5
POLLS_MAX = 240


def check_view(table: SourceTable) -> None:
    """Refuse a stream that is on, but does not tell all."""
    _stream, view = stream_of(table)
    if view not in (None, IMAGES):
        raise SourceUnusable(
            f"The stream of the table {table.name!r} has {view}, and to be followed it needs "
            f"{IMAGES}: it cannot be changed, only turned off and on again with another view, "
            "which those who read it now have to know of"
        )


def begun(table: SourceTable) -> Place:
    """Have the stream of a table on, and give the place after what it has already."""
    stream, _view = stream_of(table)
    if stream is None:
        on = {"StreamEnabled": True, "StreamViewType": IMAGES}
        table.send("UpdateTable", {"StreamSpecification": on})
        return Place(_enabled(table), ours=True)
    shards = list(shards_of(table.send_any, stream))
    parents = {shard.parent_id for shard in shards}
    # A shard with children is closed: all of it was written before.
    return Place(
        stream,
        ours=False,
        shards={shard.id: DONE if shard.id in parents else _last(table, shard) for shard in shards},
    )


def _last(table: SourceTable, shard: Shard) -> str | None:
    """Read an open shard to where nothing more is there: the copy, which comes later, has it."""
    reader = ShardReader(table.send_any, shard)
    while reader.read() and not reader.is_finished:
        pass
    return DONE if reader.is_finished else reader.sequence_number


def stream_of(table: SourceTable) -> tuple[str | None, str | None]:
    """Give the stream of a table that is on, and what it has of each item."""
    try:
        described = table.send("DescribeTable", {})["Table"]
    except ResourceNotFoundException:
        return None, None
    how = described.get("StreamSpecification", {})
    if not how.get("StreamEnabled"):
        return None, None
    return described.get("LatestStreamArn"), how.get("StreamViewType")


def _enabled(table: SourceTable) -> str:
    """Wait until a stream notes changes; what is written before may not be in it."""
    for _ in range(POLLS_MAX):
        stream, _view = stream_of(table)
        if stream and _status(table, stream) == "ENABLED":
            return stream
        time.sleep(POLL_S)
    raise SourceBusy(f"The stream of the table {table.name!r} did not come on in time")


def _status(table: SourceTable, stream: str) -> str | None:
    try:
        answer = table.send_any("DescribeStream", {"StreamArn": stream})
    except ResourceNotFoundException:  # not there yet
        return None
    status: str = answer["StreamDescription"]["StreamStatus"]
    return status


def turn_off(table: SourceTable) -> None:
    """Turn the stream of a table off; what is in it can be read for a day."""
    table.send("UpdateTable", {"StreamSpecification": {"StreamEnabled": False}})
