"""``uvicorn apps.campaigns.main:app``: configured by the environment, see apps/service/settings."""

from apps.service import Settings

from .service import make

app = make(Settings.from_environment("id"))
