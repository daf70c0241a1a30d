"""Rates sorted by a Decimal, which cannot be padded."""

from decimal import Decimal

from singletable import Entity, Query, Store, Table, pattern

table = Table("rates")


class Rate(Entity, table=table, pk="HOTEL#{hotel_id}", sk="RATE#{price}#{room}"):
    """What a room costs."""

    hotel_id: str
    price: Decimal
    room: str


class Rates(Store, table=table):
    """The patterns of the hotelier."""

    @pattern()
    def rates(self, hotel_id: str) -> Query[Rate]:
        """The rates of a hotel, the lowest first."""
        return Rate.query(hotel_id=hotel_id)
