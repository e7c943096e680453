/* SPDX-License-Identifier: MIT */
#include "analysis/capture/unknown_tables.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/intern.h"
#include "derive/rows/stats.h"
#include "known/exports/schema.h"

enum { MOST_NAMES = 3, TEXT = 512 };

/* Tables with the same name in several files count as one. */
struct unknown {
	struct wl_intern names; /* string of the trace */
	int64_t *rows;          /* by name */
};

static bool find(const struct wl_trace *t, struct unknown *u)
{
	for (size_t i = 0; i < t->family[WL_F_TABLES].n; i++) {
		uint32_t name = wl_tables_name(t)[i], at;

		if (wl_tables_rows(t)[i] <= 0 || wl_schema_find(wl_str(t, name), NULL))
			continue;
		at = wl_intern_put(&u->names, &name);
		if (at == WL_NONE)
			return false;
		u->rows[at] = wl_add_up(u->rows[at], wl_tables_rows(t)[i]);
	}
	return true;
}

static void note(const struct wl_trace *t, const struct unknown *u, struct wl_table *out)
{
	const uint32_t *name = u->names.items.data;
	size_t n = u->names.items.n, at = 0;
	char text[TEXT] = "";

	for (size_t i = 0; i < n && i < MOST_NAMES && at < TEXT; i++)
		at += (size_t)snprintf(text + at, TEXT - at, "%s%.100s (%" PRId64 " row%s)",
				       i ? ", " : "", wl_str(t, name[i]), u->rows[i],
				       u->rows[i] == 1 ? "" : "s");
	wl_table_note(
		out,
		"%zu table%s that this version does not know, and does not read: %s%s; a newer "
		"nsys or another tool wrote %s",
		n, n == 1 ? "" : "s", text, n > MOST_NAMES ? ", ..." : "", n == 1 ? "it" : "them");
}

bool wl_note_unknown_tables(const struct wl_run *run, struct wl_table *out)
{
	const struct wl_trace *t = run->trace;
	struct unknown u = { .rows = WL_NEW(run->arena, int64_t, t->family[WL_F_TABLES].n) };
	bool ok;

	wl_intern_init(&u.names, sizeof(uint32_t), wl_arena_budget(run->arena));
	ok = u.rows && find(t, &u);
	if (ok && u.names.items.n)
		note(t, &u, out);
	wl_intern_release(&u.names);
	return ok;
}
