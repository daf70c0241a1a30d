"""The expression language: one tree of nodes to parse, build, encode, evaluate and update with.

The engine calls ``bind``, which reads the expressions of a request; a client builds nodes and
writes them into a request with ``encode``.
"""

from .bind import bind, check_mixture, parse
from .bound import Bound, BoundCondition, BoundUpdate
from .conditions import And, Between, Comparison, Condition, In, Not, Or
from .encode import Encoder, encode
from .functions import Call
from .key_conditions import KeyCondition, KeyRange, KeyTest
from .operands import Arithmetic, Placeholder, Value
from .paths import Alias, Path
from .projection import Projection
from .tree import Node, Operand
from .update import Action, Add, Delete, Remove, Set, Update

__all__ = [
    "Action",
    "Add",
    "Alias",
    "And",
    "Arithmetic",
    "Between",
    "Bound",
    "BoundCondition",
    "BoundUpdate",
    "Call",
    "Comparison",
    "Condition",
    "Delete",
    "Encoder",
    "In",
    "KeyCondition",
    "KeyRange",
    "KeyTest",
    "Node",
    "Not",
    "Operand",
    "Or",
    "Path",
    "Placeholder",
    "Projection",
    "Remove",
    "Set",
    "Update",
    "Value",
    "bind",
    "check_mixture",
    "encode",
    "parse",
]
