/* SPDX-License-Identifier: MIT */
/* rows_findings.c - findings as slices, placed where they are seen best. */
#include "base/memory/sort.h"
#include "export/timeline/walk.h"

static bool is_longer(struct wl_interval a, struct wl_interval b)
{
	return a.end - a.begin > b.end - b.begin;
}

/* The steady iteration of the window, or the first if none counts as steady, or the slowest. */
static struct wl_interval iteration_of(const struct wl_walk *w, const struct wl_track *track,
				       bool slowest)
{
	const struct wl_process_iters *iters = &w->tracks->iterations->process[track->process];
	struct wl_interval place = { 0, 0 };

	for (size_t i = 0; i < iters->n; i++) {
		const struct wl_interval tile = iters->at[i].tile;

		if (!wl_walk_shows(w, w->scope->device[track->device], tile.begin, tile.end))
			continue;
		if (place.begin == place.end || (slowest && is_longer(tile, place)) ||
		    (!slowest && i == iters->steady))
			place = tile;
	}
	return place;
}

/* The interval in which a device shows a finding: its longest gap, an iteration, or all its
 * work. */
static struct wl_interval place_on(const struct wl_walk *w, const struct wl_export_finding *f,
				   uint32_t device)
{
	struct wl_interval place = { 0, 0 };

	for (unsigned c = 0; c < WL_N_GAP_CATS; c++) {
		if (f->gaps >> c & 1 && is_longer(w->gaps[device].longest[c], place))
			place = w->gaps[device].longest[c];
	}
	for (size_t i = 0; place.begin == place.end && i < w->tracks->n; i++) {
		const struct wl_track *at = &w->tracks->at[i];

		if (wl_holds(at) == WL_HOLDS_ITERATIONS && at->device == device)
			place = iteration_of(w, at, f->slowest);
	}
	if (place.begin < place.end)
		return place;
	place = w->work[device];
	(void)wl_clip(w->scope, w->scope->device[device], &place.begin, &place.end);
	return place;
}

/* A finding of no device goes to the first device that shows it, or else to the beginning of the
 * trace. */
static struct wl_interval place_of(const struct wl_walk *w, const struct wl_export_finding *f)
{
	struct wl_interval place = { 0, 0 };

	if (f->device != WL_NONE)
		place = place_on(w, f, f->device);
	for (uint32_t d = 0; f->device == WL_NONE && d < w->trace->n_devices; d++) {
		if (place.begin == place.end && w->scope->device_on[d])
			place = place_on(w, f, d);
	}
	if (place.begin == place.end)
		place.begin = place.end = w->tracks->extent.begin;
	return place;
}

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_interval *x = (const struct wl_interval *)ctx + a;
	const struct wl_interval *y = (const struct wl_interval *)ctx + b;

	return x->begin != y->begin ? x->begin < y->begin : x->end > y->end;
}

static void put_finding(struct wl_dealt_rows *rows, const struct wl_export_finding *f,
			struct wl_interval place)
{
	struct wl_emit_arg args[4] = {
		{ .key = "finding", .type = WL_ARG_KEPT_TEXT, .text = f->code },
		{ .key = "text", .type = WL_ARG_KEPT_TEXT, .text = f->text },
	};
	unsigned n = 2;

	if (f->fixing)
		args[n++] = (struct wl_emit_arg){ .key = "fixing",
						  .type = WL_ARG_KEPT_TEXT,
						  .text = f->fixing };
	if (f->evidence)
		args[n++] = (struct wl_emit_arg){ .key = "evidence",
						  .type = WL_ARG_KEPT_TEXT,
						  .text = f->evidence };

	wl_dealt_put(rows, &(struct wl_emit_slice){ .start = place.begin,
						    .end = place.end,
						    .name = f->title,
						    .args = args,
						    .n_args = n });
}

void wl_rows_findings(struct wl_walk *w, uint32_t order)
{
	size_t n = w->opts->n_findings;
	struct wl_interval *place = WL_NEW(&w->arena, struct wl_interval, n);
	uint32_t *index = WL_NEW(&w->arena, uint32_t, 2 * n);
	struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = "Findings" } };
	struct wl_lazy_row row = {
		.row = { .kind = WL_EMIT_SLICES, .name = "Findings", .n_events = n },
		.parent = wl_walk_group(w, &group)
	};
	struct wl_dealt_rows rows = { .walk = w,
				      .first = &row,
				      .parent = row.parent,
				      .name = "Findings",
				      .further = WL_FURTHER_NUMBER };
	uint32_t next_order = w->next_order;

	if (!place || !index) {
		w->failed = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		index[i] = i;
		place[i] = place_of(w, &w->opts->findings[i]);
	}
	wl_sort_index(index, n, index + n, place_less, place);
	w->next_order = order - 1; /* this place was kept free */
	wl_dealt_init(&rows, false);
	for (size_t i = 0; i < n && wl_walk_goes_on(w); i++)
		put_finding(&rows, &w->opts->findings[index[i]], place[index[i]]);
	wl_dealt_close(&rows);
	w->next_order = next_order;
}
