#!/bin/sh
#SBATCH --job-name={name}-merge
#SBATCH --time={minutes}
#SBATCH --mem={memory}M
#SBATCH --cpus-per-task={cpus}
#SBATCH --output={plan}/submit/merge.log
# It begins when all jobs have ended, well or not, and says which shards are missing.
exec {hyperkill} merge {plan} -o {out} --jobs {cpus}
