"""What the service's document promises."""

from tests.apps.service.trying import EXAMPLES, try_all

from .conftest import Platform, everything, published


@EXAMPLES
def test_every_answer_is_documented(platform: Platform, examples: int) -> None:
    ann, bob = platform.user("ann"), platform.user("bob")
    told = published(ann)
    told.branch(bob)
    platform.settle()
    known = {
        "story_id": told.story_id,
        "node_id": told.node_id,
        "user_id": "bob",
        "notification_id": everything(ann, "/me/notifications")[0]["notification_id"],
        "depth": "1",
    }

    assert try_all(platform.app, platform.token("ann"), examples=examples, known=known) >= 30
