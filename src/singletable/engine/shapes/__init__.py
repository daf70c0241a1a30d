"""Request shapes: what an operation takes, and the service's words for everything else.

A shape first reads (``read``: Python types, base64; the first mismatch is a SerializationException)
and then judges (``faults``: lengths, ranges, enums; all of them in one ValidationException). Two
passes keep the good case free of paths and texts, which are only made once something is wrong.
"""

from .attributes import ATTRIBUTE_VALUE, AttributeMap, AttributeValueShape
from .base import Fault, Shape, Source, Unsupported
from .compound import List, Map
from .request import Request
from .scalars import Boolean, Integer, Long, String, Timestamp
from .sources import IN_PROCESS, WIRE, UnknownParameter
from .structures import Structure

__all__ = [
    "ATTRIBUTE_VALUE",
    "IN_PROCESS",
    "WIRE",
    "AttributeMap",
    "AttributeValueShape",
    "Boolean",
    "Fault",
    "Integer",
    "List",
    "Long",
    "Map",
    "Request",
    "Shape",
    "Source",
    "String",
    "Structure",
    "Timestamp",
    "UnknownParameter",
    "Unsupported",
]
