#!/bin/sh
# A job that was stopped is started again by its worker's queue, at most {attempts} times.
set -e
hq submit --name {name} --array 0-{last} --cpus {cpus} --resource mem={memory} --time-limit {seconds_of_job}s \
    --crash-limit {tries} --max-fails {shards} --log {plan}/submit/hyperqueue.log --wait -- \
    sh -c '{hyperkill} run --plan {plan} --shard "$HQ_TASK_ID" --total-timeout {seconds}s --jobs {cpus} --quiet' || true
exec {hyperkill} merge {plan} -o {out}
