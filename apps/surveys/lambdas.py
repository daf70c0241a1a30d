"""The function in Lambda behind API Gateway."""

from mangum import Mangum

from .main import app

api = Mangum(app, lifespan="off")
