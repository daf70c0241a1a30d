"""The functions in Lambda: one behind API Gateway, one behind the table's stream."""

from mangum import Mangum

from singletable.streams import lambda_handler

from .main import app

api = Mangum(app, lifespan="off")
stream = lambda_handler(app.state.service.store, *app.state.consumers)
