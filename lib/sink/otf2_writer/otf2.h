/*
 * Private to the files that write events: what they share.
 *
 *	otf2.c          open, event, close: which events are written, and what happens after an error
 *	otf2_event.c    one io_event becomes one record, of the bytes of otf2_record.h
 *	otf2_program.c  begin and end of a program
 *	otf2_file.c     the event file of a location
 *	otf2_library.c  the same where the library writes it
 *	otf2_chunk.c    memory and files of the library, its messages
 *	otf2_space.c    room on the disk: what is free, and a reserve for the end
 *	otf2_repair.c   an event file that could not be written in full, ended properly
 */
#pragma once

#include "otf2_definition/otf2_state.h"

/* otf2_space.c: checks whether there is space for everything in memory, and for what comes until the next check. */
void otf2_check_space(struct sink *sink, uint64_t time);
/* otf2_event.c: writes a record to an open location. Returns false if that fails. */
bool otf2_write_event(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time);

/* otf2_program.c: the same for the begin and the end of a program. */
bool otf2_program_begin(struct sink *sink, struct location *location, const struct io_event *event,
			uint64_t time);
bool otf2_program_end(struct sink *sink, struct location *location, const struct io_event *event,
		      uint64_t time);
bool otf2_write_program_end(struct sink *sink, struct location *location, int64_t status,
			    uint64_t time);
/* Returns the location's ProgramBegin without its time; the caller frees it. */
uint8_t *otf2_program_put(struct sink *sink, const struct location *location, uint32_t *size);

/* otf2_file.c */
void otf2_file_open(struct sink *sink, struct location *location);
/* Ends the file. Returns 0 if all its events are on disk; -errno if only those in whole chunks are. */
int otf2_file_close(struct sink *sink, struct location *location);
/* Returns whether a record of this size, and what may come before it, can be written now: false if a write failed. */
bool otf2_make_room(struct sink *sink, struct location *location, uint32_t size, uint64_t time);
void otf2_file_release(struct sink *sink);
/* Returns a descriptor of the location's event file, which the caller closes, or -errno. */
int otf2_file_fd(const struct sink *sink, OTF2_LocationRef ref);
/* Gives an event file another, lower number. Returns 0 or -errno. */
int otf2_file_rename(const struct sink *sink, OTF2_LocationRef from, OTF2_LocationRef to);
/* Returns how many event files may stay open: few if the limit of descriptors is low. */
uint32_t otf2_files_most(void);

/* otf2_library.c: passes the records from `bytes` to location->at to the library. Returns 0 or -errno. */
int otf2_library_take(struct sink *sink, struct location *location, const uint8_t *bytes);
/* Ends the library's file. Returns 0, or -errno: then the file has no end. */
int otf2_library_close(struct sink *sink, struct location *location);

/* otf2_chunk.c */
void otf2_chunk_install(struct sink *sink);
/* The library's messages go to this sink, and then to the previous receiver. */
void otf2_messages_begin(struct sink *sink);
void otf2_messages_end(struct sink *sink);
void otf2_chunk_release(struct sink *sink);

/* otf2_space.c */
void space_open(struct space *space, int directory, uint64_t keep);
/* Returns how many more bytes may be written. */
uint64_t space_room(const struct space *space);
/* Makes the reserve file at least this large. Returns 0 or -errno. */
int space_reserve(struct space *space, uint64_t bytes);
/* Returns how many bytes space_reserve() would reserve for this. */
uint64_t space_with_margin(uint64_t bytes);
/* Returns the number of free bytes, including the reserved ones. */
uint64_t space_free(const struct space *space);
/* Deletes the reserve file: its space is needed now. */
void space_release(struct space *space);
/* Returns how many bytes definitions and small files will need at close. */
uint64_t otf2_space_of_end(const struct sink *sink);

/* otf2_repair.c: ends the files of torn locations. Returns 0 or -errno. */
int otf2_repair(struct sink *sink);
