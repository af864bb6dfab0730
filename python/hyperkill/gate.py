#!/usr/bin/env python3
"""Gate of a pipeline: decides the mutants of models and ends with the worst exit status.

The GitHub action, the GitLab template and the pre-commit hook start this file. It needs Python 3.9 and `hyperkill` on the path.

With `--base REV` only the mutants in lines that `git diff REV` adds or changes are decided; models without such mutants pass. With
`--score` the mutants are tried on your own bench, too, and a mutant that it misses fails the gate. Verdicts of an earlier run are taken
from the folder `earlier`; each counts only if its evidence checks on the present model. Run folders are in `runs`. Annotations of surviving
and missed mutants go to standard output (`github`) or into files (`gitlab.json`, `hyperkill.sarif`).
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse

# Exit statuses of hyperkill, the one that counts most first.
STATUSES = [70, 130, 1, 4, 5, 2, 3, 0]
INTERNAL = 70
UNUSABLE = 1
BELOW = 2


class Gate:
    """The settings of a gate, and the reports that it collects."""

    def __init__(self, settings):
        self.program = shlex.split(settings.hyperkill)
        self.options = shlex.split(settings.options)
        self.bench = shlex.split(settings.score)
        self.base = settings.base
        self.annotations = settings.annotate
        self.folder = pathlib.Path(settings.folder)
        self.reports = {form: [] for form in settings.annotate}

    def call(self, *arguments, **streams):
        """Runs hyperkill and returns the finished process."""
        return subprocess.run([*self.program, *arguments], check=False, **streams)

    def place(self, part, files):
        """Returns the folder of a model in a part of the gate's folder. Runs with other options have other folders."""
        key = json.dumps([files, self.options])
        name = re.sub(r"[^A-Za-z0-9.]+", "-", files[0]).strip("-.")
        return self.folder / part / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"

    def decide(self, files):
        """Decides the mutants of a model and returns the exit status."""
        run, earlier = self.place("runs", files), self.place("earlier", files)
        known = ["--from", str(earlier)] if (earlier / "asked.json").is_file() else []
        selection = ["--in-diff", self.base] if self.base else []
        command = ["run", *files, *self.options, *selection, "-o", str(run)]
        status = self.call(*command, *known).returncode
        if known and status == UNUSABLE:
            print(f"{earlier} cannot be used: deciding without it", flush=True)
            status = self.call(*command).returncode
        outcomes = run / "outcomes.json"
        if status in (UNUSABLE, 4, INTERNAL) or not outcomes.is_file():
            return status
        if selection and not json.loads(outcomes.read_bytes())["results"]:
            # A score of no mutants fails `--fail-under`, but a difference outside of the model is no fault.
            return 0 if status == BELOW else status
        self.report(run)
        if self.bench:
            status = worst([status, self.score_bench(run)])
        # The next gate takes verdicts from here.
        shutil.rmtree(earlier, ignore_errors=True)
        shutil.copytree(run, earlier)
        return status

    def report(self, run):
        """Collects the annotations of a run."""
        for form in self.annotations:
            report = self.call("report", str(run), "--annotate", form, stdout=subprocess.PIPE)
            report.check_returncode()
            text = report.stdout.decode()
            if form == "github":
                print(text, end="", flush=True)
            else:
                self.reports[form].append(json.loads(text))

    def score_bench(self, run):
        """Scores the bench on the mutants of a run, collects annotations of those that it misses, and returns the exit status."""
        scored = self.call("score", str(run), "--format", "json", *self.bench, stdout=subprocess.PIPE)
        if not scored.stdout:
            return scored.returncode
        report = json.loads(scored.stdout)
        missed = [mutant for mutant in report["mutants"] if mutant["result"] == "survived"]
        counts = report["counts"]
        print(f"{run.name}: the bench kills {counts['killed'] + counts['not_ended']} of {counts['killable']} mutants", flush=True)
        for form in self.annotations:
            if form == "github":
                for mutant in missed:
                    print(workflow_command(mutant), flush=True)
            elif form == "gitlab":
                self.reports[form].append([issue(mutant) for mutant in missed])
            else:
                self.reports[form][-1]["runs"][0]["results"] += [result(mutant) for mutant in missed]
        return scored.returncode

    def write_reports(self):
        """Writes one file for each format, with the annotations of all models."""
        for form, reports in self.reports.items():
            if form == "gitlab":
                write(self.folder / "gitlab.json", [issue for report in reports for issue in report])
            elif form == "sarif" and reports:
                write(self.folder / "hyperkill.sarif", one_log(reports))


def worst(statuses):
    """Returns the exit status that counts most."""
    return min((status if status in STATUSES else INTERNAL for status in statuses), key=STATUSES.index)


def about(mutant):
    """Returns the place of a mutant that a bench misses, a title and a message."""
    place = mutant.get("place", {"file": "", "line": 1, "column": 1})
    original, replacement = (" ".join(mutant.get(text, "").split()) for text in ["original", "replacement"])
    change = f"{original} ⇒ {replacement}" if replacement else f"{original} is removed"
    killer = f"{mutant['would_kill']} of the run's suite kills it" if "would_kill" in mutant else "no test of the bench kills it"
    title = f"the bench misses mutant {mutant['mutant']} ({mutant.get('operator', 'mutant')})"
    return place, title, f"{change}: {killer}"


def workflow_command(mutant):
    """Returns an annotation for a runner of GitHub."""
    place, title, message = about(mutant)
    data = [("%", "%25"), ("\r", "%0D"), ("\n", "%0A")]
    escaped = {name: str(text) for name, text in {"file": place["file"], "title": title, "message": message}.items()}
    for name, text in escaped.items():
        for sign, code in data if name == "message" else [*data, (":", "%3A"), (",", "%2C")]:
            text = text.replace(sign, code)
        escaped[name] = text
    return f"::warning file={escaped['file']},line={place['line']},title={escaped['title']}::{escaped['message']}"


def issue(mutant):
    """Returns an issue of a code quality report of GitLab."""
    place, title, message = about(mutant)
    return {
        "description": f"{title}: {message}",
        "check_name": mutant.get("operator", "mutant"),
        "fingerprint": f"bench-{mutant['mutant']}",
        "severity": "minor",
        "location": {"path": place["file"], "lines": {"begin": place["line"]}},
    }


def result(mutant):
    """Returns a result of a SARIF log."""
    place, title, message = about(mutant)
    region = {"startLine": place["line"], "startColumn": place["column"]}
    uri = urllib.parse.quote(place["file"])
    return {
        "ruleId": "bench",
        "level": "warning",
        "message": {"text": f"{title}: {message}"},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"mutant/v1": f"bench-{mutant['mutant']}"},
    }


def one_log(logs):
    """Returns one SARIF log with a single run: a viewer of GitHub accepts one run of a tool."""
    whole = logs[0]
    run = whole["runs"][0]
    run["results"] = [result for log in logs for result in log["runs"][0]["results"]]
    rules = {rule["id"]: rule for log in logs for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    rules.update({result["ruleId"]: {"id": result["ruleId"]} for result in run["results"]})
    run["tool"]["driver"]["rules"] = [rules[name] for name in sorted(rules)]
    return whole


def write(path, document):
    """Writes a document as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def models(settings):
    """Returns the files of each model: a line of `--models` is a model, every other argument too. A pattern is as many models."""
    lines = [shlex.split(line) for line in settings.models.splitlines() if line.strip()]
    lines += [[name] for name in settings.model]
    found = []
    for line in lines:
        if len(line) == 1 and any(sign in line[0] for sign in "*?["):
            found += [[str(path)] for path in sorted(pathlib.Path().glob(line[0])) if path.is_file()]
        else:
            found.append(line)
    return found


def main(arguments=None):
    """Runs the gate and returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("model", nargs="*", help="file of a model")
    parser.add_argument("--models", default="", help="models, one a line; the files of a model are separated by spaces")
    parser.add_argument("--options", default="", help="options of `hyperkill run`")
    parser.add_argument("--score", default="", help="arguments of `hyperkill score` for your own bench, like `--suite tests.csv`")
    parser.add_argument("--base", default="", help="revision; only mutants in lines that changed since then")
    parser.add_argument("--annotate", action="append", default=[], choices=["github", "gitlab", "sarif"])
    parser.add_argument("--folder", default=".hyperkill", help="folder for `runs`, `earlier` and reports")
    parser.add_argument("--hyperkill", default=os.environ.get("HYPERKILL", "hyperkill"), help="the program")
    settings = parser.parse_args(arguments)
    gate = Gate(settings)
    if shutil.which(gate.program[0]) is None:
        print(f"{gate.program[0]} is not on the path", file=sys.stderr)
        return 1
    statuses = [gate.decide(files) for files in models(settings)]
    gate.write_reports()
    if not statuses:
        print("no model is given, or no file matches", file=sys.stderr)
        return 1
    return worst(statuses)


if __name__ == "__main__":
    sys.exit(main())
