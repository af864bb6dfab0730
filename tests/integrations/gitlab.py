"""Executes the job of a GitLab template: rules, cache, and scripts for real."""

import os
import re
import shutil
import subprocess

import yaml

NAME = re.compile(r"\$(\w+)")


def holds(condition, variables):
    """Returns whether a condition of `rules` holds. It consists of `==`, `!=` and `&&`."""

    def value(text):
        text = text.strip()
        return variables.get(text[1:], "") if text.startswith("$") else text.strip('"')

    def single(text):
        for sign in ["==", "!="]:
            if sign in text:
                left, right = text.split(sign)
                return (value(left) == value(right)) == (sign == "==")
        return bool(value(text))

    return all(single(part) for part in condition.split("&&"))


def run(template, place, given, caches, environment):
    """Runs the only job of a template. Returns its exit status and output, or None if no rule adds the job to the pipeline."""
    (job,) = yaml.safe_load(template.read_text()).values()
    variables = {**job["variables"], **given}
    rule = next((rule for rule in job["rules"] if holds(rule["if"], variables)), None)
    if rule is None:
        return None
    variables |= rule.get("variables", {})

    def fill(text):
        return NAME.sub(lambda found: variables.get(found.group(1), ""), text)

    cache = job["cache"]
    policy, (path,) = fill(cache["policy"]), cache["paths"]
    assert policy in ["pull", "push", "pull-push"], policy
    for key in [fill(key) for key in [cache["key"], *cache["fallback_keys"]]]:
        if key in caches:
            shutil.copytree(caches[key], place / path)
            break
    # A runner joins the lines of both lists to one script, which ends at the first failure.
    lines = [*job["before_script"], *job["script"]]
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=place,
        env={**os.environ, **environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if "push" in policy and (place / path).exists():
        kept = place.parent / f"cache-{len(list(place.parent.glob('cache-*')))}"
        shutil.copytree(place / path, kept)
        caches[fill(cache["key"])] = kept
    return ran.returncode, ran.stdout, job["artifacts"]
