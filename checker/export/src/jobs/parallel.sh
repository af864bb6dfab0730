#!/bin/sh
# Shards that are done, by the log, are not started again. With --sshloginfile FILE before ::: they run on other machines that see the
# folder of the plan.
parallel {at_once}--joblog {plan}/submit/parallel.log --resume-failed --retries {tries} \
    {hyperkill} run --plan {plan} --shard '{}' --total-timeout {seconds}s --jobs {cpus} --quiet ::: $(seq 0 {last})
exec {hyperkill} merge {plan} -o {out}
