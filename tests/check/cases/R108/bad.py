"""Sections by a survey's id, which two tenants can have."""

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("surveys", indexes=["GSI1"])


class Survey(Entity, table=table, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}"):
    """A survey; its id is unique within the tenant."""

    tenant_id: str
    survey_id: str


class Section(Entity, table=table, pk="TENANT#{tenant_id}", sk="SECTION#{section_id}"):
    """A section of a survey."""

    of_survey = Index("GSI1", pk="SURVEY#{survey_id}", sk="SECTION#{section_id}")

    tenant_id: str
    section_id: str
    survey_id: str


class Surveys(Store, table=table):
    """The patterns of the surveyor."""

    @pattern()
    def surveys(self, tenant_id: str) -> Query[Survey]:
        """The surveys of a tenant."""
        return Survey.query(tenant_id=tenant_id)

    @pattern()
    def sections(self, survey_id: str) -> Query[Section]:
        """The sections of a survey: of whichever tenant."""
        return Section.of_survey.query(survey_id=survey_id)
