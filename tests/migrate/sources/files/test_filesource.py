"""Files are read whole, in parts, from anywhere on and by ids; nothing is passed over."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable import UsageError
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.files import FileSource
from singletable.migrate.sources.files.lines import BYTES_MAX
from singletable.migrate.sources.source import Broken, Followed, Kind, Row, Source, Span, Writable

from .support import read_all, rows_of


def write(path: Path, *lines: bytes | str | dict[str, Any]) -> Path:
    """Write lines: an object is one of JSON."""
    raw = [
        line
        if isinstance(line, bytes)
        else (json.dumps(line) if isinstance(line, dict) else line).encode()
        for line in lines
    ]
    data = b"".join(one + b"\n" for one in raw)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_it_is_a_source_and_no_more(tmp_path: Path) -> None:
    source = FileSource(write(tmp_path / "users.jsonl", {"id": 1}))
    assert isinstance(source, Source)
    assert not isinstance(source, Followed)
    assert not isinstance(source, Writable)


def test_each_file_of_a_folder_is_a_kind(tmp_path: Path) -> None:
    write(tmp_path / "users.jsonl", {"name": "x", "id": 1})
    write(tmp_path / "old.orders.csv.gz", "order,total", "1,2")
    write(tmp_path / "tabs.tsv", "id\tb", "1\t2")
    write(tmp_path / "README.md", "nothing")
    write(tmp_path / "empty.ndjson")
    source = FileSource(tmp_path)
    assert source.kinds() == {
        "users": Kind("users", ("id",), ()),
        "old.orders": Kind("old.orders", ("order",), ("order", "total")),
        "tabs": Kind("tabs", ("id",), ("id", "b")),
        "empty": Kind("empty", ("id",), ()),
    }
    assert {kind: source.count(kind) for kind in source.kinds()} == {
        "users": 1,
        "old.orders": 1,
        "tabs": 1,
        "empty": 0,
    }
    assert rows_of(read_all(source, "tabs")) == [{"id": "1", "b": "2"}]
    assert read_all(source, "empty") == []


def test_json_keeps_numbers_as_they_are_written(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        b"\xef\xbb\xbf" + b'{"id": 9007199254740993, "n": 0.10, "deep": [1e2, null]}',
        '{"id": 1.5, "n": true}',
        "",
        '{"id": "\\ud83d\\ude00"}',
    )
    rows = read_all(FileSource(path), "a")
    assert rows_of(rows) == [
        {"id": 9007199254740993, "n": Decimal("0.10"), "deep": [Decimal(100), None]},
        {"id": Decimal("1.5"), "n": True},
        {"id": "\U0001f600"},
    ]
    assert [row.id for row in rows] == [("9007199254740993",), ("1.5",), ("\U0001f600",)]


def test_what_cannot_be_read_comes_with_its_text_and_the_reason(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"id": 1},
        '{"id": 2',
        b'{"id": "\xff"}',
        "[1]",
        '{"id": null}',
        '{"x": 1}',
        '{"id": [1]}',
        '{"id": NaN}',
        '{"id": "\\ud800"}',
        '{"id": true}',
        '{"id": 1E+99999}',
        "[" * 100_000,
        {"id": 3},
    )
    found = read_all(FileSource(path), "a", limit=3)
    assert [one.id for one in found if isinstance(one, Row)] == [(1,), (3,)]
    broken = [one for one in found if isinstance(one, Broken)]
    reasons = [
        ('{"id": 2', "delimiter"),
        ('{"id": "\\xff"}', "is not utf-8: byte 0xff at 8"),
        ("[1]", "is JSON, but no object"),
        ('{"id": null}', "has no value for 'id'"),
        ('{"x": 1}', "has no value for 'id'"),
        ('{"id": [1]}', "a key has texts, numbers or bytes"),
        ('{"id": NaN}', "NaN, which is no number"),
        ('{"id": "\\ud800"}', "half of a surrogate pair"),
        ('{"id": true}', "a key has texts, numbers or bytes"),
        ('{"id": "1E+99999"}', "has 1E+99999 for 'id', a number of more than 1000 digits"),
        ("[" * 100_000, "recursion"),
    ]
    for one, (text, reason) in zip(broken, reasons, strict=True):
        assert one.text == text
        assert reason in one.reason
        assert one.kind == "a"
        name, offset = one.id
        assert name == "a.jsonl"
        assert path.read_bytes()[offset:].startswith(text[:5].encode())


def test_a_line_that_is_too_long_is_told_by_its_beginning(tmp_path: Path) -> None:
    long = '{"id": "' + "x" * (BYTES_MAX + 5_000_000)
    path = write(tmp_path / "a.jsonl", {"id": 1}, long, {"id": 2})
    one, two, three = read_all(FileSource(path), "a")
    assert (one.id, three.id) == ((1,), (2,))
    assert isinstance(two, Broken)
    assert two.text.startswith('{"id": "xxx')
    assert len(two.text) < 20_000
    assert "longer than" in two.reason


def test_values_of_csv_are_texts_and_may_have_anything_in_them(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        b"\xef\xbb\xbfid,text",
        '1,"a, ""b""\nand more"',
        "",
        '2,5" wide\r',
        "3,",
        f'4,"{"x" * 200_000}"',
    )
    assert rows_of(read_all(FileSource(path), "a", limit=1)) == [
        {"id": "1", "text": 'a, "b"\nand more'},
        {"id": "2", "text": '5" wide'},
        {"id": "3", "text": ""},
        {"id": "4", "text": "x" * 200_000},
    ]
    [row] = FileSource(path, empty=None).fetch("a", [("3",)])
    assert row is not None
    assert row["text"] is None


def test_a_line_that_is_no_csv_takes_no_other_with_it(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "id,text",
        "1,a",
        '2,"open',
        "3,b",
        "4,c,too much",
        '5,"x"y',
        b"6,\xfe",
        ",no key",
        "7,d",
    )
    found = read_all(FileSource(path), "a")
    assert [one.id for one in found if isinstance(one, Row)] == [("1",), ("3",), ("7",)]
    assert [(one.text, one.reason) for one in found if isinstance(one, Broken)] == [
        ('2,"open', "is no CSV: a quote is opened, and not closed as it should be"),
        ("4,c,too much", "has 3 values for 2 columns"),
        ('5,"x"y', "is no CSV: ',' expected after '\"'"),
        ("6,\\xfe", "is not utf-8: byte 0xfe at 2"),
        ('{"id": "", "text": "no key"}', "has no value for 'id', which is of its key"),
    ]


def test_the_suffix_of_a_packed_file_may_be_written_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "A.CSV.GZ").write_bytes(gzip.compress(b"id\n1\n"))
    assert rows_of(read_all(FileSource(tmp_path), "A")) == [{"id": "1"}]


@pytest.mark.parametrize("encoding", ["no-such", "rot13"])
def test_an_encoding_that_is_none_is_refused(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(UsageError, match=f"There is no encoding '{encoding}'"):
        FileSource(tmp_path, encoding=encoding)


def test_another_encoding_can_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"id,name", b"1,caf\xe9")
    assert rows_of(read_all(FileSource(path, encoding="latin-1"), "a")) == [
        {"id": "1", "name": "café"}
    ]
    for wrong in ("utf-16", "no-such"):
        with pytest.raises(UsageError, match=wrong):
            FileSource(path, encoding=wrong)
    utf16 = tmp_path / "b.csv"
    utf16.write_bytes("id,name\n".encode("utf-16"))
    with pytest.raises(SourceUnusable, match="is not utf-8: byte 0xff at 0"):
        FileSource(utf16).kinds()


@pytest.mark.parametrize("lines", [(), ("a,a",), ("a,,b",)])
def test_a_csv_file_needs_a_header(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(SourceUnusable, match="has no header"):
        FileSource(write(tmp_path / "a.csv", *lines)).kinds()


TEXTS = st.text(st.sampled_from('ab",\n\r é'), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(TEXTS, max_size=20), parts=st.integers(1, 7), limit=st.integers(1, 5))
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".csv.gz", ".jsonl.gz"])
def test_parts_of_a_file_together_are_the_file(
    tmp_path: Path, suffix: str, values: list[str], parts: int, limit: int
) -> None:
    data = [{"id": f"n{place}", "text": text} for place, text in enumerate(values)]
    raw = io.StringIO(newline="")
    if "csv" in suffix:
        writer = csv.DictWriter(raw, ["id", "text"])
        writer.writeheader()
        writer.writerows(data)
    else:
        raw.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in data)
    written = raw.getvalue().encode()
    path = tmp_path / f"a{suffix}"
    path.write_bytes(gzip.compress(written) if suffix.endswith("gz") else written)
    source = FileSource(path)
    spans = source.split("a", parts)
    assert 1 <= len(spans) <= parts
    assert rows_of(read_all(source, "a", parts, limit)) == data
    rows = FileSource(path).fetch("a", [(one["id"],) for one in reversed(data)])
    assert [row and dict(row) for row in rows] == data[::-1]
    source.close()


def test_a_large_file_is_divided_evenly(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"id": n, "text": "x" * (n % 90)} for n in range(5000)))
    source = FileSource(path)
    sizes = []
    for span in source.split("a", 8):
        rows, rest = source.read("a", span, 100_000)
        assert rest is None
        sizes.append(len(rows))
    assert sum(sizes) == 5000
    assert len(sizes) == 8
    assert max(sizes) < 1.5 * min(sizes)


def test_any_span_can_be_read_by_another_process_from_where_it_was_left(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,t", *(f'{n},"line\n{n}"' for n in range(100)))
    span: Span | None = Span()
    found: list[Row | Broken] = []
    while span is not None:
        rows, span = FileSource(path).read("a", span, 7)
        found += rows
    assert [one.id for one in found] == [(str(n),) for n in range(100)]


def test_rows_of_other_files_come_along(tmp_path: Path) -> None:
    write(tmp_path / "users.csv", "id,name", *(f"{n},u{n}" for n in range(5)))
    orders = ({"id": n, "user": n % 3 if n % 2 else str(n % 3)} for n in range(30))
    write(tmp_path / "orders.jsonl.gz", *orders, "broken", {"id": 99}, {"id": 98, "user": None})
    source = FileSource(tmp_path)
    rows = read_all(source, "users", 2, 2, {"orders": "user"})
    found = {
        row.id: [one["id"] for one in row.related["orders"]] for row in rows if isinstance(row, Row)
    }
    assert found == {(str(n),): list(range(n, 30, 3)) if n < 3 else [] for n in range(5)}
    [fetched] = source.fetch("users", [("2",)], {"orders": "user"})
    assert fetched == rows[2]
    with pytest.raises(UsageError, match="'users' has no column 'nobody'"):
        source.read("orders", Span(), 1, {"users": "nobody"})


def test_related_rows_are_found_from_one_thread_after_the_other(tmp_path: Path) -> None:
    write(tmp_path / "users.csv", "id", "1")
    write(tmp_path / "orders.csv", "id,user", "7,1")
    source = FileSource(tmp_path)
    for _ in range(2):
        with ThreadPoolExecutor(1) as thread:
            asked = thread.submit(source.fetch, "users", [("1",)], {"orders": "user"})
            [row] = asked.result()
        assert row is not None
        assert [one.id for one in row.related["orders"]] == [("7",)]
    source.close()


def test_rows_of_files_that_no_parent_has_are_found(tmp_path: Path) -> None:
    write(tmp_path / "users.csv", "id,name", *(f"{n},u{n}" for n in range(2)))
    orders = ({"id": n, "user": n % 3 if n % 2 else str(n % 3)} for n in range(6))
    write(tmp_path / "orders.jsonl", *orders, "broken", {"id": 99}, {"id": 98, "user": None})
    source, parents = FileSource(tmp_path), {"users": "user"}
    found, rest = source.read_orphans("orders", parents, Span(), 100)
    broken = [one for one in found if isinstance(one, Broken)]
    assert [row.id for row in found if isinstance(row, Row)] == [(2,), (5,), (99,), (98,)]
    assert ([one.text for one in broken], rest) == (["broken"], None)
    assert source.read_orphans("orders", parents, Span(), 2)[0] == []
    fetched = source.fetch_orphans("orders", parents, [(0,), (5,), (7,)])
    assert [row and row.id for row in fetched] == [None, (5,), None]


def test_of_several_rows_with_one_id_the_last_is_fetched(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": 1, "v": 1}, {"id": "1", "v": 2}, {"id": 1, "v": 3})
    rows = FileSource(path).fetch("a", [(1,), ("1",), (2,)])
    assert [row and row["v"] for row in rows] == [3, 2, None]


def test_the_key_can_be_named(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "x,y,z", "1,2,3")
    write(tmp_path / "b.jsonl", {"z": 1, "x": 2})
    source = FileSource(tmp_path, key={"a": ("z", "y")})
    assert {kind: one.key for kind, one in source.kinds().items()} == {"a": ("z", "y"), "b": ("z",)}
    assert [row.id for row in read_all(source, "a")] == [("3", "2")]
    assert FileSource(tmp_path, key="x").kinds()["b"].key == ("x",)
    with pytest.raises(UsageError, match="has no column q for its key; it has x, y, z"):
        FileSource(tmp_path, key="q").kinds()
    with pytest.raises(UsageError, match="key= names c, but"):
        FileSource(tmp_path, key={"c": "x"}).kinds()


def test_what_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceUnusable, match="no file or folder"):
        FileSource(tmp_path / "a.csv").kinds()
    with pytest.raises(SourceUnusable, match="nothing to read"):
        FileSource(tmp_path).kinds()
    write(tmp_path / "a.csv", "id")
    with pytest.raises(UsageError, match="has no 'b'; it has a"):
        FileSource(tmp_path).count("b")
    write(tmp_path / "a.jsonl", {"id": 1})
    with pytest.raises(SourceUnusable, match="are both named 'a'"):
        FileSource(tmp_path).kinds()


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", *({"id": n, "x": str(n) * 9} for n in range(5000)))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(SourceUnusable, match="damaged, or not whole"):
        read_all(FileSource(path), "a")


ITEM = {
    "PK": {"S": "a"},
    "SK": {"N": "1.50"},
    "raw": {"B": base64.b64encode(b"\x00\xff").decode()},
    "set": {"NS": ["1", "2"]},
    "deep": {"M": {"l": {"L": [{"NULL": True}, {"BOOL": False}]}}},
}


def export(folder: Path, *, files: int = 3, summary: dict[str, Any] | None = None) -> Path:
    """Write an export as DynamoDB does."""
    whole = folder / "AWSDynamoDB" / "01700000000000-abcdef"
    (whole / "data").mkdir(parents=True)
    manifest = []
    for number in range(files):
        name = f"part{number}.json.gz"
        items = [{"Item": ITEM | {"PK": {"S": f"{number}-{n}"}}} for n in range(10)]
        write(whole / "data" / name, *items)
        key = f"prefix/AWSDynamoDB/{whole.name}/data/{name}"
        manifest.append({"itemCount": 10, "dataFileS3Key": key, "etag": "e", "md5Checksum": "m"})
    write(whole / "manifest-files.json", *manifest)
    told = {
        "tableArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/app",
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    }
    write(whole / "manifest-summary.json", told | (summary or {}))
    return whole


def test_an_export_of_dynamodb_is_a_kind_by_the_name_of_its_table(tmp_path: Path) -> None:
    whole = export(tmp_path)
    wanted = [(f"{file}-{n}", "1.5") for file in range(3) for n in range(10)]
    for path in (tmp_path, whole):
        source = FileSource(path)
        assert source.kinds() == {"app": Kind("app", ("PK", "SK"), ())}
        assert source.count("app") == 30
        assert len(source.split("app", 10)) == 3
        assert len(source.split("app", 2)) == 2
        for parts in (1, 2, 10):
            rows = read_all(source, "app", parts, 4)
            assert [row.id for row in rows] == wanted
    assert rows_of(rows)[0] == {
        "PK": "0-0",
        "SK": Decimal("1.5"),
        "raw": b"\x00\xff",
        "set": {1, 2},
        "deep": {"l": [None, False]},
    }
    assert source.fetch("app", [("1-7", "1.5")])[0] is not None


def test_exported_files_without_a_manifest_are_a_kind_by_their_folder(tmp_path: Path) -> None:
    whole = export(tmp_path)
    (whole / "manifest-files.json").unlink()
    assert list(FileSource(whole / "data").kinds()) == [whole.name]
    plain = tmp_path / "people"
    plain.mkdir()
    write(plain / "a.json", {"Item": {"name": {"S": "x"}}})
    with pytest.raises(UsageError, match="What the key of 'people' is"):
        FileSource(plain).kinds()
    assert [row.id for row in read_all(FileSource(plain, key="name"), "people")] == [("x",)]


def test_an_export_that_is_not_whole_or_not_full_is_refused(tmp_path: Path) -> None:
    one = export(tmp_path / "1")
    (one / "data" / "part1.json.gz").unlink()
    with pytest.raises(SourceUnusable, match=r"part1\.json\.gz of manifest-files\.json"):
        FileSource(one).kinds()
    for number, summary in enumerate(
        ({"outputFormat": "ION"}, {"exportType": "INCREMENTAL_EXPORT"}), start=2
    ):
        with pytest.raises(SourceUnusable, match="only full exports"):
            FileSource(export(tmp_path / str(number), summary=summary)).kinds()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"id": 1}', 'no {"Item": …}'),
        ('{"Item": {"id": {"X": "1"}}}', "none of DynamoDB's"),
        ('{"Item": {"id": "1"}}', "none of DynamoDB's"),
        ('{"Item": {"id": {"N": "one"}}}', "cannot be converted to a numeric value"),
        ('{"Item": {"id": {"S": "1"}, "b": {"B": "?"}}}', "none of DynamoDB's"),
        ('{"Item": {"id": {"S": 7}}}', "none of DynamoDB's"),
        ('{"Item": {"id": {"S": "1"}, "b": {"L": 7}}}', "none of DynamoDB's"),
        ('{"Item": {}}', "has no value for 'id'"),
        ('{"Item": ', "unexpected end of data"),
    ],
)
def test_a_line_that_is_no_item_is_told(tmp_path: Path, line: str, reason: str) -> None:
    path = write(tmp_path / "a.json", {"Item": {"id": {"S": "1"}}}, line)
    _, broken = read_all(FileSource(path), "a")
    assert isinstance(broken, Broken)
    assert reason in broken.reason


def test_an_address_opens_the_same_again(tmp_path: Path) -> None:
    from singletable.migrate.sources.address import open_source

    path = write(tmp_path / "a.csv", "x,y", "1,", "2,b")
    source = FileSource(path, key={"a": ["y"]}, empty=None, encoding="latin-1")
    again = open_source(source.address)
    assert again.address == source.address == f"{path}?encoding=iso8859-1&empty=none&key.a=y"
    assert again.kinds() == source.kinds()
    assert FileSource(path).address == str(path)
    dashed = open_source(FileSource(path, empty="- &").address)
    assert rows_of(read_all(dashed, "a"))[0] == {"x": "1", "y": "- &"}  # type: ignore[arg-type] # it is one


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz"])
def test_memory_stays_as_it_is_whatever_the_size_of_a_file(tmp_path: Path, suffix: str) -> None:
    def peak(rows: int) -> int:
        path = tmp_path / f"a{suffix}"
        lines = (
            ("id,text", *(f"{n},{'x' * 100}" for n in range(rows)))
            if suffix == ".csv"
            else ({"id": n, "text": "x" * 100} for n in range(rows))
        )
        write(path, *lines)
        del lines
        source = FileSource(path)
        total = 0
        tracemalloc.start()
        for span in source.split("a", 4):
            left: Span | None = span
            while left is not None:
                found, left = source.read("a", left, 200)
                total += len(found)
        assert source.fetch("a", [("7",), (str(rows - 1),)])[1] is not None
        source.close()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert total == rows
        return most

    small, large = peak(1_000), peak(10_000)
    assert large < 1.5 * small + 1_000_000
    assert large < 8_000_000


def test_a_batch_of_large_rows_ends_early(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"id": n, "x": "x" * 1_000_000} for n in range(20)))
    rows, rest = FileSource(path).read("a", Span(), 100)
    assert len(rows) == 9
    assert rest is not None
