/* SPDX-License-Identifier: MIT */
#include "derive/tracks/openers.h"

#include "derive/idle/idle.h"
#include "derive/tracks/tracks_inside.h"

struct finding {
	const struct wl_trace *trace;
	struct wl_vec *found;
};

static void take_gap(void *ctx, const struct wl_gap *gap)
{
	const struct finding *f = ctx;
	const struct wl_opener o = { gap->begin, gap->end, gap->opener,
				     wl_gap_opened_by(f->trace, gap), gap->opener_range };

	/* Most gaps have no opener; only those that do are kept. */
	if (o.by)
		wl_vec_push(f->found, &o);
}

bool wl_openers_find(const struct wl_tracks *tracks, uint32_t device, struct wl_budget *budget,
		     struct wl_openers *ret)
{
	struct finding f = { .trace = tracks->trace, .found = &ret->at };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_openers){ .next = 0 };
	wl_vec_init(&ret->at, sizeof(struct wl_opener), budget);
	wl_arena_init_on(&scratch, budget);
	ok = wl_idle_visit(tracks->idle, &tracks->inside->scope, device, &scratch,
			   &(struct wl_gap_visitor){ .take = take_gap, .ctx = &f }) &&
	     !ret->at.failed;
	wl_arena_release(&scratch);
	return ok;
}

void wl_openers_release(struct wl_openers *gaps)
{
	wl_vec_release(&gaps->at);
}

const struct wl_opener *wl_opener_at(struct wl_openers *gaps, wl_ns t)
{
	const struct wl_opener *at = gaps->at.data;

	/*
	 * Gaps were visited and are queried in order of time, so the cursor only moves forward:
	 * linear in total.
	 */
	while (gaps->next < gaps->at.n && at[gaps->next].end <= t)
		gaps->next++;
	return gaps->next < gaps->at.n && at[gaps->next].begin <= t ? &at[gaps->next] : NULL;
}
