/* SPDX-License-Identifier: MIT */
/* path_sums.c - the critical path by class, rank, name or stage, with slack and imbalance. */
#include "analysis/path/path_rows.h"
#include "base/memory/intern.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/kinds/sweep.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/stages.h"

/* What the segments of a row have in common. Interned by its bytes: no padding. */
struct key {
	const char *name; /* or the stage; may be NULL */
	uint32_t process; /* WL_NONE */
	uint32_t class;   /* WL_N_PATH_CLASSES: all classes */
};

struct sum {
	wl_ns time, slack;
	size_t n;
};

struct summing {
	const struct wl_path_rows *rows;
	struct wl_table *out;
	struct wl_intern keys;                /* struct key */
	struct wl_vec sums;                   /* struct sum, by key */
	uint32_t of_class[WL_N_PATH_CLASSES]; /* keys with only a class, or WL_NONE */
	wl_ns mean[WL_N_PATH_CLASSES];
	size_t n_devices;              /* the number of devices in the mean */
	struct wl_stack_groups stacks; /* stacks of threads, by name; groups are keys */
	struct wl_group_stacks found;
	struct wl_function_tally tally;
};

static const char *stage_of(const struct wl_path_rows *r, size_t segment)
{
	const struct wl_graph *g = r->path->graph;
	const struct wl_derived *d = r->run->derived;
	uint32_t activity = r->path->activity[segment], call, stage;
	bool bridged;

	call = activity < g->n_ops ? wl_graph_launch(g, activity) : activity - g->n_ops;
	if (call == WL_NONE || call >= g->first_call[1] || !d->forest->of_call)
		return "(none)";
	stage = wl_stage_of_call(d->stages, g->trace, d->forest, call, &bridged);
	return stage == WL_NONE ? "(none)" : d->stages->text[stage];
}

static struct key key_of(const struct wl_path_rows *r, size_t segment)
{
	struct key key = { NULL, WL_NONE, WL_N_PATH_CLASSES };

	switch (r->by) {
	case WL_PATH_BY_NAME:
		key.name = wl_path_segment_name(r, segment);
		key.class = r->path->class[segment];
		break;
	case WL_PATH_BY_STAGE:
		key.name = stage_of(r, segment);
		break;
	case WL_PATH_BY_RANK:
	case WL_PATH_BY_AXIS:
		key.process = wl_graph_process(r->path->graph, r->path->activity[segment]);
		break;
	case WL_PATH_BY_RANK_CLASS:
		key.process = wl_graph_process(r->path->graph, r->path->activity[segment]);
		key.class = r->path->class[segment];
		break;
	case WL_PATH_BY_CLASS:
	case WL_PATH_BY_CHAIN:
	case WL_PATH_BY_SEGMENT:
		key.class = r->path->class[segment];
		break;
	}
	return key;
}

/* NULL if memory runs out. */
static struct sum *sum_of(struct summing *s, const struct key *key)
{
	uint32_t number = wl_intern_put(&s->keys, key);

	if (number == s->sums.n)
		wl_vec_push(&s->sums, &(struct sum){ .n = 0 });
	return number == WL_NONE || s->sums.failed ? NULL : (struct sum *)s->sums.data + number;
}

static bool is_by_rank(const struct wl_path_rows *r)
{
	return r->by == WL_PATH_BY_RANK || r->by == WL_PATH_BY_AXIS;
}

/* Adds how much earlier than the last member the others arrived at a collective on the path. */
static bool add_slack(struct summing *s, size_t segment)
{
	const struct wl_graph *g = s->rows->path->graph;
	uint32_t slot = wl_graph_slot(g, s->rows->path->activity[segment]);
	const struct wl_meeting *meeting;
	wl_ns last;

	if (s->rows->path->class[segment] != WL_PATH_TRANSFER || slot == WL_NONE ||
	    !g->slot[slot].released)
		return true;
	meeting = &g->meeting[g->slot[slot].meeting];
	/* The path may begin after the last arrival. */
	last = s->rows->path->last ? s->rows->path->last[segment] : wl_graph_last_arrival(g, slot);
	for (uint32_t i = meeting->lo; i < meeting->lo + meeting->n; i++) {
		uint32_t process = wl_graph_process(g, g->slot[i].activity);
		const struct key key = { NULL, process, WL_N_PATH_CLASSES };
		wl_ns start = wl_graph_start(g, g->slot[i].activity);
		struct sum *sum;

		if (!s->rows->run->scope->process_on[process])
			continue;
		sum = sum_of(s, &key);
		if (!sum)
			return false;
		sum->slack += last > start ? last - start : 0;
	}
	return true;
}

/* With rows by class, most segments already have a sum. */
static struct sum *sum_of_class(struct summing *s, unsigned class)
{
	const struct key key = { NULL, WL_NONE, class };
	struct sum *sum;

	if (s->of_class[class] != WL_NONE)
		return (struct sum *)s->sums.data + s->of_class[class];
	sum = sum_of(s, &key);
	if (sum)
		s->of_class[class] = (uint32_t)(sum - (struct sum *)s->sums.data);
	return sum;
}

static struct sum *sum_of_segment(struct summing *s, size_t segment)
{
	struct key key;

	if (s->rows->by == WL_PATH_BY_CLASS)
		return sum_of_class(s, s->rows->path->class[segment]);
	key = key_of(s->rows, segment);
	return sum_of(s, &key);
}

/* Adds what the thread ran during a call, or before a call. */
static void add_stacks(struct summing *s, size_t segment, uint32_t key, struct wl_interval part)
{
	const struct wl_path *path = s->rows->path;
	uint32_t call = path->activity[segment] - path->graph->n_ops;

	wl_stack_groups_add(&s->stacks, key, wl_graph_call_thread(path->graph, call), part.begin,
			    part.end);
}

static bool add_segment(struct summing *s, size_t segment)
{
	struct wl_interval part;
	struct sum *sum;

	if (!wl_path_clip(s->rows, segment, &part))
		return true;
	sum = sum_of_segment(s, segment);
	if (!sum)
		return false;
	sum->time += part.end - part.begin;
	sum->n++;
	if (s->rows->path->activity[segment] >= s->rows->path->graph->n_ops)
		add_stacks(s, segment, (uint32_t)(sum - (struct sum *)s->sums.data), part);
	/* The slack of a collective counts in the window where its segment begins: once over
	 * adjacent windows. */
	return !is_by_rank(s->rows) || part.begin > s->rows->path->begin[segment] ||
	       add_slack(s, segment);
}

/* Ranks with work that the path never touches get a row, too. */
static bool add_ranks(struct summing *s)
{
	const struct wl_scope *scope = s->rows->run->scope;
	size_t n = s->rows->run->trace->n_processes;

	for (uint32_t i = 0; is_by_rank(s->rows) && i < n; i++) {
		const struct key key = { NULL, i, WL_N_PATH_CLASSES };

		if (scope->process_on[i] && s->rows->device_of[i] != WL_NONE && !sum_of(s, &key))
			return false;
	}
	return true;
}

/* Finds the mean time per GPU of a class, as overlap accounts for it. */
static void find_means(struct summing *s)
{
	const struct wl_run *r = s->rows->run;

	if (s->rows->by != WL_PATH_BY_CLASS)
		return;
	for (size_t i = 0; i < r->trace->n_devices; i++) {
		const struct wl_activity *a = &r->derived->all_activity->device[i];
		struct wl_usage usage = { .n_ops = 0 };

		/* A GPU that ran nothing is not part of the job and would only lower the mean. */
		if (!r->scope->device_on[i] || a->n == 0)
			continue;
		wl_sweep_times(a, &r->scope->device[a->device], 1, &usage);
		s->mean[WL_PATH_COMPUTE] += wl_usage_any(&usage, WL_ON_COMPUTE);
		s->mean[WL_PATH_COPY] +=
			wl_usage_without(&usage, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM);
		s->n_devices++;
	}
	for (unsigned i = 0; s->n_devices && i < WL_N_PATH_CLASSES; i++)
		s->mean[i] /= (wl_ns)s->n_devices;
}

static bool row_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct summing *s = ctx;
	const struct key *key = s->keys.items.data;
	const struct sum *sum = s->sums.data;

	if (key[a].process != key[b].process)
		return key[a].process < key[b].process;
	if (sum[a].time != sum[b].time)
		return sum[a].time > sum[b].time;
	return key[a].class < key[b].class;
}

/* Sets ret_below if the path has less of a class than the average GPU. */
static void put_row(const struct summing *s, const struct key *key, const struct sum *sum,
		    bool *ret_below)
{
	const struct wl_path_rows *r = s->rows;
	/*
	 * A GPU's account has no counterpart to the other classes: transfer and wait are one
	 * exposed time there, and idle time is split by cause.
	 */
	bool has_mean = key->class == WL_PATH_COMPUTE || key->class == WL_PATH_COPY;

	wl_table_row(s->out);
	if (key->process != WL_NONE)
		wl_path_put_process(s->out, r, key->process);
	if (key->class != WL_N_PATH_CLASSES)
		wl_put_str(s->out, WL_PATH_COL_CLASS, wl_path_class_name(key->class));
	wl_put_str(s->out, r->by == WL_PATH_BY_STAGE ? WL_PATH_COL_STAGE : WL_PATH_COL_NAME,
		   key->name);
	wl_put_i64(s->out, WL_PATH_COL_TIME, sum->time);
	wl_put_ratio(s->out, WL_PATH_COL_SHARE, sum->time, r->total);
	wl_put_i64(s->out, WL_PATH_COL_SEGMENTS, (int64_t)sum->n);
	if (is_by_rank(r))
		wl_put_i64(s->out, WL_PATH_COL_SLACK, sum->slack);
	if (r->by == WL_PATH_BY_CLASS && r->saving[key->class].is_here)
		wl_put_i64(s->out, WL_PATH_COL_SAVING, r->saving[key->class].saving);
	if (r->by == WL_PATH_BY_CLASS && r->saving[key->class].scenario)
		wl_put_str(s->out, WL_PATH_COL_SCENARIO, r->saving[key->class].scenario);
	if (r->by == WL_PATH_BY_CLASS && has_mean && s->n_devices > 1) {
		wl_put_i64(s->out, WL_PATH_COL_MEAN, s->mean[key->class]);
		wl_put_i64(s->out, WL_PATH_COL_IMBALANCE, sum->time - s->mean[key->class]);
		*ret_below |= sum->time < s->mean[key->class];
	}
}

static bool put_rows(struct summing *s)
{
	const struct key *key = s->keys.items.data;
	const struct sum *sum = s->sums.data;
	size_t n = s->sums.n;
	uint32_t *order = WL_NEW(s->rows->run->arena, uint32_t, 2 * n);
	bool is_below = false;

	if (!order)
		return false;
	wl_sort_all(order, n, row_less, s);
	for (size_t i = 0; i < n; i++) {
		put_row(s, &key[order[i]], &sum[order[i]], &is_below);
		if (!wl_put_function(
			    s->out, WL_PATH_COL_FUNCTION, s->rows->run,
			    &(struct wl_grouped_time){ &s->found, order[i], sum[order[i]].time },
			    &s->tally))
			return false;
	}
	if (is_below)
		wl_table_remark(s->out, "imbalance below 0: the path has less of the class than a "
					"GPU has on average; it is in other classes meanwhile");
	return true;
}

bool wl_path_put_sums(struct wl_table *out, const struct wl_path_rows *r)
{
	const struct wl_derived *d = r->run->derived;
	struct summing s = { .rows = r, .out = out };
	bool ok = wl_function_tally_init(&s.tally, r->run->trace, d->stack_names, r->run->arena);

	wl_stack_groups_init(&s.stacks, r->run->trace,
			     r->by == WL_PATH_BY_NAME ? d->thread_stacks : NULL,
			     wl_arena_budget(r->run->arena));
	wl_intern_init(&s.keys, sizeof(struct key), wl_arena_budget(r->run->arena));
	wl_vec_init(&s.sums, sizeof(struct sum), wl_arena_budget(r->run->arena));
	for (unsigned i = 0; i < WL_N_PATH_CLASSES; i++)
		s.of_class[i] = WL_NONE;
	ok = ok && add_ranks(&s);
	for (size_t i = 0; ok && i < r->path->n; i++)
		ok = add_segment(&s, i);
	if (ok)
		find_means(&s);
	ok = ok && wl_stack_groups_keep(&s.stacks, r->run->arena, &s.found) && put_rows(&s);
	wl_function_tally_release(&s.tally);
	wl_stack_groups_release(&s.stacks);
	wl_vec_release(&s.sums);
	wl_intern_release(&s.keys);
	return ok;
}
