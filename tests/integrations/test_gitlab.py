"""The template for GitLab, on a repository with a change whose mutants may pass every test, and after a fix."""

import json
import pathlib
import tempfile
import unittest

import gitlab
from repositories import DOOR, HYPERKILL, LAST, LOCKING, MOODY, ROOT, commit, git, repository

TEMPLATE = ROOT / "integrations/gitlab/hyperkill.yml"
MAIN = {
    "CI_PIPELINE_SOURCE": "push",
    "CI_COMMIT_BRANCH": "main",
    "CI_COMMIT_REF_SLUG": "main",
    "CI_DEFAULT_BRANCH": "main",
    "CI_PROJECT_ID": "1",
}


class GitLab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.caches, self.jobs = pathlib.Path(folder.name), {}, 0
        self.origin, self.base = repository(self.folder / "origin", {"door.smv": DOOR, ".gitignore": ".hyperkill\n"})

    def job(self, branch, variables):
        self.jobs += 1
        place = self.folder / f"job-{self.jobs}" / "work"
        place.parent.mkdir()
        git(self.folder, "clone", "--quiet", "--branch", branch, f"file://{self.origin}", str(place))
        given = {
            "HYPERKILL_MODELS": "*.smv",
            # Operators whose mutants of the door no test can miss.
            "HYPERKILL_OPTIONS": "--fail-under 100 --operator ROR --operator ECR --operator ICR --operator CBD",
            "HYPERKILL_INSTALL": "true",
            **variables,
        }
        environment = {"HYPERKILL": HYPERKILL, "PYTHONPATH": str(ROOT / "python")}
        self.place = place
        return gitlab.run(TEMPLATE, place, given, self.caches, environment)

    def request(self, project="1"):
        return {
            "CI_PIPELINE_SOURCE": "merge_request_event",
            "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": project,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": self.base,
            "CI_PROJECT_ID": "1",
            "CI_COMMIT_REF_SLUG": "change",
            "CI_DEFAULT_BRANCH": "main",
        }

    def test_a_change_that_leaves_a_survivor_fails_until_it_is_mended(self):
        status, said, _ = self.job("main", MAIN)
        self.assertEqual(status, 0, said)
        git(self.origin, "checkout", "--quiet", "-B", "change")
        commit(self.origin, {"door.smv": MOODY}, "a moody door")
        status, said, artifacts = self.job("change", self.request())
        self.assertEqual(status, 2, said)
        report = json.loads((self.place / artifacts["reports"]["codequality"]).read_text())
        self.assertEqual({issue["location"]["lines"]["begin"] for issue in report}, {LAST})
        self.assertEqual({issue["location"]["path"] for issue in report}, {"door.smv"})
        commit(self.origin, {"door.smv": LOCKING}, "a locking door")
        status, said, _ = self.job("change", self.request())
        self.assertEqual(status, 0, said)
        self.assertIn("carried over from .hyperkill/earlier", said)
        report = json.loads((self.place / artifacts["reports"]["codequality"]).read_text())
        self.assertEqual(report, [])

    def test_a_request_from_a_fork_reads_the_cache_and_does_not_write_it(self):
        self.job("main", MAIN)
        git(self.origin, "checkout", "--quiet", "-B", "change")
        commit(self.origin, {"door.smv": MOODY}, "a moody door")
        status, said, _ = self.job("change", self.request(project="2"))
        self.assertEqual(status, 2, said)
        self.assertEqual(list(self.caches), ["hyperkill-main"])
        self.assertIn("carried over from .hyperkill/earlier", said)

    def test_other_branches_have_no_job(self):
        other = {**MAIN, "CI_COMMIT_BRANCH": "other"}
        self.assertIsNone(self.job("main", other))


if __name__ == "__main__":
    unittest.main()
