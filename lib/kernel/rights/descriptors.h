/* descriptors: a process that was forked gives up descriptors that it inherited. */
#pragma once

/* Closes all descriptors from `from` up to `end`, without `end`. INT_MAX: there is no end. */
void descriptors_close(int from, int end);
