"""The DynamoDB wire protocol over HTTP, and nothing else: every meaning is the engine's.

run          the socket, the loop, signals
connections  a client's bytes in and out, one request after the other
bounds       how much, and how long, a client may take
deadlines    the moment at which a client has had its time
exchange     one request, from its head to its whole body
guard        which Host and Origin may come in
app          from a request to an engine call and back
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
