"""Executes a workflow of GitHub: its shell steps for real, its actions of others by stand-ins in this file."""

import json
import os
import pathlib
import shutil
import subprocess

import yaml
from expressions import evaluate, fill


class Job:
    """A job on a fresh checkout. `caches` is the server's store of caches: a folder by key."""

    def __init__(self, repository, action, workflow, event, caches, environment):
        self.repository, self.action, self.caches = repository, action, caches
        self.workflow = yaml.safe_load(workflow.read_text())
        self.github, self.environment = event, environment
        self.failed, self.said = False, ""
        self.uploaded, self.ran, self.saved = {}, [], []

    def run(self):
        """Runs the only job of the workflow and returns whether it succeeded."""
        # YAML 1.1 reads the key `on` as a truth value.
        triggers = self.workflow.get("on", self.workflow.get(True))
        assert self.github["event_name"] in triggers, triggers
        (job,) = self.workflow["jobs"].values()
        self.steps(job["steps"], {})
        return not self.failed

    def steps(self, steps, inputs):
        context = {"github": self.github, "inputs": inputs, "runner": {"os": "Linux"}, "steps": {}}
        for step in steps:
            condition = str(step.get("if", "")).strip()
            holds = evaluate(condition, context, self.functions()) if condition else True
            if not holds or (self.failed and "always()" not in condition):
                continue
            name = step.get("name", step.get("uses", step.get("run")))
            self.ran.append(name)
            outputs = self.shell(step, context) if "run" in step else self.uses(step, context)
            context["steps"][step.get("id", name)] = {"outputs": outputs}

    def functions(self):
        def hash_files(pattern):
            return "hash" if any(self.repository.glob(pattern)) else ""

        return {"always": lambda: True, "hashFiles": hash_files}

    def shell(self, step, context):
        output = self.repository.parent / "output"
        output.write_text("")
        environment = {name: fill(value, context) for name, value in step.get("env", {}).items()}
        assert "${{" not in step["run"], "values reach a shell by the environment only"
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env={**os.environ, **self.environment, **environment, "GITHUB_OUTPUT": str(output)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.said += ran.stdout
        self.failed |= ran.returncode != 0
        return dict(line.split("=", 1) for line in output.read_text().splitlines())

    def uses(self, step, context):
        name = step["uses"].split("@")[0]
        given = {key: fill(value, context) for key, value in step.get("with", {}).items()}
        if name.endswith("/hyperkill"):
            action = yaml.safe_load((self.action / "action.yml").read_text())
            unknown = set(given) - set(action["inputs"])
            assert not unknown, unknown
            lacking = [key for key, of in action["inputs"].items() if of.get("required") and key not in given]
            assert not lacking, lacking
            inputs = {key: of.get("default", "") for key, of in action["inputs"].items()}
            inputs.update(given)
            self.github = {**self.github, "action_path": str(self.action)}
            assert action["runs"]["using"] == "composite"
            assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)
            self.steps(action["runs"]["steps"], inputs)
            return {}
        return {
            "actions/checkout": lambda: {},
            "actions/cache/restore": lambda: self.restore(given),
            "actions/cache/save": lambda: self.save(given),
            "actions/upload-artifact": lambda: self.upload(given["name"], given["path"]),
            "github/codeql-action/upload-sarif": lambda: self.code_scanning(given["sarif_file"]),
        }[name]()

    def restore(self, given):
        # The key itself first, then the newest cache whose key begins with a key of the list.
        for prefix in [given["key"], *given["restore-keys"].split()]:
            found = [key for key in self.caches if key.startswith(prefix)]
            if found:
                shutil.copytree(self.caches[found[-1]], self.repository / given["path"])
                return {"cache-matched-key": found[-1]}
        return {}

    def save(self, given):
        place = self.repository.parent / "caches" / str(len(self.caches))
        shutil.copytree(self.repository / given["path"], place)
        self.caches[given["key"]] = place
        self.saved.append(given["key"])
        return {}

    def upload(self, name, path):
        self.uploaded[name] = sorted(str(file.relative_to(self.repository)) for file in (self.repository / path).rglob("*"))
        return {}

    def code_scanning(self, path):
        assert self.workflow["permissions"]["security-events"] == "write"
        log = json.loads(pathlib.Path(self.repository / path).read_text())
        assert log["version"] == "2.1.0" and len(log["runs"]) == 1
        self.uploaded["sarif"] = log
        return {}
