#!/bin/sh
#flux: --job-name=heat
#flux: --nodes=2
#flux: --ntasks=8
#flux: --time-limit=10m
# One archive for each node: trace.JOB.HOST.
flux run --nodes=2 --ntasks=8 iotrace -q -o trace.%j.%h -- "${1:-./solve}"
