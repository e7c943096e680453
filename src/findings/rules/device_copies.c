/* SPDX-License-Identifier: MIT */
/*
 * device_copies.c - a rule: copies within one GPU while nothing else runs there. They are device
 * work that may not be needed; the accounts count them as compute.
 */
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/rows/ops.h"
#include "findings/rule.h"

WL_DECLARE_RULE(device_copies);

static const double much = 0.01; /* of the step, or of the window */

/* The copies found in a GPU's sample. */
struct found {
	wl_ns alone;     /* nothing else runs */
	uint64_t n;      /* copies that begin in it */
	int64_t largest; /* bytes; 0: not recorded */
	size_t n_steps;  /* with at least half of the mean */
};

/* Sums the union of intervals by tile; they come in order of begin. */
struct adding {
	const struct wl_rule_gpu *gpu;
	struct wl_interval last; /* merged but not yet added; empty at first */
	size_t tile;             /* earlier ones end before it */
	wl_ns sign;              /* 1, or -1 to subtract */
	wl_ns *by_tile;
};

static void add_last(struct adding *a)
{
	const struct wl_ledger_lane *lane = a->gpu->lane;

	while (a->tile < lane->n_tiles && lane->tile[a->tile].end <= a->last.begin)
		a->tile++;
	for (size_t i = a->tile; i < lane->n_tiles && lane->tile[i].begin < a->last.end; i++) {
		wl_ns begin = lane->tile[i].begin, end = lane->tile[i].end;

		begin = begin > a->last.begin ? begin : a->last.begin;
		end = end < a->last.end ? end : a->last.end;
		if (a->gpu->in_sample[i] && begin < end)
			a->by_tile[i] += a->sign * (end - begin);
	}
}

static void add(struct adding *a, const struct wl_op *op)
{
	if (op->start <= a->last.end) {
		a->last.end = op->end > a->last.end ? op->end : a->last.end;
		return;
	}
	add_last(a);
	a->last = (struct wl_interval){ op->start, op->end };
}

/* Count a copy; *tile is the tile of the copy before it. */
static void count(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
		  const struct wl_op *op, size_t *tile, struct found *ret)
{
	const int64_t *bytes = wl_memcpys_bytes(d->run->trace);
	const struct wl_tile *at = gpu->lane->tile;

	while (*tile + 1 < gpu->lane->n_tiles && at[*tile].end <= op->start)
		(*tile)++;
	if (!gpu->in_sample[*tile] || op->start < at[*tile].begin || op->start >= at[*tile].end)
		return;
	ret->n++;
	ret->largest = bytes && bytes[op->row] > ret->largest ? bytes[op->row] : ret->largest;
}

/* A copy counts as device work if it is within the device and does not communicate. */
static bool is_copy_within(const struct wl_trace *t, const struct wl_classes *classes,
			   const struct wl_op *op)
{
	return op->family == WL_F_MEMCPYS &&
	       wl_class_of(t, classes, WL_F_MEMCPYS, op->row) == WL_COMPUTE;
}

/* Copies run alone in the time that all operations cover and the other operations do not. */
static void sweep(const struct wl_rule_state *d, const struct wl_classes *classes,
		  const struct wl_rule_gpu *gpu, wl_ns *by_tile, struct found *ret)
{
	const struct wl_interval none = { INT64_MIN, INT64_MIN };
	struct adding all = { .gpu = gpu, .last = none, .sign = 1 }, others;
	struct wl_op_cursor cursor;
	struct wl_op op;
	size_t tile = 0;

	all.by_tile = by_tile;
	others = all;
	others.sign = -1;
	wl_ops_begin(d->run->trace, gpu->lane->device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		if (!d->run->scope->place_on[op.place])
			continue;
		add(&all, &op);
		if (is_copy_within(d->run->trace, classes, &op))
			count(d, gpu, &op, &tile, ret);
		else
			add(&others, &op);
	}
	add_last(&all);
	add_last(&others);
}

/* Most devices have no such copies and need no sweep. */
static bool has_copies_within(const struct wl_trace *t, const struct wl_classes *classes,
			      uint32_t device)
{
	const struct wl_ops ops = wl_trace_ops(t, WL_F_MEMCPYS);
	size_t lo, hi;

	wl_ops_on_device(t, &ops, device, &lo, &hi);
	while (lo < hi && wl_class_of_copy(classes, lo) != WL_COMPUTE)
		lo++;
	return lo < hi;
}

static bool measure(const struct wl_rule_state *d, size_t t, struct wl_arena *arena,
		    struct found *ret)
{
	const struct wl_rule_gpu *gpu = &d->gpu[t];
	const struct wl_classes *classes = d->run->derived->classes;
	wl_ns *by_tile = WL_NEW(arena, wl_ns, gpu->lane->n_tiles);

	*ret = (struct found){ .n = 0 };
	if (!by_tile)
		return false;
	if (!has_copies_within(d->run->trace, classes, gpu->lane->device))
		return true;
	sweep(d, classes, gpu, by_tile, ret);
	for (size_t i = 0; i < gpu->lane->n_tiles; i++)
		ret->alone += by_tile[i];
	for (size_t i = 0; i < gpu->lane->n_tiles; i++)
		ret->n_steps += by_tile[i] > 0 &&
				2 * (double)by_tile[i] * (double)gpu->n_steps >= (double)ret->alone;
	return true;
}

/* "28 copies per step, the largest 67.1 MB" */
static const char *say_sizes(struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			     const struct found *f, bool of_steps)
{
	char each[WL_UNITS_BUF], size[WL_UNITS_BUF];
	const char *n = wl_say_count(d, f->n);

	if (!n)
		return NULL;
	if (of_steps)
		n = wl_say(d, "%s cop%s per step",
			   wl_fmt_real(each, (double)f->n / (double)gpu->n_steps),
			   f->n == gpu->n_steps ? "y" : "ies");
	else
		n = wl_say(d, "%s cop%s", n, f->n == 1 ? "y" : "ies");
	if (!n || !f->largest)
		return n;
	return wl_say(d, "%s, the largest %s", n, wl_fmt_bytes(size, f->largest));
}

static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d, struct wl_finding *f,
			const struct found *found)
{
	const struct wl_rule_gpu *gpu = &d->gpu[f->gpu];
	bool of_steps = gpu->by_step && !f->of_window;
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	const char *sizes = say_sizes(d, gpu, found, of_steps), *when = "of the window";

	if (of_steps)
		when = "of each step";
	else if (gpu->by_step)
		when = wl_say(d, "in %zu of %zu steps", found->n_steps, gpu->n_steps);
	if (!sizes || !when)
		return false;
	f->sentence =
		wl_say(d, "Copies inside GPU %u run alone for %s %s (%s)" WL_STOP ": %s",
		       gpu->lane->device,
		       wl_fmt_ns(time, of_steps ? found->alone / (wl_ns)gpu->n_steps : found->alone,
				 WL_UNIT_AUTO),
		       when, wl_fmt_share(share, f->share), sizes);
	f->evidence = (struct wl_cmdline){ .verb = "transfers",
					   .option = { { "where", "kind = DtoD" } } };
	wl_show(d, f->gpu, &f->evidence);
	return wl_rule_state_put_plain(d, rule, f);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct wl_finding f = { .kind = WL_FINDING_SHARE };
	struct found best = { .n = 0 };

	if (!wl_memcpys_kind(d->run->trace))
		return true;
	for (size_t t = 0; t < d->n_gpus; t++) {
		const struct wl_rule_gpu *gpu = &d->gpu[t];
		struct wl_arena scratch;
		struct found found;
		bool ok, is_rare;
		double share;

		wl_arena_init_child(&scratch, d->run->arena);
		ok = measure(d, t, &scratch, &found);
		wl_arena_release(&scratch);
		if (!ok)
			return false;
		is_rare = gpu->by_step && 2 * found.n_steps <= gpu->n_steps;
		share = (double)found.alone / (double)(is_rare ? gpu->window : gpu->length);
		if (found.alone == 0 || share <= f.share)
			continue;
		best = found;
		f.share = share;
		f.gpu = t;
		f.of_window = is_rare;
	}
	return f.share < much || add_finding(rule, d, &f, &best);
}

const struct wl_rule wl_rule_device_copies = {
	.from = WL_FROM(CLASSES),
	.code = "device-copies",
	.title = "Copies inside one GPU run alone",
	.fix = {
		.action = "Write results directly to their final buffer",
		.advice = "Let the kernel that produces the data write it there.",
		.in = {
			[WL_CUDA] = "pass the kernel a pointer into the buffer that is read later",
			[WL_PYTORCH] = "avoid contiguous(), clone() and cat(); "
				       "DDP(gradient_as_bucket_view=True, broadcast_buffers=False)",
			[WL_JAX] = "give buffers to the step: jax.jit(step, donate_argnums=0)",
		},
	},
	.limits = "The trace does not show which copies can be avoided.",
	.scenario_of_all = "exposed-copy=within a GPU",
	.apply = apply,
};
