"""Documents and questions in tantivy's terms: its schema, its queries, words that were found.

Nothing is parsed from text: queries are built from values. This module needs tantivy itself, and is
imported when an index is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tantivy
from tantivy import FieldType, Filter, Occur, Query, TextAnalyzerBuilder, Tokenizer

from .documents import MARKS, Indexed, Layout
from .facets import AnyOf, Test
from .keeping import NEVER, Held
from .questions import Match, Question, Term

ANALYZER = "words"
AROUND = 120
"""How many characters of a text are shown before and after the first word that was found."""


class Words:
    """Knows how the documents of a layout stand in tantivy."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        simple = TextAnalyzerBuilder(Tokenizer.simple())
        self._analyzer = simple.filter(Filter.lowercase()).filter(Filter.ascii_fold()).build()
        self._schema = _schema(layout)

    def index(self, folder: str) -> tantivy.Index:
        """Open the index in a folder, or make one."""
        index = tantivy.Index(self._schema, folder)
        index.register_tokenizer(ANALYZER, self._analyzer)
        return index

    def document(self, document: Indexed) -> tantivy.Document:
        """Give a document as tantivy stores it."""
        name, realm, key, texts, facets, expires = document
        made = tantivy.Document()
        for field, text in (("id", name), ("realm", realm), ("key", key), *texts):
            made.add_text(field, text)
        made.add_text("digest", document.digest)
        made.add_float("expires", NEVER if expires is None else expires)
        for field, facet in facets:
            number = self._layout.filters.index(field)
            made.add_text(f"f{number}", facet.text)
            if facet.number is not None:
                made.add_float(f"n{number}", facet.number)
        return made

    @property
    def all(self) -> Query:
        """Ask for every document."""
        return Query.all_query()

    def held(self, stored: tantivy.Document) -> Held:
        """Give what an index tells of a document."""
        name, key, digest, expires = (stored[one][0] for one in ("id", "key", "digest", "expires"))
        return Held(name, key, digest, None if expires == NEVER else expires)

    def named(self, ids: Sequence[str]) -> Query:
        """Ask for documents by their ids."""
        return Query.term_set_query(self._schema, "id", list(ids))

    def query(self, question: Question) -> Query:
        """Ask for all terms, in any column, of documents of the realms that pass the tests."""
        realms = Query.term_set_query(self._schema, "realm", list(question.realms))
        living = self._range("expires", question.now, None)
        unscored = [realms, living, *map(self._tested, question.tests)]
        scored = [self._anywhere(term, question.weights) for term in question.terms]
        silent = [Query.const_score_query(one, 0.0) for one in unscored]
        return Query.boolean_query([(Occur.Must, one) for one in (*silent, *scored)])

    def match(self, question: Question, score: float, stored: tantivy.Document) -> Match:
        """Give a document that was found, with its words marked."""
        matches = self._matcher(question.terms)
        texts = ((column, stored.get_first(column)) for column in question.weights)
        marked = ((column, self._marked(text, matches)) for column, text in texts if text)
        shown = {column: text for column, text in marked if text}
        return Match(stored["id"][0], stored["key"][0], score, shown)

    def _anywhere(self, term: Term, weights: Mapping[str, float]) -> Query:
        words = self._analyzer.analyze(term.words)
        if not words:
            return Query.empty_query()
        boosted = (
            Query.boost_query(self._in(column, words, prefix=term.prefix), weight)
            for column, weight in weights.items()
        )
        return Query.boolean_query([(Occur.Should, one) for one in boosted])

    def _in(self, column: str, words: list[str], *, prefix: bool) -> Query:
        if len(words) == 1:
            if prefix:
                return Query.regex_query(self._schema, column, f"{re.escape(words[0])}.*")
            return Query.term_query(self._schema, column, words[0])
        phrase: list[str | tuple[int, str]] = [*words]
        make = Query.phrase_prefix_query if prefix else Query.phrase_query
        return make(self._schema, column, phrase)

    def _tested(self, test: Test) -> Query:
        number = self._layout.filters.index(test.field)
        if isinstance(test, AnyOf):
            return Query.term_set_query(self._schema, f"f{number}", list(test.texts))
        return self._range(f"n{number}", test.low, test.high)

    def _range(self, field: str, low: float | None, high: float | None) -> Query:
        ends: dict[str, Any] = {"lower_bound": low, "upper_bound": high}
        return Query.range_query(self._schema, field, FieldType.Float, **ends)

    def _matcher(self, terms: Iterable[Term]) -> Callable[[str], bool]:
        whole: set[str] = set()
        beginnings: list[str] = []
        for term in terms:
            words = self._analyzer.analyze(term.words)
            beginnings += words[-1:] if term.prefix else []
            whole.update(words)
        return lambda word: word in whole or word.startswith(tuple(beginnings))

    def _marked(self, text: str, matches: Callable[[str], bool]) -> str:
        """Mark words in a text, and show it from a little before the first to a little after."""
        tokens = self._analyzer.pre_tokenize(text).tokens
        found = [(one.char_offset_from, one.char_offset_to) for one in tokens if matches(one.text)]
        if not found:
            return ""
        first, last = max(0, found[0][0] - AROUND), min(len(text), found[0][1] + AROUND)
        parts = ["…" if first else ""]
        for start, end in found:
            if end <= last:
                parts += [text[first:start], MARKS[0], text[start:end], MARKS[1]]
                first = end
        return "".join((*parts, text[first:last], "…" if last < len(text) else ""))


def _schema(layout: Layout) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for name, stored in (("id", True), ("realm", False), ("key", True), ("digest", True)):
        builder.add_text_field(name, stored=stored, tokenizer_name="raw", index_option="basic")
    builder.add_float_field("expires", stored=True, indexed=True, fast=True)
    for column in layout.columns:
        builder.add_text_field(column, stored=True, tokenizer_name=ANALYZER)
    for number in range(len(layout.filters)):
        builder.add_text_field(f"f{number}", tokenizer_name="raw", index_option="basic")
        builder.add_float_field(f"n{number}", indexed=True, fast=True)
    return builder.build()
