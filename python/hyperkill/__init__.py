"""hyperkill from Python: runs the program and reads its documents as typed objects.

    >>> import hyperkill
    >>> folder = hyperkill.run("model.smv", out="model.out", tests="local")
    >>> folder.outcomes.summary
    >>> folder.certify()

Options have the names of the command line, with `_` for `-`: `hyperkill run --help` lists them.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from . import documents
from ._reading import Document

__all__ = ["Document", "Ended", "Folder", "HyperkillError", "call", "documents", "load", "loads", "program", "run", "version"]

# Exit statuses that come with a result: success, a gate or a property that fails, something undecided, evidence that does not check.
RESULTS = {0, 2, 3, 5}

Place = Union[str, "os.PathLike[str]"]


class HyperkillError(Exception):
    """hyperkill ended without a result. The message is that of the program."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Ended:
    """A command that ended with a result."""

    # The exit status: 0, 2, 3 or 5.
    status: int
    # The texts of standard output and standard error.
    output: str
    messages: str


def program() -> str:
    """Returns the path of the program: `$HYPERKILL`, the program of this package, or the one on the path."""
    given = os.environ.get("HYPERKILL")
    if given:
        return given
    own = pathlib.Path(sysconfig.get_path("scripts")) / ("hyperkill.exe" if os.name == "nt" else "hyperkill")
    if own.is_file():
        return str(own)
    found = shutil.which("hyperkill")
    if found is None:
        raise FileNotFoundError("hyperkill is not installed")
    return found


def _words(options: Dict[str, Any]) -> List[str]:
    """Returns options as words of a command line. A list repeats its option, a truth value switches it."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not False and one is not None:
                words.append(f"{option}={one}")
    return words


def call(*arguments: object, **options: Any) -> Ended:
    """Runs a command. Raises `HyperkillError` if it ends without a result."""
    words = [str(argument) for argument in arguments]
    # Options stand before `--`, behind which a command of the user begins.
    place = words.index("--") if "--" in words else len(words)
    words[place:place] = _words(options)
    ran = subprocess.run([program(), *words], check=False, stdin=subprocess.DEVNULL, capture_output=True)
    output, messages = (text.decode("utf-8", "replace") for text in (ran.stdout, ran.stderr))
    if ran.returncode not in RESULTS:
        raise HyperkillError(ran.returncode, messages.strip())
    return Ended(ran.returncode, output, messages)


def version() -> str:
    """Returns the version of the program."""
    return call("--version").output.split()[1]


def loads(text: Union[str, bytes], name: Optional[str] = None) -> Any:
    """Returns a document as an object. `name` is its name in `hyperkill schema`; without it the document's `schema` decides.

    Raises `ValueError` for a document of another version.
    """
    value = json.loads(text)
    schema = str(value.get("schema")) if isinstance(value, dict) else ""
    known = documents.SCHEMAS.get(schema)
    kind = documents.DOCUMENTS[name] if name is not None else known
    # Classes without a schema of their own, like a line of the journal, are taken by their names alone.
    has_schema = kind in documents.SCHEMAS.values()
    if kind is None or (has_schema and kind is not known):
        raise ValueError(f"no document of this version: {schema}")
    return kind.from_json(value)


def load(path: Place, name: Optional[str] = None) -> Any:
    """Returns the document in a file as an object."""
    return loads(pathlib.Path(path).read_text(encoding="utf-8"), name)


def run(*models: Place, out: Place = "hyperkill.out", **options: Any) -> Folder:
    """Decides the mutants of a model in a folder, like `hyperkill run`, and returns the folder."""
    ended = call("run", *models, out=out, quiet=True, **options)
    return Folder(out, ended.status)


class Folder:
    """The folder of a run. Its documents are read when they are asked for."""

    def __init__(self, path: Place = "hyperkill.out", status: Optional[int] = None) -> None:
        self.path = pathlib.Path(path)
        # The exit status of the run that made the folder, if this process started it.
        self.status = status

    def __repr__(self) -> str:
        return f"Folder({str(self.path)!r})"

    def document(self, file: str, name: Optional[str] = None) -> Any:
        """Returns a document of the folder."""
        return load(self.path / file, name)

    @property
    def outcomes(self) -> documents.Run:
        """Every verdict with its evidence, and the numbers."""
        return self.document("outcomes.json", "outcomes")

    @property
    def suite(self) -> documents.Suite:
        """The tests."""
        return self.document("suite.json", "suite")

    @property
    def mutants(self) -> documents.MutantTable:
        """The mutants, and how the model was read."""
        return self.document("mutants.json", "mutants")

    def results(self, verdict: Optional[str] = None) -> List[documents.MutantResult]:
        """Returns the results of the mutants, or those with a verdict, like `killed`."""
        results = self.outcomes.results
        return [result for result in results if verdict is None or result.verdict == verdict]

    def show(self, mutant: str, **options: Any) -> documents.ShownInFull:
        """Returns a mutant in full: its difference, its verdict, its test."""
        return loads(call("show", mutant, self.path, format="json", **options).output)

    def certify(self, **options: Any) -> documents.CertifyReport:
        """Checks the evidence of the run again."""
        return loads(call("certify", self.path, format="json", **options).output)

    def score(self, *command: str, **options: Any) -> documents.ScoreReport:
        """Scores a bench on the mutants: a command with its arguments, or `suite=FILE`."""
        words = ["--", *command] if command else []
        return loads(call("score", self.path, *words, format="json", **options).output)

    def report(self) -> pathlib.Path:
        """Returns the path of the page of the run."""
        return self.path / "report.html"
