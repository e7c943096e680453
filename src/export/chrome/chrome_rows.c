/* SPDX-License-Identifier: MIT */
#include "export/chrome/chrome_rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"

void wl_chrome_rows_init(struct wl_chrome_rows *rows, struct wl_budget *budget)
{
	wl_arena_init_on(&rows->arena, budget);
	wl_vec_init(&rows->at, sizeof(struct wl_chrome_row), budget);
}

struct wl_chrome_row *wl_chrome_rows_get(const struct wl_chrome_rows *rows, uint32_t id)
{
	assert(id > 0 && id <= rows->at.n);
	return (struct wl_chrome_row *)rows->at.data + (id - 1);
}

void wl_chrome_rows_release(struct wl_chrome_rows *rows)
{
	for (uint32_t id = 1; id <= rows->at.n; id++)
		wl_chrome_pending_release(&wl_chrome_rows_get(rows, id)->pending);
	wl_vec_release(&rows->at);
	wl_arena_release(&rows->arena);
}

static const char *join(struct wl_chrome_rows *rows, const char *a, const char *between,
			const char *b)
{
	size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
	char *text = WL_NEW(&rows->arena, char, size);

	if (text)
		(void)snprintf(text, size, "%s%s%s", a, between, b);
	return text;
}

/* Names may be missing or equal; numbers are not. */
static const char *with_number(struct wl_chrome_rows *rows, const char *kind, uint32_t number,
			       const char *name)
{
	char words[32];

	(void)snprintf(words, sizeof(words), "%s %u", kind, number);
	return strcmp(name, kind) == 0 ? join(rows, words, "", "") : join(rows, words, " ", name);
}

/* thread: the THREAD row that it is below, 0 for none; ignored for a THREAD row. */
static const char *make_label(struct wl_chrome_rows *rows, const struct wl_emit_row *row,
			      uint32_t thread)
{
	if (row->kind == WL_EMIT_PROCESS)
		return with_number(rows, "Process", row->pid, row->name);
	if (row->kind == WL_EMIT_THREAD)
		return with_number(rows, "Thread", row->tid, row->name);
	if (thread)
		return join(rows, wl_chrome_rows_get(rows, thread)->label, " / ", row->name);
	return join(rows, row->name, "", "");
}

bool wl_chrome_rows_add(struct wl_chrome_rows *rows, const struct wl_emit_row *row)
{
	struct wl_chrome_row r = {
		.kind = row->kind,
		.parent = row->parent,
		.order = row->order,
		.process = row->id,
		.decimals = row->decimals,
	};
	bool holds_rows = row->kind == WL_EMIT_GROUP || row->kind == WL_EMIT_PROCESS;

	assert(row->id == rows->at.n + 1 && row->parent < row->id);
	if (row->parent > 0) {
		const struct wl_chrome_row *parent = wl_chrome_rows_get(rows, row->parent);
		const struct wl_chrome_row *process = wl_chrome_rows_get(rows, parent->process);

		r.depth = parent->depth + 1;
		r.thread = parent->thread;
		if (process->kind == WL_EMIT_PROCESS || !holds_rows)
			r.process = parent->process;
	}
	if (row->kind == WL_EMIT_THREAD)
		r.thread = row->id;
	wl_vec_init(&r.pending.args, 1, rows->at.budget);
	r.label = make_label(rows, row, r.thread);
	if (row->kind == WL_EMIT_COUNTER)
		r.unit = join(rows, row->unit, "", "");
	if (!r.label || (row->kind == WL_EMIT_COUNTER && !r.unit))
		return false;
	wl_vec_push(&rows->at, &r);
	return !rows->at.failed;
}

bool wl_chrome_pending_set(struct wl_chrome_pending *p, const struct wl_emit_slice *slice)
{
	size_t n_bytes = slice->n_args * sizeof(struct wl_emit_arg);
	struct wl_emit_arg *arg;
	char *text;

	for (size_t i = 0; i < slice->n_args; i++) {
		if (slice->args[i].type == WL_ARG_TEXT)
			n_bytes += strlen(slice->args[i].text) + 1;
	}
	p->slice = *slice;
	p->args.n = 0;
	p->is_there = true;
	if (n_bytes == 0)
		return true;
	arg = wl_vec_extend(&p->args, n_bytes);
	if (!arg)
		return false;
	memcpy(arg, slice->args, slice->n_args * sizeof(*arg));
	p->slice.args = arg;
	text = (char *)(arg + slice->n_args);
	for (size_t i = 0; i < slice->n_args; i++) {
		if (arg[i].type == WL_ARG_TEXT) {
			size_t size = strlen(arg[i].text) + 1;

			arg[i].text = memcpy(text, arg[i].text, size);
			text += size;
		}
	}
	return true;
}

void wl_chrome_pending_release(struct wl_chrome_pending *p)
{
	p->is_there = false;
	wl_vec_release(&p->args);
}

static bool stands_above(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_chrome_rows *rows = ctx;
	const struct wl_chrome_row *x = wl_chrome_rows_get(rows, a);
	const struct wl_chrome_row *y = wl_chrome_rows_get(rows, b);
	bool a_is_higher = x->depth < y->depth;

	while (x->depth > y->depth)
		x = wl_chrome_rows_get(rows, x->parent);
	while (y->depth > x->depth)
		y = wl_chrome_rows_get(rows, y->parent);
	if (x == y)
		return a_is_higher;
	while (x->parent != y->parent) {
		x = wl_chrome_rows_get(rows, x->parent);
		y = wl_chrome_rows_get(rows, y->parent);
	}
	return x->order < y->order;
}

const uint32_t *wl_chrome_rows_order(struct wl_chrome_rows *rows)
{
	size_t n = rows->at.n;
	uint32_t *id = WL_NEW(&rows->arena, uint32_t, n), *tmp = WL_NEW(&rows->arena, uint32_t, n);

	if (!id || !tmp)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		id[i] = i + 1;
	wl_sort_index(id, n, tmp, stands_above, rows);
	return id;
}
