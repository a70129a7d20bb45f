/* daemon_name: names of the rows that a daemon publishes: devices, file systems, FUSE connections and their operations. */
#pragma once

#include <iotrace/publication.h>

/* For totals_new(); the context is a struct mount_names. */
void daemon_name_row(void *names, struct publication_row *row);
