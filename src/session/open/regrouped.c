/* SPDX-License-Identifier: MIT */
#include "session/open/regrouped.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "known/kernels/labels.h"

/* A name in a table. */
struct member {
	const char *name, *group, *label;
	int64_t sum;
};

/* Those that are in several groups: how many, and of the one with the largest sum two members. */
struct regrouped {
	size_t n;
	int64_t sum, most;
	struct member one, other;
};

static int64_t add_up(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static size_t take(const struct wl_concat_part *part, const struct wl_chart *chart,
		   struct member *to)
{
	const struct wl_table *t = part->table;
	size_t name, group, sum, n = 0;

	if (!t || !wl_table_find_col(t, chart->members->name, &name) ||
	    !wl_table_find_col(t, chart->group, &group) ||
	    !wl_table_find_col(t, chart->members->sum, &sum))
		return 0;
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct wl_cell cell = wl_table_at(t, row, name);

		if (cell.set)
			to[n++] = (struct member){ cell.str, wl_table_at(t, row, group).str,
						   part->label, wl_table_at(t, row, sum).i64 };
	}
	return n;
}

/* The members of one name. */
static void judge(const struct member *m, size_t n, struct regrouped *r)
{
	const struct member *other = NULL;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum = add_up(sum, m[i].sum);
		if (!other && strcmp(m[i].group, m[0].group) != 0)
			other = &m[i];
	}
	if (!other)
		return;
	if (sum > r->most || r->n == 0) {
		r->most = sum;
		r->one = m[0];
		r->other = *other;
	}
	r->n++;
	r->sum = add_up(r->sum, sum);
}

static void say(const struct regrouped *r, struct wl_table *out)
{
	const char *label;
	char sum[WL_UNITS_BUF];

	if (!wl_kernel_labels(&r->one.name, 1, out->arena, &label)) {
		out->failed = true;
		return;
	}
	wl_table_note(
		out,
		"differences between categories are also of their rules: %zu kernel%s (%s) %s "
		"not in one category in all traces" WL_STOP "; %.60s is %.40s in %.80s and "
		"%.40s in %.80s",
		r->n, r->n == 1 ? "" : "s", wl_fmt_ns(sum, r->sum, WL_UNIT_AUTO),
		r->n == 1 ? "is" : "are", label, r->one.group, r->one.label, r->other.group,
		r->other.label);
}

void wl_regrouped_note(const struct wl_concat_part *parts, size_t n, const struct wl_chart *chart,
		       struct wl_table *out)
{
	struct regrouped found = { .n = 0 };
	size_t n_rows = 0, n_all = 0;
	struct member *all;

	for (size_t i = 0; i < n; i++)
		n_rows += parts[i].table ? parts[i].table->n_rows : 0;
	all = WL_NEW(out->arena, struct member, n_rows + 1);
	if (!all) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		n_all += take(&parts[i], chart, all + n_all);
	qsort(all, n_all, sizeof(*all), by_name);
	for (size_t i = 0, end; i < n_all; i = end) {
		for (end = i + 1; end < n_all && strcmp(all[end].name, all[i].name) == 0;)
			end++;
		judge(all + i, end - i, &found);
	}
	if (found.n)
		say(&found, out);
}
