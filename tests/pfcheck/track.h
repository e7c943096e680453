/* SPDX-License-Identifier: MIT */
/* track.h - the rows of the file, as TrackDescriptor messages tell them. */
#ifndef PFCHECK_TRACK_H
#define PFCHECK_TRACK_H

#include <stdio.h>

#include "numbers.h"
#include "wire.h"

enum track_kind { TRACK_PLAIN, TRACK_PROCESS, TRACK_THREAD, TRACK_COUNTER };

/* A slice that has begun and not ended. */
struct open_slice {
	uint64_t start;
	const unsigned char *at; /* of its packet */
	struct text name;
	struct span event; /* its TrackEvent */
	uint32_t sequence; /* index */
};

enum { MERGE_NONE = 2, ORDER_EXPLICIT = 3 };

struct track {
	uint64_t uuid, parent; /* parent 0: none */
	enum track_kind kind;
	struct text name, description;
	char *path; /* escaped names, from the top; without the NUL its length is n_path */
	size_t n_path;
	uint64_t pid, tid;
	uint64_t merge, ordering, rank;
	const unsigned char *at;

	/* Of its events. */
	bool has_events;
	uint32_t sequence;
	uint64_t last, last_begin; /* times; the latter UINT64_MAX before the first BEGIN */
	bool last_is_begin;        /* the last event was a BEGIN */
	struct open_slice *open;
	uint32_t n_open, cap_open;
};

struct tracks {
	struct numbers uuid;
	struct numbers pid;    /* of process tracks */
	struct numbers thread; /* of thread tracks: pid and tid */
	struct track *at;
	bool has_root;
	uint64_t root_ordering; /* of the descriptor with uuid 0 */
};

/* Take a TrackDescriptor. */
void tracks_describe(struct tracks *t, struct span message);

/* The track of an event; a fault at that place if it was not described. */
struct track *tracks_get(struct tracks *t, uint64_t uuid, const struct span *in,
			 const unsigned char *at);

/* What can be said at the end only: all slices have ended, siblings are distinct. */
void tracks_finish(const struct tracks *t, const struct span *file);

void tracks_release(struct tracks *t);

/* A text with tab, newline, backslash and the characters of more escaped. */
void put_escaped(FILE *out, struct text text, const char *more);

#endif
