"""The environment of a service."""

from datetime import date

import pytest

from apps.service import BadSettings, Settings

PRODUCTION = {
    "SERVICE_ADDRESS": "aws:eu-west-1",
    "SERVICE_SECRET": "s" * 32,
    "COGNITO_POOL": "eu-west-1_Ab12",
    "COGNITO_CLIENTS": "one, two",
}
DEVELOPMENT = {"SERVICE_ENVIRONMENT": "development"}


def test_production_is_what_is_taken_for_granted() -> None:
    settings = Settings.from_environment(environ=PRODUCTION)

    assert settings.issuer is None
    assert settings.tokens.clients == {"one", "two"}


@pytest.mark.parametrize("name", PRODUCTION)
def test_what_is_missing_is_named(name: str) -> None:
    with pytest.raises(BadSettings, match=name):
        Settings.from_environment(environ={**PRODUCTION, name: ""})


def test_an_empty_environment_does_not_start_the_local_issuer() -> None:
    with pytest.raises(BadSettings):
        Settings.from_environment(environ={})


def test_development_has_an_issuer_of_its_own() -> None:
    settings = Settings.from_environment(environ={"SERVICE_ENVIRONMENT": "development"})

    assert settings.issuer is not None
    assert settings.tokens.claims(settings.issuer.token("ann"))["sub"] == "ann"


@pytest.mark.parametrize(
    "sign",
    [
        {"SERVICE_ADDRESS": "aws:eu-west-1"},
        {"COGNITO_POOL": "eu-west-1_Ab12"},
        {"AWS_LAMBDA_FUNCTION_NAME": "campaigns"},
        {"AWS_EXECUTION_ENV": "AWS_ECS_FARGATE"},
        {"SERVICE_ADDRESS": "https://dynamodb.eu-west-1.amazonaws.com"},
    ],
    ids=str,
)
def test_development_is_refused_where_there_is_a_sign_of_production(sign: dict[str, str]) -> None:
    with pytest.raises(BadSettings, match="take one of them back"):
        Settings.from_environment(environ={"SERVICE_ENVIRONMENT": "development", **sign})


def test_another_word_is_no_environment() -> None:
    with pytest.raises(BadSettings, match="'dev'"):
        Settings.from_environment(environ={**PRODUCTION, "SERVICE_ENVIRONMENT": "dev"})


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(BadSettings, match="32"):
        Settings.from_environment(environ={**PRODUCTION, "SERVICE_SECRET": "short"})


@pytest.mark.parametrize("address", [":memory:", "app.db", "http://127.0.0.1:8000"])
def test_development_is_on_this_machine(address: str) -> None:
    environment = {"SERVICE_ENVIRONMENT": "development", "SERVICE_ADDRESS": address}

    assert Settings.from_environment(environ=environment).is_development


@pytest.mark.parametrize("rate", ["0", "-1", "abc", "nan"])
def test_a_rate_is_a_number_above_0(rate: str) -> None:
    with pytest.raises(BadSettings, match="SERVICE_RATE_PER_S"):
        Settings.from_environment(environ={**PRODUCTION, "SERVICE_RATE_PER_S": rate})


def test_production_needs_what_would_be_lost_with_the_process() -> None:
    with pytest.raises(BadSettings, match="SERVICE_OBJECTS, SERVICE_SEARCH"):
        Settings.from_environment(environ=PRODUCTION).needs("objects", "search")
    Settings.of_development().needs("objects", "search")


@pytest.mark.parametrize("environment", [PRODUCTION, DEVELOPMENT], ids=["production", "here"])
def test_what_may_be_set_is_heeded_everywhere(environment: dict[str, str]) -> None:
    given = {"SERVICE_SEARCH": "words.db", "SERVICE_TABLE": "mine", "SERVICE_LAUNCH": "2019-05-01"}
    settings = Settings.from_environment(environ={**environment, **given})
    empty = Settings.from_environment(environ={**environment, **dict.fromkeys(given, "")})

    assert (settings.search, settings.table_name) == ("words.db", "mine")
    assert settings.launch == date(2019, 5, 1)
    assert (empty.search, empty.table_name, empty.launch) == (None, None, date(2026, 1, 1))


@pytest.mark.parametrize(
    ("name", "value"), [("SERVICE_FOLLOW", "true"), ("SERVICE_LAUNCH", "yesterday")]
)
def test_a_setting_that_is_not_understood_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSettings, match=f"{name} is {value!r}"):
        Settings.from_environment(environ={**PRODUCTION, name: value})
