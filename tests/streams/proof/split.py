"""A stream with several shards at a time, which the embedded engine's has not."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from singletable.engine import Engine

Answer = dict[str, Any]
MARK = "~"


class SplitEngine(Engine):
    """Shows each shard of its streams as several, as DynamoDB has one for each partition."""

    def __init__(self, path: str | Path, parts: int, **options: Any) -> None:
        super().__init__(path, **options)
        self._parts = parts

    def call(self, operation: str, request: dict[str, Any]) -> Answer:
        """Carry out an operation."""
        if self._parts > 1:
            match operation:
                case "DescribeStream":
                    return self._described(super().call(operation, request))
                case "GetShardIterator":
                    return self._iterator(request)
                case "GetRecords":
                    return self._records(request)
        return super().call(operation, request)

    def _described(self, answer: Answer) -> Answer:
        description = answer["StreamDescription"]
        assert "LastEvaluatedShardId" not in description
        description["Shards"] = [
            {
                name: f"{value}{MARK}{part}" if name.endswith("ShardId") else value
                for name, value in shard.items()
            }
            for shard in description["Shards"]
            for part in range(self._parts)
        ]
        return answer

    def _iterator(self, request: dict[str, Any]) -> Answer:
        shard, _, part = request["ShardId"].partition(MARK)
        answer = super().call("GetShardIterator", {**request, "ShardId": shard})
        return {"ShardIterator": f"{answer['ShardIterator']}{MARK}{part}"}

    def _records(self, request: dict[str, Any]) -> Answer:
        """Read on until there is something for this part, or nothing for any."""
        iterator, _, part = request["ShardIterator"].partition(MARK)
        while True:
            answer = super().call("GetRecords", {**request, "ShardIterator": iterator})
            own = [record for record in answer["Records"] if self._part_of(record) == int(part)]
            iterator = answer.get("NextShardIterator")
            if own or not answer["Records"] or iterator is None:
                break
        following = {"NextShardIterator": f"{iterator}{MARK}{part}"} if iterator else {}
        return {"Records": own, **following}

    def _part_of(self, record: Any) -> int:
        return crc32(record["dynamodb"]["Keys"]["PK"]["S"].encode()) % self._parts
