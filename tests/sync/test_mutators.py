"""A mutator says what it needs by its form."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import DesignError, Transaction
from singletable.sync import Sync, mutator
from tests.sync.design import ANN, Tab, Tasks, TaskSync, User


def test_a_mutator_of_another_form_is_a_fault_of_the_design() -> None:
    with pytest.raises(DesignError, match=r"Bad\.short takes self, tx: write it as in def rename"):

        class Bad(TaskSync):
            @mutator
            def short(self, tx: Transaction) -> None: ...


def test_arguments_of_an_unknown_type_are_a_fault_of_the_design() -> None:
    with pytest.raises(DesignError, match=r"Bad\.lost: its annotations are not understood"):

        class Bad(TaskSync):
            @mutator
            def lost(self, tx: Transaction, args: Unheard, user: User) -> None: ...  # type: ignore[name-defined] # noqa: F821 - as it should be refused


def test_an_async_mutator_is_a_fault_of_the_design() -> None:
    """It would never be awaited: the same mutator runs sync and async."""
    with pytest.raises(DesignError, match=r"Bad\.later is async: .* and yield what it has to read"):

        class Bad(TaskSync):
            @mutator
            async def later(self, tx: Transaction, args: Any, user: User) -> None: ...


def test_a_mutator_can_be_overridden(sync: TaskSync, tab: Tab) -> None:
    class Stricter(TaskSync):
        @mutator
        def nothing(self, tx: Transaction, args: Any, user: User) -> None:
            raise PermissionError("not even that")

    strict = Stricter(sync.store)
    tab.sync = strict
    tab.do("nothing")
    assert len(strict.skipped) == 1
    assert Stricter.mutators.keys() == TaskSync.mutators.keys()


def test_what_is_yielded_has_to_be_a_read(sync: TaskSync, tab: Tab) -> None:
    class Confused(TaskSync):
        @mutator
        def nothing(self, tx: Transaction, args: Any, user: User) -> Any:
            yield "Task t1"

    confused = Confused(sync.store)
    tab.sync = confused
    tab.do("nothing")
    assert "yield a read" in str(confused.skipped[0][1])


def test_an_owner_that_is_no_text_has_to_be_said() -> None:
    class Anonymous(TaskSync):
        def owner(self, user: User) -> str:
            return Sync.owner(self, user)

    sync = Anonymous(Tasks.connect(":memory:"))
    with pytest.raises(DesignError, match=r"Anonymous\.owner\(user\) has to give the id of a user"):
        Tab(sync, user=ANN).pull()
