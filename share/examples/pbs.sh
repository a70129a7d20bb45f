#!/bin/sh
#PBS -N heat
#PBS -l select=2:ncpus=4:mpiprocs=4
#PBS -l walltime=00:10:00
cd "$PBS_O_WORKDIR" || exit
# One archive for each node: trace.JOB.HOST.
mpirun iotrace -q -o trace.%j.%h -- "${1:-./solve}"
