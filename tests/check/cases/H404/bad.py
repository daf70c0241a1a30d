"""Everything is read to find one colour."""

from typing import Literal

from singletable import Entity, F, Query, Store, Table, pattern

table = Table("cars")


class Car(Entity, table=table, pk="DEALER#{dealer_id}", sk="CAR#{car_id}"):
    """A car at a dealer's."""

    dealer_id: str
    car_id: str
    colour: str
    kind: Literal["NEW", "USED"]


class Cars(Store, table=table):
    """The patterns of the dealers."""

    @pattern(page=20)
    def of_colour(self, dealer_id: str, colour: str) -> Query[Car]:
        """The cars of a colour."""
        return Car.query(dealer_id=dealer_id).filter(F("colour") == colour)

    @pattern(page=20)
    def used_of_colour(self, dealer_id: str, colour: str) -> Query[Car]:
        """The used cars that are not of a colour."""
        condition = (F("kind") == "USED") & ~(F("colour") != colour)
        return Car.query(dealer_id=dealer_id).filter(condition)
