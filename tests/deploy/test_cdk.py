"""CDK: the module is Python that compiles, and makes what the CloudFormation template says."""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from singletable.deploy.cdk import module, snake_case
from singletable.deploy.cloudformation import template
from tests.deploy.samples import APPS, KINDS
from tests.deploy.test_cloudformation import CASES
from tests.deploy.tools import needs, node, run

SYNTHESIZE = """
import json, sys
from importlib import import_module
from aws_cdk import App
app = App()
for name in sys.argv[1:]:
    made = import_module(name)
    [stack] = [one for key, one in vars(made).items() if key.endswith("Stack") and key != "Stack"]
    stack(app, name.replace("_", "-"))
assembly = app.synth()
named = {name: assembly.get_stack_by_name(name.replace("_", "-")) for name in sys.argv[1:]}
print(json.dumps({name: stack.template for name, stack in named.items()}))
"""


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_module_compiles_and_uses_all_that_it_names(name: str, kind: str) -> None:
    source = module(APPS[name].plan(kind))
    tree = ast.parse(source)
    [stack] = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    assert stack.name.endswith("Stack")
    names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    assigned = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    assert assigned <= {each.id for each in names if isinstance(each.ctx, ast.Load)}


def test_names_are_spelt_as_cdk_spells_them() -> None:
    names = ("TableName", "KMSMasterKeyId", "SSESpecification", "ResourceId", "StreamArn")
    assert [*map(snake_case, names)] == [
        "table_name",
        "kms_master_key_id",
        "sse_specification",
        "resource_id",
        "stream_arn",
    ]


def _told(value: Any, table_name: str) -> Any:
    """Give a template's value with its references in one form, whoever wrote them."""
    match value:
        case {"Ref": "TableName"}:
            return table_name
        case {"Ref": name}:
            return f"${{{name}}}"
        case {"Fn::GetAtt": [name, attribute]}:
            return f"${{{name}.{attribute}}}"
        case {"Fn::Sub": text}:
            return text
        case {"Fn::Join": [between, parts]}:
            return between.join(_told(part, table_name) for part in parts)
        case dict():
            return {key: _told(one, table_name) for key, one in value.items()}
        case list():
            told = [_told(one, table_name) for one in value]
            return sorted(told, key=json.dumps) if _are_tags(told) else told
    return value


def _are_tags(values: list[Any]) -> bool:
    return all(isinstance(each, dict) and set(each) == {"Key", "Value"} for each in values)


@pytest.mark.slow  # CDK takes its time to start
def test_cdk_makes_what_the_template_says(tmp_path: Path) -> None:
    needs("aws_cdk", "aws-cdk-lib")
    plans = {f"{name}_{kind}": APPS[name].plan(kind) for name in APPS for kind in KINDS}
    for name, plan in plans.items():
        (tmp_path / f"{name}.py").write_text(module(plan))
    (tmp_path / "synthesize.py").write_text(SYNTHESIZE)
    path = f"{Path(node()).parent}:/usr/bin:/bin"
    quiet = {
        "PATH": path,
        "HOME": str(tmp_path),
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "1",
    }
    said = run(sys.executable, "synthesize.py", *plans, cwd=tmp_path, env=quiet)
    made = json.loads(re.sub(r"^[^{]*", "", said))
    for name, plan in plans.items():
        resources = made[name]["Resources"]
        resources.pop("CDKMetadata", None)
        expected = template(plan)["Resources"]
        assert _told(resources, plan.table_name) == _told(expected, plan.table_name), name
