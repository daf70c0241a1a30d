"""TagResource, UntagResource, ListTagsOfResource: tags, kept with the table's document."""

from __future__ import annotations

import re

from singletable.engine.database import Database
from singletable.engine.definitions import check_unique
from singletable.engine.shapes import List
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import invalid

from .control import change, find_resource
from .registry import Answer, Request, operation

TAGS_MAX = 50
RESERVED = "aws:"
_ALLOWED = re.compile(r"[\w\s+=.:/@-]*")


@operation("TagResource", ResourceArn=t.RESOURCE_ARN.required, Tags=t.TAGS.required)
def tag_resource(db: Database, request: Request) -> Answer:
    """Add tags to a table; a tag of the same key is replaced."""
    with db.change() as tx:
        table = find_resource(db, tx, request["ResourceArn"])
        tags = merged_tags(table.document.get("Tags", {}), request["Tags"])
        change(db, tx, table, Tags=tags)
    return {}


@operation(
    "UntagResource",
    ResourceArn=t.RESOURCE_ARN.required,
    TagKeys=List(member=t.TAG_KEY).required,
)
def untag_resource(db: Database, request: Request) -> Answer:
    """Remove tags from a table; a key that is not there is passed over."""
    with db.change() as tx:
        table = find_resource(db, tx, request["ResourceArn"])
        tags = table.document.get("Tags", {})
        kept = {key: value for key, value in tags.items() if key not in request["TagKeys"]}
        change(db, tx, table, Tags=kept)
    return {}


@operation("ListTagsOfResource", ResourceArn=t.RESOURCE_ARN.required, NextToken=m.STRING)
def list_tags_of_resource(db: Database, request: Request) -> Answer:
    """List the tags of a table, all on one page."""
    with db.storage.read() as tx:
        tags = find_resource(db, tx, request["ResourceArn"]).document.get("Tags", {})
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}


def merged_tags(tags: dict[str, str], added: list[dict[str, str]]) -> dict[str, str]:
    """Give the tags after some were added."""
    keys = [each["Key"] for each in added]
    check_unique(keys, "Duplicate tag key: {}")
    for key in keys:
        if key.startswith(RESERVED):
            raise invalid(f"The prefix {RESERVED} of tag keys is reserved for AWS: {key}")
    for text in (*keys, *(each["Value"] for each in added)):
        if not _ALLOWED.fullmatch(text):
            raise invalid(
                "Tags consist of letters, numbers, white space and the characters + - = . _ : / @: "
                f"{text}"
            )
    merged = tags | {each["Key"]: each["Value"] for each in added}
    if len(merged) > TAGS_MAX:
        raise invalid(f"The number of tags exceeds the limit of {TAGS_MAX}: {len(merged)}")
    return merged
