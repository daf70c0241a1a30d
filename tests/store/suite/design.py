"""A design that has each thing that a design can have, once: a chain of shops.

Every entity lies in the partition of a shop or names the shop in its key, so that a store can be
confined to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from singletable import (
    Collection,
    Entity,
    F,
    Get,
    GlobalIndex,
    Index,
    InObjects,
    InParts,
    Large,
    LocalIndex,
    Query,
    Scan,
    Store,
    Table,
    Unique,
    between,
    camel_case,
    collect,
    count_of,
    created,
    expires,
    pattern,
    sequence,
    ulid,
    updated,
    upgrade,
    version,
)

# Far ahead: nothing that expires by this clock is deleted by a service that has its own.
NOW = datetime(2040, 3, 1, 12, tzinfo=UTC)

table = Table(
    "shops",
    indexes=[
        "GSI1",
        GlobalIndex("Sparse", projection="KEYS_ONLY"),
        GlobalIndex("ByMaker", pk=["maker", "country"], sk=["year", "name"]),
        GlobalIndex("ByDay", projection=["celsius", "sensorId"]),
        LocalIndex("Cheapest", sk="cents", projection=["name"]),
    ],
    attribute_names=camel_case,
    type_attribute="kind",
    ttl="goneAt",
    stream="NEW_AND_OLD_IMAGES",
)


class Opening(BaseModel):
    """A map inside an item."""

    hours: list[str] = Field(default_factory=list)
    visitors: int = 0


class Shop(Entity, table=table, pk="SHOP#{shop_id}", sk="SHOP"):
    """A shop; its name is unique, and it counts what it sells."""

    shop_id: str
    name: Annotated[str, Unique()]
    opening: Opening = Opening()
    labels: set[str] = Field(default_factory=set)
    notes: dict[str, str] = Field(default_factory=dict)
    offer_count: int = count_of("Offer")
    cheap_count: int = count_of("Offer", when={"cheap": True})
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Offer(Entity, table=table, pk="SHOP#{shop_id}", sk="OFFER#{offer_id}"):
    """Something to buy: in a local index, one of attributes, and one that holds few items."""

    cheapest = Index("Cheapest", sk=["cents"])
    by_maker = Index("ByMaker", pk=["maker", "country"], sk=["year", "name"])
    recalled = Index("Sparse", pk="RECALLED#{shop_id}", sk="{offer_id}", when={"recall": True})

    shop_id: str
    offer_id: str = ulid()
    name: str
    code: Annotated[str | None, Unique(within="SHOP#{shop_id}")] = None
    cents: int = 100
    cheap: bool = False
    recall: bool = False
    maker: str = "nobody"
    country: str = "DK"
    year: int = 2026


class Review(Entity, table=table, pk="SHOP#{shop_id}", sk="OFFER#{offer_id}#REVIEW#{day}"):
    """What somebody wrote of an offer; it stands behind it."""

    by_day = Index("GSI1", pk="SHOP#{shop_id}#REVIEWS", sk="{day}#{offer_id}")

    shop_id: str
    offer_id: str
    day: date
    text: str = ""


class Order(Entity, table=table, pk="SHOP#{shop_id}", sk="ORDER#{number:05d}", schema=2):
    """An order; they are numbered from 1 in each shop. Once it had its total in whole euros."""

    shop_id: str
    number: int = sequence("SHOP#{shop_id}")
    cents: int = 0
    state: Literal["NEW", "SENT"] = "NEW"

    @upgrade(1)
    def _in_cents(values: dict[str, object]) -> dict[str, object]:  # noqa: N805
        euros = values.pop("euros")
        return {**values, "cents": int(str(euros)) * 100}


class Basket(Entity, table=table, pk="SHOP#{shop_id}", sk="BASKET#{owner}"):
    """What somebody may buy; gone after an hour, and one for each owner."""

    shop_id: str
    owner: str
    offers: list[str] = Field(default_factory=list)
    until: datetime = expires(hours=1)


class Measure(Entity, table=table, pk="SENSOR#{shop_id}#{sensor_id}#{at:%Y-%m-%d}", sk="{at}"):
    """How warm it was: cut into days, and over all sensors into three shards of each day."""

    everywhere = Index("ByDay", pk="ALL#{at:%Y-%m-%d}#{sensor_id:shard 3}", sk="{at}")

    shop_id: str
    sensor_id: str
    at: datetime
    celsius: int


class Poster(Entity, table=table, pk="POSTER#{shop_id}#{copy}", sk="POSTER", copies=3):
    """It is read so often that there are three of it."""

    shop_id: str
    text: str


class Manual(Entity, table=table, pk="SHOP#{shop_id}", sk="MANUAL#{title}"):
    """A text that may be too long for an item, and a drawing that always is elsewhere."""

    shop_id: str
    title: str
    text: Annotated[Large[str], InParts()]
    drawing: Annotated[Large[bytes] | None, InObjects()] = None


@dataclass
class OfferView:
    """An offer with what was written of it."""

    offer: Offer
    reviews: list[Review]


@dataclass
class ShopView:
    """A shop with all that it sells."""

    shop: Shop
    offers: list[OfferView]


@dataclass
class Label:
    """What a price label says."""

    name: str
    cents: int


class Shops(Store, table=table):
    """The access patterns."""

    @pattern()
    def shop(self, shop_id: str) -> Get[Shop]:
        """One shop."""
        return Shop.get(shop_id=shop_id)

    @pattern()
    def whole_shop(self, shop_id: str) -> Collection[ShopView]:
        """A shop with its offers and their reviews."""
        return collect(ShopView, shop_id=shop_id)

    @pattern(page=10)
    def offers(self, shop_id: str) -> Query[Offer]:
        """What a shop sells."""
        return Offer.query(shop_id=shop_id)

    @pattern()
    def cheapest(self, shop_id: str) -> Query[Offer]:
        """What a shop sells, by its price."""
        return Offer.cheapest.query(shop_id=shop_id)

    @pattern()
    def made_by(self, maker: str, country: str) -> Query[Offer]:
        """What a maker in a country made, by its year and name."""
        return Offer.by_maker.query(maker=maker, country=country)

    @pattern()
    def recalled(self, shop_id: str) -> Query[Offer]:
        """What a shop must not sell, read through an index that holds keys alone."""
        return Offer.recalled.query(shop_id=shop_id).fetch(Offer)

    @pattern()
    def reviews_between(self, shop_id: str, first: date, last: date) -> Query[Review]:
        """What was written between two days."""
        return Review.by_day.query(shop_id=shop_id).between(first, last)

    @pattern()
    def orders(self, shop_id: str) -> Query[Order]:
        """The orders of a shop, the last one first."""
        return Order.query(shop_id=shop_id).descending()

    @pattern()
    def waiting(self, shop_id: str) -> Query[Order]:
        """The orders of a shop that were not sent."""
        return Order.query(shop_id=shop_id).filter(F("state") == "NEW")

    @pattern(page=4)
    def measured(self, shop_id: str, sensor_id: str, first: date, last: date) -> Query[Measure]:
        """What a sensor measured, over days."""
        return Measure.query(shop_id=shop_id, sensor_id=sensor_id, at=between(first, last))

    @pattern(page=4)
    def measured_everywhere(self, first: date, last: date) -> Query[Measure]:
        """What all sensors measured, newest first, over days and shards."""
        return Measure.everywhere.query(at=between(first, last)).newest_first()

    @pattern()
    def poster(self, shop_id: str) -> Get[Poster]:
        """One of the copies."""
        return Poster.get(shop_id=shop_id)

    @pattern()
    def everything(self) -> Scan[Offer]:
        """Every offer of every shop."""
        return Offer.scan()
