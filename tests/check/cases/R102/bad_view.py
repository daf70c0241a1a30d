"""A view whose span holds an entity that the view has no place for."""

from dataclasses import dataclass

from singletable import Collection, Entity, Query, Store, Table, collect, pattern

table = Table("surveys")


class Survey(Entity, table=table, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}"):
    """A survey."""

    tenant_id: str
    survey_id: str


class Config(
    Entity, table=table, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}#CONFIG#{number:05d}"
):
    """A large snapshot, between the survey and its sections."""

    tenant_id: str
    survey_id: str
    number: int


class Section(
    Entity, table=table, pk="TENANT#{tenant_id}", sk="SURVEY#{survey_id}#SECTION#{section_id}"
):
    """A section."""

    tenant_id: str
    survey_id: str
    section_id: str


@dataclass
class SurveyView:
    """A survey with its sections."""

    survey: Survey
    sections: list[Section]


class Surveys(Store, table=table):
    """The patterns of the surveyor."""

    @pattern()
    def survey(self, tenant_id: str, survey_id: str) -> Collection[SurveyView]:
        """A survey with its sections."""
        return collect(SurveyView, tenant_id=tenant_id, survey_id=survey_id)

    @pattern()
    def configs(self, tenant_id: str, survey_id: str) -> Query[Config]:
        """The snapshots of a survey."""
        return Config.query(tenant_id=tenant_id, survey_id=survey_id)
