"""Everybody can ask for every state: that one list shows some of them keeps nothing from anyone."""

from datetime import datetime
from typing import Literal

from singletable import Entity, Index, Query, Store, Table, created, pattern

table = Table("games", indexes=["GSI1", "GSI2", "GSI3"])
Stage = Literal["open", "running", "over"]


class Game(Entity, table=table, pk="GAME#{game_id}", sk="GAME"):
    """A game, which anybody may watch."""

    to_join = Index("GSI1", pk="OPEN", sk="{created_at}#{game_id}", when={"stage": "open"})
    by_stage = Index("GSI2", pk="STAGE#{stage}", sk="{created_at}#{game_id}")
    by_size = Index("GSI3", pk="SIZE#{size}", sk="{stage}#{created_at}#{game_id}")

    game_id: str
    size: Literal["small", "large"] = "small"
    stage: Stage = "open"
    created_at: datetime = created()


class Games(Store, table=table):
    """The patterns of the games."""

    @pattern(page=20)
    def to_join(self) -> Query[Game]:
        """The games that still need players."""
        return Game.to_join.query()

    @pattern(page=20)
    def in_stage(self, stage: Stage) -> Query[Game]:
        """The games in a stage."""
        return Game.by_stage.query(stage=stage)

    @pattern(page=20)
    def of_size(self, size: Literal["small", "large"]) -> Query[Game]:
        """The games of a size, by their stage."""
        return Game.by_size.query(size=size)
