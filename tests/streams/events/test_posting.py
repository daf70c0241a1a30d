"""Connections over TLS: the certificate is checked."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from singletable.streams.events import SinkUnreachable, Webhook, new_secret, verify
from tests import components
from tests.streams.events.receiver import receiver
from tests.streams.events.samples import AT_ONCE, SOURCE, event

SECRET = new_secret()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that nobody but its maker trusts, with its key."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ModuleNotFoundError:
        components.missing("cryptography", "pip install cryptography")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "receiver.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path


@pytest.fixture
def context(certificate: Path) -> ssl.SSLContext:
    """What the receiver shows its certificate by."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate)
    return made


def test_a_receiver_with_a_certificate_that_is_not_trusted_is_sent_nothing(
    context: ssl.SSLContext,
) -> None:
    with receiver(context) as told:
        webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, retries=AT_ONCE)
        with pytest.raises(SinkUnreachable, match=r"no connection: .*CERTIFICATE_VERIFY_FAILED"):
            webhook.send([event()])
    assert not told.requests


def test_events_are_sent_over_tls(context: ssl.SSLContext, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=certificate)
    with receiver(context) as told:
        webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, context=trusting)
        webhook.send([event(1), event(2)])
        webhook.close()
    first, second = told.requests
    assert verify(first.headers, first.body, SECRET) == event(1).id
    assert first.peer == second.peer
