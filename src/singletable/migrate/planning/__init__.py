"""Plan: what a migration would do, from a sample of the rows; reads the source, writes nothing."""

from .plan import SAMPLE, plan
from .results import EntityPlan, Estimate, KindPlan, Plan, QueryPlan, Refusal

__all__ = ["SAMPLE", "EntityPlan", "Estimate", "KindPlan", "Plan", "QueryPlan", "Refusal", "plan"]
