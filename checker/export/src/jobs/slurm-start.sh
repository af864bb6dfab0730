#!/bin/sh
# An array job of one shard each, and a job that merges when all of them have ended.
set -e
job=$(sbatch --parsable {plan}/submit/slurm.sh)
sbatch --dependency=afterany:"${job%%;*}" {plan}/submit/slurm-merge.sh
