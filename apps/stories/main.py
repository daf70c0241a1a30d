"""The service for uvicorn: ``uvicorn apps.stories.main:app``."""

from apps.service import Settings

from .service import make

app = make(Settings.from_environment("id"))
