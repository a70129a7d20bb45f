#!/bin/sh
#SBATCH --job-name=heat
#SBATCH --nodes=1
#SBATCH --ntasks=4
#SBATCH --time=10
# One archive for each step and node: trace.JOB.1.HOST and trace.JOB.2.HOST.
srun iotrace -q -o trace.%j.1.%h -- "${1:-./prepare}"
srun iotrace -q -o trace.%j.2.%h -- "${2:-./solve}"
