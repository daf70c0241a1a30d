"""The descriptions of the three apps are as they were read and found right."""

import pytest

from singletable.describe import FORMATS, describe
from singletable.errors import UsageError
from tests.describe.golden import APPS, SUFFIXES, path


@pytest.mark.parametrize("form", SUFFIXES)
@pytest.mark.parametrize("app", APPS)
def test_an_app_is_described_as_its_golden_file(app: str, form: str) -> None:
    assert describe(APPS[app], form) == path(app, form).read_text("utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_a_description_is_the_same_every_time(form: str) -> None:
    assert describe(APPS["stories"], form) == describe(APPS["stories"], form)


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no format 'pdf'; there are markdown, mermaid, html"):
        describe(APPS["stories"], "pdf")
