"""Two kinds of one thing share their keys' form; the ids that the library makes part them."""

from singletable import Entity, Query, Store, Table, pattern, ulid

table = Table("shapes")


class Shape(Entity, table=table, pk="DRAWING#{drawing_id}", sk="SHAPE#{shape_id}"):
    """A shape of any kind."""

    drawing_id: str
    shape_id: str = ulid()


class Circle(Shape):
    """A circle."""

    radius: int


class Shapes(Store, table=table):
    """The patterns of the drawings."""

    @pattern()
    def shapes(self, drawing_id: str) -> Query[Shape]:
        """All shapes of a drawing."""
        return Shape.query(drawing_id=drawing_id)
