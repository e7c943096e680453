/* SPDX-License-Identifier: MIT */
#include "derive/kinds/category_times.h"

#include "base/memory/sort.h"
#include "base/num.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"
#include "known/exports/codes.h"

enum { BY_COUNT = WL_MAX_CATEGORIES + 1 }; /* possible numbers of categories under way: 0 to all */

/* --- names ----------------------------------------------------------------- */

/* No category has this number: there are at most WL_MAX_CATEGORIES. */
enum { UNSEEN = UINT8_MAX };

static bool look_up(const struct wl_category_rules *rules, const char *name,
		    const struct wl_kernel_facts *facts, uint8_t *ret, size_t *n_given_up)
{
	int category = wl_category_of_name(rules, name, facts, n_given_up);

	if (category >= 0)
		*ret = (uint8_t)category;
	return category >= 0;
}

/* Kernels that share a demangled name but differ in short names are looked up once. */
static bool map_kernels(const struct wl_trace *t, const struct wl_named *named,
			const struct wl_category_rules *rules, struct wl_arena *arena,
			struct wl_category_map *ret)
{
	uint8_t *of_name = WL_NEW(arena, uint8_t, t->n_kernel_names);
	uint8_t *of_string = WL_NEW(arena, uint8_t, t->strings.n);
	bool ok = of_name && of_string;

	for (size_t i = 0; ok && i < t->strings.n; i++)
		of_string[i] = UNSEEN;
	for (size_t i = 0; ok && i < t->n_kernel_names; i++) {
		uint32_t string = t->kernel_names[i].demangled;
		uint8_t *known = string < t->strings.n ? &of_string[string] : NULL;

		if (known && *known != UNSEEN) {
			of_name[i] = *known;
			continue;
		}
		ok = look_up(rules, wl_str(t, string), &named->kernel[i], &of_name[i],
			     &ret->n_given_up);
		if (ok && known)
			*known = of_name[i];
	}
	ret->of_kernel_name = of_name;
	return ok;
}

bool wl_category_map_make(const struct wl_trace *trace, const struct wl_named *named,
			  const struct wl_category_rules *rules, struct wl_arena *arena,
			  struct wl_category_map *ret)
{
	static const struct wl_kernel_facts memory = { .category = WL_CATEGORY_MEMORY };
	bool seen[UINT8_MAX + 1] = { false };
	const uint8_t *kind = wl_memcpys_kind(trace);

	*ret = (struct wl_category_map){ .of_graph = rules->graph };
	/*
	 * Only kinds that occur are looked up, because the user's rules are expressions, which cost
	 * time and can give up.
	 */
	for (size_t i = 0; kind && i < trace->family[WL_F_MEMCPYS].n; i++)
		seen[kind[i]] = true;
	for (unsigned k = 0; k <= UINT8_MAX; k++) {
		if (seen[k] && !look_up(rules, wl_copy_kind_title(k), &memory,
					&ret->of_copy_kind[k], &ret->n_given_up))
			return false;
	}
	if (trace->family[WL_F_MEMSETS].n &&
	    !look_up(rules, "[CUDA memset]", &memory, &ret->of_memset, &ret->n_given_up))
		return false;
	return map_kernels(trace, named, rules, arena, ret);
}

bool wl_category_map_generic(const struct wl_trace *trace, const struct wl_named *named,
			     struct wl_arena *arena, struct wl_category_rules *rules,
			     struct wl_category_map *ret)
{
	static const struct wl_rule_choice generic = { .engine = "generic" };

	return wl_category_rules_init(rules, &generic, wl_arena_budget(arena), NULL) == WL_OK &&
	       wl_category_map_make(trace, named, rules, arena, ret);
}

uint8_t wl_category_of_op(const struct wl_trace *trace, const struct wl_category_map *map,
			  enum wl_op_kind kind, size_t row)
{
	switch (kind) {
	case WL_OP_KERNEL:
		return map->of_kernel_name[wl_kernels_name(trace)[row]];
	case WL_OP_MEMCPY:
		return map->of_copy_kind[wl_memcpys_kind(trace)[row]];
	case WL_OP_MEMSET:
		return map->of_memset;
	case WL_OP_GRAPH:
	case WL_N_OP_FAMILIES:
		break;
	}
	return map->of_graph;
}

/* --- shares ---------------------------------------------------------------- */

static wl_u128 gcd(wl_u128 a, wl_u128 b)
{
	while (b) {
		wl_u128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A common multiple of all counts: about 2^92 for 64, which leaves room for sums of 64 parts. */
static wl_u128 common_multiple(void)
{
	wl_u128 m = 1;

	for (unsigned k = 2; k <= WL_MAX_CATEGORIES; k++)
		m = m / gcd(m, k) * k;
	return m;
}

void wl_category_shares(const wl_ns *ns, size_t n, wl_ns *ret)
{
	const wl_u128 unit = common_multiple();
	wl_u128 rest[WL_MAX_CATEGORIES] = { 0 }, left = 0;

	for (size_t c = 0; c < n; c++) {
		ret[c] = 0;
		for (unsigned k = 1; k < BY_COUNT; k++) {
			wl_ns v = ns[c * BY_COUNT + k];

			ret[c] += v / k;
			rest[c] += (wl_u128)(v % k) * (unit / k);
		}
		ret[c] += (wl_ns)(rest[c] / unit);
		rest[c] %= unit;
		left += rest[c];
	}
	/* The remainder is whole, because each stretch with k categories counts k times. */
	for (left /= unit; left > 0; left--) {
		/*
		 * Largest remainder first, on a tie the lower number. Fewer units are left than
		 * categories, so no remainder is used twice.
		 */
		size_t best = 0;

		for (size_t c = 1; c < n; c++)
			best = rest[c] > rest[best] ? c : best;
		ret[best]++;
		rest[best] = 0;
	}
}

/* --- the sweep ------------------------------------------------------------- */

/* An operation with a part in the window. */
struct part {
	wl_ns start; /* when it started, maybe before the window */
	wl_ns end;   /* of the part */
	uint32_t stream;
	uint8_t category;
};

struct sweeping {
	struct wl_interval window;
	bool whole;
	enum wl_attribution how;
	const struct part *part;
	const uint32_t *order; /* parts by start, stream and row */
	size_t n;
	uint32_t *heap; /* positions in `order` of parts under way, the first to end on top */
	size_t n_heap;
	uint32_t *stack; /* positions in `order`, the last to start on top; ended ones stay below */
	size_t n_stack;
	size_t first;                     /* no earlier position is under way */
	uint32_t n_on[WL_MAX_CATEGORIES]; /* operations under way */
	uint8_t on[WL_MAX_CATEGORIES];    /* categories under way, in any order */
	size_t n_categories_on;
	wl_ns now, busy;
	wl_ns ns[WL_MAX_CATEGORIES * BY_COUNT]; /* see wl_category_shares */
	wl_ns owned[WL_MAX_CATEGORIES];
};

static const struct part *part_at(const struct sweeping *s, size_t position)
{
	return &s->part[s->order[position]];
}

static wl_ns begin_of(const struct sweeping *s, const struct part *p)
{
	return !s->whole && p->start < s->window.begin ? s->window.begin : p->start;
}

static uint8_t owner(struct sweeping *s)
{
	if (s->how == WL_ATTRIBUTE_FIRST) {
		/*
		 * Called only while something is under way, so both walks end; each position is
		 * passed once.
		 */
		while (part_at(s, s->first)->end <= s->now)
			s->first++;
		return part_at(s, s->first)->category;
	}
	while (part_at(s, s->stack[s->n_stack - 1])->end <= s->now)
		s->n_stack--;
	return part_at(s, s->stack[s->n_stack - 1])->category;
}

/* Account for the time up to t, in which nothing starts or ends. */
static void advance(struct sweeping *s, wl_ns t)
{
	wl_ns length = t - s->now;

	if (length > 0 && s->n_categories_on) {
		for (size_t i = 0; i < s->n_categories_on; i++)
			s->ns[(size_t)s->on[i] * BY_COUNT + s->n_categories_on] += length;
		s->busy += length;
		if (s->how != WL_ATTRIBUTE_SHARE)
			s->owned[owner(s)] += length;
	}
	s->now = t;
}

static bool ends_before(const struct sweeping *s, uint32_t a, uint32_t b)
{
	return part_at(s, a)->end < part_at(s, b)->end;
}

static void heap_push(struct sweeping *s, uint32_t position)
{
	size_t i = s->n_heap++;

	for (; i && ends_before(s, position, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = position;
}

static uint32_t heap_pop(struct sweeping *s)
{
	uint32_t top = s->heap[0], last = s->heap[--s->n_heap];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->n_heap) {
		if (child + 1 < s->n_heap && ends_before(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (!ends_before(s, s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	if (s->n_heap)
		s->heap[i] = last;
	return top;
}

static void begin_part(struct sweeping *s, uint32_t position)
{
	uint8_t category = part_at(s, position)->category;

	heap_push(s, position);
	s->stack[s->n_stack++] = position;
	if (s->n_on[category]++ == 0)
		s->on[s->n_categories_on++] = category;
}

static void end_part(struct sweeping *s, uint32_t position)
{
	uint8_t category = part_at(s, position)->category;
	size_t i = 0;

	if (--s->n_on[category])
		return;
	while (s->on[i] != category)
		i++;
	s->on[i] = s->on[--s->n_categories_on];
}

static void end_parts_upto(struct sweeping *s, wl_ns t)
{
	while (s->n_heap && part_at(s, s->heap[0])->end <= t) {
		advance(s, part_at(s, s->heap[0])->end);
		end_part(s, heap_pop(s));
	}
}

static void sweep(struct sweeping *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		wl_ns begin = begin_of(s, part_at(s, i));

		end_parts_upto(s, begin);
		advance(s, begin);
		if (part_at(s, i)->end > begin)
			begin_part(s, i);
	}
	end_parts_upto(s, INT64_MAX);
}

/* The device's operations that the scope admits; NULL when the arena is exhausted. */
static struct part *take_parts(const struct wl_category_question *q, struct wl_arena *arena,
			       size_t *ret_n)
{
	const struct wl_trace *t = q->trace;
	const struct wl_scope *scope = q->scope;
	struct wl_op_cursor cursor;
	struct part *part;
	struct wl_op op;
	size_t n = 0;

	wl_ops_begin(t, q->device, &cursor);
	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		n += cursor.end[i] - cursor.row[i];
	part = WL_NEW(arena, struct part, n);
	n = 0;
	while (part && wl_ops_next(&cursor, &op)) {
		wl_ns start = op.start;

		if (!scope->place_on[op.place] ||
		    !wl_clip(scope, scope->device[q->device], &op.start, &op.end))
			continue;
		part[n++] =
			(struct part){ .start = start,
				       .end = op.end,
				       .stream = t->places[op.place].stream,
				       .category = wl_category_of_op(t, q->map, op.kind, op.row) };
	}
	*ret_n = n;
	return part;
}

static bool part_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct part *part = ctx;

	if (part[a].start != part[b].start)
		return part[a].start < part[b].start;
	return part[a].stream < part[b].stream;
}

static void put_times(const struct sweeping *s, size_t n, struct wl_category_time *ret)
{
	wl_ns share[WL_MAX_CATEGORIES] = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		const struct part *p = &s->part[i];

		ret[p->category].instances++;
		ret[p->category].sum = wl_add_up(ret[p->category].sum, p->end - begin_of(s, p));
	}
	if (s->how == WL_ATTRIBUTE_SHARE)
		wl_category_shares(s->ns, n, share);
	for (size_t c = 0; c < n; c++) {
		for (unsigned k = 1; k < BY_COUNT; k++)
			ret[c].active += s->ns[c * BY_COUNT + k];
		/* The time in which only this category is under way. */
		ret[c].exclusive = s->ns[c * BY_COUNT + 1];
		ret[c].elapsed = s->how == WL_ATTRIBUTE_SHARE ? share[c] : s->owned[c];
	}
}

static bool sweep_device(const struct wl_category_question *q, struct sweeping *s,
			 struct wl_arena *arena)
{
	uint32_t *order;

	s->part = take_parts(q, arena, &s->n);
	order = s->part ? WL_NEW(arena, uint32_t, s->n) : NULL;
	s->heap = order ? WL_NEW(arena, uint32_t, s->n) : NULL;
	s->stack = s->heap ? WL_NEW(arena, uint32_t, s->n) : NULL;
	if (!s->stack)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		order[i] = i;
	/*
	 * Operations come by start and family; only runs of equal starts are ordered by stream. The
	 * heap is unused until the sweep and serves as scratch.
	 */
	wl_sort_index(order, s->n, s->heap, part_less, s->part);
	s->order = order;
	s->now = s->n ? begin_of(s, part_at(s, 0)) : 0;
	sweep(s);
	return true;
}

bool wl_category_times_find(const struct wl_category_question *question, struct wl_arena *arena,
			    struct wl_category_time *ret, wl_ns *ret_busy)
{
	struct wl_arena scratch;
	struct sweeping *s;
	bool ok;

	wl_arena_init_child(&scratch, arena);
	/* In the arena rather than on the stack: the matrix of counts alone has 33 KB. */
	s = WL_NEW(&scratch, struct sweeping, 1);
	ok = s != NULL;
	if (ok) {
		s->window = question->scope->device[question->device];
		s->whole = question->scope->whole;
		s->how = question->how;
		ok = sweep_device(question, s, &scratch);
	}
	if (ok) {
		for (size_t c = 0; c < question->n; c++)
			ret[c] = (struct wl_category_time){ .instances = 0 };
		put_times(s, question->n, ret);
		*ret_busy = s->busy;
	}
	wl_arena_release(&scratch);
	return ok;
}
