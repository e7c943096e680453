/* SPDX-License-Identifier: MIT */
/*
 * memory_growth.c - a rule: memory in use at the ends of steps grows from step to step.
 *
 * The slope is the Theil-Sen estimate, the median of the slopes of all pairs: a few steps that
 * allocate permanently, such as the first, do not affect it. The last step is left out, because the
 * program may tear down after it.
 */
#include <stdlib.h>

#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/use/memory_use.h"
#include "findings/rule.h"
#include "known/exports/codes.h"

WL_DECLARE_RULE(memory_growth);

enum {
	MIN_ENDS = 8,   /* fewer say little about a trend */
	MAX_ENDS = 512, /* if there are more, this many, evenly spaced: pairs are quadratic */
	MAX_POOLS = 4,
};

/* Share of the peak, in ten steps. */
#define GROWTH 0.01

struct growth {
	const struct wl_memory_pool *pool;
	double slope; /* bytes per step */
	int64_t first, last, peak;
	size_t n; /* ends of steps */
};

struct end {
	size_t step;
	int64_t level;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median slope; for an even number, the lower of the two in the middle. */
static bool find_slope(const struct end *end, size_t n, struct wl_arena *arena, double *ret)
{
	size_t n_pairs = 0;
	double *slope = WL_NEW(arena, double, n *(n - 1) / 2);

	for (size_t i = 0; slope && i < n; i++) {
		for (size_t k = i + 1; k < n; k++)
			slope[n_pairs++] = ((double)end[k].level - (double)end[i].level) /
					   (double)(end[k].step - end[i].step);
	}
	if (!slope)
		return false;
	qsort(slope, n_pairs, sizeof(*slope), compare);
	*ret = slope[(n_pairs - 1) / 2];
	return true;
}

/* Find the steps [*ret_lo, *ret_hi) that the host begins inside the window, where the step before
 * ends. */
static void find_ends(const struct wl_process_iters *iters, struct wl_interval window,
		      size_t *ret_lo, size_t *ret_hi)
{
	uint32_t iter;

	*ret_lo = iters->n ? 1 : 0;
	*ret_hi = iters->n;
	while (*ret_lo < *ret_hi && wl_memory_step(iters, *ret_lo, &iter) < window.begin)
		++*ret_lo;
	while (*ret_lo < *ret_hi && wl_memory_step(iters, *ret_hi - 1, &iter) > window.end)
		--*ret_hi;
}

static bool measure(const struct wl_rule_state *d, const struct wl_memory_use *use,
		    const struct wl_memory_pool *pool, struct wl_arena *arena, struct growth *ret)
{
	const struct wl_process_iters *iters = &d->run->derived->iterations->process[pool->process];
	struct wl_memory_walk walk = wl_memory_begin(pool);
	struct wl_interval at;
	struct end *end;
	size_t lo, hi, n;

	*ret = (struct growth){ .pool = pool };
	if (!wl_memory_window(d->run->scope, pool, &at))
		return true;
	find_ends(iters, at, &lo, &hi);
	if (hi - lo < MIN_ENDS)
		return true;
	n = hi - lo < MAX_ENDS ? hi - lo : MAX_ENDS;
	end = WL_NEW(arena, struct end, n);
	for (size_t i = 0; end && i < n; i++) {
		struct wl_memory_sum s;
		uint32_t iter;

		end[i].step = lo + i * (hi - lo - 1) / (n - 1);
		at.end = wl_memory_step(iters, end[i].step, &iter);
		s = wl_memory_measure(d->run->trace, use, pool, &walk, at);
		end[i].level = s.after;
		ret->peak = s.peak > ret->peak ? s.peak : ret->peak;
		at.begin = at.end;
	}
	if (!end || !find_slope(end, n, arena, &ret->slope))
		return false;
	ret->n = hi - lo;
	ret->first = end[0].level;
	ret->last = end[n - 1].level;
	return true;
}

static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d, const struct growth *g)
{
	const char *kind = wl_memory_kind_name(g->pool->kind), *where;
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };
	char slope[WL_UNITS_BUF], first[WL_UNITS_BUF], last[WL_UNITS_BUF];

	kind = kind ? kind : "unknown";
	f.subject = wl_say(d, "GPU %u, %s", g->pool->device, kind);
	f.sentence = wl_say(d,
			    "Memory on GPU %u grows by %s per step" WL_STOP
			    ": %s after the first of %zu steps, %s after the last (%s memory)",
			    g->pool->device, wl_fmt_bytes(slope, (int64_t)g->slope),
			    wl_fmt_bytes(first, g->first), g->n, wl_fmt_bytes(last, g->last), kind);
	where = wl_say(d, "kind = %s", kind);
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = "memory",
				     .option = { { "by", "step" }, { "where", where } } },
		g->pool->device);
	return f.subject && where && wl_rule_state_put_plain(d, rule, &f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_memory_use use;
	struct wl_arena scratch;
	bool ok;

	wl_arena_init_child(&scratch, d->run->arena);
	ok = wl_memory_use_find(d->run->trace, true, &scratch, &use);
	for (size_t i = 0, n = 0; ok && i < use.n && n < MAX_POOLS; i++) {
		struct growth g;

		if (use.pool[i].device == WL_NONE)
			continue;
		ok = measure(d, &use, &use.pool[i], &scratch, &g);
		if (!ok || g.n == 0 || g.slope * 10 <= GROWTH * (double)g.peak)
			continue;
		ok = add_finding(rule, d, &g);
		n++;
	}
	wl_arena_release(&scratch);
	return ok;
}

const struct wl_rule wl_rule_memory_growth = {
	.from = WL_FROM(MEMORY_USE) | WL_FROM(ITERATIONS),
	.code = "memory-growth",
	.title = "Memory in use grows from step to step",
	.fix = {
		.action = "Free what a step allocates, or reuse it in the next",
		.advice = "Look for allocations kept alive after the step by a list, a cache or a "
			  "closure. If this continues, the program runs out of memory.",
		.in = {
			[WL_CUDA] = "cudaFree for every cudaMalloc of the loop, or allocate "
				    "before it",
			[WL_PYTORCH] = "sum up loss.item() or loss.detach() and not loss; "
				       "torch.cuda.memory._record_memory_history() shows who "
				       "allocates; "
				       "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
				       "against fragmentation",
			[WL_JAX] = "donate_argnums for buffers that a step replaces; "
				   "jax.profiler.save_device_memory_profile() shows who allocates",
		},
	},
	.limits = "A caching allocator that is still growing looks the same: record later steps. "
		  "The "
		  "trace does not show how much of its blocks is in use.",
	.apply = apply,
};
