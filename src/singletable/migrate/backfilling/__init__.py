"""The items of a table as its design has them now: rewritten in place, and joined by new ones."""

from .deriving import entities
from .job import Backfill
from .lazily import lazily
from .passing import backfill
from .results import Survey
from .surveying import survey

__all__ = ["Backfill", "Survey", "backfill", "entities", "lazily", "survey"]
