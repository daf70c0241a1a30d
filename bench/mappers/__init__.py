"""The libraries that map items to objects, each with the same four operations on the same items.

A module here is written as its library's own documentation would have it, and is imported only
where that library is installed. Nothing of theirs is in this repository.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from bench.mappers.base import Mapper


class Library(NamedTuple):
    """A library: the package that it comes in, and the module that it is imported as."""

    package: str
    module: str

    @property
    def is_here(self) -> bool:
        """Tell whether it can be imported."""
        return find_spec(self.module) is not None

    def mapper(self, endpoint: str, client: Any) -> Mapper:
        """Open its mapper, on an endpoint that a boto3 client is connected to."""
        module = import_module(f"bench.mappers.with_{self.module}")
        mapper: Mapper = module.open_mapper(endpoint, client)
        return mapper


LIBRARIES = (
    Library("singletable", "singletable"),
    Library("pynamodb", "pynamodb"),
    Library("dyntastic", "dyntastic"),
    Library("pydynox", "pydynox"),
    Library("pydynantic", "pydynantic"),
)
