/* SPDX-License-Identifier: MIT */
#include "analysis/launch_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/compare.h"
#include "base/memory/intern.h"
#include "base/memory/texts.h"
#include "base/num.h"
#include "derive/kinds/classes.h"
#include "derive/rows/groups.h"

const enum wl_column_id wl_launch_group_columns[] = { WL_KERNELS_START,  WL_KERNELS_DUR,
						      WL_KERNELS_PLACE,  WL_KERNELS_NAME,
						      WL_KERNELS_CONFIG, WL_N_COLUMNS };

/* The members that distinguish configurations here; registers do not. */
struct shape {
	uint32_t grid[3], block[3];
	int64_t shared;
};

struct grouping {
	const struct wl_run *run;
	struct wl_ops ops;
	const uint32_t *label; /* by kernel name */
	uint32_t *shape;       /* by launch configuration: the first with the same shape */
	uint64_t n_shapes;     /* at least 1 */
};

int64_t wl_launch_shared(const struct wl_launch_config *c)
{
	if (c->static_shared == WL_NONE || c->dynamic_shared == WL_NONE)
		return -1;
	return (int64_t)c->static_shared + c->dynamic_shared;
}

/* False if memory runs out. */
static bool make_shapes(struct grouping *g)
{
	const struct wl_trace *t = g->run->trace;
	uint32_t *first = WL_NEW(g->run->arena, uint32_t, t->n_configs + 1);
	struct wl_intern shapes;
	bool ok = first != NULL;

	wl_intern_init(&shapes, sizeof(struct shape), wl_arena_budget(g->run->arena));
	g->shape = WL_NEW(g->run->arena, uint32_t, t->n_configs + 1);
	ok = ok && g->shape;
	for (uint32_t i = 0; ok && i < t->n_configs; i++) {
		const struct wl_launch_config *c = &t->configs[i];
		size_t before = shapes.items.n;
		struct shape s;
		uint32_t at;

		memset(&s, 0, sizeof(s));
		memcpy(s.grid, c->grid, sizeof(s.grid));
		memcpy(s.block, c->block, sizeof(s.block));
		s.shared = wl_launch_shared(c);
		at = wl_intern_put(&shapes, &s);
		ok = at != WL_NONE;
		if (ok && shapes.items.n > before)
			first[at] = i;
		g->shape[i] = ok ? first[at] : 0;
	}
	wl_intern_release(&shapes);
	g->n_shapes = t->n_configs ? t->n_configs : 1;
	return ok;
}

static bool make_labels(struct grouping *g)
{
	const struct wl_trace *t = g->run->trace;
	const char **text = WL_NEW(g->run->arena, const char *, t->n_kernel_names + 1);

	for (size_t i = 0; text && i < t->n_kernel_names; i++)
		text[i] = wl_str(t, t->kernel_names[i].demangled);
	g->label = text ? wl_texts_merge(text, t->n_kernel_names, g->run->arena) : NULL;
	return g->label != NULL;
}

static void codes(void *ctx, size_t row, size_t n, uint64_t *code, int64_t *value)
{
	const struct grouping *g = ctx;
	const struct wl_trace *t = g->run->trace;
	const uint32_t *name = wl_kernels_name(t) + row, *config = wl_kernels_config(t) + row;

	for (size_t i = 0; i < n; i++) {
		wl_ns start = 0, end = 0;
		bool counts = g->run->scope->place_on[g->ops.place[row + i]] &&
			      wl_op_clip(t, g->run->scope, &g->ops, row + i, &start, &end);

		code[i] =
			counts ? g->label[name[i]] * g->n_shapes + g->shape[config[i]] : WL_NO_CODE;
		if (value)
			value[i] = counts ? end - start : 0;
	}
}

/* Both parts of a code are indices in file order. */
static int compare(void *ctx, uint64_t a, uint64_t b)
{
	(void)ctx;
	return (a > b) - (a < b);
}

WL_COMPARE_BY(compare_codes, wl_launch_code, code)

uint32_t wl_launch_group_of(const struct wl_launch_groups *groups, uint32_t name, uint32_t config)
{
	const struct wl_launch_code wanted = { .code = groups->label[name] * groups->n_shapes +
						       groups->shape[config] };
	/* Far fewer codes occur than names times configurations: search instead of a table by
	 * code. */
	const struct wl_launch_code *found =
		groups->n ? bsearch(&wanted, groups->code, groups->n, sizeof(wanted), compare_codes)
			  : NULL;

	return found ? found->group : WL_NONE;
}

static bool fill(const struct grouping *g, const struct wl_groups *groups,
		 struct wl_launch_groups *ret)
{
	const struct wl_trace *t = g->run->trace;
	struct wl_launch_group *group =
		WL_NEW(g->run->arena, struct wl_launch_group, groups->n + 1);
	struct wl_launch_code *at = WL_NEW(g->run->arena, struct wl_launch_code, groups->n + 1);

	for (size_t i = 0; group && i < groups->n; i++) {
		uint64_t code = groups->code[groups->order[i]];
		const struct wl_stats *s = &groups->stats[groups->order[i]];
		uint32_t name = (uint32_t)(code / g->n_shapes);

		group[i] = (struct wl_launch_group){
			.name = name,
			.config = &t->configs[code % g->n_shapes],
			.is_comm = g->run->derived->classes->kernel_name[name] == WL_COMM,
			.count = s->n,
			.sum = s->sum,
		};
		if (!group[i].is_comm)
			ret->compute = wl_add_up(ret->compute, s->sum);
	}
	for (size_t i = 0; at && i < groups->n; i++)
		at[i] = (struct wl_launch_code){ groups->code[groups->order[i]], (uint32_t)i };
	if (at && groups->n)
		qsort(at, groups->n, sizeof(*at), compare_codes);
	ret->group = group;
	ret->n = groups->n;
	ret->label = g->label;
	ret->shape = g->shape;
	ret->n_shapes = g->n_shapes;
	ret->code = at;
	return group && at;
}

bool wl_launch_groups_find(const struct wl_run *run, struct wl_launch_groups *ret)
{
	struct grouping g = { .run = run, .ops = wl_trace_ops(run->trace, WL_F_KERNELS) };
	struct wl_group_spec spec = {
		.n_rows = g.ops.n, .codes = codes, .compare = compare, .pool = run->pool
	};
	struct wl_groups groups;
	size_t n_codes;

	*ret = (struct wl_launch_groups){ .n = 0 };
	if (!make_shapes(&g) || !make_labels(&g) ||
	    !wl_mul(run->trace->n_kernel_names, (size_t)g.n_shapes, &n_codes))
		return false;
	spec.n_codes = n_codes;
	return wl_groups_make(&spec, &g, run->arena, &groups) && fill(&g, &groups, ret);
}
