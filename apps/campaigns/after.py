"""What happens after a write: recordings are sent to be transcribed, words are indexed."""

from __future__ import annotations

from apps.service import Settings
from singletable.streams import Consumer, Handlers, Modified, handler
from singletable.streams.events import Event, Sink, Webhook

from .design import Campaigns, Session


def transcriptions(store: Campaigns, sink: Sink) -> Consumer:
    """Tell a transcription service of each recording that is to be transcribed.

    It is told by the stream, so it hears of every one, also where it could not be reached at once.
    """

    class Transcriptions(Handlers[Campaigns]):
        @handler(to=sink)
        def wanted(self, change: Modified[Session]) -> Event | None:
            old, new = change.old, change.new
            job_id = new.transcription_job_id
            if new.status != "TRANSCRIBING" or job_id == old.transcription_job_id:
                return None
            job = {"job_id": job_id, "recording": new.audio_storage_key}
            return Event("TranscriptionWanted", job)

    return Transcriptions(store)


def transcriber_of(settings: Settings) -> Sink | None:
    """Find the transcription service: a webhook, signed as what it answers is."""
    if settings.transcriber is None:
        return None
    assert settings.webhook_secret is not None
    return Webhook(settings.transcriber, secrets=settings.webhook_secret, source="campaigns")
