/* SPDX-License-Identifier: MIT */
/*
 * layout_change.c - a rule: kernels that only change the layout of tensors. The accounts count
 * their time as compute; this rule claims what slow steps have not claimed.
 */
#include <ctype.h>
#include <string.h>

#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/intervals.h"
#include "findings/rule.h"
#include "known/kernels/layouts.h"

WL_DECLARE_RULE(layout_change);

enum { MOST_NAMES = 6 }; /* of a command */

struct changing {
	struct wl_rule_state *d;
	struct wl_claim claim;
	const bool *is_change; /* by kernel name */
	uint64_t *n;           /* by GPU: kernels in the sample */
	uint32_t *name;        /* by GPU: the kernel with most time */
	wl_ns *most;           /* by GPU: its time */
	struct wl_arena *tmp;  /* for one GPU */
};

static bool find_names(const struct wl_trace *trace, struct wl_arena *arena, const bool **ret,
		       bool *ret_any)
{
	bool *is = WL_NEW(arena, bool, trace->n_kernel_names);

	*ret_any = false;
	for (size_t i = 0; is && i < trace->n_kernel_names; i++) {
		is[i] = wl_kernel_changes_layout(wl_str(trace, trace->kernel_names[i].demangled));
		*ret_any |= is[i];
	}
	*ret = is;
	return is != NULL;
}

/* Kernels come in order of start; the tile only moves forward. */
static bool is_in_sample(const struct wl_rule_gpu *gpu, wl_ns start, size_t *tile)
{
	const struct wl_ledger_lane *lane = gpu->lane;

	while (gpu->by_step && *tile + 1 < lane->n_tiles && lane->tile[*tile].end <= start)
		++*tile;
	return gpu->in_sample[*tile] && start >= lane->tile[*tile].begin &&
	       start < lane->tile[*tile].end;
}

/* Find when these kernels run, and the figures for the sentence. */
static bool list_kernels(struct changing *c, size_t t, struct wl_intervals *ret)
{
	const struct wl_run *run = c->d->run;
	const struct wl_ops ops = wl_trace_ops(run->trace, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(run->trace);
	wl_ns *sum = WL_NEW(c->tmp, wl_ns, run->trace->n_kernel_names);
	size_t lo, hi, tile = 0, n = 0;
	struct wl_interval *list;

	wl_ops_on_device(run->trace, &ops, c->d->gpu[t].lane->device, &lo, &hi);
	list = WL_NEW(c->tmp, struct wl_interval, hi - lo);
	for (size_t i = lo; sum && list && i < hi; i++) {
		wl_ns start, end;

		if (!c->is_change[name[i]] ||
		    !wl_op_clip(run->trace, run->scope, &ops, i, &start, &end))
			continue;
		list[n++] = (struct wl_interval){ start, end };
		if (!is_in_sample(&c->d->gpu[t], start, &tile))
			continue;
		c->n[t]++;
		sum[name[i]] += end - start;
		if (sum[name[i]] > c->most[t]) {
			c->most[t] = sum[name[i]];
			c->name[t] = name[i];
		}
	}
	return sum && list && wl_intervals_union(list, n, c->tmp, ret);
}

static bool take_gpu(struct changing *c, size_t t)
{
	const struct wl_ledger_lane *lane = c->d->gpu[t].lane;
	wl_ns *by_tile = WL_NEW(c->tmp, wl_ns, lane->n_tiles);
	struct wl_intervals when;

	if (!by_tile || !list_kernels(c, t, &when))
		return false;
	for (uint32_t i = 0; i < lane->n_tiles; i++) {
		const struct wl_tile *tile = &lane->tile[i];

		if (c->d->gpu[t].in_sample[i])
			by_tile[i] = wl_rule_state_take_compute(
				c->d, t, i, wl_intervals_covered(&when, tile->begin, tile->end),
				&c->claim);
	}
	wl_claim_count_steps(c->d, &c->claim, t, by_tile);
	return true;
}

static bool is_plain(const char *name)
{
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	}
	return true;
}

/*
 * "--where 'kernel ~ nchwToNhwcKernel or kernel ~ nhwcToNchwKernel'": only these kernels. If there
 * are many names, or not only plain ones, the part they have in common.
 */
static const char *say_where(const struct changing *c)
{
	const struct wl_trace *t = c->d->run->trace;
	const char *names = "", *seen[MOST_NAMES];
	size_t n = 0;

	for (size_t i = 0; names && i < t->n_kernel_names; i++) {
		const char *brief = wl_str(t, t->kernel_names[i].brief);
		size_t k = 0;

		if (!c->is_change[i])
			continue;
		while (k < n && strcmp(seen[k], brief) != 0)
			k++;
		if (k < n)
			continue;
		if (n == MOST_NAMES || !is_plain(brief))
			return "kernel ~ nchw or kernel ~ nhwc";
		seen[n++] = brief;
		names = wl_say(c->d, "%s%skernel ~ %s", names, n > 1 ? " or " : "", brief);
	}
	return names;
}

static bool add_finding(const struct wl_rule *rule, struct changing *c)
{
	size_t t = wl_claim_gpu(c->d, &c->claim);
	const struct wl_rule_gpu *gpu = &c->d->gpu[t];
	bool of_steps = wl_claim_is_of_steps(c->d, &c->claim, t);
	struct wl_cmdline evidence = { .verb = "kernels" };
	const char *claim, *n;
	char share[WL_UNITS_BUF], each[WL_UNITS_BUF];

	if (c->claim.extra[t] == 0)
		return true;
	claim = wl_say_claim(c->d, &c->claim);
	n = of_steps ? wl_say(c->d, "%s per step",
			      wl_fmt_real(each, (double)c->n[t] / (double)gpu->n_steps))
		     : wl_say(c->d, "%s in the window", wl_say_count(c->d, c->n[t]));
	evidence.option[0] = (struct wl_cmdline_option){ "where", say_where(c) };
	return claim && n && evidence.option[0].value &&
	       wl_rule_state_put(
		       c->d, rule, &c->claim, NULL,
		       wl_say(c->d,
			      "Kernels that only convert tensor layouts: %s" WL_STOP ", %s" WL_STOP
			      ", %s of it in %s",
			      n, claim,
			      wl_fmt_share(share, (double)c->most[t] / (double)c->claim.extra[t]),
			      wl_say_kernel(c->d, c->name[t])),
		       &evidence);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_arena *arena = d->run->arena;
	struct changing c = { .d = d,
			      .n = WL_NEW(arena, uint64_t, d->n_gpus),
			      .name = WL_NEW(arena, uint32_t, d->n_gpus),
			      .most = WL_NEW(arena, wl_ns, d->n_gpus) };
	bool any, ok = c.n && c.name && c.most && wl_claim_init(d, &c.claim) &&
		       find_names(d->run->trace, arena, &c.is_change, &any);

	if (ok && (!any || !wl_kernels_name(d->run->trace)))
		return true;
	for (size_t t = 0; ok && t < d->n_gpus; t++) {
		struct wl_arena scratch;

		wl_arena_init_child(&scratch, arena);
		c.tmp = &scratch;
		ok = take_gpu(&c, t);
		wl_arena_release(&scratch);
	}
	return ok && add_finding(rule, &c);
}

const struct wl_rule wl_rule_layout_change = {
	.from = WL_FROM(NAMED),
	.code = "layout-change",
	.title = "Kernels only convert tensor layouts",
	.fix = {
		.action = "Keep one layout: channels-last model and input",
		.advice = "Tensor cores work on channels-last data. With channels-last inputs and "
			  "weights no conversion is needed between layers.",
		.in = {
			[WL_CUDA] = "describe tensors and filters as CUDNN_TENSOR_NHWC",
			[WL_PYTORCH] = "model.to(memory_format=torch.channels_last), or "
				       "channels_last_3d "
				       "for 3-D convolutions, and the same for the input",
			[WL_JAX] = "dimension_numbers=(\"NHWC\", \"HWIO\", \"NHWC\") of "
				   "jax.lax.conv_general_dilated",
		},
	},
	.limits = "Some kernels may be slower in the other layout, and a layer without a "
		  "channels-last "
		  "kernel converts back.",
	.scenario = "layout-change",
	.apply = apply,
};
