#!/usr/bin/env python3
"""Runs a plan on a scheduler on this machine, and compares the merged run with an undivided one.

    tests/clusters/schedulers.py slurm|parallel HYPERKILL MODEL [SHARDS] [OPTIONS OF RUN ...]

For Slurm the script starts munged, slurmctld and two slurmd in a folder of its own (root is needed), and drains one node for a while. Two
jobs are killed with -9. At the end it certifies the merged run and compares verdicts and strengths. Without the scheduler it says that it
was skipped and ends with 0.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPidFile={at}/ctld.pid
SlurmdPidFile={at}/%n.pid
SlurmdSpoolDir={at}/%n
StateSaveLocation={at}/state
SlurmctldLogFile={at}/ctld.log
SlurmdLogFile={at}/%n.log
SlurmctldPort=17000
JobRequeue=1
MpiDefault=none
KillWait=5
NodeName=n1 NodeHostname={host} Port=17001 CPUs=1 RealMemory=8000 State=UNKNOWN
NodeName=n2 NodeHostname={host} Port=17002 CPUs=1 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def sh(*words, check=True, **more):
    ran = subprocess.run(words, capture_output=True, text=True, **more)
    if check and ran.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran


class Cluster:
    def __init__(self, at):
        self.at = at
        host = sh("hostname", "-s").stdout.strip()
        for folder in ["state", "n1", "n2"]:
            (at / folder).mkdir()
        (at / "slurm.conf").write_text(CONFIGURATION.format(host=host, at=at))
        os.environ["SLURM_CONF"] = str(at / "slurm.conf")
        self.began_munge = sh("pgrep", "-x", "munged", check=False).returncode != 0
        if self.began_munge:
            Path("/run/munge").mkdir(exist_ok=True)
            shutil.chown("/run/munge", "munge", "munge")
            sh("runuser", "-u", "munge", "--", "munged")
        sh("slurmctld", "-f", os.environ["SLURM_CONF"])
        for node in ["n1", "n2"]:
            sh("slurmd", "-f", os.environ["SLURM_CONF"], "-N", node)

    def stop(self):
        for name in ["n1", "n2", "ctld"]:
            pid = self.at / f"{name}.pid"
            if pid.exists():
                sh("kill", pid.read_text().strip(), check=False)
        if self.began_munge:
            sh("pkill", "-x", "munged", check=False)


def settled(folder):
    results = json.loads((folder / "outcomes.json").read_text())["results"]
    of = lambda r: (r["verdict"], r.get("strength"))
    return {r["mutant"]: of(r) for r in results if r["verdict"] != "unknown"}, results


def timed(what, *words, codes=(0,), **more):
    began = time.monotonic()
    ran = subprocess.run(words, capture_output=True, text=True, **more)
    took = time.monotonic() - began
    if ran.returncode not in codes:
        sys.exit(f"{what}: {ran.returncode}\n{ran.stdout}{ran.stderr}")
    print(f"{what:34} {took:8.1f} s", flush=True)
    return ran


def shards_that_run(binary):
    """Process ids of the shards that are being decided."""
    found = []
    for line in sh("ps", "-eo", "pid=,args=").stdout.splitlines():
        pid, _, args = line.strip().partition(" ")
        if args.lstrip().startswith(f"{binary} run --plan"):
            found.append(int(pid))
    return found


def main():
    tools = {"slurm": ["sbatch", "slurmctld", "slurmd", "munged", "runuser"], "parallel": ["parallel"]}
    if len(sys.argv) < 4 or sys.argv[1] not in tools:
        sys.exit(__doc__)
    to = sys.argv[1]
    for tool in tools[to]:
        if shutil.which(tool) is None:
            print(f"SKIPPED: a plan on {to} ({tool} is not installed)")
            return
    if to == "slurm" and os.geteuid():
        print("SKIPPED: a plan on slurm (only root starts it)")
        return
    binary, model = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    shards = sys.argv[4] if len(sys.argv) > 4 else "20"
    options = sys.argv[5:] + ["--accept", "unknown"]
    at = Path(tempfile.mkdtemp(prefix="hk-cluster-"))
    cluster = Cluster(at) if to == "slurm" else None
    try:
        run(to, binary, model, shards, options, at)
    finally:
        if cluster:
            cluster.stop()
        shutil.rmtree(at, ignore_errors=True)


def on_slurm(binary):
    """Kills two jobs and drains a node until no job is left; returns how many were killed."""
    killed, drained = 0, False
    while sh("squeue", "-h").stdout.strip():
        running = shards_that_run(binary)
        if killed < 2 and running:
            sh("kill", "-9", str(running[0]), check=False)
            killed += 1
        elif killed == 2 and not drained:
            sh("scontrol", "update", "nodename=n2", "state=drain", "reason=test")
            time.sleep(3)
            sh("scontrol", "update", "nodename=n2", "state=resume")
            drained = True
        time.sleep(0.3)
    return killed


def run(to, binary, model, shards, options, at):
    whole, plan, merged = at / "whole", at / "plan", at / "merged"
    timed("the run on one machine", binary, "run", model, "-o", whole, "-q", *options)
    timed("plan", binary, "plan", model, "-o", plan, "--shards", shards, *options)
    document = json.loads((plan / "plan.json").read_text())
    count = len(document["shards"])
    print(f"{document['mutants']} mutants, {document['decided']} decided by the plan, {count} shards")
    words = [binary, "submit", plan, "--command", binary, "--to", to, "--time", "30min", "--memory", "2G"]
    words += ["--attempts", "5", "--at-once", "2", "-o", merged, "--start"]
    began = time.monotonic()
    started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if to == "slurm":
        print(started.communicate()[0].strip())
        killed = on_slurm(binary)
    else:
        killed = 0
        while started.poll() is None:
            running = shards_that_run(binary)
            if killed < 2 and running:
                sh("kill", "-9", str(running[0]), check=False)
                killed += 1
            time.sleep(0.3)
        print(started.communicate()[0].strip())
    print(f"{'the jobs, two at a time':34} {time.monotonic() - began:8.1f} s; killed: {killed}")
    if not (merged / "outcomes.json").exists():
        status = json.loads(sh(binary, "status", plan, "--format", "json").stdout)
        for shard, state in enumerate(status["shards"]):
            if state["state"] != "done":
                timed(f"shard {shard} again ({state['state']})", binary, "run", "--plan", plan, "--shard", str(shard), "-q")
        timed("merge", binary, "merge", plan, "-o", merged, codes=(0, 3))
    timed("certify", binary, "certify", merged, codes=(0, 3))
    (one, all_one), (other, all_other) = settled(whole), settled(merged)
    both = one.keys() & other.keys()
    different = [mutant for mutant in both if one[mutant] != other[mutant]]
    sizes = [len(json.loads((folder / "suite.json").read_text())["tests"]) for folder in (whole, merged)]
    print(f"{len(both)} decided by both, {len(different)} different; "
          f"undecided {len(all_one) - len(one)} and {len(all_other) - len(other)}; tests {sizes[0]} and {sizes[1]}")
    if different or len(all_one) != len(all_other):
        sys.exit(f"different: {different[:5]}")


main()
