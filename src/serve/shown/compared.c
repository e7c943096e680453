/* SPDX-License-Identifier: MIT */
#include "serve/shown/compared.h"

#include <assert.h>

#include "base/text/units.h"
#include "compare/diff/ask.h"

static int ask(const struct wl_scene *scene, struct wl_arena *arena, struct wl_fingerprint *ret,
	       struct wl_err *reterr)
{
	struct wl_document frame;

	if (!scene->session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	return wl_fp_ask_measured(scene->session, &scene->request, arena, ret, &frame, reterr);
}

/* As diff does: the scenario that explains the change is of the slower side. */
static int replay_slower(const struct wl_show *show, struct wl_arena *arena, struct wl_compared *c,
			 struct wl_err *reterr)
{
	const enum wl_side slower = c->diff.nearest.side;
	const struct wl_scene *scene = show->scene[slower];
	int r = WL_OK;

	if (wl_diff_has_slower(&c->diff) && !c->side[slower].is_of_sums)
		r = wl_fp_ask_replayed(scene->session, &scene->request, arena, &c->side[slower],
				       reterr);
	if (r == WL_OK)
		c->diff.nearest = wl_diff_find_nearest(&c->diff);
	return r;
}

static int compare(const struct wl_show *show, struct wl_arena *arena, struct wl_compared *c,
		   struct wl_err *reterr)
{
	struct wl_diff_opts opts = { .gate = NULL };
	int r = wl_parse_ratio(WL_DIFF_THRESHOLD, &opts.threshold, reterr);

	for (int s = 0; r == WL_OK && s < WL_N_SIDES; s++) {
		r = ask(show->scene[s], arena, &c->side[s], reterr);
		c->refused = r < 0 ? s : -1;
	}
	if (r == WL_OK)
		r = wl_diff_make(&c->side[WL_BEFORE], &c->side[WL_AFTER], &opts, arena, &c->diff,
				 reterr);
	return r == WL_OK ? replay_slower(show, arena, c, reterr) : r;
}

int wl_compared_make(const struct wl_show *show, struct wl_arena *arena, struct wl_compared *ret,
		     struct wl_err *reterr)
{
	struct wl_err why;
	int r;

	assert(show->n == WL_N_SIDES);
	*ret = (struct wl_compared){ .refused = -1 };
	r = compare(show, arena, ret, &why);
	/* Any other failure is an answer: the page shows why the traces cannot be compared. */
	if (r == WL_E_NOMEM || r == WL_E_CANCELED) {
		*reterr = why;
		return r;
	}
	if (r < 0)
		ret->refusal = why;
	return WL_OK;
}
