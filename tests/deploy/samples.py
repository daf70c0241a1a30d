"""The apps and the ways to deploy them that the tests of all formats share."""

from dataclasses import dataclass, field

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Store
from singletable.deploy.deployment import Alarms, Capacity, Deployment, Provisioned, Range, Role
from singletable.deploy.iam import Policy, plain_arn, policy_of
from singletable.deploy.plan import Plan

SUB = "cognito-identity.amazonaws.com:sub"
KEY = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
TOPIC = "arn:aws:sns:eu-west-1:123456789012:operators"


@dataclass(frozen=True)
class App:
    """An app, the field that its users are told apart by, and what they cannot run alone."""

    store: type[Store]
    scope: str
    left_out: set[str] = field(default_factory=set)

    @property
    def own(self) -> Role:
        """Give a role that is confined to one user, or tenant."""
        return Role(scope={self.scope: f"${{{SUB}}}"})

    @property
    def follower(self) -> dict[str, Role]:
        """Give a role that reads the stream and nothing else, where there is a stream."""
        role = Role(patterns=(), writes=(), stream=True)
        return {"follower": role} if self.store.table.stream else {}

    def policy(self, role: Role | None = None) -> Policy:
        """Give the policy of a role, in a place."""
        place = Deployment(region="eu-west-1", account="123456789012")
        return policy_of(self.store, role or Role(), plain_arn(self.store.table.name, place))

    def plan(self, kind: str) -> Plan:
        """Plan to deploy it with nothing said, or with all that can be."""
        return Plan.of(self.store, self.everything() if kind == "everything" else Deployment())

    def everything(self) -> Deployment:
        """Say all that a deployment can."""
        return Deployment(
            table_name="other-table",
            billing="provisioned",
            capacity=Provisioned(
                read=Range(5, 500),
                write=Range(3, 30, 50),
                indexes={"GSI1": Capacity(read=Range(7, 7), write=Range(2, 20))},
            ),
            recovery_days=7,
            encryption=KEY,
            deletion_protection=False,
            removal="delete",
            table_class="STANDARD_INFREQUENT_ACCESS",
            contributor_insights=True,
            alarms=Alarms(notify=TOPIC),
            tags={"team": "games", "price": "${low}"},
            roles={"own-items": self.own, "reports": Role(writes=()), **self.follower},
        )


APPS = {
    "campaigns": App(Campaigns, "user_id", {"shared", "transcript_of_job"}),
    "stories": App(
        Stories,
        "user_id",
        {
            "branches_after",
            "branches_of",
            "chapter",
            "chapters",
            "covers",
            "discover",
            "level",
            "notification",
            "readers_of",
            "receipt",
            "story",
        },
    ),
    "surveys": App(Surveys, "tenant_id", {"surveys_everywhere"}),
}
KINDS = ("nothing", "everything")
