/* SPDX-License-Identifier: MIT */
/*
 * exposed_copy.c - a rule: other exposed copies, by direction and size, because the remedy depends
 * on these.
 *
 * Overlap can hide no more than there is work to hide it behind. Except for SMALL, which is to be
 * batched, all sorts together save at most the time in which the GPU works and copies nothing, plus
 * what one direction can hide of the other. If a GPU has more exposed than that, all of it is one
 * finding, ranked by the exposed time: that is where the time goes, whether or not overlap can save
 * it.
 */
#include "base/text/units.h"
#include "findings/rule.h"
#include "known/exports/codes.h"

WL_DECLARE_RULE(exposed_copy);

enum sort { SMALL, TO_DEVICE, TO_HOST, PEER, OTHER, N_SORTS };

static enum sort sort_of_kind(unsigned copy)
{
	switch (copy) {
	case WL_COPY_H2D:
		return TO_DEVICE;
	case WL_COPY_D2H:
		return TO_HOST;
	case WL_COPY_P2P:
	case WL_COPY_D2D: /* between two devices: within one it is compute (classes.h) */
		return PEER;
	default:
		return OTHER;
	}
}

static enum sort sort_of(const struct wl_atom *atom)
{
	return atom->flags & WL_LOST_TO_SMALL ? SMALL : sort_of_kind(atom->copy);
}

static bool wants(const void *ctx, const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	const enum sort *sort = ctx;

	(void)gpu;
	return atom->loss == WL_LOSS_EXPOSED_COPY && !wl_copy_is_managed(atom->copy) &&
	       sort_of(atom) == *sort;
}

struct words {
	const char *subject, *what, *more; /* more: a clause at the end, or NULL */
	struct wl_advice often, once;
};

#define START_LATER                                                                                \
	"If this is set-up, warm up before profiling, or start the capture later with --delay or " \
	"cudaProfilerStart."

#define PREFETCH                                                                                   \
	{                                                                                          \
		[WL_CUDA] = "cudaMemcpyAsync on a second stream, then cudaStreamWaitEvent",        \
		[WL_PYTORCH] = "x.to(device, non_blocking=True) inside torch.cuda.stream(side)",   \
		[WL_JAX] = "jax.device_put the next batch before the step",                        \
	}

#define READ_LATER                                                                                 \
	{                                                                                          \
		[WL_CUDA] = "cudaMemcpyAsync on a second stream, cudaEventSynchronize one step "   \
			    "later",                                                               \
		[WL_PYTORCH] = "x.to(\"cpu\", non_blocking=True) into a pinned tensor, and an "    \
			       "event before reading it",                                          \
		[WL_JAX] = "x.copy_to_host_async(), and np.asarray(x) one step later",             \
	}

static const struct words words[N_SORTS] = {
	[SMALL] = { .subject = "small copies",
		    .what = "Small copies are not overlapped with compute",
		    .more = WL_STOP "; each copies at most 64 KiB",
		    .often = { .action = "Pack the small copies into one",
			       .advice = "Put the data into one buffer, or pass scalars as kernel "
					 "arguments. Every copy costs a few microseconds, however "
					 "small." },
		    .once = { .action = "Pack the small copies into one", .advice = START_LATER } },
	[TO_DEVICE] = { .subject = "host to device",
			.what = "Copies to the GPU are not overlapped with compute",
			.often = { .action = "Copy on a second stream, one step ahead",
				   .advice =
					   "Send less (smaller types, only what changed), or keep "
					   "it on the GPU.",
				   .in = PREFETCH },
			.once = { .action = "Copy earlier, in chunks, while the GPU computes",
				  .advice = START_LATER } },
	[TO_HOST] = { .subject = "device to host",
		      .what = "Copies to the host are not overlapped with compute",
		      .often = { .action = "Copy on a second stream, and read one step later",
				 .advice = "Reduce on the GPU first, so that less is copied.",
				 .in = READ_LATER },
		      .once = { .action = "Copy results in chunks while the GPU computes",
				.advice = START_LATER } },
	[PEER] = { .subject = "between GPUs",
		   .what = "Copies between GPUs are not overlapped with compute",
		   .often = { .action = "Copy on a second stream as soon as the data is ready",
			      .advice =
				      "Check that peer access is on (cudaDeviceEnablePeerAccess), "
				      "or copies go through the host." },
		   .once = { .action = "Copy on a second stream as soon as the data is ready",
			     .advice = START_LATER } },
	[OTHER] = { .subject = "other copies",
		    .what = "Copies are not overlapped with compute",
		    .often = { .action = "Copy on a second stream, one step ahead",
			       .advice = "Send less, or keep the data on the GPU." },
		    .once = { .action = "Copy on a second stream", .advice = START_LATER } },
};

/* Time of the sample in which the GPU works and copies nothing. */
static wl_ns work_without_copies(const struct wl_rule_gpu *gpu)
{
	wl_ns all = 0;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		const struct wl_tile *tile = &gpu->lane->tile[i];

		if (gpu->in_sample[i])
			all += tile->compute + tile->loss[WL_LOSS_EXPOSED_COMM] +
			       tile->loss[WL_LOSS_EXPOSED_COPY] - tile->copies;
	}
	return all;
}

/* "25.5 GB HtoD at 27.7 GB/s": the volume that copies of a sort move on a device in the window. */
static const char *say_volume(struct wl_rule_state *d, size_t t, enum sort sort, const char *kind)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const int64_t *size = wl_memcpys_bytes(trace);
	char bytes[WL_UNITS_BUF], rate[WL_UNITS_BUF];
	int64_t all = 0;
	wl_ns time = 0;
	size_t lo, hi;

	wl_ops_on_device(trace, &ops, d->gpu[t].lane->device, &lo, &hi);
	for (size_t i = lo; size && i < hi; i++) {
		wl_ns start, end;

		if (size[i] <= WL_SMALL_COPY_BYTES ||
		    sort_of_kind(wl_known_copy_kind(wl_memcpys_kind(trace)[i])) != sort ||
		    !wl_op_clip(trace, d->run->scope, &ops, i, &start, &end))
			continue;
		all += size[i];
		time += ops.dur[i];
	}
	if (time == 0)
		return kind;
	return wl_say(d, "%s %s at %s", wl_fmt_bytes(bytes, all), kind,
		      wl_fmt_rate(rate, 1e9 * (double)all / (double)time));
}

/* Copies that recur every few steps are not set-up. */
static bool is_once(const struct wl_rule_state *d, const struct wl_claim *c, size_t t)
{
	if (d->gpu[t].recurring >> WL_LOSS_EXPOSED_COPY & 1)
		return false;
	return d->gpu[t].by_step ? c->is_rare[t] : c->n[t] < WL_HABIT;
}

/* The sum of all sorts that overlap could hide. */
struct together {
	struct wl_claim of[N_SORTS]; /* without SMALL */
	wl_ns *exposed;              /* by GPU: of all sorts */
	wl_ns *hideable;             /* by GPU: at most this much of it can be hidden */
};

static enum sort largest_on(const struct together *all, size_t t)
{
	enum sort most = TO_DEVICE;

	for (enum sort s = TO_DEVICE; s < N_SORTS; s++)
		most = all->of[s].ns[t] > all->of[most].ns[t] ? s : most;
	return most;
}

static bool has_one_engine(const struct wl_rule_state *d, size_t t)
{
	const struct wl_trace *trace = d->run->trace;
	uint32_t board = trace->devices[d->gpu[t].lane->device].gpu;

	return board != WL_NONE && trace->gpus[board].copy_engines == 1;
}

/* Copies can hide behind work that hides none yet and, unless there is only one engine, behind each
 * other. */
static bool add_up(struct wl_rule_state *d, struct together *all)
{
	all->exposed = WL_NEW(d->run->arena, wl_ns, d->n_gpus);
	all->hideable = WL_NEW(d->run->arena, wl_ns, d->n_gpus);
	if (!all->exposed || !all->hideable)
		return false;
	for (size_t t = 0; t < d->n_gpus; t++) {
		wl_ns room = work_without_copies(&d->gpu[t]), sum = 0;

		for (enum sort s = TO_DEVICE; s < N_SORTS; s++)
			sum += all->of[s].ns[t];
		room += has_one_engine(d, t) ? 0 : sum - all->of[largest_on(all, t)].ns[t];
		all->exposed[t] = sum;
		all->hideable[t] = sum < room ? sum : room;
	}
	return true;
}

/* Among GPUs with more exposed than can be hidden, the one with the most; n_gpus if there is
 * none. */
static size_t bottleneck(const struct wl_rule_state *d, const struct together *all)
{
	size_t most = d->n_gpus;

	for (size_t t = 0; t < d->n_gpus; t++) {
		if (all->exposed[t] > all->hideable[t] &&
		    (most == d->n_gpus || all->exposed[t] > all->exposed[most]))
			most = t;
	}
	return most;
}

/* "800 MB HtoD at 13.02 GB/s (pinned) and 400 MB DtoH at 13.19 GB/s (pinned)" */
static const char *say_volumes(struct wl_rule_state *d, size_t t, const struct together *all,
			       size_t *ret_n)
{
	const char *text = "";

	*ret_n = 0;
	for (enum sort s = TO_DEVICE; text && s < N_SORTS; s++) {
		const struct wl_claim *c = &all->of[s];
		const char *volume;

		/* Small volumes do not make the bottleneck. */
		if (10 * (double)c->ns[t] < (double)all->exposed[t])
			continue;
		volume = say_volume(d, t, s, wl_say_detail(d, c->detail, "copies"));
		text = volume ? wl_say(d, "%s%s%s%s", text, (*ret_n)++ ? " and " : "", volume,
				       c->always & WL_LOST_TO_PINNED ? WL_STOP " (pinned)" : "")
			      : NULL;
	}
	return text;
}

/* Figures on copies that overlap cannot hide, per step or of the window. */
struct bottleneck {
	size_t gpu;
	bool of_steps;
	wl_ns exposed, hideable, whole;
	bool is_engine; /* less than half can be hidden: overlap is not the fix */
};

static struct bottleneck measure(const struct wl_rule_state *d, const struct together *all,
				 size_t t)
{
	bool of_steps = wl_claim_is_of_steps(d, &all->of[largest_on(all, t)], t);
	wl_ns n = of_steps ? (wl_ns)d->gpu[t].n_steps : 1;

	return (struct bottleneck){ .gpu = t,
				    .of_steps = of_steps,
				    .exposed = all->exposed[t] / n,
				    .hideable = all->hideable[t] / n,
				    .whole = of_steps ? wl_rule_state_step(&d->gpu[t])
						      : d->gpu[t].window,
				    .is_engine = 2 * all->hideable[t] < all->exposed[t] };
}

static double share_of(const struct bottleneck *b, wl_ns part)
{
	return b->whole > 0 ? (double)part / (double)b->whole : 0;
}

/* "overlap can hide only 42.01 ms (4.3%)", without "only" if that is at least half. */
static const char *say_limit(struct wl_rule_state *d, const struct bottleneck *b, size_t n_sorts)
{
	char hidden[WL_UNITS_BUF], share[WL_UNITS_BUF];

	if (b->hideable == 0)
		return "no compute is left to hide them";
	return wl_say(d, "overlap can hide %s%s (%s)%s", b->is_engine ? "only " : "",
		      wl_fmt_ns(hidden, b->hideable, WL_UNIT_AUTO),
		      wl_fmt_share(share, share_of(b, b->hideable)),
		      n_sorts > 1 && has_one_engine(d, b->gpu)
			      ? " (one copy engine for both directions)"
			      : "");
}

/* If the engine is the bottleneck, copies must become fewer; a replay says what that saves. */
static void choose_fix(const struct wl_rule_state *d, const struct together *all,
		       const struct bottleneck *b, struct wl_finding *f)
{
	const wl_ns *part = b->is_engine ? all->exposed : all->hideable;
	enum sort sort = largest_on(all, b->gpu);

	f->saving = b->is_engine ? b->exposed : b->hideable;
	f->share = share_of(b, f->saving);
	f->window_share = (double)part[b->gpu] / (double)d->gpu[b->gpu].window;
	for (size_t i = 0; i < d->n_gpus; i++)
		f->gpu_time += part[i];
	/* The finding has a claim for each direction and none for itself. */
	f->part = wl_loss_name(WL_LOSS_EXPOSED_COPY);
	f->part_time = f->gpu_time;
	/* Hiding copies saves no more than removing them, which can be replayed. */
	f->scenario = "copies-free";
	f->hides_most = !b->is_engine;
	if (!b->is_engine) {
		f->fix = is_once(d, &all->of[sort], b->gpu) ? words[sort].once : words[sort].often;
		return;
	}
	f->fix.action = "Copy less: compress, cache, or keep data on the GPU";
	f->fix.advice =
		is_once(d, &all->of[sort], b->gpu) && 2 * b->exposed <= b->whole
			? words[sort].once.advice
			: "Prefetching helps little: there is too little compute to hide the "
			  "copies. "
			  "Send smaller types or only what changed, or do more work on the GPU per "
			  "byte.";
}

static bool put_bottleneck(const struct wl_rule *rule, struct wl_rule_state *d,
			   const struct together *all, size_t t)
{
	const struct bottleneck b = measure(d, all, t);
	struct wl_finding f = { .kind = WL_FINDING_SAVING, .gpu = t, .of_window = !b.of_steps };
	const char *volumes, *limit;
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF];
	size_t n_sorts;

	choose_fix(d, all, &b, &f);
	volumes = say_volumes(d, t, all, &n_sorts);
	limit = say_limit(d, &b, n_sorts);
	if (!volumes || !limit)
		return false;
	f.subject = n_sorts > 1 ? "both directions" : words[largest_on(all, t)].subject;
	f.evidence = rule->evidence;
	wl_show(d, t, &f.evidence);
	f.sentence =
		wl_say(d,
		       "%s" WL_STOP ": %s" WL_STOP
		       "; copies take %s %s (%s) alone on GPU %u" WL_STOP "; %s",
		       b.is_engine && 2 * b.exposed > b.whole ? "The copy engine is the bottleneck"
		       : b.is_engine ? "Copies take longer than the work that could hide them"
				     : "Copies are not overlapped with compute",
		       volumes, wl_fmt_ns(time, b.exposed, WL_UNIT_AUTO),
		       b.of_steps ? "per step" : "of the window",
		       wl_fmt_share(share, share_of(&b, b.exposed)), d->gpu[t].lane->device, limit);
	return wl_rule_state_put_plain(d, rule, &f);
}

static bool add_finding(const struct wl_rule *rule, struct wl_rule_state *d,
			const struct wl_claim *c, const struct words *w)
{
	bool once = is_once(d, c, wl_claim_gpu(d, c));
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");
	struct wl_rule own = *rule;

	own.scenario = wl_say(d, "exposed-copy=%s", w->subject);
	if (!claim || !parts || !own.scenario)
		return false;
	own.fix = once ? w->once : w->often;
	return wl_rule_state_put(d, &own, c, w->subject,
				 wl_say(d, "%s" WL_STOP ": %s%s%s%s", w->what, claim, parts,
					c->always & WL_LOST_TO_PINNED ? " (pinned)" : "",
					w->more ? w->more : ""),
				 &rule->evidence);
}

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	struct together all;
	struct wl_claim small;
	size_t t;
	bool ok = true;

	for (enum sort s = 0; ok && s < N_SORTS; s++)
		ok = wl_rule_state_claim(d, wants, &s, s == SMALL ? &small : &all.of[s]);
	if (!ok || !add_finding(rule, d, &small, &words[SMALL]) || !add_up(d, &all))
		return false;
	t = bottleneck(d, &all);
	if (t < d->n_gpus)
		return put_bottleneck(rule, d, &all, t);
	for (enum sort s = TO_DEVICE; ok && s < N_SORTS; s++)
		ok = add_finding(rule, d, &all.of[s], &words[s]);
	return ok;
}

const struct wl_rule wl_rule_exposed_copy = {
	.code = "exposed-copy",
	.title = "Copies run while no compute does",
	.limits = "The trace does not show whether the next kernel needs the data immediately.",
	.best_place.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.evidence = { .verb = "transfers", .option = { { "sort", "exposed" } } },
	.scenario_of_all = "copies-free",
	.apply = apply,
};
