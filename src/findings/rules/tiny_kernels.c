/* SPDX-License-Identifier: MIT */
/*
 * tiny_kernels.c - a rule: most kernels are so short that starting them costs as much as running
 * them. Consecutive ones on a stream could be fused into one kernel as long as the longest. The
 * rule claims the time of the others, which the accounts count as compute, and the gaps before them
 * if they were queued.
 */
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/graph/scenario/scenario.h"
#include "derive/kinds/classes.h"
#include "derive/kinds/intervals.h"
#include "derive/rows/scope.h"
#include "findings/rule.h"

WL_DECLARE_RULE(tiny_kernels);

enum { ENOUGH = 1000 };

struct tiny {
	struct wl_rule_state *d;
	struct wl_claim claim;
	wl_ns *between;       /* by GPU: claimed between kernels */
	double *share;        /* by GPU: share of its kernels that are tiny; 0: no claim */
	struct wl_arena *tmp; /* for one GPU */
};

/* The kernels of a GPU, in order of start. */
struct kernels {
	struct wl_interval *at;
	wl_ns *gap;    /* before it, since the end of all earlier kernels */
	uint32_t *run; /* first of its run of consecutive tiny kernels on a stream; or WL_NONE */
	uint32_t *longest; /* by first of a run: the kernel that would stay */
	bool *is_comm;     /* communicates, and hides no compute */
	size_t n, n_tiny;
};

static wl_ns length_of(const struct kernels *k, size_t i)
{
	return k->at[i].end - k->at[i].begin;
}

/* Put the last kernel into the run of the one before it on its stream; before counts from 1, 0 for
 * none. */
static void put_in_run(struct kernels *k, uint32_t before)
{
	uint32_t own = (uint32_t)k->n - 1, run = before ? k->run[before - 1] : WL_NONE;

	k->run[own] = run = run == WL_NONE ? own : run;
	if (run == own || length_of(k, own) > length_of(k, k->longest[run]))
		k->longest[run] = own;
}

/* *before: the last kernel of the stream, counted from 1; 0 for none. */
static void add(struct kernels *k, uint32_t *before, struct wl_interval at, bool is_comm)
{
	uint32_t own = (uint32_t)k->n++;
	wl_ns last = own ? k->gap[own - 1] : at.begin;

	k->at[own] = at;
	/* Until find_gaps(), this is the end of all kernels so far. */
	k->gap[own] = at.end > last ? at.end : last;
	k->run[own] = WL_NONE;
	k->is_comm[own] = is_comm;
	if (length_of(k, own) <= WL_TINY_KERNEL_NS) {
		k->n_tiny++;
		if (!is_comm)
			put_in_run(k, *before);
	}
	*before = own + 1;
}

static void find_gaps(struct kernels *k)
{
	for (size_t i = k->n; i-- > 0;) {
		wl_ns gap = i ? k->at[i].begin - k->gap[i - 1] : 0;

		k->gap[i] = gap > 0 ? gap : 0;
	}
}

/* False without memory. */
static bool list_kernels(const struct tiny *t, size_t gpu, struct kernels *ret)
{
	const struct wl_run *run = t->d->run;
	const struct wl_ops ops = wl_trace_ops(run->trace, WL_F_KERNELS);
	uint32_t *before = WL_NEW(t->tmp, uint32_t, run->trace->n_places);
	size_t lo, hi;

	wl_ops_on_device(run->trace, &ops, t->d->gpu[gpu].lane->device, &lo, &hi);
	*ret = (struct kernels){ .at = WL_NEW(t->tmp, struct wl_interval, hi - lo),
				 .gap = WL_NEW(t->tmp, wl_ns, hi - lo),
				 .run = WL_NEW(t->tmp, uint32_t, hi - lo),
				 .longest = WL_NEW(t->tmp, uint32_t, hi - lo),
				 .is_comm = WL_NEW(t->tmp, bool, hi - lo) };
	if (!before || !ret->at || !ret->gap || !ret->run || !ret->longest || !ret->is_comm)
		return false;
	for (size_t i = lo; i < hi; i++) {
		struct wl_interval at;

		if (wl_op_clip(run->trace, run->scope, &ops, i, &at.begin, &at.end))
			add(ret, &before[ops.place[i]], at,
			    wl_class_of(run->trace, run->derived->classes, WL_F_KERNELS, i) ==
				    WL_COMM);
	}
	find_gaps(ret);
	return true;
}

/* Whether a kernel would be fused away: one of each run stays. */
static bool is_fused(const struct kernels *k, size_t i)
{
	return k->run[i] != WL_NONE && k->longest[k->run[i]] != i;
}

/* Find when only kernels compute that would be fused away; false without memory. */
static bool find_when(const struct tiny *t, const struct kernels *k, struct wl_intervals *ret)
{
	struct wl_interval *side[2] = { WL_NEW(t->tmp, struct wl_interval, k->n),
					WL_NEW(t->tmp, struct wl_interval, k->n) };
	struct wl_intervals gone, stay;
	size_t n[2] = { 0 };

	for (size_t i = 0; side[0] && side[1] && i < k->n; i++) {
		unsigned to = is_fused(k, i);

		if (!k->is_comm[i])
			side[to][n[to]++] = k->at[i];
	}
	return side[0] && side[1] && wl_intervals_union(side[0], n[0], t->tmp, &stay) &&
	       wl_intervals_union(side[1], n[1], t->tmp, &gone) &&
	       wl_intervals_subtract(&gone, &stay, t->tmp, ret);
}

/* Take the gaps inside runs in a tile, if the kernels were queued. */
static wl_ns take_gaps(struct tiny *t, const struct kernels *k, size_t gpu, uint32_t number,
		       size_t *next)
{
	const struct wl_tile *tile = &t->d->gpu[gpu].lane->tile[number];
	wl_ns sum = 0;

	for (; *next < k->n && k->at[*next].begin < tile->end; ++*next) {
		size_t i = *next;

		if (k->at[i].begin >= tile->begin && k->run[i] != WL_NONE && k->run[i] != i &&
		    k->gap[i] <= WL_DISPATCH_NS)
			sum += k->gap[i];
	}
	return wl_rule_state_take(t->d, gpu, number, (enum wl_loss)WL_CAUSE_DISPATCH, sum,
				  &t->claim);
}

static bool take_tiles(struct tiny *t, const struct kernels *k, size_t gpu)
{
	const struct wl_rule_gpu *of = &t->d->gpu[gpu];
	wl_ns *by_tile = WL_NEW(t->tmp, wl_ns, of->lane->n_tiles);
	struct wl_intervals when;
	size_t next = 0;

	if (!by_tile || !find_when(t, k, &when))
		return false;
	for (uint32_t i = 0; i < of->lane->n_tiles; i++) {
		const struct wl_tile *tile = &of->lane->tile[i];
		wl_ns between;

		if (!of->in_sample[i])
			continue;
		between = take_gaps(t, k, gpu, i, &next);
		t->between[gpu] += between;
		by_tile[i] = between + wl_rule_state_take_compute(
					       t->d, gpu, i,
					       wl_intervals_covered(&when, tile->begin, tile->end),
					       &t->claim);
	}
	wl_claim_count_steps(t->d, &t->claim, gpu, by_tile);
	return true;
}

static bool take_gpu(struct tiny *t, size_t gpu)
{
	struct kernels k;

	if (!list_kernels(t, gpu, &k))
		return false;
	if (k.n < ENOUGH || 2 * k.n_tiny < k.n)
		return true;
	t->share[gpu] = (double)k.n_tiny / (double)k.n;
	return take_tiles(t, &k, gpu);
}

/* ", 25.0% of it in gaps between queued kernels"; "" if less than a twentieth. */
static const char *say_between(struct tiny *t, size_t gpu)
{
	wl_ns all = t->between[gpu] + t->claim.extra[gpu];
	char share[WL_UNITS_BUF];

	if (20 * t->between[gpu] < all)
		return "";
	return wl_say(t->d, ", %s of it in gaps between queued kernels",
		      wl_fmt_share(share, (double)t->between[gpu] / (double)all));
}

static bool put(const struct wl_rule *rule, struct tiny *t)
{
	size_t gpu = wl_claim_gpu(t->d, &t->claim);
	const struct wl_cmdline evidence = { .verb = "kernels", .option = { { "sort", "calls" } } };
	const char *claim, *between;
	char share[WL_UNITS_BUF];

	if (t->share[gpu] <= 0 || t->claim.extra[gpu] == 0)
		return true;
	claim = wl_say_claim(t->d, &t->claim);
	between = say_between(t, gpu);
	return claim && between &&
	       wl_rule_state_put(t->d, rule, &t->claim, NULL,
				 wl_say(t->d,
					"%s of the kernels take 5 us or less" WL_STOP ": %s" WL_STOP
					"%s",
					wl_fmt_share(share, t->share[gpu]), claim, between),
				 &evidence);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct tiny t = { .d = d,
			  .between = WL_NEW(d->run->arena, wl_ns, d->n_gpus),
			  .share = WL_NEW(d->run->arena, double, d->n_gpus) };
	bool ok = t.between && t.share && wl_claim_init(d, &t.claim);

	for (size_t i = 0; ok && i < d->n_gpus; i++) {
		struct wl_arena scratch;

		wl_arena_init_child(&scratch, d->run->arena);
		t.tmp = &scratch;
		ok = take_gpu(&t, i);
		wl_arena_release(&scratch);
	}
	return ok && (d->n_gpus == 0 || put(rule, &t));
}

const struct wl_rule wl_rule_tiny_kernels = {
	.from = WL_FROM(CLASSES),
	.code = "tiny-kernels",
	.title = "Most kernels take 5 us or less",
	.fix = {
		.action = "Fuse small kernels, or replay them as a CUDA graph",
		.advice = "Even queued kernels are 1 to 2 us apart.",
		.in = {
			[WL_CUDA] = "batched library calls (cublasGemmStridedBatchedEx), "
				    "cudaGraphLaunch",
			[WL_PYTORCH] = "torch.compile; fused optimizers, such as AdamW(fused=True)",
			[WL_JAX] = "more of the step in one jax.jit; jax.vmap instead of Python "
				   "loops",
			[WL_SERVING] = "leave CUDA graphs on: no --enforce-eager (vLLM), no "
				       "--disable-cuda-graph (SGLang)",
		},
	},
	.limits = "The trace does not show how many of them can be fused.",
	.scenario = "tiny-kernels",
	.apply = apply,
};
