/* SPDX-License-Identifier: MIT */
/* fidelity.c - how far the replays of a trace can be trusted. */
#include "derive/derived.h"
#include "derive/graph/late/straggler.h"
#include "derive/graph/path.h"
#include "derive/graph/scenario/held_out.h"

static size_t count_moved(struct wl_whatif *w)
{
	const struct wl_changes none = { .gap = NULL };
	size_t n = 0;

	wl_shifts_run(w->plan, &w->window, &none, &w->shifts);
	for (size_t p = 1; p <= w->plan->n; p++)
		n += w->shifts.at[2 * p] != 0 || w->shifts.at[2 * p + 1] != 0;
	return n;
}

static enum wl_refusal why_refused(const struct wl_fidelity *f, const struct wl_path *path)
{
	wl_ns all = path->window.end - path->window.begin;

	if (f->n_moved)
		return WL_IDENTITY_MOVES;
	if (path->n_skewed)
		return WL_CLOCKS_SKEWED;
	if (path->time[WL_PATH_UNKNOWN] > all / 10)
		return WL_PATH_UNEXPLAINED;
	if (wl_path_trust(path) == WL_PATH_REFUSED)
		return WL_CAUSALITY_CONTRADICTED;
	return f->held_out.verdict == WL_HELD_OUT_BAD ? WL_HELD_OUT_WRONG : WL_NOT_REFUSED;
}

bool wl_fidelity_find(struct wl_whatif *w, struct wl_arena *arena, struct wl_fidelity *ret)
{
	const struct wl_stragglers *judged = w->given->stragglers;
	const struct wl_path *path = w->given->path;
	wl_ns all = path->window.end - path->window.begin;

	if (judged && judged->fidelity) {
		*ret = *judged->fidelity;
		return true;
	}
	*ret = (struct wl_fidelity){ .n_activities = w->plan->n, .n_moved = count_moved(w) };
	if (!wl_held_out_find(w, arena, &ret->held_out))
		return false;
	ret->rigid = all > 0 ? (double)path->rigid / (double)all : 0;
	ret->refused = why_refused(ret, path);
	return true;
}

double wl_fidelity_error(const struct wl_fidelity *f)
{
	bool is_known = f->held_out.verdict != WL_HELD_OUT_FEW &&
			f->held_out.verdict != WL_HELD_OUT_UNSHOWN;

	return is_known ? f->held_out.p90 : -1;
}

struct wl_forecasted wl_fidelity_forecast(const struct wl_fidelity *f,
					  const struct wl_whatif_result *result, wl_ns saving)
{
	struct wl_forecasted ret = { result->forecast, -1 };
	double error = wl_fidelity_error(f);
	wl_ns time = error >= 0 ? (wl_ns)(error * (double)(result->measured - saving)) : -1;

	if (ret.forecast == WL_PREDICTION && wl_fidelity_is_low(f))
		ret.forecast = WL_LOWER_BOUND;
	if (ret.forecast == WL_LOWER_BOUND && saving <= time)
		ret.forecast = WL_PREDICTION;
	if (ret.forecast == WL_PREDICTION)
		ret.error = time;
	return ret;
}
