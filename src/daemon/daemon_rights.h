/* daemon_rights: the capabilities that a service of systemd keeps. Its unit lists all that any options need. */
#pragma once

struct daemon_options;

/* Gives up, for ever, those that these options and this kernel do not need. A daemon that nobody supervises keeps its user's. */
void daemon_rights_limit(const struct daemon_options *options);
