"""The module for Python: its classes are those of the schemas, and the examples of its page are true."""

import doctest
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from repositories import HYPERKILL, ROOT

sys.path.insert(0, str(ROOT / "python"))
hyperkill = importlib.import_module("hyperkill")

PAGE = ROOT / "docs/src/guide/python.md"
MODELS = [
    "smv/beverage/model.smv",
    "action-system/car-alarm/model.as",
    "uppaal/lamp/model.xml",
    "timed-fsm/kettle/model.tfsm",
    "verilog/fifo/model.v",
]


def without_nulls(value):
    """Returns a JSON value without members that are null."""
    if isinstance(value, dict):
        return {name: without_nulls(one) for name, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


class Python(unittest.TestCase):
    def test_the_classes_are_those_of_the_schemas(self):
        environment = {**os.environ, "HYPERKILL": HYPERKILL}
        ran = subprocess.run([sys.executable, str(ROOT / "python/generate.py"), "--check"], env=environment, check=False)
        self.assertEqual(ran.returncode, 0)

    def test_the_page_shows_what_its_examples_print(self):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as place:
            os.chdir(place)
            try:
                os.symlink(ROOT / "tests", "tests")
                os.environ["HYPERKILL"] = HYPERKILL
                failed, tried = doctest.testfile(str(PAGE), module_relative=False)
            finally:
                os.chdir(here)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 15)

    def same(self, text, name):
        """Reads a document and compares the object with all members of the text."""
        value = without_nulls(json.loads(text))
        self.assertEqual(without_nulls(hyperkill.loads(text, name).as_json()), value, name)

    def test_every_document_of_a_folder_is_read_completely(self):
        os.environ["HYPERKILL"] = HYPERKILL
        read = 0
        for model in MODELS:
            with tempfile.TemporaryDirectory() as place:
                source = shutil.copytree((ROOT / "tests/models" / model).parent, pathlib.Path(place) / "model")
                options = {"timeout": "2s", "accept": "unknown"}
                folder = hyperkill.run(source / pathlib.Path(model).name, out=f"{place}/out", **options).path
                names = ["mutants", "asked", "outcomes", "suite", "timings", "digests"]
                texts = [(name, folder / f"{name}.json") for name in names]
                texts += [("certificate", path) for path in sorted(folder.glob("certificates/*.json"))]
                texts += [("test-run", path) for path in sorted(folder.glob("tests/*.run.json"))]
                for name, path in texts:
                    self.same(path.read_text(), name)
                lines = (folder / "journal.jsonl").read_text().splitlines()
                for line in lines:
                    self.same(line, "journal")
                read += len(texts) + len(lines)
                for name, command in [("certify", ["certify", folder]), ("show-list", ["show", folder]), ("status", ["status", folder])]:
                    self.same(hyperkill.call(*command, format="json").output, name)
        self.assertGreater(read, 500)

    def test_a_document_of_another_version_is_refused(self):
        for name in [None, "outcomes"]:
            with self.assertRaisesRegex(ValueError, "hyperkill.outcomes/99"):
                hyperkill.loads('{"schema": "hyperkill.outcomes/99"}', name)


if __name__ == "__main__":
    unittest.main()
