"""Profiles and bookmarks."""

from __future__ import annotations

from fastapi.testclient import TestClient

from .conftest import Platform, everything, published, refused


def test_a_profile_counts_what_its_user_did(anywhere: Platform) -> None:
    told, bob = published(anywhere.user("ann")), anywhere.user("bob")
    path = f"{told.path}/chapters/{told.branch(bob)}"
    told.author.put(f"{path}/vote", json={"vote_type": "UPVOTE"})
    told.author.put(f"{path}/reading")
    anywhere.settle()

    shown = told.author.get("/users/bob").json()
    assert (shown["stories_created"], shown["branches_contributed"]) == (0, 1)
    assert (shown["upvotes_received"], shown["reads_received"]) == (1, 1)
    assert told.author.get("/me").json()["stories_created"] == 1


def test_others_see_no_address(platform: Platform) -> None:
    ann, bob = platform.user("ann"), platform.user("bob")

    assert ann.get("/me").json()["email"] == "ann@example.com"
    assert not {"email", "last_login_at"} & bob.get("/users/ann").json().keys()
    refused(bob.get("/users/nobody"), 404)
    refused(platform.stranger("eve").get("/me"), 404)


def test_the_address_is_that_of_the_token_and_one_users_only(platform: Platform) -> None:
    platform.user("ann")
    assert platform.settings.issuer is not None
    about = {"display_name": "Eve"}
    for claims, status in (
        ({"email": "ann@example.com", "email_verified": True}, 409),
        ({"email": "eve@example.com", "email_verified": False}, 403),
        ({}, 403),
    ):
        token = platform.settings.issuer.token("eve", **claims)
        headers = {"Authorization": f"Bearer {token}"}
        refused(TestClient(platform.app).put("/me", json=about, headers=headers), status)


def test_a_profile_is_changed_and_keeps_its_counts(platform: Platform) -> None:
    told = published(platform.user("ann"))
    begun = told.author.get("/me").json()
    changed = told.author.put("/me", json={"display_name": "Anna", "bio": "Writes."}).json()

    assert (changed["display_name"], changed["bio"]) == ("Anna", "Writes.")
    assert changed["stories_created"] == 1
    assert changed["created_at"] == begun["created_at"]


def test_a_token_of_development_is_enough_to_begin(platform: Platform) -> None:
    client = TestClient(platform.app)
    wanted = {"subject": "dora", "email": "dora@example.com"}
    token = client.post("/development/token", json=wanted).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}

    assert client.put("/me", json={"display_name": "Dora"}, headers=headers).status_code == 200


def test_a_bookmark_is_where_the_reader_put_it_last(platform: Platform) -> None:
    told, bob = published(platform.user("ann")), platform.stranger("bob")
    path, node_id = f"/me/bookmarks/{told.story_id}", told.branch(told.author)
    refused(bob.get(path), 404)
    for place in (told.node_id, node_id):
        first = bob.put(path, json={"current_node_id": place}).json()

    assert bob.get(path).json() == first
    assert [one["current_node_id"] for one in everything(bob, "/me/bookmarks")] == [node_id]
    refused(bob.put(path, json={"current_node_id": "none"}), 404)
    for _ in range(2):
        assert bob.delete(path).status_code == 204
    refused(bob.get(path), 404)
