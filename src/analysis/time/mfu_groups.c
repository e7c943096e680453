/* SPDX-License-Identifier: MIT */
#include "analysis/time/mfu_groups.h"

#include <string.h>

#include "analysis/ranges/phase_map.h"
#include "base/memory/sort.h"
#include "base/text/pattern.h"
#include "derive/calls/launch.h"
#include "derive/kinds/classes.h"
#include "derive/nvtx/stages.h"
#include "derive/rows/ops.h"
#include "derive/use/phases.h"

struct counting {
	const struct wl_run *run;
	const struct wl_ncu_join *join; /* NULL for none */
	struct wl_mfu_group *group;
	size_t n;
};

static void count_kernel(void *ctx, uint32_t group, size_t row, wl_ns length)
{
	struct counting *c = ctx;

	if (c->join && group < c->n)
		wl_mfu_add_flops(c->run->trace, c->join, row, length, &c->group[group].t);
}

/* of: by range name, its group or WL_NONE. */
static bool count_ranges(struct counting *c, const uint32_t *of)
{
	/* Bridged, as in phases: in PyTorch another thread launches the backward pass. */
	const struct wl_phase_opts opts = {
		.n = c->n, .of = of, .bridge = true, .kernel = count_kernel, .ctx = c
	};
	struct wl_phases phases;

	if (!of || !wl_phases_find(c->run->derived, c->run->scope, &opts, c->run->arena, &phases))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct wl_phase *p = &phases.phase[i];
		struct wl_mfu_times *t = &c->group[i].t;

		t->pieces = p->pieces;
		t->wall = p->gpu_span;
		t->busy = p->gpu_busy;
		t->kernels = p->compute_sum;
		t->n_graphs = p->n_graphs;
	}
	return true;
}

static bool make_groups(struct counting *c, size_t n)
{
	c->n = n;
	c->group = WL_NEW(c->run->arena, struct wl_mfu_group, n);
	return c->group != NULL;
}

static uint32_t match_name(const struct wl_pattern *pattern, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && !wl_pattern_matches(&pattern[i], name))
		i++;
	return i < n ? (uint32_t)i : WL_NONE;
}

static bool match_regions(struct counting *c, const struct wl_mfu_inputs *in,
			  const struct wl_pattern *pattern)
{
	const struct wl_range_names *names = c->run->derived->range_names;
	uint32_t *of = WL_NEW(c->run->arena, uint32_t, names->n);

	if (!of || !make_groups(c, in->n))
		return false;
	for (size_t i = 0; i < in->n; i++)
		c->group[i].name = in->region[i].range;
	for (size_t i = 0; i < names->n; i++)
		of[i] = match_name(pattern, in->n, names->name[i].exact);
	return count_ranges(c, of);
}

static int find_ranges(struct counting *c, const struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	struct wl_pattern pattern[WL_MFU_MOST_REGIONS] = { { .part = NULL } };
	struct wl_err why;
	size_t n = 0;
	int r = WL_OK;

	while (r == WL_OK && n < in->n) {
		r = wl_pattern_init(&pattern[n], in->region[n].range, &why);
		/* Even a pattern that failed is released. */
		n++;
	}
	if (r < 0)
		(void)wl_fail(reterr, (enum wl_status)r, "mfu: the name of a range: %s", why.msg);
	else if (!match_regions(c, in, pattern))
		r = WL_E_NOMEM;
	for (size_t i = 0; i < n; i++)
		wl_pattern_release(&pattern[i]);
	return r;
}

static bool match_phases(struct counting *c, const struct wl_phase_map *map)
{
	if (!make_groups(c, map->n))
		return false;
	for (size_t i = 0; i < map->n; i++)
		c->group[i].name = map->phase[i];
	return count_ranges(c,
			    wl_phase_map_match(map, c->run->derived->range_names, c->run->arena));
}

/* --flops PHASE=N must name a phase of the map. */
static int check_names(const struct wl_mfu_inputs *in, const struct wl_phase_map *map,
		       struct wl_err *reterr)
{
	for (size_t i = 0; in->has_flops && i < in->n; i++) {
		size_t k = 0;

		while (k < map->n && strcmp(map->phase[k], in->region[i].range) != 0)
			k++;
		if (k == map->n)
			return wl_fail(reterr, WL_E_USAGE,
				       "--flops %.100s: the phase map has no such phase",
				       in->region[i].range);
	}
	return WL_OK;
}

static int find_phases(struct counting *c, const struct wl_mfu_inputs *in, struct wl_err *reterr)
{
	struct wl_phase_map map;
	int r = wl_phase_map_read("mfu", c->run->arg[WL_MFU_PHASE_MAP].doc, c->run->arena, &map,
				  reterr);

	if (r == WL_OK)
		r = check_names(in, &map, reterr);
	if (r == WL_OK && !match_phases(c, &map))
		r = WL_E_NOMEM;
	wl_phase_map_release(&map);
	return r;
}

/* The end of a stage's union so far. */
struct until {
	uint32_t device; /* device + 1; 0 for none yet */
	wl_ns end;
};

static uint32_t stage_of(const struct counting *c, const struct wl_op *op)
{
	const struct wl_derived *d = c->run->derived;
	uint32_t call = wl_link_of(d->links, op->kind, op->row), stage;
	bool bridged;

	/* The group after the last stage is for operations without a stage. */
	if (call == WL_NONE)
		return (uint32_t)d->stages->n;
	stage = wl_stage_of_call(d->stages, c->run->trace, d->forest, call, &bridged);
	return stage == WL_NONE || strcmp(d->stages->text[stage], wl_phase_none) == 0
		       ? (uint32_t)d->stages->n
		       : stage;
}

static void count_op(struct counting *c, struct until *until, uint32_t device,
		     const struct wl_op *op)
{
	uint32_t stage = stage_of(c, op);
	struct wl_mfu_times *t = &c->group[stage].t;
	struct until *u = &until[stage];
	bool is_new = u->device != device + 1;
	wl_ns from = !is_new && u->end > op->start ? u->end : op->start;

	t->pieces += is_new;
	t->n_graphs += op->family == WL_F_GRAPHS;
	if (is_new || op->end > u->end) {
		t->busy = wl_add_up(t->busy, op->end - from);
		*u = (struct until){ device + 1, op->end };
	}
	if (op->family != WL_F_KERNELS ||
	    wl_class_of(c->run->trace, c->run->derived->classes, op->family, op->row) != WL_COMPUTE)
		return;
	t->kernels = wl_add_up(t->kernels, op->end - op->start);
	count_kernel(c, stage, op->row, op->end - op->start);
}

/* Busiest first, then by name; a stage with only communication counts, too. */
static bool group_less(const void *ctx, uint32_t ia, uint32_t ib)
{
	const struct wl_mfu_group *a = (const struct wl_mfu_group *)ctx + ia;
	const struct wl_mfu_group *b = (const struct wl_mfu_group *)ctx + ib;

	if (a->t.busy != b->t.busy)
		return a->t.busy > b->t.busy;
	return strcmp(a->name, b->name) < 0;
}

/* Keeps the stages that have operations, in order. */
static bool order_stages(struct counting *c)
{
	struct wl_mfu_group *out = WL_NEW(c->run->arena, struct wl_mfu_group, c->n);
	uint32_t *order = WL_NEW(c->run->arena, uint32_t, 2 * c->n);
	size_t n = 0;

	if (!out || !order)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->group[i].t.pieces)
			order[n++] = i;
	}
	wl_sort_index(order, n, order + n, group_less, c->group);
	for (size_t i = 0; i < n; i++)
		out[i] = c->group[order[i]];
	c->group = out;
	c->n = n;
	return true;
}

static bool find_stages(struct counting *c)
{
	const struct wl_run *r = c->run;
	const struct wl_stages *stages = r->derived->stages;
	struct until *until = WL_NEW(r->arena, struct until, stages->n + 1);

	if (!until || !make_groups(c, stages->n + 1))
		return false;
	for (size_t i = 0; i <= stages->n; i++)
		c->group[i].name = i < stages->n ? stages->text[i] : wl_phase_none;
	for (uint32_t device = 0; device < r->trace->n_devices; device++) {
		struct wl_op_cursor cursor;
		struct wl_op op;

		wl_ops_begin(r->trace, device, &cursor);
		while (wl_ops_next(&cursor, &op)) {
			if (r->scope->place_on[op.place] &&
			    wl_clip(r->scope, r->scope->device[device], &op.start, &op.end))
				count_op(c, until, device, &op);
		}
	}
	return order_stages(c);
}

int wl_mfu_groups_find(const struct wl_run *run, const struct wl_mfu_inputs *in,
		       const struct wl_ncu_join *join, struct wl_mfu_groups *ret,
		       struct wl_err *reterr)
{
	struct counting c = { .run = run, .join = join };
	int r = WL_OK;

	if (in->by == WL_MFU_BY_RANGE)
		r = find_ranges(&c, in, reterr);
	else if (in->by == WL_MFU_BY_PHASE)
		r = find_phases(&c, in, reterr);
	else if (!find_stages(&c))
		r = WL_E_NOMEM;
	*ret = (struct wl_mfu_groups){ c.group, c.n };
	return r;
}
