/* SPDX-License-Identifier: MIT */
#include "derive/kinds/activity.h"

#include "base/memory/bound.h"
#include "base/memory/sort.h"
#include "base/process/pool.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"

enum { N_TRACKS = WL_N_CLASSES + 1 };

/*
 * Operations come in order of start, so each class is under way until the latest
 * end seen so far: one number per class is all the state a union needs.
 */
struct cutting {
	bool began;
	wl_ns now;
	wl_ns until[N_TRACKS];
	wl_ns *begin;
	uint8_t *mask;
	size_t n;
};

static void add_piece(struct cutting *c, wl_ns begin, unsigned mask)
{
	if (c->n && c->mask[c->n - 1] == mask)
		return;
	c->begin[c->n] = begin;
	c->mask[c->n++] = (uint8_t)mask;
}

/* Advance to a later time, cutting wherever a class ends. */
static void advance(struct cutting *c, wl_ns to)
{
	while (c->now < to) {
		unsigned mask = 0;
		wl_ns next = to;

		for (unsigned i = 0; i < N_TRACKS; i++) {
			if (c->until[i] <= c->now)
				continue;
			mask |= 1U << i;
			next = c->until[i] < next ? c->until[i] : next;
		}
		add_piece(c, c->now, mask);
		c->now = next;
	}
}

static void take(struct cutting *c, const struct wl_op *op, enum wl_class class)
{
	if (op->end == op->start)
		return;
	if (!c->began) {
		c->began = true;
		c->now = op->start;
		for (unsigned i = 0; i < N_TRACKS; i++)
			c->until[i] = op->start;
	}
	advance(c, op->start);
	if (c->until[class] < op->end)
		c->until[class] = op->end;
	if (op->family == WL_F_KERNELS && c->until[WL_N_CLASSES] < op->end)
		c->until[WL_N_CLASSES] = op->end;
}

/* After the last operation: advance until no class is under way. */
static void finish(struct cutting *c)
{
	wl_ns last = c->now;

	for (unsigned i = 0; i < N_TRACKS; i++)
		last = c->until[i] > last ? c->until[i] : last;
	advance(c, last);
	c->begin[c->n] = last;
}

bool wl_activity_of_device(const struct wl_trace *trace, const struct wl_scope *scope,
			   const struct wl_classes *classes, uint32_t device,
			   struct wl_arena *arena, struct wl_activity *ret)
{
	struct wl_op_cursor cursor;
	struct cutting c = { .n = 0 };
	size_t n_ops = 0;
	struct wl_op op;

	wl_ops_begin(trace, device, &cursor);
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		n_ops += cursor.end[i] - cursor.row[i];
	/* A segment begins where an operation starts or ends, so there are at most two of each. */
	c.begin = WL_NEW(arena, wl_ns, 2 * n_ops + 1);
	c.mask = WL_NEW(arena, uint8_t, 2 * n_ops + 1);
	if (!c.begin || !c.mask)
		return false;
	while (wl_ops_next(&cursor, &op)) {
		if (!scope || scope->place_on[op.place])
			take(&c, &op, wl_class_of(trace, classes, op.family, op.row));
	}
	finish(&c);
	*ret = (struct wl_activity){ device, c.n, c.begin, c.mask };
	return true;
}

static bool is_on(const struct wl_activity *a, unsigned wanted, size_t i)
{
	return (a->mask[i] & wanted) != 0;
}

size_t wl_activity_after(const struct wl_activity *a, wl_ns at)
{
	return WL_UPTO(a->begin + 1, a->n, at);
}

wl_ns wl_activity_resumed(const struct wl_activity *a, wl_ns upto)
{
	size_t i = wl_activity_after(a, upto);

	while (i > 0 && a->mask[i - 1] != 0)
		i--;
	return i > 0 ? a->begin[i] : INT64_MIN;
}

/* The segments [*lo, *hi) that have a part in the window. */
static void clip(const struct wl_activity *a, const struct wl_interval *window, size_t *lo,
		 size_t *hi)
{
	*lo = 0;
	*hi = window && window->begin >= window->end ? 0 : a->n;
	if (!window || *hi == 0)
		return;
	*lo = wl_activity_after(a, window->begin);
	*hi = WL_BELOW(a->begin, a->n, window->end);
	*hi = *hi > *lo ? *hi : *lo;
}

/* Adjacent segments with wanted bits become one interval. */
bool wl_activity_intervals(const struct wl_activity *activity, unsigned wanted,
			   const struct wl_interval *window, struct wl_arena *arena,
			   struct wl_intervals *ret)
{
	struct wl_interval *at;
	size_t lo, hi, n = 0, k = 0;
	wl_ns *before;

	clip(activity, window, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		n += is_on(activity, wanted, i) && (i == lo || !is_on(activity, wanted, i - 1));
	at = WL_NEW(arena, struct wl_interval, n);
	before = WL_NEW(arena, wl_ns, n + 1);
	if (!at || !before)
		return false;
	for (size_t i = lo; i < hi; i++) {
		if (!is_on(activity, wanted, i))
			continue;
		if (i == lo || !is_on(activity, wanted, i - 1))
			at[k++].begin = activity->begin[i];
		at[k - 1].end = activity->begin[i + 1];
	}
	if (n && window && at[0].begin < window->begin)
		at[0].begin = window->begin;
	if (n && window && at[n - 1].end > window->end)
		at[n - 1].end = window->end;
	for (size_t i = 0; i < n; i++)
		before[i + 1] = before[i] + (at[i].end - at[i].begin);
	*ret = (struct wl_intervals){ n, at, before };
	return true;
}

struct finding {
	const struct wl_derived *given;
	const struct wl_scope *scope;
	const struct wl_activity *all; /* by device; NULL while these are being found */
	bool *is_part;                 /* by device: the scope excludes one of its places */
	struct wl_activity *device;
};

static bool find_device(void *ctx, size_t i, struct wl_arena *arena)
{
	struct finding *f = ctx;
	const struct wl_derived *d = f->given;

	if (!f->scope->device_on[i])
		return true;
	if (f->all && !f->is_part[i]) {
		f->device[i] = f->all[i];
		return true;
	}
	return wl_activity_of_device(d->trace, f->all ? f->scope : NULL, d->classes, (uint32_t)i,
				     arena, &f->device[i]);
}

static bool find(struct finding *f, struct wl_arena *arena, struct wl_activities *ret)
{
	const struct wl_trace *t = f->given->trace;
	size_t n = t->n_devices;

	f->device = WL_NEW(arena, struct wl_activity, n);
	f->is_part = WL_NEW(arena, bool, n);
	if (!f->device || !f->is_part)
		return false;
	for (size_t i = 0; i < t->n_places; i++) {
		/* A place that only has synchronisations has no device. */
		if (t->places[i].device != WL_NONE && !f->scope->place_on[i])
			f->is_part[t->places[i].device] = true;
	}
	ret->device = f->device;
	return wl_pool_map(f->given->opts.pool, n, find_device, f, arena);
}

bool wl_all_activity_find(const struct wl_derived *given, const struct wl_scope *scope,
			  struct wl_arena *arena, struct wl_activities *ret)
{
	return find(&(struct finding){ .given = given, .scope = scope }, arena, ret);
}

bool wl_activity_find(const struct wl_derived *given, const struct wl_scope *scope,
		      struct wl_arena *arena, struct wl_activities *ret)
{
	return find(&(struct finding){ .given = given,
				       .scope = scope,
				       .all = given->all_activity->device },
		    arena, ret);
}
