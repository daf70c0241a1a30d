"""The actions that take PartiQL: what they are asked, and where they are carried out.

Few programs send PartiQL, and its parser is a good part of the engine: it is imported when the
first statement comes.
"""

from __future__ import annotations

from importlib import import_module

from singletable.engine.database import Database
from singletable.engine.shapes import members as m

from .registry import Answer, Request, Run, operation


@operation(
    "ExecuteStatement",
    Statement=m.STATEMENT.required,
    Parameters=m.PARAMETERS,
    ConsistentRead=m.BOOLEAN,
    NextToken=m.NEXT_TOKEN,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    Limit=m.LIMIT,
    ReturnValuesOnConditionCheckFailure=m.RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
)
def execute_statement(db: Database, request: Request) -> Answer:
    """Run a statement; what it reads or returns stands in Items."""
    return _imported("execute_statement")(db, request)


@operation(
    "BatchExecuteStatement",
    Statements=m.BATCH_STATEMENTS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
)
def batch_execute_statement(db: Database, request: Request) -> Answer:
    """Run each statement; what goes wrong with one stands in its place in Responses."""
    return _imported("batch_execute_statement")(db, request)


@operation(
    "ExecuteTransaction",
    TransactStatements=m.TRANSACT_STATEMENTS.required,
    ClientRequestToken=m.CLIENT_REQUEST_TOKEN,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
)
def execute_transaction(db: Database, request: Request) -> Answer:
    """Run all statements as of one moment, or none; EXISTS checks a condition among writes."""
    return _imported("execute_transaction")(db, request)


def _imported(name: str) -> Run:
    """Give the function of a module of the same name."""
    run: Run = getattr(import_module(f".{name}", __package__), name)
    return run
