/* SPDX-License-Identifier: MIT */
#include "agent/route/answer_rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/attr.h"
#include "known/kernels/labels.h"
#include "render/words/human.h"

enum { MAX_NAME = 80 };

bool wl_said_has(const struct wl_answer_rows *r, const char *key)
{
	size_t col;

	return wl_table_find_col(r->v->table, key, &col) != NULL;
}

struct wl_cell wl_said_at(const struct wl_answer_rows *r, size_t i, const char *key)
{
	size_t col;

	if (!wl_table_find_col(r->v->table, key, &col))
		return (struct wl_cell){ .set = false };
	return wl_table_at(r->v->table, r->v->rows[i], col);
}

int64_t wl_said_whole(const struct wl_answer_rows *r, size_t i, const char *key)
{
	const struct wl_cell cell = wl_said_at(r, i, key);

	return cell.set ? cell.i64 : 0;
}

int64_t wl_said_sum(const struct wl_answer_rows *r, const char *key)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->v->n_total; i++)
		sum += wl_said_whole(r, i, key);
	return sum;
}

size_t wl_said_most(const struct wl_answer_rows *r, const char *key)
{
	size_t best = 0;

	for (size_t i = 1; i < r->v->n_total; i++) {
		if (wl_said_whole(r, i, key) > wl_said_whole(r, best, key))
			best = i;
	}
	return best;
}

size_t wl_said_least(const struct wl_answer_rows *r, const char *key)
{
	size_t best = 0;

	for (size_t i = 1; i < r->v->n_total; i++) {
		if (wl_said_whole(r, i, key) < wl_said_whole(r, best, key))
			best = i;
	}
	return best;
}

double wl_said_share(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

bool wl_said_is(const struct wl_answer_rows *r, size_t i, const char *key, const char *text)
{
	const struct wl_cell cell = wl_said_at(r, i, key);

	return cell.set && cell.str && strcmp(cell.str, text) == 0;
}

void wl_said_put(const struct wl_answer_rows *r, size_t i, const char *key)
{
	(void)wl_said_put_cell(r->p, r->v, r->v->rows[i], key);
}

void wl_said_put_ns(const struct wl_answer_rows *r, int64_t ns)
{
	char buf[WL_UNITS_BUF];

	wl_prose_put(r->p, wl_fmt_ns(buf, ns, WL_UNIT_AUTO));
}

/*
 * The label of a kernel's name as the table has it: made among the names of the rows shown, plus
 * this row if it is not shown.
 */
static const char *label_of(const struct wl_view *v, size_t row, size_t col, struct wl_arena *arena)
{
	const char **names = WL_NEW(arena, const char *, v->n_rows + 1);
	size_t n = 1;

	if (!names)
		return wl_table_at(v->table, row, col).str;
	names[0] = wl_table_at(v->table, row, col).str;
	for (size_t i = 0; i < v->n_rows; i++) {
		struct wl_cell cell = wl_table_at(v->table, v->rows[i], col);

		if (cell.set)
			names[n++] = cell.str;
	}
	return wl_kernel_labels(names, n, arena, names) ? names[0]
							: wl_table_at(v->table, row, col).str;
}

/* Longer texts are cut at the end of a character. */
static void put_cut(struct wl_prose *p, const char *text)
{
	size_t n = strlen(text);

	if (n <= MAX_NAME) {
		wl_prose_put_n(p, text, n);
		return;
	}
	for (n = MAX_NAME; n && ((unsigned char)text[n] & 0xC0) == 0x80; n--)
		continue;
	wl_prose_put_n(p, text, n);
	wl_prose_put(p, "...");
}

bool wl_said_put_cell(struct wl_prose *p, const struct wl_view *v, size_t row, const char *key)
{
	char buf[WL_UNITS_BUF];
	const struct wl_col *col;
	struct wl_cell cell;
	const char *text;
	size_t at;

	col = wl_table_find_col(v->table, key, &at);
	cell = col ? wl_table_at(v->table, row, at) : (struct wl_cell){ .set = false };
	if (!cell.set)
		return false;
	if (col->flags & WL_PROSE) { /* whole */
		wl_prose_put(p, cell.str);
		return true;
	}
	text = col->type == WL_T_STR ? label_of(v, row, at, p->arena)
				     : wl_human_cell(col, cell, WL_UNIT_AUTO, buf);
	put_cut(p, text);
	return *text != '\0';
}

bool wl_said_put_name(const struct wl_answer_rows *r, size_t i)
{
	static const char *const names[] = { "name", "kernel", "category", "scenario", "phase",
					     "type", "kind",   "cause",    "file",     "what" };

	/* In a table of GPUs, the name is the GPU model's. */
	for (size_t k = wl_said_has(r, "busy_share"); k < WL_COUNT(names); k++) {
		if (wl_said_put_cell(r->p, r->v, r->v->rows[i], names[k]))
			return true;
	}
	return false;
}

bool wl_said_put_place(const struct wl_answer_rows *r, size_t i)
{
	static const struct {
		const char *key, *says;
	} places[] = { { "rank", "rank " },
		       { "device", "GPU " },
		       { "tid", "thread " },
		       { "pid", "process " } };

	for (size_t k = 0; k < WL_COUNT(places); k++) {
		const struct wl_cell cell = wl_said_at(r, i, places[k].key);

		if (!cell.set)
			continue;
		wl_prose_say(r->p, "%s%" PRId64, places[k].says, cell.i64);
		return true;
	}
	return false;
}

/* Whether rows belong to ranks, GPUs, threads or processes. */
static bool has_places(const struct wl_answer_rows *r)
{
	return wl_said_at(r, 0, "rank").set || wl_said_at(r, 0, "device").set ||
	       wl_said_at(r, 0, "tid").set || wl_said_at(r, 0, "pid").set;
}

void wl_said_put_row(const struct wl_answer_rows *r, size_t i)
{
	bool is_named = wl_said_put_name(r, i);

	if (wl_said_at(r, i, "iter").set)
		wl_prose_say(r->p, "%sstep %" PRId64, is_named ? " in " : "",
			     wl_said_whole(r, i, "iter"));
	is_named = is_named || wl_said_at(r, i, "iter").set;
	if (is_named && has_places(r))
		wl_prose_put(r->p, " on ");
	(void)wl_said_put_place(r, i);
}
