"""The hook for pre-commit, started by `git commit`; the core for FuseSoC; the task for Visual Studio Code."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml
from repositories import CIRCUIT, DOOR, HYPERKILL, LAST, LOCKING, LOOSE, MOODY, ROOT, commit, repository

OPTIONS = "--fail-under 100 --operator ROR --operator ECR --operator ICR --operator CBD"


def shell(line, place, **variables):
    """Runs a line in a shell with hyperkill on the path."""
    program = shutil.which(HYPERKILL)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(pathlib.Path(program).parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **variables,
    }
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "check": False}
    return subprocess.run(["bash", "-c", line], cwd=place, env=environment, **streams)


class PreCommit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # The parts of this repository that the hook needs, as a repository to clone.
        hook, revision = repository(self.folder / "hook", {"README": "The hook.\n"})
        for name in [".pre-commit-hooks.yaml", "python/hyperkill/gate.py"]:
            (hook / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, hook / name)
        revision = commit(hook, {}, "the hook")
        arguments = [f"--options={OPTIONS}"]
        settings = {"repos": [{"repo": f"file://{hook}", "rev": revision, "hooks": [{"id": "hyperkill", "args": arguments}]}]}
        files = {"door.smv": DOOR, ".pre-commit-config.yaml": yaml.safe_dump(settings), ".gitignore": ".hyperkill\n"}
        self.place, _ = repository(self.folder / "work", files)
        self.variables = {"PRE_COMMIT_HOME": str(self.folder / "home")}
        shell("git config user.name a; git config user.email a@example.org", self.place)
        installed = shell("pre-commit install", self.place, **self.variables)
        self.assertEqual(installed.returncode, 0, installed.stdout)

    def commit(self, text):
        (self.place / "door.smv").write_text(text)
        return shell("git commit --all --message change", self.place, **self.variables)

    def test_a_commit_that_leaves_a_survivor_is_refused_until_it_is_mended(self):
        ran = self.commit(MOODY)
        self.assertEqual(ran.returncode, 1, ran.stdout)
        self.assertIn("is under 100 %", ran.stdout)
        ran = self.commit(LOCKING)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(shell("git log --oneline | wc -l", self.place).stdout.strip(), "2")


@unittest.skipUnless(shutil.which("iverilog"), "the target of the core builds with iverilog")
class FuseSoC(unittest.TestCase):
    def build(self, text):
        with tempfile.TemporaryDirectory() as place:
            shutil.copy(ROOT / "integrations/fusesoc/door.core", place)
            (pathlib.Path(place) / "door.v").write_text(text)
            folders = {name: place for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"]}
            line = "fusesoc --cores-root . run --target mutants --setup --build example:door:door"
            ran = shell(line, place, **folders)
            pages = list(pathlib.Path(place).glob("build/*/mutants/mutants/report.html"))
        self.assertEqual(len(pages), 1, ran.stdout)
        return ran

    def test_a_design_with_a_survivor_is_not_built_until_it_is_mended(self):
        ran = self.build(LOOSE)
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("is under 100 %", ran.stdout)
        self.assertNotIn("iverilog -s", ran.stdout)
        ran = self.build(CIRCUIT)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("iverilog -s", ran.stdout)


class Editor(unittest.TestCase):
    def problems(self, text):
        """Runs the task on a model and returns the problems that the editor would list."""
        (task,) = json.loads((ROOT / "integrations/vscode/tasks.json").read_text())["tasks"]
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(place) / "door.smv").write_text(text)
            ran = shell(task["command"].replace("${relativeFile}", "door.smv"), place)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        (pattern,) = task["problemMatcher"]["pattern"]
        lines = ran.stdout.splitlines()
        found = [match for match in map(re.compile(pattern["regexp"]).search, lines) if match]
        self.assertEqual(len(found), len([line for line in lines if line.startswith("::")]), ran.stdout)
        fields = {name: group for name, group in pattern.items() if name != "regexp"}
        return [{name: match.group(group) for name, group in fields.items()} for match in found]

    def test_survivors_are_problems_at_their_lines(self):
        problems = self.problems(MOODY)
        self.assertTrue(all(problem["file"] == "door.smv" and problem["message"] for problem in problems))
        self.assertIn(str(LAST), {problem["line"] for problem in problems})
        self.assertGreater(len(problems), len(self.problems(DOOR)))


if __name__ == "__main__":
    unittest.main()
