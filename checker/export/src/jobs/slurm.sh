#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --array=0-{last}{limit}
#SBATCH --time={minutes}
#SBATCH --mem={memory}M
#SBATCH --cpus-per-task={cpus}
#SBATCH --requeue
#SBATCH --signal=B:TERM@60
#SBATCH --output={plan}/submit/%a.log
#SBATCH --open-mode=append
{hyperkill} run --plan {plan} --shard "$SLURM_ARRAY_TASK_ID" --total-timeout {seconds}s --jobs {cpus} --quiet &
child=$!
trap 'kill -TERM "$child"' TERM
wait "$child"
status=$?
# The signal ends the first wait.
if kill -0 "$child" 2>/dev/null; then wait "$child"; status=$?; fi
# Stopped, or killed: the next attempt goes on from the journal.
if [ "$status" -ge 128 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt {attempts} ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
