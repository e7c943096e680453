/*
 * slow_iterations.c - steps that stand out. What such a step loses beyond the median of
 * the others is claimed, cause by cause, and so is compute beyond their median, which is
 * the one saving that is neither idle nor exposed: that step has shown it can be saved.
 */
#include <string.h>

#include "base/sort.h"
#include "base/units.h"
#include "derive/derived.h"
#include "derive/outliers.h"
#include "findings/rule.h"

/* What a usual step of a track is like: the median of each part, and of the whole. */
struct usual {
	wl_ns length, compute, loss[WL_N_LOSSES];
};

static wl_ns median(wl_ns *room, size_t n)
{
	wl_sort_i64(room, n);
	return n ? room[wl_rank(n, 50)] : 0;
}

/* The median of a part, which stands at an offset in a tile, over the steps that are usual. */
static wl_ns median_of(const struct wl_docket_device *t, const bool *outlier, size_t offset,
		       wl_ns *room)
{
	size_t n = 0;

	for (size_t i = 0; i < t->lane->n_tiles; i++) {
		const struct wl_tile *tile = &t->lane->tile[i];

		if (t->in_sample[i] && !outlier[tile->iter])
			room[n++] = *(const wl_ns *)((const char *)tile + offset);
	}
	return median(room, n);
}

static void find_usual(const struct wl_docket_device *t, const bool *outlier, wl_ns *room,
		       struct usual *ret)
{
	ret->length = median_of(t, outlier, offsetof(struct wl_tile, length), room);
	ret->compute = median_of(t, outlier, offsetof(struct wl_tile, compute), room);
	for (size_t k = 0; k < WL_N_LOSSES; k++)
		ret->loss[k] = median_of(t, outlier,
					 offsetof(struct wl_tile, loss) + k * sizeof(wl_ns), room);
}

struct worst {
	uint32_t iter;
	wl_ns excess;
	bool is_before_next;             /* most of that is idle time before the next step */
	size_t *n;                       /* by track: its slow steps */
	wl_ns by_cause[WL_N_LOSSES + 1]; /* the last is compute */
};

struct searched {
	const struct wl_ledger_lane *lane;
	uint32_t tile;
};

static bool is_of_earlier(const void *ctx, size_t i)
{
	const struct searched *s = ctx;

	return s->lane->atom[i].tile < s->tile;
}

/* Idle time of a step that ends with the first operation of the next. */
static wl_ns idle_before_next(const struct wl_ledger_lane *lane, uint32_t tile)
{
	wl_ns sum = 0;

	for (size_t i =
		     wl_lower_bound(lane->n_atoms, is_of_earlier, &(struct searched){ lane, tile });
	     i < lane->n_atoms && lane->atom[i].tile == tile; i++)
		sum += lane->atom[i].flags & WL_LOST_TO_NEXT ? lane->atom[i].ns : 0;
	return sum;
}

static void claim_step(struct wl_docket *d, size_t t, uint32_t i, const struct usual *usual,
		       struct wl_claim *claim, struct worst *worst)
{
	const struct wl_tile *tile = &d->track[t].lane->tile[i];
	wl_ns left = tile->length - usual->length, whole = left;

	/* Without a usual step nothing tells what could be saved. */
	if (left <= 0 || usual->length == 0)
		return;
	for (unsigned k = 0; k < WL_N_LOSSES; k++) {
		wl_ns more = tile->loss[k] - usual->loss[k], got;

		if (more <= 0 || k == WL_CAUSE_UNUSED)
			continue;
		got = wl_docket_take(d, t, i, (enum wl_loss)k, more < left ? more : left, claim);
		worst->by_cause[k] += got;
		left -= got;
	}
	if (tile->compute > usual->compute && left > 0) {
		wl_ns more = tile->compute - usual->compute;

		more = more < left ? more : left;
		claim->extra[t] += more;
		worst->by_cause[WL_N_LOSSES] += more;
	}
	worst->n[t]++;
	if (whole > worst->excess) {
		worst->excess = whole;
		worst->iter = tile->iter;
		worst->is_before_next = 2 * idle_before_next(d->track[t].lane, i) > whole;
	}
}

/* Some steps of the sample do, and they are accidents and no rhythm. */
static bool stand_out(const struct wl_docket_device *t, const bool *outlier)
{
	size_t n = 0;

	for (size_t i = 0; i < t->lane->n_tiles; i++)
		n += t->in_sample[i] && outlier[t->lane->tile[i].iter];
	return n > 0 && wl_outliers_are_rare(n, t->n_steps);
}

static bool claim_track(struct wl_docket *d, size_t t, struct wl_claim *claim, struct worst *worst)
{
	const struct wl_iterations *all = wl_derived_iterations(d->run->derived);
	const struct wl_docket_device *track = &d->track[t];
	struct wl_arena scratch;
	const bool *outlier;
	struct usual usual;
	wl_ns *room;
	bool ok;

	if (!track->by_step)
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	outlier = all ? wl_outliers_find(&all->process[track->lane->process], &scratch) : NULL;
	room = WL_NEW(&scratch, wl_ns, track->lane->n_tiles);
	ok = outlier && room;
	if (ok && stand_out(track, outlier)) {
		find_usual(track, outlier, room, &usual);
		for (uint32_t i = 0; i < track->lane->n_tiles; i++) {
			if (track->in_sample[i] && outlier[track->lane->tile[i].iter])
				claim_step(d, t, i, &usual, claim, worst);
		}
	}
	wl_arena_release(&scratch);
	return ok;
}

/* "mostly host", or "largest part host (40.0%)". */
static const char *say_cause(struct wl_docket *d, const struct worst *worst)
{
	char share[WL_UNITS_BUF];
	unsigned most = 0;
	wl_ns all = 0;
	const char *name;

	for (unsigned k = 0; k <= WL_N_LOSSES; k++) {
		most = worst->by_cause[k] > worst->by_cause[most] ? k : most;
		all += worst->by_cause[k];
	}
	name = most == WL_N_LOSSES ? "compute" : wl_loss_name((enum wl_loss)most);
	if (2 * worst->by_cause[most] > all)
		return wl_say(d, "mostly %s", name);
	return wl_say(d, "largest part %s (%s)", name,
		      wl_fmt_ratio(share, (double)worst->by_cause[most] / (double)all));
}

static const char *tell(struct wl_docket *d, const struct wl_claim *claim,
			const struct worst *worst)
{
	size_t t = wl_claim_track(d, claim);
	char excess[WL_UNITS_BUF];
	const char *what = wl_say_claim(d, claim), *cause = say_cause(d, worst);

	if (!what || !cause)
		return NULL;
	(void)wl_fmt_ns(excess, worst->excess, WL_UNIT_AUTO);
	if (worst->is_before_next)
		return wl_say(d,
			      "%zu of %zu steps %s delayed: %s; the GPU waits %s before step %u, "
			      "%s",
			      worst->n[t], d->track[t].n_steps, worst->n[t] == 1 ? "is" : "are",
			      what, excess, worst->iter + 1, cause);
	return wl_say(d,
		      "%zu of %zu steps %s much longer than the others: %s; step %u takes %s "
		      "longer, %s",
		      worst->n[t], d->track[t].n_steps, worst->n[t] == 1 ? "takes" : "take", what,
		      worst->iter, excess, cause);
}

static bool apply(const struct wl_rule *rule, struct wl_docket *d)
{
	struct worst worst = { .iter = WL_NONE, .n = WL_NEW(d->run->arena, size_t, d->n_tracks) };
	struct wl_rule own = *rule;
	struct wl_claim claim;
	const char *subject;
	uint32_t delayed;

	if (!worst.n || !wl_claim_init(d, &claim))
		return false;
	for (size_t t = 0; t < d->n_tracks; t++) {
		if (!claim_track(d, t, &claim, &worst))
			return false;
	}
	if (worst.iter == WL_NONE)
		return true;
	delayed = worst.iter + worst.is_before_next;
	own.action =
		wl_say(d, "Look at %s %u alone: --window iter:%u",
		       worst.is_before_next ? "the wait before step" : "step", delayed, worst.iter);
	subject = wl_say(d, worst.is_before_next ? "before step %u" : "step %u", delayed);
	return subject && own.action &&
	       wl_docket_put(d, &own, &claim, subject, tell(d, &claim, &worst),
			     "iters TRACE --where 'outlier = yes'");
}

const struct wl_rule wl_rule_slow_iterations = {
	.code = "slow-iterations",
	.advice = "Look for what only these steps have: a stalled data loader, a checkpoint, an "
		  "evaluation, a garbage collection, lower clocks.",
	.limits = "All time above the median step is counted; a step of another kind, such as a "
		  "prefill among decodes, also stands out, and nothing is lost there.",
	.sight.slowest = true,
	.apply = apply,
};
