"""The routes of the campaign manager, a module for each thing that they are about."""

from apps.service import uploads

from . import campaigns, profiles, recordings, search, sessions, sharing, summaries, transcripts

ROUTERS = (
    profiles.router,
    campaigns.router,
    sessions.router,
    summaries.router,
    transcripts.router,
    sharing.router,
    search.router,
    recordings.router,
    uploads.router,
)
