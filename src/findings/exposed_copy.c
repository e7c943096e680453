/*
 * exposed_copy.c - the other copies that nothing hides, by direction and size: what helps
 * depends on these.
 *
 * Overlap can hide no more than there is work to hide it behind: the savings of all sorts
 * but SMALL, which is to be batched, are together at most the time in which the GPU works
 * and copies nothing. Where a sort has more, the copy engine is the bottleneck.
 */
#include "base/units.h"
#include "derive/ops.h"
#include "facts/codes.h"
#include "findings/rule.h"

enum sort { SMALL, TO_DEVICE, TO_HOST, PEER, OTHER, N_SORTS };

static enum sort sort_of_kind(unsigned copy)
{
	switch (copy) {
	case WL_COPY_H2D:
		return TO_DEVICE;
	case WL_COPY_D2H:
		return TO_HOST;
	case WL_COPY_P2P:
	case WL_COPY_D2D: /* of two devices: within one it is no copy (classes.h) */
		return PEER;
	default:
		return OTHER;
	}
}

static enum sort sort_of(const struct wl_atom *atom)
{
	return atom->flags & WL_LOST_TO_SMALL ? SMALL : sort_of_kind(atom->copy);
}

static bool wants(const void *ctx, const struct wl_docket_device *track, const struct wl_atom *atom)
{
	const enum sort *sort = ctx;

	(void)track;
	return atom->loss == WL_LOSS_EXPOSED_COPY && !wl_copy_is_managed(atom->copy) &&
	       sort_of(atom) == *sort;
}

struct words {
	const char *subject, *what;
	struct wl_advice often, once;
};

#define START_LATER                                                                                \
	"If this is set-up, warm up before profiling, or start the capture later with --delay or " \
	"cudaProfilerStart."

static const struct words words[N_SORTS] = {
	[SMALL] = { "small copies",
		    "Small copies (at most 64 KiB each) are not overlapped with compute",
		    { "Batch the small copies into one",
		      "Pack the data into one buffer, or pass scalars as kernel arguments; each "
		      "copy costs a few microseconds whatever its size." },
		    { "Batch the small copies into one", START_LATER } },
	[TO_DEVICE] = { "host to device",
			"Copies to the GPU are not overlapped with compute",
			{ "Prefetch on a stream of its own, while the GPU works on earlier data",
			  "Send less (smaller types, only what changed), or keep it on the GPU." },
			{ "Copy earlier, in chunks, while the GPU computes", START_LATER } },
	[TO_HOST] = { "device to host",
		      "Copies to the host are not overlapped with compute",
		      { "Copy results on a stream of its own, and read them one step later",
			"Reduce on the GPU first, so that less has to be copied." },
		      { "Copy results in chunks while the GPU computes", START_LATER } },
	[PEER] = { "between GPUs",
		   "Copies between GPUs are not overlapped with compute",
		   { "Start them as soon as the data is ready, on a stream of their own",
		     "Check that peer access is on (cudaDeviceEnablePeerAccess), or copies go "
		     "through the host." },
		   { "Start them as soon as the data is ready, on a stream of their own",
		     START_LATER } },
	[OTHER] = { "other copies",
		    "Copies are not overlapped with compute",
		    { "Copy on a stream of its own, one step ahead", "Copy less." },
		    { "Copy on a stream of its own", START_LATER } },
};

/* Time of the sample in which the GPU works and copies nothing. */
static wl_ns work_without_copies(const struct wl_docket_device *track)
{
	wl_ns all = 0;

	for (size_t i = 0; i < track->lane->n_tiles; i++) {
		const struct wl_tile *tile = &track->lane->tile[i];

		if (track->in_sample[i])
			all += tile->compute + tile->loss[WL_LOSS_EXPOSED_COMM] +
			       tile->loss[WL_LOSS_EXPOSED_COPY] - tile->copies;
	}
	return all;
}

/* "25.5 GB HtoD at 27.7 GB/s": what copies of a sort move on a device in the window. */
static const char *say_volume(struct wl_docket *d, size_t t, enum sort sort, const char *kind)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const int64_t *size = wl_memcpys_bytes(trace);
	char bytes[WL_UNITS_BUF], rate[WL_UNITS_BUF];
	int64_t all = 0;
	wl_ns time = 0;
	size_t lo, hi;

	wl_ops_on_device(trace, &ops, d->track[t].lane->device, &lo, &hi);
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

/* What is exposed beyond what overlap can hide. */
struct bound {
	wl_ns *exposed; /* by track */
	wl_ns *room;    /* by track: work that hides no copy yet and was promised to none */
};

static bool init_bound(struct wl_docket *d, struct bound *b)
{
	b->exposed = WL_NEW(d->run->arena, wl_ns, d->n_tracks);
	b->room = WL_NEW(d->run->arena, wl_ns, d->n_tracks);
	for (size_t t = 0; b->room && t < d->n_tracks; t++)
		b->room[t] = work_without_copies(&d->track[t]);
	return b->exposed && b->room;
}

static void apply_bound(struct bound *b, const struct wl_docket *d, struct wl_claim *c)
{
	for (size_t t = 0; t < d->n_tracks; t++) {
		b->exposed[t] = c->ns[t];
		c->ns[t] = c->ns[t] < b->room[t] ? c->ns[t] : b->room[t];
		b->room[t] -= c->ns[t];
	}
}

/* The track that has most of a sort exposed, beyond its bound; n_tracks where none has. */
static size_t bottleneck(const struct bound *b, const struct wl_docket *d, const struct wl_claim *c)
{
	size_t most = d->n_tracks;

	for (size_t t = 0; t < d->n_tracks; t++) {
		if (b->exposed[t] > c->ns[t] &&
		    (most == d->n_tracks || b->exposed[t] > b->exposed[most]))
			most = t;
	}
	return most;
}

static bool is_once(const struct wl_docket *d, const struct wl_claim *c, size_t t)
{
	return d->track[t].by_step ? c->is_rare[t] : c->n[t] < WL_HABIT;
}

/* No saving where less than 1 % can be hidden: then it is what the GPU is busy with. */
static bool put_bottleneck(const struct wl_rule *rule, struct wl_docket *d, struct wl_claim *c,
			   const struct bound *b, size_t t, enum sort sort)
{
	static const double least = 0.01;
	bool of_steps = wl_claim_is_of_steps(d, c, t);
	wl_ns n = of_steps ? (wl_ns)d->track[t].n_steps : 1, bound = c->ns[t] / n;
	double whole = (double)(of_steps ? d->track[t].length : d->track[t].window);
	char time[WL_UNITS_BUF], share[WL_UNITS_BUF], hidden[WL_UNITS_BUF];
	const char *kind = wl_say_detail(d, c->detail, "");
	const char *volume = say_volume(d, t, sort, kind);
	const char *where = wl_say_where(d, t), *limit;
	struct wl_finding f = { .kind = WL_FINDING_SAVING,
				.subject = words[sort].subject,
				.track = t,
				.of_window = !of_steps,
				.saving = bound,
				.share = wl_claim_share(d, c, t),
				.window_share = wl_claim_window_share(d, c, t),
				.action = "Copy less: compress, cache, or keep the data on the GPU",
				.advice = is_once(d, c, t)
						  ? words[sort].once.advice
						  : "Prefetching cannot help much: there is "
						    "too little compute to hide the "
						    "copies behind." };

	for (size_t i = 0; i < d->n_tracks; i++)
		f.gpu_time += c->ns[i];
	if (f.share < least) {
		f.kind = WL_FINDING_SHARE;
		f.share = (double)b->exposed[t] / whole;
	}
	f.evidence = where ? wl_say(d, "warplens %s%s", rule->evidence, where) : NULL;
	limit = bound > 0 ? wl_say(d, "overlap can hide at most %s of it",
				   wl_fmt_ns(hidden, bound, WL_UNIT_AUTO))
			  : "no compute is left to hide it behind";
	if (!volume || !limit)
		return false;
	f.sentence = wl_say(
		d, "The copy engine is the bottleneck: %s%s, exposed for %s %s (%s) on GPU %u; %s",
		volume, c->always & WL_LOST_TO_PINNED ? " (pinned)" : "",
		wl_fmt_ns(time, b->exposed[t] / n, WL_UNIT_AUTO),
		of_steps ? "per step" : "of the window",
		wl_fmt_ratio(share, (double)b->exposed[t] / whole), d->track[t].lane->device,
		limit);
	return wl_docket_put_plain(d, rule, &f);
}

static bool put(const struct wl_rule *rule, struct wl_docket *d, const struct wl_claim *c,
		const struct words *w)
{
	bool once = is_once(d, c, wl_claim_track(d, c));
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");
	struct wl_rule own = *rule;

	if (!claim || !parts)
		return false;
	own.action = once ? w->once.action : w->often.action;
	own.advice = once ? w->once.advice : w->often.advice;
	return wl_docket_put(d, &own, c, w->subject,
			     wl_say(d, "%s: %s%s%s", w->what, claim, parts,
				    c->always & WL_LOST_TO_PINNED ? " (pinned)" : ""),
			     rule->evidence);
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct bound bound;

	if (!init_bound(d, &bound))
		return false;
	for (enum sort s = 0; s < N_SORTS; s++) {
		struct wl_claim claim;
		size_t t = d->n_tracks;

		if (!wl_docket_claim(d, wants, &s, &claim))
			return false;
		if (s != SMALL) {
			apply_bound(&bound, d, &claim);
			t = bottleneck(&bound, d, &claim);
		}
		if (!(t < d->n_tracks ? put_bottleneck(rule, d, &claim, &bound, t, s)
				      : put(rule, d, &claim, &words[s])))
			return false;
	}
	return true;
}

const struct wl_rule wl_rule_exposed_copy = {
	.code = "exposed-copy",
	.limits = "Whether the next kernel needs the data at once cannot be seen.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.evidence = "transfers TRACE --sort exposed",
	.apply = apply,
};
