/* SPDX-License-Identifier: MIT */
#include "derive/tracks/tracks.h"

#include "base/memory/bound.h"
#include "derive/kinds/category_times.h"
#include "derive/rows/ops.h"
#include "derive/tracks/tracks_inside.h"

const struct wl_row_kind wl_row_kinds[WL_N_TRACK_KINDS] = {
#define WL_TRACK(KIND, key, of, holds, family, names, fill, label, brief, title, help)             \
	[WL_TRACK_##KIND] = {                                                                      \
		WL_TRACK_##KIND, WL_OF_##of, WL_HOLDS_##holds, family, names, key, label, brief,   \
		title,           help                                                              \
	},
#include "derive/tracks/tracks.def"
#undef WL_TRACK
};

const char *wl_gap_cat_name(enum wl_gap_cat cat)
{
	if (cat == WL_GAP_EXPOSED_COMM)
		return wl_loss_name(WL_LOSS_EXPOSED_COMM);
	if (cat == WL_GAP_EXPOSED_COPY)
		return wl_loss_name(WL_LOSS_EXPOSED_COPY);
	return wl_cause_name((enum wl_cause)(cat - WL_GAP_OF_CAUSE));
}

uint32_t wl_gap_cats(uint32_t losses)
{
	uint32_t cats = 0;

	/* UNUSED is left out: it lies outside all gaps, and the row does not show it. */
	for (unsigned cause = 0; cause <= WL_CAUSE_HOST; cause++)
		cats |= (losses >> cause & 1) << (WL_GAP_OF_CAUSE + cause);
	cats |= (losses >> WL_LOSS_EXPOSED_COMM & 1) << WL_GAP_EXPOSED_COMM;
	cats |= (losses >> WL_LOSS_EXPOSED_COPY & 1) << WL_GAP_EXPOSED_COPY;
	return cats;
}

uint32_t wl_track_ref(enum wl_family_id family, uint32_t row)
{
	for (uint32_t i = 0; i < WL_N_OP_FAMILIES; i++) {
		/* The family and the row share 32 bits, so that a row beyond 2^30 has no ref. */
		if (wl_op_families[i] == family)
			return row >> WL_REF_BITS ? WL_NONE : i << WL_REF_BITS | row;
	}
	return row;
}

struct wl_track_event wl_track_event_of(const struct wl_tracks *tracks, size_t track, uint32_t ref)
{
	const struct wl_row_kind *kind = wl_row_kind(&tracks->at[track]);
	const struct wl_track_op op = wl_track_op_of(ref);

	if (kind->holds == WL_HOLDS_OPS)
		return (struct wl_track_event){ wl_op_families[op.kind], (uint32_t)op.row, NULL };
	if (kind->holds == WL_HOLDS_PATH)
		return wl_path_event_of(tracks, ref);
	return (struct wl_track_event){ kind->family, ref,
					kind->holds == WL_HOLDS_GAPS ? wl_gap_detail(tracks, ref)
								     : NULL };
}

/* The name of a mark is its text alone. */
static const char *nvtx_name(const struct wl_tracks *tracks, uint32_t row)
{
	const struct wl_range_names *names = tracks->inside->names;
	uint32_t text = wl_nvtx_name(tracks->trace)[row];

	if (names->of[row] != WL_NONE)
		return wl_range_name_of(names, row)->exact;
	return text == WL_NONE ? "(unnamed)" : wl_str(tracks->trace, text);
}

const char *wl_track_event_name(const struct wl_tracks *tracks, size_t track, uint32_t ref,
				uint8_t cat)
{
	static const char *const classes[WL_N_CLASSES] = {
		[WL_COMPUTE] = "compute",
		[WL_COMM] = "exposed_comm",
		[WL_COPY] = "exposed_copy",
	};
	const struct wl_trace *t = tracks->trace;
	const struct wl_track *at = &tracks->at[track];
	const struct wl_row_kind *kind = wl_row_kind(at);
	const struct wl_track_event event = wl_track_event_of(tracks, track, ref);

	switch (kind->holds) {
	case WL_HOLDS_OPS:
		return wl_op_name(t, event.family, event.row);
	case WL_HOLDS_GPU_TIME:
		return classes[cat];
	case WL_HOLDS_GAPS:
		return wl_gap_cat_name((enum wl_gap_cat)cat);
	case WL_HOLDS_RANGES:
	case WL_HOLDS_PROJECTIONS:
		return nvtx_name(tracks, ref);
	case WL_HOLDS_CALLS:
		return wl_str(t, ((const uint32_t *)t->column[kind->names])[ref]);
	case WL_HOLDS_ITERATIONS: {
		const struct wl_process_iters *p = &tracks->iterations->process[at->process];

		/* A range that only begins a step does not name it. */
		return p->is_joined || !p->by_marker ? "iteration"
						     : nvtx_name(tracks, p->at[ref].marker);
	}
	case WL_HOLDS_PATH:
		return wl_path_event_name(tracks, ref);
	case WL_HOLDS_LEVELS:
		return wl_track_sample_name(tracks, at->counter, ref);
	case WL_HOLDS_THREADS:
		break;
	}
	return "";
}

uint8_t wl_track_op_category(const struct wl_tracks *tracks, uint32_t ref)
{
	const struct wl_track_op op = wl_track_op_of(ref);

	return wl_category_of_op(tracks->trace, tracks->categories, op.kind, op.row);
}

uint32_t wl_track_of_place(const struct wl_tracks *tracks, uint32_t place)
{
	const struct wl_tracks_inside *in = tracks->inside;

	return in->scope.place_on[place] ? in->track_of_stream[in->streams.of_place[place]]
					 : WL_NONE;
}

uint32_t wl_track_of_thread(const struct wl_tracks *tracks, enum wl_family_id family,
			    uint32_t thread)
{
	const uint32_t *of = tracks->inside->track_of_thread[family];

	return of ? of[thread] : WL_NONE;
}

uint32_t wl_track_of_device(const struct wl_tracks *tracks, enum wl_holds holds, uint32_t device)
{
	if (device == WL_NONE)
		return WL_NONE;
	for (size_t i = WL_BELOW_BY(wl_track, device, tracks->at, tracks->n, device);
	     i < tracks->n && tracks->at[i].device == device; i++) {
		if (wl_holds(&tracks->at[i]) == holds)
			return (uint32_t)i;
	}
	return WL_NONE;
}
