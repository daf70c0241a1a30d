"""The routes of the surveying app, a module for each thing that they are about."""

from apps.service import uploads

from . import access, batches, files, library, parts, phrases, snapshots, surveys, syncing, tenants

ROUTERS = (
    tenants.router,
    surveys.router,
    parts.router,
    batches.router,
    snapshots.router,
    access.router,
    library.router,
    phrases.router,
    files.router,
    uploads.router,
    syncing.router,
)
