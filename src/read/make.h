/* make.h - from cells of a batch to model columns. */
#ifndef WL_READ_MAKE_H
#define WL_READ_MAKE_H

#include "read/bind.h"
#include "read/probe.h"
#include "read/strings_map.h"

/* One model column that is being filled, and where its sources stand in a batch. */
struct wl_making {
	enum wl_column_id column;
	int at[WL_BIND_SOURCES];
};

/* What all columns of a family share while a batch is turned into rows. */
struct wl_maker {
	struct wl_build *build;
	struct wl_strings_map *strings;
	struct wl_build_family *family;
	wl_ns trace_end; /* where unclosed ranges end */
	const struct wl_batch *batch;
	uint16_t kept[WL_BATCH_ROWS]; /* rows of the batch that become rows of the family */
	size_t n_kept;
	int64_t start[WL_BATCH_ROWS]; /* of each row of the batch, if the family has one */
};

/* Ask a query for the sources of a column. */
void wl_making_init(struct wl_making *making, enum wl_column_id column, struct wl_query *query,
		    const struct wl_probe *probe);

/* Append one value per kept row to the column. Failures are sticky in the build. */
void wl_making_run(const struct wl_making *making, struct wl_maker *maker);

#endif
