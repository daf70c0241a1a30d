"""``singletable deploy``: what runs a design on AWS, as files for the tools that make it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from singletable.errors import UsageError

from ._target import Target, load

if TYPE_CHECKING:
    from singletable.deploy.deployment import Deployment, Role
    from singletable.store.store import Store


Kind = Literal["cloudformation", "sam", "terraform", "cdk", "iam"]
Format = Annotated[Kind, typer.Option("--format", help="What to write.", show_default=False)]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The deployment, in TOML: billing, alarms, tags, roles."),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where to write; .yaml gives a template in YAML."),
]
Scope = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=VALUE", help="iam: confine to the items that hold IAM's value."),
]
Named = Annotated[
    str | None, typer.Option("--role", metavar="NAME", help="iam: a role of the deployment.")
]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="iam: allow no writes.")]


def deploy(
    target: Target,
    form: Format,
    config: Config = None,
    out: Out = None,
    scope: Scope = None,
    role: Named = None,
    read_only: ReadOnly = False,
) -> None:
    """Write a design as CloudFormation, Terraform, CDK or IAM.

    It reads the design and sends nothing.

    Examples:
      singletable deploy shop/design.py --format cloudformation --out template.yaml
      singletable deploy shop/design.py --format iam --read-only
    """
    from singletable.deploy.deployment import Deployment

    deployment = Deployment.load(config) if config else Deployment()
    store = load(target)
    if form == "iam":
        text, findings = _policy(store, deployment, _role(deployment, role, scope, read_only))
    else:
        _refuse_role_options(role or scope or read_only)
        text, findings = _resources(store, deployment, form, out)
    for finding in findings:
        typer.echo(f"note: {finding}", err=True)
    if out:
        out.write_text(text, "utf-8")
    else:
        typer.echo(text, nl=False)


def _resources(
    store: "type[Store]", deployment: "Deployment", form: Kind, out: Path | None
) -> tuple[str, tuple[str, ...]]:
    from singletable.deploy import cdk, cloudformation, terraform
    from singletable.deploy.plan import Plan

    plan = Plan.of(store, deployment)
    findings = tuple(plan.findings())
    if form == "cdk":
        return cdk.module(plan), findings
    if form == "terraform":
        return _json(terraform.configuration(plan)), findings
    template = cloudformation.template(plan, sam=form == "sam")
    in_yaml = out is not None and out.suffix in {".yaml", ".yml"}
    return cloudformation.as_yaml(template) if in_yaml else _json(template), findings


def _policy(
    store: "type[Store]", deployment: "Deployment", role: "Role"
) -> tuple[str, tuple[str, ...]]:
    from singletable.deploy.iam import plain_arn, policy_of

    arn = plain_arn(deployment.table_name or store.table.name, deployment)
    policy = policy_of(store, role, arn)
    return _json(policy.document), policy.findings


def _role(
    deployment: "Deployment", name: str | None, scope: list[str] | None, read_only: bool
) -> "Role":
    from dataclasses import replace

    from singletable.deploy.deployment import Role

    if name is not None and name not in deployment.roles:
        known = ", ".join(deployment.roles) or "none"
        raise UsageError(f"The deployment has no role {name!r}; it has {known}")
    role = deployment.roles[name] if name else Role()
    if scope:
        role = replace(role, scope=dict(map(_pair, scope)))
    return replace(role, writes=()) if read_only else role


def _pair(given: str) -> tuple[str, str]:
    field, _, value = given.partition("=")
    if not field or not value:
        raise UsageError(f"--scope {given}: write it as --scope FIELD=VALUE")
    return field, value


def _refuse_role_options(given: object) -> None:
    if given:
        raise typer.BadParameter("--role, --scope and --read-only are for --format iam")


def _json(content: Any) -> str:
    import json

    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
