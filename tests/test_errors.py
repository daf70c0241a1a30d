"""The tree of errors: wire names, fallbacks, and what users may rely on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from singletable import errors


@pytest.mark.parametrize("code", sorted(errors.BY_CODE))
def test_each_wire_name_has_its_class(code: str) -> None:
    error = errors.service_error(code, "why", Item={})
    assert type(error).__mro__.index(errors.ServiceError) > 0
    assert (error.code, error.message, error.fields) == (code, "why", {"Item": {}})


def test_an_unknown_wire_name_keeps_name_and_status() -> None:
    error = errors.service_error("BrandNewException", "why", 418)
    assert (error.code, error.status, str(error)) == ("BrandNewException", 418, "why")


def test_botocore_is_never_imported_by_raising() -> None:
    program = (
        "import sys; from singletable.errors import ValidationException as V; V('x'); "
        "assert 'botocore' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
