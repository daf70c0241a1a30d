"""Sessions have a word of their own."""

from singletable import Entity, Query, Store, Table, pattern

table = Table("games")


class Campaign(Entity, table=table, pk="USER#{user_id}", sk="CAMPAIGN#{campaign_id}"):
    """A campaign."""

    user_id: str
    campaign_id: str


class Session(Entity, table=table, pk="USER#{user_id}", sk="SESSION#{campaign_id}#{session_id}"):
    """A session of a campaign."""

    user_id: str
    campaign_id: str
    session_id: str


class Games(Store, table=table):
    """The patterns of the game master."""

    @pattern(page=20)
    def campaigns(self, user_id: str) -> Query[Campaign]:
        """The user's campaigns."""
        return Campaign.query(user_id=user_id)

    @pattern(page=20)
    def sessions(self, user_id: str, campaign_id: str) -> Query[Session]:
        """The sessions of a campaign."""
        return Session.query(user_id=user_id, campaign_id=campaign_id)
