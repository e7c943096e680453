/* SPDX-License-Identifier: MIT */
#include "analysis/axes.h"

#include <string.h>

#include "base/memory/sort.h"
#include "derive/rows/stats.h"

void wl_put_axes(struct wl_table *out, size_t first, const struct wl_run *r, uint32_t process)
{
	const struct wl_mesh *mesh;

	if (process == WL_NONE)
		return;
	mesh = &r->derived->meshes->of[process];
	for (unsigned i = 0; i < WL_N_COORDINATES; i++) {
		if (mesh->at[i] >= 0)
			wl_put_i64(out, first + i, mesh->at[i]);
	}
	if (mesh->host != WL_NONE)
		wl_put_str(out, first + WL_AXIS_HOST, wl_str(r->trace, mesh->host));
}

void wl_put_pid(struct wl_table *out, size_t column, const struct wl_run *r, uint32_t process)
{
	uint32_t pid = r->trace->processes[process].pid;

	if (pid != WL_NONE)
		wl_put_i64(out, column, pid);
}

bool wl_axis_asked(const struct wl_analysis *a, const union wl_arg *arg, enum wl_axis *ret)
{
	int64_t choice = a->axes ? arg[a->axes->by].i64 - a->axes->choice : -1;

	if (choice >= 0)
		*ret = (enum wl_axis)choice;
	return choice >= 0;
}

static uint64_t bit(unsigned col)
{
	return UINT64_C(1) << col;
}

/*
 * The place of an analysis column in the table by an axis: the coordinate comes first, then the
 * number of ranks that share it, then the other columns in their order.
 */
static unsigned place_of(const struct wl_axis_rule *rule, enum wl_axis axis, unsigned col)
{
	if (col == rule->first + axis)
		return 0;
	if (col == rule->first + WL_N_AXES)
		return 1;
	return col + 2 - (col > rule->first + axis) - (col > rule->first + WL_N_AXES);
}

static bool is_shown(const struct wl_axis_rule *rule, enum wl_axis axis, unsigned col)
{
	uint64_t shown = rule->keys | rule->sums | rule->most | bit(rule->first + axis) |
			 bit(rule->first + WL_N_AXES);

	for (size_t i = 0; i < WL_MAX_AXIS_RATIOS && rule->ratio[i].of; i++)
		shown |= bit(rule->ratio[i].col);
	return shown >> col & 1;
}

void wl_axis_table(const struct wl_analysis *a, enum wl_axis axis, struct wl_arena *arena,
		   struct wl_table *out)
{
	struct wl_col *cols = WL_NEW(arena, struct wl_col, a->n_cols);

	for (unsigned i = 0; cols && i < a->n_cols; i++)
		cols[place_of(a->axes, axis, i)] = a->cols[i];
	/* The coordinate now identifies the row: narrow tables must not drop it. */
	if (cols)
		cols[0].flags = WL_KEY;
	wl_table_init(out, arena, cols ? cols : a->cols, a->n_cols);
	out->failed = out->failed || !cols;
	for (unsigned i = 0; i < a->n_cols; i++) {
		if (!is_shown(a->axes, axis, i))
			wl_table_hide(out, place_of(a->axes, axis, i));
	}
}

struct grouping {
	const struct wl_table *rows;
	struct wl_table *out;
	const struct wl_axis_rule *rule;
	enum wl_axis by;
	unsigned axis; /* its column in rows */
};

/* The place of a column of rows in the answer. */
static unsigned to(const struct grouping *g, unsigned col)
{
	return place_of(g->rule, g->by, col);
}

/* Text compares alphabetically; unset cells come last. */
static int compare_cells(const struct wl_table *t, unsigned col, uint32_t a, uint32_t b)
{
	struct wl_cell x = wl_table_at(t, a, col), y = wl_table_at(t, b, col);

	if (!x.set || !y.set)
		return y.set - x.set;
	if (wl_type_is_text(t->cols[col].type))
		return strcmp(x.str, y.str);
	return (x.i64 > y.i64) - (x.i64 < y.i64);
}

/* By coordinate, then keys. */
static int compare_groups(const struct grouping *g, uint32_t a, uint32_t b)
{
	int order = compare_cells(g->rows, g->axis, a, b);

	for (unsigned col = 0; order == 0 && col < g->rows->n_cols; col++) {
		if (g->rule->keys >> col & 1)
			order = compare_cells(g->rows, col, a, b);
	}
	return order;
}

static int compare_ranks(const struct grouping *g, uint32_t a, uint32_t b)
{
	int order = compare_cells(g->rows, g->rule->rank, a, b);

	return order ? order : compare_cells(g->rows, g->rule->device, a, b);
}

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	int order = compare_groups(ctx, a, b);

	order = order ? order : compare_ranks(ctx, a, b);
	return order ? order < 0 : a < b;
}

static bool is_real(enum wl_type type)
{
	return type == WL_T_RATIO || type == WL_T_RATE || type == WL_T_REAL;
}

/* The sum or maximum of a column over rows; unset if no row has it. */
static void put_figure(const struct grouping *g, unsigned col, const uint32_t *row, size_t n)
{
	bool is_sum = g->rule->sums >> col & 1, is_f64 = is_real(g->rows->cols[col].type);
	int64_t whole = 0;
	double real = 0;
	size_t n_set = 0;

	for (size_t i = 0; i < n; i++) {
		struct wl_cell cell = wl_table_at(g->rows, row[i], col);

		if (!cell.set)
			continue;
		if (is_f64)
			real = is_sum || cell.f64 > real || n_set == 0 ? real * is_sum + cell.f64
								       : real;
		else if (is_sum)
			whole = wl_add_up(whole, cell.i64);
		else
			whole = n_set && whole > cell.i64 ? whole : cell.i64;
		n_set++;
	}
	if (n_set && is_f64)
		wl_put_f64(g->out, to(g, col), real);
	else if (n_set)
		wl_put_i64(g->out, to(g, col), whole);
}

static int64_t sum_at(const struct grouping *g, unsigned col)
{
	struct wl_cell cell = { .set = false };

	if (!g->out->failed)
		cell = wl_table_at(g->out, g->out->n_rows - 1, to(g, col));

	return cell.set ? cell.i64 : 0;
}

static void put_cell(const struct grouping *g, unsigned col, uint32_t row)
{
	struct wl_cell cell = wl_table_at(g->rows, row, col);

	if (!cell.set)
		return;
	if (wl_type_is_text(g->rows->cols[col].type))
		wl_put_str(g->out, to(g, col), cell.str);
	else
		wl_put_i64(g->out, to(g, col), cell.i64);
}

/* Returns the number of ranks in the group. */
static int64_t put_group(const struct grouping *g, const uint32_t *row, size_t n)
{
	const struct wl_axis_rule *rule = g->rule;
	int64_t n_ranks = 1;

	wl_table_row(g->out);
	for (size_t i = 1; i < n; i++)
		n_ranks += compare_ranks(g, row[i - 1], row[i]) != 0;
	wl_put_i64(g->out, to(g, rule->first + WL_N_AXES), n_ranks);
	for (unsigned col = 0; col < g->rows->n_cols; col++) {
		if (col == g->axis || rule->keys >> col & 1)
			put_cell(g, col, row[0]);
		else if ((rule->sums | rule->most) >> col & 1)
			put_figure(g, col, row, n);
	}
	/* Ratios of the sums, not means of ratios: ranks are weighted by their time. */
	for (size_t i = 0; i < WL_MAX_AXIS_RATIOS && rule->ratio[i].of; i++) {
		const struct wl_axis_ratio *r = &rule->ratio[i];
		int64_t less = r->less == r->of ? 0 : sum_at(g, r->less);

		wl_put_ratio(g->out, to(g, r->col), sum_at(g, r->have) - less, sum_at(g, r->of));
	}
	return n_ranks;
}

static void copy_notes(const struct wl_table *rows, struct wl_table *out)
{
	for (const struct wl_note *n = rows->notes; n; n = n->next)
		wl_table_copy_note(out, n);
	for (size_t i = 0; i < rows->n_coverage; i++) {
		const struct wl_coverage *c = &rows->coverage[i];

		if (c->type == WL_T_NS)
			wl_table_cover_ns(out, c->name, c->have, c->of);
		else
			wl_table_cover(out, c->name, c->have, c->of);
	}
}

static int no_coordinates(const struct wl_analysis *a, enum wl_axis axis, struct wl_err *reterr)
{
	const char *key = a->cols[a->axes->first + axis].key;

	if (axis == WL_AXIS_HOST)
		return wl_fail(reterr, WL_E_NODATA, "--by host: no file names its host");
	return wl_fail(reterr, WL_E_NODATA,
		       "--by %s: no rank says its %s; say it in an NVTX range, for example "
		       "\"rank=3; %s=1/2\"",
		       key, key, key);
}

int wl_axis_check(const struct wl_analysis *a, enum wl_axis axis, const struct wl_run *run,
		  struct wl_err *reterr)
{
	for (size_t i = 0; i < run->trace->n_processes; i++) {
		const struct wl_mesh *mesh = &run->derived->meshes->of[i];

		if (axis == WL_AXIS_HOST ? mesh->host != WL_NONE : mesh->at[axis] >= 0)
			return WL_OK;
	}
	return no_coordinates(a, axis, reterr);
}

int wl_axis_group(const struct wl_analysis *a, enum wl_axis axis, const struct wl_table *rows,
		  struct wl_table *out, struct wl_err *reterr)
{
	const struct grouping g = {
		.rows = rows, .out = out, .rule = a->axes, .by = axis, .axis = a->axes->first + axis
	};
	uint32_t *order = WL_NEW(out->arena, uint32_t, 2 * rows->n_rows);
	bool is_sum = false;
	size_t n_set = 0;

	if (!order || rows->failed || out->failed)
		return wl_no_memory(a, reterr);
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		order[i] = i;
		n_set += wl_table_at(rows, i, g.axis).set;
	}
	if (n_set == 0 && rows->n_rows)
		return no_coordinates(a, axis, reterr);
	wl_sort_index(order, rows->n_rows, order + rows->n_rows, row_less, &g);
	for (size_t i = 0, end; i < rows->n_rows; i = end) {
		for (end = i + 1;
		     end < rows->n_rows && compare_groups(&g, order[i], order[end]) == 0; end++)
			;
		is_sum |= put_group(&g, order + i, end - i) > 1;
	}
	copy_notes(rows, out);
	if (is_sum)
		wl_table_note(out, "times are sums over the ranks of a row");
	return WL_OK;
}
