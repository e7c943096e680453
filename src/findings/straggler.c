/*
 * straggler.c - one rank makes the others wait.
 *
 * Ranks meet in collectives. Each is matched over the processes by its kind and number;
 * who comes last is counted by how long the first had to wait. Where one rank is to blame
 * for most of that, the exposed communication of each other rank in a step beyond what
 * that rank shows in the same step is the wait for it. The least of these is what can be
 * saved: without it all wait for the next slowest.
 */
#include "base/units.h"
#include "derive/derived.h"
#include "derive/ranks.h"
#include "findings/rule.h"

enum { MIN_TRACKS = 2 };

/* The starts of a track's collectives in its sample, by kind. */
struct arrivals {
	struct wl_vec start[WL_N_COLLECTIVES]; /* wl_ns */
};

static bool is_in_sample(const struct wl_docket_device *t, size_t *tile, wl_ns at)
{
	while (*tile + 1 < t->lane->n_tiles && t->lane->tile[*tile].iter != WL_NONE &&
	       t->lane->tile[*tile].end <= at)
		(*tile)++;
	return t->in_sample[*tile] && at >= t->lane->tile[*tile].begin &&
	       at < t->lane->tile[*tile].end;
}

static bool note_arrivals(const struct wl_docket *d, const struct wl_docket_device *t,
			  struct arrivals *ret)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_classes *classes = wl_derived_classes(d->run->derived);
	const struct wl_collectives *kinds = wl_derived_collectives(d->run->derived);
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_KERNELS);
	size_t lo, hi, tile = 0;
	bool ok = classes && kinds;

	wl_ops_on_device(trace, &ops, t->lane->device, &lo, &hi);
	for (size_t i = lo; ok && i < hi; i++) {
		enum wl_collective kind;

		if (wl_class_of(trace, classes, WL_F_KERNELS, i) != WL_COMM ||
		    !d->run->scope->place_on[ops.place[i]] ||
		    trace->places[ops.place[i]].process != t->lane->process ||
		    !is_in_sample(t, &tile, ops.start[i]))
			continue;
		kind = wl_collective_of(trace, kinds, WL_F_KERNELS, i);
		wl_vec_push(&ret->start[kind], &ops.start[i]);
		ok = !ret->start[kind].failed;
	}
	return ok;
}

/* Who made the others wait, and for how long together. */
struct blame {
	size_t track;
	double share; /* of all waiting */
	uint64_t n_last, n_matched;
};

static void blame_one(const struct arrivals *of, size_t n, enum wl_collective kind, size_t k,
		      double *wait, uint64_t *n_last)
{
	size_t last = 0;
	wl_ns first = INT64_MAX, latest = INT64_MIN;

	for (size_t t = 0; t < n; t++) {
		wl_ns at = ((const wl_ns *)of[t].start[kind].data)[k];

		first = at < first ? at : first;
		if (at > latest) {
			latest = at;
			last = t;
		}
	}
	wait[last] += (double)(latest - first);
	n_last[last]++;
}

static bool find_blame(const struct wl_docket *d, const struct arrivals *of, struct blame *ret)
{
	size_t n = d->n_tracks;
	double *wait = WL_NEW(d->run->arena, double, n), all = 0;
	uint64_t *n_last = WL_NEW(d->run->arena, uint64_t, n);

	*ret = (struct blame){ .share = 0 };
	if (!wait || !n_last)
		return false;
	for (unsigned kind = 0; kind < WL_N_COLLECTIVES; kind++) {
		bool same = true;

		for (size_t t = 1; t < n; t++)
			same = same && of[t].start[kind].n == of[0].start[kind].n;
		for (size_t k = 0; same && k < of[0].start[kind].n; k++)
			blame_one(of, n, (enum wl_collective)kind, k, wait, n_last);
		ret->n_matched += same ? of[0].start[kind].n : 0;
	}
	for (size_t t = 0; t < n; t++) {
		all += wait[t];
		ret->track = wait[t] > wait[ret->track] ? t : ret->track;
	}
	ret->share = all > 0 ? wait[ret->track] / all : 0;
	ret->n_last = n_last[ret->track];
	return true;
}

/* How long all others wait in a step, at least: the next to come would hold them up then. */
static wl_ns wait_in(const struct wl_docket *d, size_t late, uint32_t tile)
{
	const struct wl_tile *his = &d->track[late].lane->tile[tile];
	wl_ns least = INT64_MAX;

	for (size_t t = 0; t < d->n_tracks; t++) {
		const struct wl_ledger_lane *lane = d->track[t].lane;
		wl_ns more;

		if (t == late)
			continue;
		if (tile >= lane->n_tiles || lane->tile[tile].iter != his->iter)
			return 0;
		more = lane->tile[tile].loss[WL_LOSS_EXPOSED_COMM] -
		       his->loss[WL_LOSS_EXPOSED_COMM];
		least = more < least ? more : least;
	}
	return least;
}

static bool claim_waits(struct wl_docket *d, size_t late, struct wl_claim *claim)
{
	const struct wl_docket_device *s = &d->track[late];

	if (!wl_claim_init(d, claim))
		return false;
	for (uint32_t i = 0; i < s->lane->n_tiles; i++) {
		wl_ns wait = s->in_sample[i] ? wait_in(d, late, i) : 0;

		for (size_t t = 0; wait > 0 && t < d->n_tracks; t++) {
			if (t != late)
				(void)wl_docket_take(d, t, i, WL_LOSS_EXPOSED_COMM, wait, claim);
		}
	}
	return true;
}

/* Steps of all tracks, of one process each, that are as many. */
static bool is_job(const struct wl_docket *d)
{
	for (size_t t = 0; t < d->n_tracks; t++) {
		if (!d->track[t].by_step || d->track[t].n_steps != d->track[0].n_steps ||
		    !d->track[t].lane->of_process)
			return false;
	}
	return d->n_tracks >= MIN_TRACKS;
}

static bool put(const struct wl_rule *rule, struct wl_docket *d, const struct blame *blame)
{
	const struct wl_ranks *ranks = wl_derived_ranks(d->run->derived);
	uint32_t process = d->track[blame->track].lane->process;
	uint32_t device = d->track[blame->track].lane->device;
	struct wl_claim claim;
	const char *what, *who;
	char share[WL_UNITS_BUF];

	if (!ranks || !claim_waits(d, blame->track, &claim))
		return false;
	who = ranks->of[process] >= 0
		      ? wl_say(d, "rank %lld (GPU %u)", (long long)ranks->of[process], device)
		      : wl_say(d, "GPU %u", device);
	what = wl_say_claim(d, &claim);
	if (!who || !what)
		return false;
	return wl_docket_put(
		d, rule, &claim, who,
		wl_say(d,
		       "The others wait for %s: %s; it comes last to %llu of %llu collectives and "
		       "causes %s of all waiting",
		       who, what, (unsigned long long)blame->n_last,
		       (unsigned long long)blame->n_matched, wl_fmt_ratio(share, blame->share)),
		"overlap TRACE --by iteration");
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct wl_budget *budget = wl_arena_budget(d->run->arena);
	struct arrivals *of;
	struct blame blame = { .share = 0 };
	bool ok;

	if (!is_job(d))
		return true;
	of = WL_NEW(d->run->arena, struct arrivals, d->n_tracks);
	if (!of)
		return false;
	for (size_t t = 0; t < d->n_tracks; t++) {
		for (size_t k = 0; k < WL_N_COLLECTIVES; k++)
			wl_vec_init(&of[t].start[k], sizeof(wl_ns), budget);
	}
	ok = true;
	for (size_t t = 0; ok && t < d->n_tracks; t++)
		ok = note_arrivals(d, &d->track[t], &of[t]);
	ok = ok && find_blame(d, of, &blame);
	for (size_t t = 0; t < d->n_tracks; t++) {
		for (size_t k = 0; k < WL_N_COLLECTIVES; k++)
			wl_vec_release(&of[t].start[k]);
	}
	/* By chance a rank of n has 1/n of the blame. */
	if (!ok || blame.share < 0.5 || blame.share * (double)d->n_tracks < 1.5)
		return ok;
	return put(rule, d, &blame);
}

const struct wl_rule wl_rule_straggler = {
	.code = "straggler",
	.action = "Look at that rank first",
	.advice = "Look for more or longer kernels than on the others, a slower or "
		  "throttled GPU, host work or page faults on its node, uneven batches.",
	.limits = "Collectives are matched by kind and order; where ranks do different work, as in "
		  "pipelines, the last to arrive need not be slow.",
	.apply = apply,
};
