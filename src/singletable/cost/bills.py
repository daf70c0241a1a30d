"""From units and bytes to money: by the request, or by the hour for capacity that is kept ready."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .prices import Prices

GB = 1024**3
SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Bill:
    """What a month costs, in the currency of the prices."""

    on_demand_reads: float
    on_demand_writes: float
    provisioned_reads: float
    provisioned_writes: float
    storage: float
    streams: float = 0.0

    @classmethod
    def of(
        cls,
        prices: Prices,
        reads_per_s: float,
        writes_per_s: float,
        storage_bytes: float,
        utilisation: float,
    ) -> Bill:
        """Make the bill of a month with so many units a second, on average."""
        hours = prices.hours_per_month
        seconds = hours * SECONDS_PER_HOUR
        return cls(
            reads_per_s * seconds / 1e6 * prices.per_million_read_units,
            writes_per_s * seconds / 1e6 * prices.per_million_write_units,
            reads_per_s / utilisation * hours * prices.per_read_unit_hour,
            writes_per_s / utilisation * hours * prices.per_write_unit_hour,
            storage_bytes / GB * prices.per_gb_month,
        )

    def with_streams(self, prices: Prices, reads_per_s: float) -> Bill:
        """Add what so many reads of the stream cost, which are paid for by the request."""
        seconds = prices.hours_per_month * SECONDS_PER_HOUR
        return replace(self, streams=reads_per_s * seconds / 1e6 * prices.per_million_stream_reads)

    @property
    def on_demand(self) -> float:
        """Give the whole bill, paid by the request."""
        return self.on_demand_reads + self.on_demand_writes + self.storage + self.streams

    @property
    def provisioned(self) -> float:
        """Give the whole bill, paid by the hour."""
        return self.provisioned_reads + self.provisioned_writes + self.storage + self.streams
