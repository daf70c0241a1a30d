"""The pytest plugin, as a project sees it that has the library installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

PREPARED = """
    import pytest

    @pytest.fixture(scope="session")
    def dynamodb_template(dynamodb_template):
        with dynamodb_template.fork() as template:
            template.create_table(
                TableName="Music",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )
            template.put_item(TableName="Music", Item={"pk": {"S": "first"}})
            yield template
"""


def test_every_test_has_an_empty_engine_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("time", [1, 2])
        def test_fresh(dynamodb_engine, time):
            assert dynamodb_engine.list_tables()["TableNames"] == []
            dynamodb_engine.create_table(
                TableName="Music",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )
        """
    )
    pytester.runpytest().assert_outcomes(passed=2)


def test_clients_and_resource_share_the_tests_engine(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PREPARED)
    pytester.makepyfile(
        """
        def test_shared(
            dynamodb_engine, dynamodb_client, dynamodb_resource, dynamodb_streams_client
        ):
            dynamodb_client.put_item(TableName="Music", Item={"pk": {"S": "a"}})
            assert dynamodb_resource.Table("Music").get_item(Key={"pk": "a"})["Item"] == {"pk": "a"}
            key = {"pk": {"S": "a"}}
            assert dynamodb_engine.get_item(TableName="Music", Key=key)["Item"] == key
            assert dynamodb_streams_client.list_streams()["Streams"] == []
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_tests_engine_is_served_to_other_processes(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PREPARED)
    pytester.makepyfile(
        """
        from urllib.request import Request, urlopen

        HEADERS = {
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": "DynamoDB_20120810.Scan",
            "Authorization": "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=f, Signature=g",
        }

        def test_served(dynamodb_engine, dynamodb_endpoint_url):
            dynamodb_engine.put_item(TableName="Music", Item={"pk": {"S": "second"}})
            body = b'{"TableName": "Music"}'
            with urlopen(Request(dynamodb_endpoint_url, body, HEADERS), timeout=10) as answer:
                assert b'"Count":2' in answer.read()
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)


def test_every_test_starts_from_a_copy_of_the_prepared_template(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PREPARED)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("time", [1, 2, 3])
        def test_copy(dynamodb_client, time):
            assert dynamodb_client.scan(TableName="Music")["Count"] == 1
            dynamodb_client.put_item(TableName="Music", Item={"pk": {"S": "second"}})
        """
    )
    pytester.runpytest().assert_outcomes(passed=3)


def test_what_a_module_prepares_is_found_by_its_own_tests_alone(pytester: pytest.Pytester) -> None:
    tests = """
    def test_prepared(dynamodb_engine):
        assert dynamodb_engine.list_tables()["TableNames"] == ["Music"]
    """
    unprepared = """
    def test_unprepared(dynamodb_engine):
        assert dynamodb_engine.list_tables()["TableNames"] == []
    """
    pytester.makepyfile(test_a=PREPARED + tests, test_b=PREPARED + tests, test_c=unprepared)
    pytester.runpytest().assert_outcomes(passed=3)


def test_an_engine_is_closed_after_its_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from singletable import SingletableError

        kept = []

        def test_keep(dynamodb_engine):
            kept.append(dynamodb_engine)

        def test_closed():
            with pytest.raises(SingletableError):
                kept[0].list_tables()
        """
    )
    pytester.runpytest().assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("fixture", "module", "extra"),
    [("dynamodb_client", "boto3", "aws"), ("dynamodb_endpoint_url", "httptools", "server")],
)
def test_a_fixture_that_wants_an_extra_names_it(
    fixture: str, module: str, extra: str, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(f"import sys; sys.modules[{module!r}] = None")
    pytester.makepyfile(f"def test_never({fixture}): pass")
    done = pytester.runpytest_subprocess("-p", "no:xdist")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines([f"E * pip install 'singletable[[]{extra}]'"])


def test_the_fixtures_are_listed_with_what_they_give(pytester: pytest.Pytester) -> None:
    listing = pytester.runpytest("--fixtures").stdout
    listing.fnmatch_lines(["dynamodb_engine *", "    Give an engine in memory for one test: *"])


def test_loading_the_plugin_loads_nothing_else() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import singletable.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["singletable", "singletable.pytest_plugin"]
