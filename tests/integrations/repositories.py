"""Repositories that the tests make: a door of two keys, a change that a bench or a gate refuses, and a fix of the change."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HYPERKILL = os.environ.get("HYPERKILL", "hyperkill")

DOOR = """\
-- A door that opens after two good keys.
MODULE main
VAR
  key : {none, good, bad};   -- @input
  right : 0..2;
  open : boolean;            -- @output
ASSIGN
  init(right) := 0;
  next(right) := case
    key = good & right < 2 : right + 1;
    TRUE : right;
  esac;
  init(open) := FALSE;
  next(open) := right = 2;
"""

# A bad key locks the door.
LOCKING = DOOR.replace("    TRUE : right;", "    key = bad : 0;\n    TRUE : right;")

# The open door may stay closed, so a mutant of this line may pass every test.
MOODY = DOOR.replace("next(open) := right = 2;", "next(open) := case right = 2 : {TRUE, FALSE}; TRUE : FALSE; esac;")

# Line 14 of `DOOR`, where the first mutant of `MOODY` stands.
LAST = 14

# Tests of the door: inputs step by step. The first one opens it; the others also give bad keys.
TESTS = "key\ngood\ngood\nnone\nnone\n"
MORE_TESTS = TESTS + "\ngood\nbad\ngood\nnone\nnone\n\ngood\ngood\nbad\nnone\nnone\n\nbad\ngood\nnone\nnone\n"


def git(folder, *arguments):
    """Runs git in a folder, without the settings of the user, and returns its output."""
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def commit(folder, files, message):
    """Writes and commits files, and returns the commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder, files):
    """Makes a repository with one commit and returns its folder and the commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    return folder, commit(folder, files, "the door")

# The same door in Verilog.
CIRCUIT = """\
module door (input wire clk, input wire rst, input wire good, output reg open);
  reg [1:0] right;
  always @(posedge clk)
    if (rst) right <= 0;
    else if (good && right < 2) right <= right + 1;
  always @(posedge clk)
    if (rst) open <= 0;
    else open <= right == 2;
endmodule
"""

# Without a reset the lock starts with any value, and a mutant of it may pass every test.
LOOSE = CIRCUIT.replace("    if (rst) right <= 0;\n    else if", "    if")
