"""Policies: what they allow, shown by a store that runs under them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from apps.stories.design import Bookmark, Vote
from singletable import (
    BatchGet,
    Engine,
    Entity,
    F,
    Get,
    GlobalIndex,
    Index,
    Large,
    Query,
    Scan,
    Store,
    Table,
    Unique,
    get_many,
    pattern,
    sequence,
)
from singletable.deploy.deployment import Deployment, Role
from singletable.deploy.iam import Policy, plain_arn, policy_of
from singletable.errors import AccessDeniedException, UsageError
from singletable.store.samples import sample_arguments
from singletable.streams import Created, Handlers, Worker, handler
from singletable.streams.bookkeeping import SUFFIX, Books
from tests.apps import campaigns as campaign_world
from tests.apps import stories as story_world
from tests.apps.worlds import at
from tests.components import script
from tests.deploy.samples import APPS, SUB, App
from tests.deploy.tools import needs, run

TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/rpg_sessions"
Statements = dict[str, dict[str, Any]]


def _by_resource(policy: Policy) -> Statements:
    statements = policy.document["Statement"]
    return {resource: each for each in statements for resource in each["Resource"]}


def _keys(statement: dict[str, Any]) -> tuple[str, list[str]]:
    [operator] = [name for name in statement["Condition"] if name != "Null"]
    return operator, statement["Condition"][operator]["dynamodb:LeadingKeys"]


def test_a_store_is_allowed_its_actions_on_its_table_and_indexes() -> None:
    statements = _by_resource(APPS["campaigns"].policy())
    assert list(statements) == [TABLE, *(f"{TABLE}/index/GSI{number}" for number in (1, 2, 3))]
    assert statements[f"{TABLE}/index/GSI1"]["Action"] == ["dynamodb:Query"]
    assert "dynamodb:Scan" not in statements[TABLE]["Action"]


def test_a_role_that_only_reads_is_allowed_no_write() -> None:
    statements = _by_resource(APPS["stories"].policy(Role(writes=())))
    arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/story_hub"
    reads = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]
    assert statements[arn]["Action"] == reads
    actions = {action for each in statements.values() for action in each["Action"]}
    assert actions == set(reads)


def test_a_role_is_allowed_the_patterns_that_it_names() -> None:
    policy = APPS["campaigns"].policy(Role(patterns=("sessions",), writes=()))
    assert list(_by_resource(policy)) == [f"{TABLE}/index/GSI1"]


def test_nothing_is_wildcarded() -> None:
    for app in APPS.values():
        document = app.policy().document
        assert "*" not in json.dumps(document)


def test_a_scope_becomes_the_whole_partition_key() -> None:
    statements = _by_resource(APPS["campaigns"].policy(APPS["campaigns"].own))
    me = f"USER#${{{SUB}}}"
    assert _keys(statements[TABLE]) == ("ForAllValues:StringEquals", [me, f"{me}#REQUESTS"])
    gsi1, gsi2 = (statements[f"{TABLE}/index/GSI{number}"] for number in (1, 2))
    assert _keys(gsi1) == ("ForAllValues:StringLike", [f"{me}#CAMPAIGN#*"])
    assert _keys(gsi2) == ("ForAllValues:StringEquals", [f"{me}#STATUS#COMPLETED"])
    assert f"{TABLE}/index/GSI3" not in statements
    for each in statements.values():
        assert each["Condition"]["Null"] == {"dynamodb:LeadingKeys": "false"}


@pytest.mark.parametrize("name", APPS)
def test_what_is_left_out_is_found(name: str) -> None:
    app = APPS[name]
    findings = " ".join(app.policy(app.own).findings)
    found = {each for each in app.store.patterns if f"The pattern {each}:" in findings}
    assert found == app.left_out


def test_promises_outside_of_the_scope_are_found() -> None:
    findings = APPS["stories"].policy(APPS["stories"].own).findings
    assert (
        "The count Chapter.upvote_count of Vote: left out, since the table at STORY#{story_id} "
        "does not tell user_id. A service has to write it, or the design keep it within the scope"
    ) in findings
    assert any(each.startswith("The unique value User.email: left out") for each in findings)
    assert any("others' partitions of GSI1, GSI2" in each for each in findings)


@pytest.mark.parametrize("name", APPS)
def test_parliament_has_nothing_to_say(tmp_path: Path, name: str) -> None:
    needs("pkg_resources", "'setuptools<81', which parliament needs,")
    app = APPS[name]
    roles = (Role(), app.own, Role(writes=()), *app.follower.values())
    for number, role in enumerate(roles):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(app.policy(role).document))
    program = script("parliament", "parliament")
    assert run(program, "--directory", tmp_path, env={"PYTHONWARNINGS": "ignore"}) == ""


def test_a_role_of_the_stream_reads_it_and_nothing_else() -> None:
    policy = APPS["stories"].policy(APPS["stories"].follower["follower"])
    table = "arn:aws:dynamodb:eu-west-1:123456789012:table/story_hub"
    stream, names = policy.document["Statement"]
    reads = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
    assert (stream["Action"], stream["Resource"]) == (reads, [f"{table}/stream/*"])
    assert (names["Action"], names["Resource"]) == (["dynamodb:ListStreams"], ["*"])


def _worker(engine: Engine, app: App, policies: list[Any], seen: list[str]) -> Worker:
    class Seen(Handlers[Any]):
        @handler
        def bookmarked(self, change: Created[Bookmark]) -> None:
            seen.append(change.new.story_id)

    # On the embedded engine a worker asks for its table to be made, whether it is there or not.
    actions = ["dynamodb:CreateTable", "dynamodb:DescribeTable"]
    asks = {"Effect": "Allow", "Action": actions, "Resource": "*"}
    role = engine.as_role([*policies, {"Version": "2012-10-17", "Statement": [asks]}])
    return Worker(app.store(role), Seen(app.store(role)))


def test_a_worker_runs_with_the_policies_of_the_stream_and_of_its_own_table() -> None:
    app, seen = APPS["stories"], list[str]()
    side = f"{app.store.table.name}{SUFFIX}"
    own = policy_of(Books, Role(), plain_arn(side, Deployment())).document
    of_stream = app.policy(app.follower["follower"]).document
    with Engine() as engine:
        everybody = app.store.connect(engine)
        Books.beside(everybody)
        everybody.put(Bookmark(user_id="u", story_id="s", current_node_id="n"))
        for less in ([of_stream], [own]):
            worker = _worker(engine, app, less, seen)
            with pytest.raises(AccessDeniedException):
                worker.drain()
        assert not seen
        _worker(engine, app, [of_stream, own], seen).drain()
    assert seen == ["s"]


def test_a_stream_that_is_not_there_or_not_for_one_user_is_refused() -> None:
    with pytest.raises(UsageError, match="'people' has no stream that a role could read"):
        policy_of(People, Role(stream=True), plain_arn("people", Deployment()))
    with pytest.raises(UsageError, match="A role of user_id cannot read the stream"):
        APPS["stories"].policy(Role(scope={"user_id": "u"}, stream=True))


def test_parliament_reads_what_it_is_given(tmp_path: Path) -> None:
    """So that its silence means something."""
    needs("pkg_resources", "'setuptools<81', which parliament needs,")
    document = APPS["campaigns"].policy().document
    document["Statement"][0]["Action"].append("dynamodb:GetEverything")
    (tmp_path / "policy.json").write_text(json.dumps(document))
    with pytest.raises(AssertionError, match="GetEverything"):
        run(script("parliament", "parliament"), "--directory", tmp_path)


# What the policies do, on the engine


def _role(store: Store, policy: Policy, user: str) -> Store:
    engine: Engine = store.backend.engine  # type: ignore[attr-defined] # it is the embedded one
    return type(store)(engine.as_role(policy.document, {SUB: user}))


def _run(read: Any) -> None:
    if isinstance(read, BatchGet):
        read.all()
    else:
        read.first() if isinstance(read, Get) else read.page()


def _outcome(store: Store, name: str, scope: str, user: str) -> bool:
    """Tell whether a pattern may run for a user."""
    arguments = sample_arguments(store.patterns[name].method)
    if scope in arguments:
        arguments[scope] = user
    try:
        _run(getattr(store, name)(**arguments))
    except AccessDeniedException:
        return False
    return True


@pytest.mark.parametrize("name", APPS)
def test_every_pattern_runs_for_the_own_user_and_for_no_other(name: str) -> None:
    app = APPS[name]
    with app.store.connect(":memory:") as store:
        mine = _role(store, app.policy(app.own), "u1")
        allowed = {each for each in store.patterns if _outcome(mine, each, app.scope, "u1")}
        assert allowed == set(store.patterns) - app.left_out
        assert not any(_outcome(mine, each, app.scope, "u10") for each in store.patterns)


@pytest.mark.parametrize("name", APPS)
def test_every_pattern_runs_under_the_policy_of_its_store(name: str) -> None:
    app = APPS[name]
    with app.store.connect(":memory:") as store:
        role = _role(store, app.policy(Role(writes=())), "anybody")
        assert all(_outcome(role, each, app.scope, "u1") for each in store.patterns)


@pytest.fixture
def full() -> Iterator[Campaigns]:
    """Give a store with the data of several users."""
    with campaign_world.world().store as store:
        yield store


@pytest.fixture
def ann(full: Campaigns) -> Campaigns:
    """Give the store as the user u1 sees it."""
    role = _role(full, APPS["campaigns"].policy(APPS["campaigns"].own), "u1")
    assert isinstance(role, Campaigns)
    return role


def test_a_user_reads_and_writes_the_own_items(ann: Campaigns) -> None:
    assert [each.session_id for each in ann.sessions("u1", "c10").page()] == ["s4"]
    made = ann.create(Session(user_id="u1", campaign_id="c1", name="New"))
    made = ann.update(made, name="Newer")
    ann.put(Transcript(user_id="u1", campaign_id="c1", session_id="s2", text=Large("x" * 9_000)))
    found = ann.session("u1", "c1", "s2").one().transcript
    assert found is not None
    assert found.text is not None
    assert ann.load(found.text) == "x" * 9_000
    ann.delete(made)


@pytest.mark.parametrize(
    "reach",
    [
        lambda store: store.profile("u10").first(),
        lambda store: store.campaigns("u10").page(),
        lambda store: store.sessions("u10", "c1").page(),
        lambda store: store.session("u10", "c1", "s1").page(),
        lambda store: store.recently_done("u10", at(1, 1)).page(),
        lambda store: store.shared("t-hoard").page(),
        lambda store: store.put(Campaign(user_id="u10", name="Mine now")),
        lambda store: store.update(Campaign.key(user_id="u10", campaign_id="c1"), name="x"),
        lambda store: store.edit(
            Campaign.key(user_id="u10", campaign_id="c1"),
            lambda each: each.model_copy(update={"name": "x"}),
        ),
        lambda store: store.delete(Summary.key(**_summary_key("u10"))),
        lambda store: store.put_many([_summary("u1"), _summary("u10")]),
        lambda store: store.delete_many([_summary("u10")]),
        lambda store: store.create(Session(user_id="u10", campaign_id="c1", name="x")),
        lambda store: store.bind(Session.scan()).page(),
    ],
)
def test_a_user_never_reaches_anothers_items(
    ann: Campaigns, full: Campaigns, reach: Callable[[Campaigns], object]
) -> None:
    before = full.backend.call("Scan", {"TableName": full.table.name})
    with pytest.raises(AccessDeniedException):
        reach(ann)
    assert full.backend.call("Scan", {"TableName": full.table.name}) == before


def _summary_key(user: str) -> dict[str, Any]:
    return {"user_id": user, "campaign_id": "c1", "session_id": "s1", "audience": "GM"}


def _summary(user: str) -> Summary:
    return Summary(**_summary_key(user), content="x")


def test_a_promise_outside_of_the_scope_is_refused_whole(ann: Campaigns) -> None:
    """As the finding on User.email says."""
    with pytest.raises(AccessDeniedException, match="dynamodb:PutItem"):
        ann.create(User(user_id="u1", email="new@example.com", name="Ann"))


def test_a_count_outside_of_the_scope_is_refused_whole() -> None:
    with story_world.world().store as store:
        mine = _role(store, APPS["stories"].policy(APPS["stories"].own), "u1")
        mine.create(Bookmark(user_id="u1", story_id="st9", current_node_id="n1"))
        with pytest.raises(AccessDeniedException):
            mine.create(Vote(user_id="u1", node_id="n9", story_id="st1", vote_type="UPVOTE"))


def _work(store: Campaigns) -> None:
    """Do whatever a store does with its own items, once."""
    for each in campaign_world.CASES:
        _run(each.read(store))
    campaign = store.create(Campaign(user_id="u1", campaign_id="c7", name="Seventh"))
    session = store.create(Session(user_id="u1", campaign_id="c7", session_id="s7", name="One"))
    store.update(session, name="Two")
    store.edit(
        Session.key(user_id="u1", campaign_id="c7", session_id="s7"),
        lambda one: one.model_copy(update={"name": "Three"}),
    )
    text = Large("y" * 400_000)
    part_of: dict[str, Any] = {"user_id": "u1", "campaign_id": "c7", "session_id": "s7"}
    stored = store.put(Transcript(**part_of, text=text))
    assert stored.text is not None
    store.load(stored.text)
    summary = Summary(**part_of, audience="GM", content="x")
    store.put_many([summary])
    with store.transaction() as together:
        together.check(summary, F("content") == "x")
        together.delete(stored)
    store.delete(summary)
    store.delete(Session.key(**part_of))
    store.delete(campaign)


def test_a_store_works_under_its_policy(full: Campaigns) -> None:
    role = _role(full, APPS["campaigns"].policy(), "u1")
    assert isinstance(role, Campaigns)
    _work(role)


ALLOWED = [
    (number, action, resource)
    for number, each in enumerate(APPS["campaigns"].policy().document["Statement"])
    for action in each["Action"]
    for resource in each["Resource"]
]


@pytest.mark.parametrize(("number", "action", "resource"), ALLOWED)
def test_nothing_in_a_policy_is_unneeded(
    full: Campaigns, number: int, action: str, resource: str
) -> None:
    document = APPS["campaigns"].policy().document
    denied = {"Effect": "Deny", "Action": action, "Resource": resource}
    policy = Policy({**document, "Statement": [*document["Statement"], denied]})
    role = _role(full, policy, "u1")
    assert isinstance(role, Campaigns)
    with pytest.raises(AccessDeniedException, match=action):
        _work(role)


# Designs that the apps do not have


def _policy(store: type[Store], **scope: str) -> Policy:
    return policy_of(store, Role(scope=scope), plain_arn(store.table.name, Deployment()))


def test_a_key_that_may_be_anothers_is_left_out() -> None:
    table = Table("shapes", indexes=["GSI1"])

    class Note(Entity, table=table, pk="OWNER#{user_id}", sk="NOTE#{note_id}"):
        by_kind = Index("GSI1", pk="{kind}#{user_id}", sk="{note_id}")
        user_id: str
        note_id: str
        kind: str

    class Label(Entity, table=table, pk="LABEL#{label}", sk="LABEL"):
        by_owner = Index("GSI1", pk="{label}#{colour}", sk="{label}")
        label: str
        colour: str

    class Notes(Store, table=table):
        @pattern()
        def of_kind(self, user_id: str, kind: str) -> Query[Note]:
            """The notes of a kind."""
            return Note.by_kind.query(user_id=user_id, kind=kind)

        @pattern()
        def everything(self) -> Scan[Note]:
            """All notes."""
            return Note.scan()

    policy = _policy(Notes, user_id="${aws:username}")
    assert len(policy.document["Statement"]) == 1
    assert (
        "The pattern of_kind: left out, since GSI1 at {kind}#{user_id} cannot be told from "
        "{label}#{colour} by a condition, which may be another's"
    ) in policy.findings
    assert (
        "The pattern everything: left out, since no condition on keys can limit a scan"
    ) in policy.findings


def test_promises_within_the_scope_are_allowed() -> None:
    table = Table("bills", sk=None)

    class Bill(Entity, table=table, pk="USER#{user_id}#BILL#{bill_id}"):
        user_id: str
        bill_id: str
        title: Annotated[str, Unique(within="USER#{user_id}")]
        number: int = sequence("USER#{user_id}")
        text: Large[str] | None = None

    class Bills(Store, table=table):
        @pattern()
        def bill(self, user_id: str, bill_id: str) -> Get[Bill]:
            """One bill."""
            return Bill.get(user_id=user_id, bill_id=bill_id)

    policy = _policy(Bills, user_id=f"${{{SUB}}}")
    assert policy.findings == ()
    with Bills.connect(":memory:") as store:
        mine = _role(store, policy, "u1")
        made = mine.create(Bill(user_id="u1", bill_id="b1", title="One", text=Large("x" * 9_000)))
        assert made.number == 1
        assert made.text is not None
        assert mine.load(made.text) == "x" * 9_000
        mine.delete(made)
        with pytest.raises(AccessDeniedException):
            mine.create(Bill(user_id="u10", bill_id="b1", title="One"))


people = Table("people", indexes=[GlobalIndex("Thin", projection="KEYS_ONLY")])


class Person(Entity, table=people, pk="USER#{user_id}", sk="PROFILE"):
    """Somebody."""

    user_id: str
    name: str


class Follow(Entity, table=people, pk="USER#{user_id}", sk="FOLLOWS#{followed_id}"):
    """Somebody follows somebody else."""

    by_day = Index("Thin", pk="USER#{user_id}#DAY#{day}", sk="{followed_id}")

    user_id: str
    followed_id: str
    day: str


class People(Store, table=people):
    """Has patterns that read more than their index has."""

    @pattern()
    def following(self, user_id: str) -> Query[Person]:
        """Those whom somebody follows."""
        return Follow.query(user_id=user_id).fetch(Person, user_id="followed_id")

    @pattern()
    def of_day(self, user_id: str, day: str) -> Query[Follow]:
        """Those whom somebody follows since a day."""
        return Follow.by_day.query(user_id=user_id, day=day).fetch(Follow)

    @pattern()
    def mine(self, user_id: str, followed_id: str) -> BatchGet[Any]:
        """Somebody, and whom they follow, as of one moment."""
        gets: list[Get[Any]] = [
            Person.get(user_id=user_id),
            Follow.get(user_id=user_id, followed_id=followed_id),
        ]
        return get_many(gets).snapshot()


def test_what_a_pattern_fetches_is_needed_too() -> None:
    policy = policy_of(People, Role(writes=()), plain_arn("people", Deployment()))
    table, index = policy.document["Statement"]
    actions = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]
    assert (table["Action"], index["Action"]) == (actions, ["dynamodb:Query"])
    with People.connect(":memory:") as store:
        role = _role(store, policy, "u1")
        assert all(_outcome(role, each, "user_id", "u1") for each in store.patterns)


def test_a_pattern_that_fetches_others_items_is_left_out_whole() -> None:
    role = Role(scope={"user_id": f"${{{SUB}}}"}, patterns=("following",), writes=())
    with pytest.raises(UsageError, match="Nothing that People reads or writes can be allowed"):
        policy_of(People, role, plain_arn("people", Deployment()))
    policy = _policy(People, user_id=f"${{{SUB}}}")
    assert (
        "The pattern following: left out, since the table at USER#{followed_id} does not tell "
        "user_id"
    ) in policy.findings
    with People.connect(":memory:") as store:
        store.put(Follow(user_id="u1", followed_id="u2", day="1"))
        mine = _role(store, policy, "u1")
        assert _outcome(mine, "of_day", "user_id", "u1")
        assert _outcome(mine, "mine", "user_id", "u1")
        assert not _outcome(mine, "of_day", "user_id", "u2")
        assert not _outcome(mine, "mine", "user_id", "u2")


def test_what_a_batch_takes_from_a_list_may_be_anything() -> None:
    table = Table("diaries")

    class Day(Entity, table=table, pk="USER#{user_id}#DAY#{day}", sk="DAY"):
        user_id: str
        day: str

    class Diaries(Store, table=table):
        @pattern()
        def of_days(self, user_id: str, days: list[str]) -> BatchGet[Day]:
            """Someone's days."""
            return get_many(Day.get(user_id=user_id, day=day) for day in days)

    [statement] = _policy(Diaries, user_id=f"${{{SUB}}}").document["Statement"]
    assert _keys(statement) == ("ForAllValues:StringLike", [f"USER#${{{SUB}}}#DAY#*"])


def test_a_scope_in_one_of_several_key_attributes_is_named_by_its_position() -> None:
    table = Table("many", indexes=[GlobalIndex("ByBoth", pk=["year", "owner"], sk=["title"])])

    class Film(Entity, table=table, pk="OWNER#{owner}", sk="FILM#{title}"):
        by_both = Index("ByBoth", pk=["year", "owner"], sk=["title"])
        owner: str
        year: str
        title: str

    class Films(Store, table=table):
        @pattern()
        def of_year(self, owner: str, year: str) -> Query[Film]:
            """Someone's films of a year."""
            return Film.by_both.query(owner=owner, year=year)

    policy = _policy(Films, owner=f"${{{SUB}}}")
    condition = policy.document["Statement"][1]["Condition"]
    key = "dynamodb:SecondPartitionKeyValues"
    assert condition == {
        "ForAllValues:StringEquals": {key: [f"${{{SUB}}}"]},
        "Null": {key: "false"},
    }
    with Films.connect(":memory:") as store:
        mine = _role(store, policy, "u1")
        assert _outcome(mine, "of_year", "owner", "u1")
        assert not _outcome(mine, "of_year", "owner", "u2")


def test_a_value_that_iam_cannot_write_as_the_key_does_is_no_scope() -> None:
    table = Table("numbers")

    class Row(Entity, table=table, pk="ROW#{number:05d}", sk="ROW"):
        number: int

    class Rows(Store, table=table):
        @pattern()
        def row(self, number: int) -> Get[Row]:
            """One row."""
            return Row.get(number=number)

    with pytest.raises(UsageError, match="Nothing that Rows reads or writes can be allowed"):
        _policy(Rows, number="${aws:PrincipalTag/number}")


@pytest.mark.parametrize(
    ("role", "fault"),
    [
        (Role(scope={"usr_id": "x"}), "no field or parameter 'usr_id'; there are audience"),
        (Role(patterns=("session", "sesions")), "no pattern 'sesions'; there are campaign, "),
        (Role(writes=("Sesion",)), "no entity 'Sesion'; there are Campaign, Request, Session"),
        (Role(patterns=(), writes=()), "Nothing that Campaigns reads or writes"),
        (Role(scope={"share_token": "x"}, patterns=(), writes=None), "Nothing that Campaigns"),
    ],
)
def test_what_the_design_does_not_have_is_refused(role: Role, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        App(Campaigns, "user_id").policy(role)
