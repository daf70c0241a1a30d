"""Full-text search: an index of items that the stream keeps, to be asked in the words of a user.

What an index holds, whose it is and what a query means is written once; where the words are kept is
a choice: SQLite's FTS5 in one file, tantivy in a folder, or OpenSearch.
"""

from singletable.model.reads import between

from .documents import Document
from .fts5 import Fts5
from .hits import Hit
from .index import SearchIndex
from .opensearch import OpenSearch
from .rebuilding import Rebuilt
from .tantivy import Tantivy
from .verifying import Report

__all__ = [
    "Document",
    "Fts5",
    "Hit",
    "OpenSearch",
    "Rebuilt",
    "Report",
    "SearchIndex",
    "Tantivy",
    "between",
]
