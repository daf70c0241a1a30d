"""The functions in Lambda: one behind API Gateway, one behind the table's stream."""

from mangum import Mangum

from singletable.streams import lambda_handler

from .after import consumers
from .main import app

_store = app.state.service.store

api = Mangum(app, lifespan="off")
stream = lambda_handler(_store, *consumers(_store))
