"""The colour is in a key; a filter that keeps half is left as it is."""

from typing import Literal

from singletable import Entity, F, Index, Query, Store, Table, pattern

table = Table("cars", indexes=["GSI1"])


class Car(Entity, table=table, pk="DEALER#{dealer_id}", sk="CAR#{car_id}"):
    """A car at a dealer's."""

    by_colour = Index("GSI1", pk="DEALER#{dealer_id}#{colour}", sk="{car_id}")

    dealer_id: str
    car_id: str
    colour: str
    kind: Literal["NEW", "USED"]


class Cars(Store, table=table):
    """The patterns of the dealers."""

    @pattern(page=20)
    def of_colour(self, dealer_id: str, colour: str) -> Query[Car]:
        """The cars of a colour."""
        return Car.by_colour.query(dealer_id=dealer_id, colour=colour)

    @pattern(page=20)
    def used(self, dealer_id: str) -> Query[Car]:
        """The used cars: about half of them."""
        return Car.query(dealer_id=dealer_id).filter(F("kind") == "USED")

    @pattern(page=20)
    def other_colours(self, dealer_id: str, colour: str) -> Query[Car]:
        """The cars that are not of a colour, nearly all."""
        return Car.query(dealer_id=dealer_id).filter(F("colour") != colour)
