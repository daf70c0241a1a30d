"""Ranges of numbers that do not sort: it is the key that has to be mended."""

from decimal import Decimal

from singletable import Entity, Query, Store, Table, pattern

table = Table("rates")


class Room(Entity, table=table, pk="HOTEL#{hotel_id}", sk="ROOM#{number}"):
    """A room of a hotel."""

    hotel_id: str
    number: int


class Rate(Entity, table=table, pk="HOTEL#{hotel_id}", sk="RATE#{price}#{room}"):
    """What a room costs."""

    hotel_id: str
    price: Decimal
    room: str


class Rates(Store, table=table):
    """The patterns of the hotelier."""

    @pattern()
    def rooms(self, hotel_id: str, least: int) -> Query[Room]:
        """The rooms from a number on."""
        return Room.query(hotel_id=hotel_id).ge(least)

    @pattern()
    def rates(self, hotel_id: str, most: Decimal) -> Query[Rate]:
        """The rates up to an amount, the lowest first."""
        return Rate.query(hotel_id=hotel_id).le(most)
