"""The entity chart says what the design says."""

from apps.stories.design import Stories
from singletable.describe.chart import AttributeChart, KeyChart, summary, type_text
from singletable.describe.description import description
from tests.describe.designs import Shop
from tests.describe.golden import APPS

STORY = {one.name: one for one in description(Stories).entities}
SHOP = {one.name: one for one in description(Shop).entities}


def test_every_entity_is_there_in_the_order_it_was_declared() -> None:
    names = "User Story Chapter Bookmark Reading Vote Notification Request"
    assert list(STORY) == names.split()


def test_keys_are_templates_and_indexes_say_when() -> None:
    story = STORY["Story"]
    assert story.key == KeyChart(None, ("STORY#{story_id}",), ("METADATA",))
    assert story.indexes[0] == KeyChart(
        "GSI1",
        ("STORIES#{published_at:%Y-%m}#{story_id:shard 4}",),
        ("{published_at}#{story_id}",),
        "status is PUBLISHED or COMPLETED",
    )


def test_a_field_that_is_a_key_is_its_own_template() -> None:
    by_price, by_code, by_name = SHOP["Thing"].indexes
    assert (by_price.pk, by_price.sk) == (("{shelf}",), ("{price}", "{code}"))
    assert by_code.when == "colour is red"
    assert by_name.pk == ("THING#{code}#{copy}",)


def test_attributes_have_their_names_and_both_types() -> None:
    attributes = {one.field: one for one in STORY["User"].attributes}
    expected = AttributeChart("display_name", "displayName", "str", "S", required=True)
    assert attributes["display_name"] == expected
    assert attributes["bio"].type == "str | None"
    assert not attributes["bio"].required


def test_what_the_store_keeps_true_is_said() -> None:
    assert "email is unique" in STORY["User"].kept
    assert "stories_created counts Story (user_id is its author_id)" in STORY["User"].kept
    assert "upvote_count counts Vote (vote_type is UPVOTE)" in STORY["Chapter"].kept
    assert "author_name is copied from User.display_name" in STORY["Story"].kept
    assert "version is checked by every write" in STORY["Story"].kept
    assert "number is numbered within THINGS" in SHOP["Thing"].kept
    assert "picture is kept apart when it is long" in SHOP["Thing"].kept
    assert "every item is kept in 3 copies" in SHOP["Thing"].kept
    (queue,) = [one for one in description(APPS["surveys"]).entities if one.name == "SyncItem"]
    assert "items are gone after expires_at" in queue.kept


def test_types_are_written_without_modules() -> None:
    attributes = {one.field: one.type for one in SHOP["Thing"].attributes}
    assert attributes["maker"] == "Maker"
    assert attributes["picture"] == "Large[bytes] | None"
    assert attributes["taken_at"] == "datetime | None"
    assert type_text(list[int]) == "list[int]"


def test_a_summary_is_the_first_paragraph_in_one_line() -> None:
    assert summary("One\n    sentence.\n\n    More.") == "One sentence."
    assert summary(None) == ""
