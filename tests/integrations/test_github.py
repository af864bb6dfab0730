"""The workflow and the action for GitHub, on a repository with a change that its tests do not notice, and after a fix."""

import json
import os
import pathlib
import tempfile
import unittest

from github import Job
from repositories import DOOR, HYPERKILL, LOCKING, MORE_TESTS, ROOT, TESTS, commit, git, repository

WORKFLOW = ROOT / "integrations/github/workflow.yml"


def event(name, branch, repository="owner/door", head="owner/door", base=None, run=1):
    """Returns the part of the context `github` that the action reads."""
    github = {
        "event_name": name,
        "ref_name": branch,
        "run_id": run,
        "run_attempt": 1,
        "repository": repository,
        "event": {"repository": {"default_branch": "main"}},
    }
    if base:
        github |= {"head_ref": branch, "base_ref": "main", "ref_name": "7/merge"}
        github["event"]["pull_request"] = {"base": {"sha": base}, "head": {"repo": {"full_name": head}}}
    return github


class GitHub(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.caches, self.jobs = pathlib.Path(folder.name), {}, 0
        files = {"models/door.smv": DOOR, "tests.csv": TESTS, ".gitignore": ".hyperkill\n"}
        self.origin, self.base = repository(self.folder / "origin", files)

    def job(self, branch, context):
        """Runs the workflow on a fresh, shallow checkout of a branch."""
        self.jobs += 1
        place = self.folder / f"job-{self.jobs}"
        place.mkdir()
        git(place, "clone", "--quiet", "--depth=1", "--branch", branch, f"file://{self.origin}", "work")
        # The package that the action installs is not published yet; a link to the program under test stands in for it.
        (place / "bin").mkdir()
        path = os.pathsep.join([str(place / "bin"), os.environ["PATH"]])
        environment = {"PROGRAM": HYPERKILL, "BIN": str(place / "bin"), "PATH": path, "HYPERKILL": "hyperkill"}
        job = Job(place / "work", ROOT, WORKFLOW, context, self.caches, environment)
        for step in job.workflow["jobs"]["mutants"]["steps"]:
            if "hyperkill@" in step.get("uses", ""):
                step["with"]["install"] = 'ln -s "$PROGRAM" "$BIN/hyperkill"'
        job.succeeded = job.run()
        self.assertIn("Install hyperkill", job.ran)
        return job

    def request(self, head="owner/door"):
        git(self.origin, "checkout", "--quiet", "-B", "change", self.base)
        commit(self.origin, {"models/door.smv": LOCKING}, "a bad key locks the door")
        return event("pull_request", "change", head=head, base=self.base, run=2)

    def test_a_mutant_that_the_bench_misses_fails_the_request_until_a_test_is_added(self):
        self.assertTrue(self.job("main", event("push", "main")).succeeded)
        request = self.request()
        job = self.job("change", request)
        self.assertFalse(job.succeeded)
        self.assertIn("::warning file=models/door.smv,line=11,title=the bench misses mutant", job.said)
        self.assertNotIn("line=10", job.said, "only changed lines are decided")
        (log,) = job.uploaded["sarif"]["runs"]
        lines = {result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in log["results"]}
        self.assertIn(11, lines)
        self.assertTrue(any(name.endswith("report.html") for name in job.uploaded["mutants"]))
        commit(self.origin, {"tests.csv": MORE_TESTS}, "a test with bad keys")
        job = self.job("change", {**request, "run_id": 3})
        self.assertTrue(job.succeeded, job.said)
        self.assertNotIn("the bench misses", job.said)
        self.assertIn("carried over from .hyperkill/earlier", job.said)
        git(self.origin, "checkout", "--quiet", "main")
        git(self.origin, "merge", "--quiet", "change")
        job = self.job("main", event("push", "main", run=4))
        self.assertTrue(job.succeeded, job.said)
        self.assertIn("carried over from .hyperkill/earlier", job.said)

    def test_a_request_from_a_fork_reads_verdicts_and_writes_neither_cache_nor_code_scanning(self):
        self.assertTrue(self.job("main", event("push", "main")).succeeded)
        keys = list(self.caches)
        job = self.job("change", self.request(head="stranger/door"))
        self.assertFalse(job.succeeded)
        self.assertIn("carried over from .hyperkill/earlier", job.said)
        self.assertEqual(list(self.caches), keys)
        self.assertNotIn("sarif", job.uploaded)
        self.assertIn("::warning", job.said)

    def test_a_request_without_changed_models_passes(self):
        git(self.origin, "checkout", "--quiet", "-B", "words", self.base)
        commit(self.origin, {"README": "A door.\n"}, "words")
        job = self.job("words", event("pull_request", "words", base=self.base))
        self.assertTrue(job.succeeded, job.said)

    def test_verdicts_of_another_version_or_that_are_damaged_do_not_fail_the_job(self):
        self.job("main", event("push", "main"))
        for change in [{"version": "0.0.1"}, {"schema": "hyperkill.asked/99"}, {"options": 7}]:
            (place,) = list(self.caches.values())[-1:]
            (asked,) = place.glob("*/asked.json")
            asked.write_text(json.dumps({**json.loads(asked.read_text()), **change}))
            job = self.job("main", event("push", "main", run=5))
            self.assertTrue(job.succeeded, job.said)

    def test_the_files_take_no_secret_and_no_trigger_that_gives_forks_one(self):
        for path in [WORKFLOW, ROOT / "action.yml"]:
            code = [line.split("#")[0] for line in path.read_text().splitlines()]
            self.assertNotIn("secrets", "".join(code), path)
            self.assertNotIn("pull_request_target", "".join(code), path)


if __name__ == "__main__":
    unittest.main()
