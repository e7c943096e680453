/* SPDX-License-Identifier: MIT */
/* take_lists.c - the sums by name of a fingerprint: kernels, ranges, categories, copies. */
#include "base/text/apportion.h"
#include "compare/fingerprint/lists.h"
#include "compare/fingerprint/take_parts.h"
#include "derive/derived.h"
#include "derive/rows/stats.h"

struct taking {
	struct wl_taking *k;
	struct wl_event_source events;
	const uint32_t *kernel_groups; /* by row of the kernels */
	struct wl_arena *scratch;
};

static void add(wl_ns *sum, wl_ns ns)
{
	*sum = wl_add_up(*sum, ns);
}

struct launches {
	int64_t *by_step;
	int64_t *total; /* by extent */
};

static void count_launch(void *ctx, const struct wl_step_event *e)
{
	struct launches *l = ctx;

	if (e->step < WL_FP_STEPS) {
		l->by_step[e->step]++;
		l->total[WL_OF_STEPS]++;
	}
	l->total[WL_OF_WINDOW] += e->in_window;
}

static bool take_launches(struct taking *t)
{
	struct launches l = { WL_NEW(t->scratch, int64_t, t->k->sample.n_steps),
			      t->k->f->launches };

	if (!l.by_step || !wl_launch_events(&t->events, count_launch, &l, t->scratch))
		return false;
	for (size_t i = 0; i < t->k->sample.n_steps; i++)
		l.by_step[i] = wl_rounded_mean(l.by_step[i], (int64_t)t->k->sample.n_members);
	return wl_series_make(l.by_step, t->k->sample.n_steps, t->k->run->arena,
			      &t->k->f->launch_series);
}

static const char *kernel_name(const struct wl_event_source *from, uint32_t group,
			       struct wl_arena *arena)
{
	(void)arena;
	return wl_str(from->run->trace, from->demangled[group]);
}

static const char *range_name(const struct wl_event_source *from, uint32_t group,
			      struct wl_arena *arena)
{
	return wl_fold_path(&from->folds, group, arena);
}

struct range_work {
	wl_ns *gpu[WL_N_EXTENTS]; /* by fold */
};

static void add_work(void *ctx, const struct wl_step_event *e)
{
	struct range_work *w = ctx;

	if (e->step < WL_FP_STEPS)
		add(&w->gpu[WL_OF_STEPS][e->group], e->ns);
	if (e->in_window)
		add(&w->gpu[WL_OF_WINDOW][e->group], e->window_ns);
}

static bool take_ranges(struct taking *t)
{
	const struct wl_listing listing = { .from = &t->events,
					    .events = wl_range_events,
					    .n_groups = t->events.folds.n,
					    .name = range_name,
					    .max_rows = WL_FP_RANGES,
					    .max_bytes = WL_FP_RANGE_NAMES };
	struct wl_fp_list *list = &t->k->f->ranges;
	struct range_work w;
	const uint32_t *fold;

	for (size_t x = 0; x < WL_N_EXTENTS; x++)
		w.gpu[x] = WL_NEW(t->scratch, wl_ns, listing.n_groups);
	if (!w.gpu[WL_OF_STEPS] || !w.gpu[WL_OF_WINDOW] ||
	    !wl_list_make(&listing, t->k->run->arena, list, &fold) ||
	    !wl_launched_events(&t->events, add_work, &w, t->scratch))
		return false;
	/* Ranges hold each other: a sum over others would count work several times. */
	for (size_t i = 0; i < list->n; i++) {
		for (size_t x = 0; x < WL_N_EXTENTS; x++)
			list->row[i].gpu[x] = w.gpu[x][fold[i]];
	}
	return true;
}

static bool take_kernels(struct taking *t)
{
	const struct wl_listing listing = { .from = &t->events,
					    .events = wl_kernel_events,
					    .n_groups = t->events.n_names,
					    .name = kernel_name,
					    .max_rows = WL_FP_KERNELS,
					    .max_bytes = WL_FP_KERNEL_NAMES,
					    .with_positions = true };

	return wl_list_make(&listing, t->k->run->arena, &t->k->f->kernels, &t->kernel_groups);
}

struct by_rank {
	wl_ns *sum; /* by member and row */
	size_t n_rows;
	uint32_t *member_of; /* by process */
	uint32_t *row_of;    /* by group */
};

static void add_to_rank(void *ctx, const struct wl_step_event *e)
{
	const struct by_rank *b = ctx;
	uint32_t member = b->member_of[e->process], row = b->row_of[e->group];

	if (e->step < WL_FP_STEPS && member != WL_NONE && row != WL_NONE)
		add(&b->sum[member * b->n_rows + row], e->ns);
}

/* What each rank spends in the kernels that have rows; not where there are too many ranks. */
static bool take_rank_kernels(struct taking *t)
{
	const struct wl_sample *s = &t->k->sample;
	size_t n = s->n_members <= WL_FP_RANKS ? s->n_members : 0;
	size_t n_processes = t->k->run->trace->n_processes;
	struct by_rank b = { .n_rows = t->k->f->kernels.n,
			     .member_of = WL_NEW(t->scratch, uint32_t, n_processes),
			     .row_of = WL_NEW(t->scratch, uint32_t, t->events.n_names) };

	b.sum = WL_NEW(t->k->run->arena, wl_ns, n * b.n_rows);
	if (!b.sum || !b.member_of || !b.row_of)
		return false;
	for (size_t p = 0; p < n_processes; p++)
		b.member_of[p] = WL_NONE;
	for (size_t g = 0; g < t->events.n_names; g++)
		b.row_of[g] = WL_NONE;
	for (uint32_t m = 0; m < n; m++)
		b.member_of[t->k->ledger->lane[s->lane[m]].process] = m;
	for (uint32_t r = 0; r < b.n_rows; r++)
		b.row_of[t->kernel_groups[r]] = r;
	wl_kernel_events(&t->events, add_to_rank, &b);
	t->k->rank_kernel = b.sum;
	return true;
}

static const char *category_name(const struct wl_event_source *from, uint32_t group,
				 struct wl_arena *arena)
{
	(void)arena;
	return from->rules->category[group];
}

/* Say of each kernel's row what category it is in: two of one wrapper may differ in it. */
static bool put_categories(struct taking *t)
{
	const struct wl_event_source *e = &t->events;
	struct wl_fp_list *kernels = &t->k->f->kernels;
	uint8_t *of_group = WL_NEW(t->scratch, uint8_t, e->n_names);

	for (size_t k = 0; of_group && k < t->k->run->trace->n_kernel_names; k++)
		of_group[e->name_of[k]] = e->categories->of_kernel_name[k];
	for (size_t i = 0; of_group && i < kernels->n; i++) {
		uint8_t c = of_group[t->kernel_groups[i]];

		if (c == e->rules->other)
			continue;
		kernels->row[i].category = wl_arena_strdup(t->k->run->arena, e->rules->category[c]);
		if (!kernels->row[i].category)
			return false;
	}
	return of_group != NULL;
}

/* By the generic rules, which come with the program: there is nothing in them to refuse. */
static bool take_categories(struct taking *t)
{
	const struct wl_rule_choice generic = { .engine = "generic" };
	struct wl_category_rules rules;
	struct wl_category_map map;
	struct wl_err err;
	const uint32_t *groups;
	const struct wl_named *named = t->k->run->derived->named;
	bool ok = wl_category_rules_init(&rules, &generic, wl_arena_budget(t->scratch), &err) ==
			  WL_OK &&
		  wl_category_map_make(t->k->run->trace, named, &rules, t->scratch, &map);

	if (ok) {
		const struct wl_listing listing = { .from = &t->events,
						    .events = wl_category_events,
						    .n_groups = rules.n,
						    .name = category_name,
						    .max_rows = WL_MAX_CATEGORIES,
						    .max_bytes = SIZE_MAX };

		t->events.rules = &rules;
		t->events.categories = &map;
		ok = wl_list_make(&listing, t->k->run->arena, &t->k->f->categories, &groups) &&
		     put_categories(t);
	}
	wl_category_rules_release(&rules);
	return ok;
}

static const char *copy_name(const struct wl_event_source *from, uint32_t group,
			     struct wl_arena *arena)
{
	(void)from;
	return wl_copy_group_name(group, arena);
}

static bool take_copies(struct taking *t)
{
	const struct wl_listing listing = { .from = &t->events,
					    .events = wl_copy_events,
					    .n_groups = WL_COPY_GROUPS,
					    .name = copy_name,
					    .max_rows = WL_FP_COPIES,
					    .max_bytes = WL_FP_COPY_NAMES };
	const uint32_t *groups;

	return wl_list_make(&listing, t->k->run->arena, &t->k->f->copies, &groups);
}

bool wl_take_lists(struct wl_taking *k)
{
	struct wl_arena scratch;
	struct taking t = { .k = k, .scratch = &scratch };
	bool ok;

	wl_arena_init_child(&scratch, k->run->arena);
	ok = wl_event_source_make(k->run, k->iterations, &k->sample, &scratch, &t.events) &&
	     take_kernels(&t) && take_rank_kernels(&t) && take_ranges(&t) && take_categories(&t) &&
	     take_copies(&t) && take_launches(&t);
	wl_arena_release(&scratch);
	return ok;
}
