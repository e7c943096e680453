/* SPDX-License-Identifier: MIT */
/*
 * make.h - makes model columns from the cells of a batch.
 *
 * A scan may be split into parts that threads read in parallel. Each part has its own makings,
 * which number tuples and texts within the part. When all parts are read, tuples and texts are put
 * into the build, column by column and part by part, in the order of their first row. The build's
 * numbers therefore do not depend on how the scan was split.
 */
#ifndef WL_READ_MAKE_H
#define WL_READ_MAKE_H

#include "read/bind.h"
#include "read/probe.h"
#include "read/strings_map.h"

struct wl_memo;

/* One model column being filled, and the positions of its sources in a batch. */
struct wl_making {
	enum wl_column_id column;
	const struct wl_binding *binding; /* how this column is made from the table being read */
	int at[WL_BIND_SOURCES];
	bool by_pid;                 /* the owner is a pid, plus a threadId for a thread */
	struct wl_intern tuples;     /* of the part, numbered within it */
	struct wl_string_pool texts; /* the same; text as in the file */
	struct wl_memo *memo;        /* numbers of the latest cells; NULL until needed */
	struct wl_vec number;        /* uint32_t: build's number, by the part's; after merge */
	bool failed;                 /* out of memory; sticky */
};

/* State that all columns of a part share while a batch is turned into rows. */
struct wl_maker {
	const struct wl_strings_map *strings;
	const struct wl_raw_map *chains; /* of the family's stacks */
	const struct wl_build *build;    /* for its owner keys */
	wl_ns trace_end;                 /* where unclosed ranges end */
	const struct wl_batch *batch;
	uint16_t kept[WL_BATCH_ROWS]; /* rows of the batch that become rows of the family */
	size_t n_kept;
	const int64_t *start;             /* of each row of the batch, if the family has one */
	size_t first;                     /* the part's row for the first kept row */
	size_t n_mistyped;                /* cells out of range */
	struct wl_vec long_row, long_dur; /* uint32_t rows of the part, wl_ns */
};

/* The budget must outlive the making. */
void wl_making_init(struct wl_making *making, enum wl_column_id column,
		    const struct wl_binding *binding, struct wl_budget *budget);
void wl_making_release(struct wl_making *making);

/* Add the sources of a column to a query. */
void wl_making_ask(struct wl_making *making, struct wl_probe_scan *query,
		   const struct wl_probe *probe);

/* Write one value per kept row. One thread at a time per part. */
void wl_making_run(struct wl_making *making, struct wl_maker *maker, void *out);

/*
 * Put the part's tuples and texts into the build. Merge parts in order, and a column only after all
 * parts of the previous column. Failures are sticky in the build.
 */
void wl_making_merge(struct wl_making *making, struct wl_strings_map *strings,
		     struct wl_build *build);

/* Turn the part's numbers in n cells of the column into the build's. Does nothing for plain
 * columns. */
void wl_making_renumber(const struct wl_making *making, void *cells, size_t n);

#endif
