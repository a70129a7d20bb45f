/*
 * archives: the archives that a flight recorder has made, of which it removes the oldest.
 *
 * It notes every file of an archive when that has got its name, and later removes exactly these files. What anybody has put in their
 * place, or added, stays, and so does its directory.
 */
#pragma once

#include <stdint.h>

struct archives {
	struct made_archive *made; /* the oldest first */
	uint32_t count, cap;
};

/* Notes the archive in this directory. Returns its size on the disk in bytes. */
uint64_t archives_add(struct archives *archives, const char *path);
/*
 * Notes the archives that earlier recorders have made in directories `base`-N, in the order of N. Returns the highest N, or 0 if there is
 * none.
 */
uint32_t archives_find(struct archives *archives, const char *base);
/*
 * Removes what recorders left of such archives when they were killed. Returns how many. An archive that another recorder is writing, and a
 * recording that can be converted, stay.
 */
uint32_t archives_remove_unfinished(const char *base);
/* Returns the size of all of them. */
uint64_t archives_bytes(const struct archives *archives);
/* Removes the oldest one from the disk. Returns its path, which the caller frees; NULL: there is none. */
char *archives_remove(struct archives *archives);
/* Frees the list; the archives stay. */
void archives_release(struct archives *archives);
