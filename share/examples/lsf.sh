#!/bin/sh
#BSUB -J heat
#BSUB -n 8
#BSUB -R "span[ptile=4]"
#BSUB -W 10
# One archive for each node: trace.JOB.HOST.
mpirun iotrace -q -o trace.%j.%h -- "${1:-./solve}"
