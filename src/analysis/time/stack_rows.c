/* SPDX-License-Identifier: MIT */
#include "analysis/time/stack_rows.h"

#include <string.h>

#include "base/memory/sort.h"

/* A row before it is put, identified by a number of its kind. */
struct entry {
	const char *function, *module;
	wl_ns total, self;
	uint32_t number; /* stack or thread; WL_NONE for time without a stack */
	uint32_t level;  /* in the tree, from 0 */
};

struct listing {
	const struct wl_stack_rows *rows;
	struct entry *entry;
	size_t n;
	uint32_t *order, *row_of; /* row_of: by stack */
};

static bool is_shown(const struct wl_stack_rows *rows, wl_ns total)
{
	return total > 0 && (double)total >= rows->min * (double)rows->sums.total.all;
}

static void add(struct listing *l, struct entry entry)
{
	if (is_shown(l->rows, entry.total))
		l->entry[l->n++] = entry;
}

/* Allocates n entries, plus one for time without a stack, which is put here. */
static bool begin(struct listing *l, size_t n)
{
	struct wl_arena *arena = l->rows->run->arena;
	size_t cap = n + WL_N_STACK_STATES;

	l->entry = WL_NEW(arena, struct entry, cap);
	l->order = WL_NEW(arena, uint32_t, 2 * cap);
	if (!l->entry || !l->order)
		return false;
	for (unsigned i = 0; i < WL_N_STACK_STATES; i++) {
		wl_ns time = l->rows->sums.total.without[i];

		if (wl_stack_without[i])
			add(l, (struct entry){ .function = wl_stack_without[i],
					       .module = wl_stack_without[i],
					       .total = time,
					       .self = time,
					       .number = WL_NONE });
	}
	return true;
}

static int compare_names(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->module, b->module);
}

/* Orders two stacks of equal length whose innermost frames look alike by the first frames that
 * differ. */
static int compare_callers(const struct listing *l, uint32_t a, uint32_t b)
{
	const struct wl_trace *t = l->rows->run->trace;
	int order = 0;

	while (order == 0 && a != b && a != WL_NONE && b != WL_NONE) {
		const struct wl_stack_frame *fa = &t->frames[t->stacks[a].frame];
		const struct wl_stack_frame *fb = &t->frames[t->stacks[b].frame];

		order = strcmp(wl_str(t, fa->symbol), wl_str(t, fb->symbol));
		if (order == 0)
			order = strcmp(wl_str(t, fa->module), wl_str(t, fb->module));
		a = t->stacks[a].caller;
		b = t->stacks[b].caller;
	}
	return order;
}

static bool entry_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct listing *l = ctx;
	const struct entry *a = &l->entry[ia], *b = &l->entry[ib];
	int order;

	if (a->level != b->level)
		return a->level < b->level;
	if (a->total != b->total)
		return a->total > b->total;
	order = compare_names(a, b);
	if (order == 0 && l->row_of)
		order = compare_callers(l, a->number, b->number);
	return order < 0;
}

static void put_entry(const struct listing *l, const struct entry *e)
{
	struct wl_table *out = l->rows->out;

	wl_table_row(out);
	wl_put_str(out, WL_STACKS_FUNCTION, e->function);
	wl_put_str(out, WL_STACKS_MODULE, e->module);
	wl_put_i64(out, WL_STACKS_TOTAL, e->total);
	wl_put_i64(out, WL_STACKS_SELF, e->self);
	wl_put_ratio(out, WL_STACKS_SHARE, e->total, l->rows->sums.total.all);
}

static void sort_entries(struct listing *l)
{
	wl_sort_all(l->order, l->n, entry_less, l);
}

/* ---- The tree ---- */

static void put_tree(struct listing *l)
{
	const struct wl_stack *stack = l->rows->run->trace->stacks;

	sort_entries(l);
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *e = &l->entry[l->order[i]];

		put_entry(l, e);
		if (e->number == WL_NONE)
			continue;
		/*
		 * Rows are in order of level, and a caller has at least the time of its callees: it
		 * already has a row, however much --min leaves out.
		 */
		l->row_of[e->number] = (uint32_t)i;
		if (stack[e->number].caller != WL_NONE)
			wl_put_parent(l->rows->out, l->row_of[stack[e->number].caller]);
	}
}

/* Callers come before callees: sums propagate up from the end, levels down from the beginning. */
static bool list_stacks(struct listing *l)
{
	const struct wl_trace *t = l->rows->run->trace;
	struct wl_arena *arena = l->rows->run->arena;
	wl_ns *total = WL_NEW(arena, wl_ns, t->n_stacks + 1);
	uint32_t *level = WL_NEW(arena, uint32_t, t->n_stacks + 1);

	l->row_of = WL_NEW(arena, uint32_t, t->n_stacks + 1);
	if (!total || !level || !l->row_of || !begin(l, t->n_stacks))
		return false;
	for (size_t i = t->n_stacks; i-- > 0;) {
		total[i] += l->rows->sums.self[i];
		if (t->stacks[i].caller != WL_NONE)
			total[t->stacks[i].caller] += total[i];
	}
	for (uint32_t i = 0; i < t->n_stacks; i++) {
		const struct wl_stack_frame *frame = &t->frames[t->stacks[i].frame];
		uint32_t caller = t->stacks[i].caller;
		const char *name;

		level[i] = caller == WL_NONE ? 0 : level[caller] + 1;
		if (!is_shown(l->rows, total[i]))
			continue;
		name = wl_frame_name(t, frame, arena);
		if (!name)
			return false;
		add(l, (struct entry){ name, wl_module_name(t, frame->module), total[i],
				       l->rows->sums.self[i], i, level[i] });
	}
	put_tree(l);
	return true;
}

/* ---- Flat ---- */

/* Sums by a number that each frame has: its own, or that of its module. */
struct flat {
	const uint32_t *of; /* by frame; WL_NONE: the frame does not count */
	size_t n;
	wl_ns *total, *self;
	uint32_t *seen; /* 1 + the last stack that it was counted for */
};

static void count_flat(const struct wl_trace *t, const wl_ns *self, struct flat *f)
{
	for (uint32_t i = 0; i < t->n_stacks; i++) {
		uint32_t leaf = f->of[t->stacks[i].frame];

		if (self[i] == 0)
			continue;
		if (leaf != WL_NONE)
			f->self[leaf] += self[i];
		/*
		 * Each stack is walked to its root, though stacks share outer frames: whether a
		 * function was counted differs by stack. A stack has at most 1,024 frames.
		 */
		for (uint32_t s = i; s != WL_NONE; s = t->stacks[s].caller) {
			uint32_t number = f->of[t->stacks[s].frame];

			/* A recursive function counts once per stack. */
			if (number == WL_NONE || f->seen[number] == i + 1)
				continue;
			f->seen[number] = i + 1;
			f->total[number] += self[i];
		}
	}
}

static bool make_flat(const struct wl_stack_rows *rows, struct flat *f)
{
	struct wl_arena *arena = rows->run->arena;

	f->total = WL_NEW(arena, wl_ns, f->n + 1);
	f->self = WL_NEW(arena, wl_ns, f->n + 1);
	f->seen = WL_NEW(arena, uint32_t, f->n + 1);
	if (!f->of || !f->total || !f->self || !f->seen)
		return false;
	count_flat(rows->run->trace, rows->sums.self, f);
	return true;
}

static void put_flat(struct listing *l)
{
	sort_entries(l);
	for (size_t i = 0; i < l->n; i++)
		put_entry(l, &l->entry[l->order[i]]);
}

static bool list_functions(struct listing *l)
{
	const struct wl_trace *t = l->rows->run->trace;
	struct wl_arena *arena = l->rows->run->arena;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_frames + 1);
	struct flat f = { .of = of, .n = t->n_frames };

	for (uint32_t i = 0; of && i < t->n_frames; i++)
		of[i] = t->frames[i].kind == WL_FRAME_NOTE ? WL_NONE : i;
	if (!make_flat(l->rows, &f) || !begin(l, f.n))
		return false;
	for (size_t i = 0; i < f.n; i++) {
		const char *name;

		if (!is_shown(l->rows, f.total[i]))
			continue;
		name = wl_frame_name(t, &t->frames[i], arena);
		if (!name)
			return false;
		add(l, (struct entry){ .function = name,
				       .module = wl_module_name(t, t->frames[i].module),
				       .total = f.total[i],
				       .self = f.self[i] });
	}
	put_flat(l);
	return true;
}

static bool list_modules(struct listing *l)
{
	const struct wl_trace *t = l->rows->run->trace;
	struct wl_arena *arena = l->rows->run->arena;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_frames + 1);
	struct flat f = { .of = of, .n = t->strings.n + 1 };

	/* Frames without a module get the number after the last. */
	for (size_t i = 0; of && i < t->n_frames; i++) {
		uint32_t module = t->frames[i].module;

		of[i] = t->frames[i].kind == WL_FRAME_NOTE ? WL_NONE
			: module == WL_NONE                ? (uint32_t)t->strings.n
							   : module;
	}
	/* All strings have an entry in the sums, but only modules of frames have time. */
	if (!make_flat(l->rows, &f) || !begin(l, t->n_frames + 1))
		return false;
	for (uint32_t i = 0; i < f.n; i++) {
		const char *name = wl_module_name(t, i < t->strings.n ? i : WL_NONE);

		add(l, (struct entry){ .function = "",
				       .module = name,
				       .total = f.total[i],
				       .self = f.self[i] });
	}
	put_flat(l);
	return true;
}

/* ---- Whole stacks ---- */

static bool list_folded(struct listing *l)
{
	const struct wl_trace *t = l->rows->run->trace;
	const wl_ns *self = l->rows->sums.self;

	if (!begin(l, t->n_stacks))
		return false;
	for (uint32_t i = 0; i < t->n_stacks; i++) {
		const char *text;

		if (!is_shown(l->rows, self[i]))
			continue;
		text = wl_stack_folded(t, i, l->rows->run->arena);
		if (!text)
			return false;
		add(l, (struct entry){
			       .function = text, .module = "", .total = self[i], .self = self[i] });
	}
	sort_entries(l);
	for (size_t i = 0; i < l->n; i++) {
		const struct entry *e = &l->entry[l->order[i]];

		wl_table_row(l->rows->out);
		wl_put_str(l->rows->out, WL_STACKS_STACK, e->function);
		wl_put_i64(l->rows->out, WL_STACKS_SELF, e->self);
		wl_put_ratio(l->rows->out, WL_STACKS_SHARE, e->self, l->rows->sums.total.all);
	}
	return true;
}

/* ---- Threads ---- */

static void put_thread(const struct listing *l, const struct entry *e)
{
	const struct wl_trace *t = l->rows->run->trace;
	const struct wl_thread *thread = &t->threads[e->number];
	const struct wl_stack_time *time = &l->rows->sums.thread[e->number];
	struct wl_table *out = l->rows->out;

	wl_table_row(out);
	wl_put_i64(out, WL_STACKS_PID, t->processes[thread->process].pid);
	wl_put_i64(out, WL_STACKS_TID, thread->tid);
	wl_put_str(out, WL_STACKS_THREAD, thread->name == WL_NONE ? NULL : wl_str(t, thread->name));
	wl_put_i64(out, WL_STACKS_TOTAL, e->total);
	wl_put_i64(out, WL_STACKS_SELF, e->self);
	wl_put_ratio(out, WL_STACKS_SHARE, e->total, l->rows->sums.total.all);
	wl_put_i64(out, WL_STACKS_OFF,
		   time->without[WL_STACK_OF_RUNNABLE] + time->without[WL_STACK_OF_BLOCKED] +
			   time->without[WL_STACK_OF_OFF]);
	wl_put_i64(out, WL_STACKS_NONE, time->without[WL_STACK_OF_NONE]);
}

static bool thread_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct listing *l = ctx;
	const struct entry *a = &l->entry[ia], *b = &l->entry[ib];
	const struct wl_thread *thread = l->rows->run->trace->threads;

	if (a->total != b->total)
		return a->total > b->total;
	return thread[a->number].global < thread[b->number].global;
}

static bool list_threads(struct listing *l)
{
	const struct wl_trace *t = l->rows->run->trace;

	l->entry = WL_NEW(l->rows->run->arena, struct entry, t->n_threads + 1);
	l->order = WL_NEW(l->rows->run->arena, uint32_t, 2 * t->n_threads + 1);
	if (!l->entry || !l->order)
		return false;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		const struct wl_stack_time *time = &l->rows->sums.thread[i];
		struct entry e = { .total = time->all, .self = time->all, .number = i };

		for (size_t k = 0; k < WL_N_STACK_STATES; k++)
			e.self -= time->without[k];
		add(l, e);
	}
	wl_sort_all(l->order, l->n, thread_less, l);
	for (size_t i = 0; i < l->n; i++)
		put_thread(l, &l->entry[l->order[i]]);
	return true;
}

bool wl_stack_rows_put(const struct wl_stack_rows *rows, enum wl_stacks_by by)
{
	struct listing l = { .rows = rows };

	switch (by) {
	case WL_STACKS_BY_STACK:
		return list_stacks(&l);
	case WL_STACKS_BY_FUNCTION:
		return list_functions(&l);
	case WL_STACKS_BY_MODULE:
		return list_modules(&l);
	case WL_STACKS_BY_FOLDED:
		return list_folded(&l);
	case WL_STACKS_BY_THREAD:
		break;
	}
	return list_threads(&l);
}
