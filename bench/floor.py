"""A server that does nothing: `python -m bench.floor PORT`.

It answers every request with bytes prepared beforehand, of the size a real answer has. What
boto3 reaches against it is what the client itself costs, so no server can pass it.
"""

import asyncio
import sys
from typing import cast

import orjson

from bench.workload import TABLE, item, partition_items

_ANSWERS = {
    "GetItem": {"Item": item("USER#0000", "SESSION#0000")},
    "Query": {"Items": partition_items("USER#0000"), "Count": 20, "ScannedCount": 20},
    "BatchWriteItem": {"UnprocessedItems": {}},
    "DescribeTable": {"Table": {"TableName": TABLE, "TableStatus": "ACTIVE"}},
}


def _response(answer: object) -> bytes:
    body = orjson.dumps(answer)
    kind = "Content-Type: application/x-amz-json-1.0"
    head = f"HTTP/1.1 200 OK\r\n{kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


_EMPTY = _response({})
_RESPONSES = {name.encode(): _response(answer) for name, answer in _ANSWERS.items()}


class Floor(asyncio.Protocol):
    """Find where a request ends and write the prepared answer."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport of a new connection."""
        self._transport = cast("asyncio.Transport", transport)
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        """Answer once the whole request is here."""
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator or len(body) < int(_header(head, b"content-length") or 0):
            return
        self._buffer = b""
        action = _header(head, b"x-amz-target").rpartition(b".")[2]
        self._transport.write(_RESPONSES.get(action, _EMPTY))


def _header(head: bytes, name: bytes) -> bytes:
    start = head.lower().find(b"\r\n" + name + b":")
    if start < 0:
        return b""
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else None].strip()


async def serve(port: int) -> None:
    """Serve on the loopback address until the process is stopped."""
    server = await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
