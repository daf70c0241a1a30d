"""The DynamoDB wire protocol over HTTP, and nothing else: every meaning is the engine's.

run          the socket, uvicorn, signals
connections  how much, and how long, a client may take before its request is there
guard        which Host and Origin may come in
app          from a request to an engine call and back
exchange     a request's body in, its answer out, within bounds of length and time
sigv4        whose signature it is
credentials  the access keys that may call
answers      what answers and errors look like
"""

from singletable.server.credentials import CredentialsUnusable, read_keys
from singletable.server.run import CannotListen, Settings, listen, running, serve

__all__ = [
    "CannotListen",
    "CredentialsUnusable",
    "Settings",
    "listen",
    "read_keys",
    "running",
    "serve",
]
