/* exposition: the totals of a daemon as OpenMetrics text, for Prometheus. */
#pragma once

#include <iotrace/totals.h>
#include <stdio.h>

#define EXPOSITION_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* Prints all metrics. now: CLOCK_MONOTONIC, ns. is_classic: in the older format of Prometheus, which node_exporter reads. */
void exposition_print(const struct totals *totals, uint64_t now, bool is_classic, FILE *out);
