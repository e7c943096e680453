/* SPDX-License-Identifier: MIT */
/*
 * push.h - the facts of a run into the database, each exactly once.
 *
 * The row of the table runs is written last. Until then readers do not see the run, and pushing it
 * again replaces what is there.
 */
#ifndef WL_FLEET_PUSH_H
#define WL_FLEET_PUSH_H

#include "fleet/store/schema.h"

struct wl_pushed {
	bool was_there; /* this version is the current one already: nothing was sent */
	size_t n_rows, n_bytes, n_inserts;
};

/*
 * Facts with their tables of the run (facts/run.h), whose begin must be known: with a time of its
 * own, a run that is pushed twice would be two rows. After wl_store_connect and wl_store_check.
 */
int wl_store_push(const struct wl_store *store, const struct wl_facts *facts, struct wl_pushed *ret,
		  struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Rows of one table of a run that is there: facts have the row of runs with run_id, version and
 * begin, and the rows. They replace those with the same keys.
 */
int wl_store_put(const struct wl_store *store, const struct wl_facts *facts,
		 enum wl_facts_table_id table, struct wl_err *reterr) WL_MUST_CHECK;

/* Rows [from, end) of a table in RowBinary, in the order of wl_store_columns(). */
void wl_store_encode(const struct wl_facts *facts, enum wl_facts_table_id table, size_t from,
		     size_t end, int64_t ingested_ms, struct wl_text *to);

#endif
