"""The documentation of the rules: a page for each, from its docstring and its cases."""

from __future__ import annotations

from singletable.check.rule import THEMES, Rule, all_rules


def rule_page(rule: Rule, bad: str, good: str, found: str) -> str:
    """Write the page of a rule: its text, a design that has the fault, and one that has not."""
    return f"""\
# {rule.code} {rule.name}

{rule.documentation}

Severity: {rule.severity}. Theme: [{rule.theme}](README.md#{rule.theme}).

## With the fault

```py
{bad.strip()}
```

What the check says:

```
{found.strip()}
```

## Without it

```py
{good.strip()}
```
"""


def index_page() -> str:
    """Write the list of all rules."""
    parts = [_INTRODUCTION]
    for theme, purpose in THEMES.items():
        rows = [
            f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.summary} |"
            for rule in all_rules().values()
            if rule.theme == theme
        ]
        head = ["| code | name | severity | what it finds |", "|---|---|---|---|"]
        parts.append("\n".join([f"## {theme}", "", f"{purpose}.", "", *head, *rows]))
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
# The rules of `singletable check`

A check reads a design and sends nothing. Its rules prove their findings from key templates and
traced access patterns: what a finding shows can really happen, with the keys that it names. The
severity given is that of most findings; some are milder or worse, and say why. An error means wrong
answers or a failure; a warning means a cost, or a fault unless something holds that the rule cannot
know; a note is worth a thought.

If you have judged a finding and accept it, ignore it in the store, with the reason:

```py
class Stories(Store, table=table):
    ignored = {"H403": {"Story.published": "some dozen stories are begun a day"}}
```

The place is the entity, the entity's index, the pattern or the index that the finding names. A
design as a whole is `"design"`.

`--traffic FILE` says how often patterns run and items are written, in the format of
[cost](../cost.md#traffic), and so decides what is hot. `--source URL` names the SQL database that
the data comes from: what is unique there must stay unique ([T301](T301.md))."""
