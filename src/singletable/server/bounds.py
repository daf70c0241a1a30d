"""How much, and how long, a client may take: every bound of the server.

They hold before anybody knows who the client is. There is also one on how long it may leave answers
unread: a client that only sends requests would otherwise keep its connection for ever.
"""

CONNECTIONS_MAX = 512
HEAD_BYTES_MAX = 64 * 1024
HEADERS_MAX = 100
HEAD_SECONDS_MAX = 30
BODY_BYTES_MAX = 16 * 1024 * 1024
BODY_SECONDS_MAX = 30
UNREAD_SECONDS_MAX = 30
IDLE_SECONDS_MAX = 60
LINGER_BYTES_MAX = 64 * 1024 * 1024
LINGER_SECONDS_MAX = 5
TURN_REQUESTS_MAX = 16
"""So many of one client, sent without waiting for answers, are answered in a row."""
TURN_BYTES_MAX = 64 * 1024
"""After so many, no more is read from a client in the same turn; uvloop would read 32 times."""
GRACE_SECONDS_MAX = 5
"""For requests that are there when the server is stopped."""
