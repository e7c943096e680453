/* SPDX-License-Identifier: MIT */
#include "derive/tracks/tracks.h"

#include "derive/kinds/category_times.h"
#include "derive/rows/ops.h"
#include "derive/tracks/tracks_inside.h"

const char *wl_track_key(enum wl_track_kind kind)
{
	static const char *const keys[WL_N_TRACK_KINDS] = {
#define WL_TRACK(KIND, key, help) [WL_TRACK_##KIND] = (key),
#include "derive/tracks/tracks.def"
#undef WL_TRACK
	};

	return keys[kind];
}

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

	/* UNUSED is left out: it lies outside of all gaps, and the row does not show it. */
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
	static const enum wl_family_id family[WL_N_TRACK_KINDS] = {
		[WL_TRACK_GPU] = WL_N_FAMILIES,      [WL_TRACK_ITERATIONS] = WL_N_FAMILIES,
		[WL_TRACK_NVTX_GPU] = WL_F_NVTX,     [WL_TRACK_GAPS] = WL_N_FAMILIES,
		[WL_TRACK_PROCESS] = WL_N_FAMILIES,  [WL_TRACK_NVTX] = WL_F_NVTX,
		[WL_TRACK_API] = WL_F_API,           [WL_TRACK_OSRT] = WL_F_OSRT,
		[WL_TRACK_OVERHEAD] = WL_F_OVERHEAD,
	};
	enum wl_track_kind kind = tracks->at[track].kind;
	const struct wl_track_op op = wl_track_op_of(ref);

	if (kind == WL_TRACK_STREAM)
		return (struct wl_track_event){ wl_op_families[op.kind], (uint32_t)op.row, NULL };
	if (kind == WL_TRACK_GAPS)
		return (struct wl_track_event){ WL_N_FAMILIES, ref, wl_gap_detail(tracks, ref) };
	return (struct wl_track_event){ family[kind], ref, NULL };
}

/* A mark is called by its text alone. */
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
	const struct wl_track_event event = wl_track_event_of(tracks, track, ref);

	switch (at->kind) {
	case WL_TRACK_STREAM:
		return wl_op_name(t, event.family, event.row);
	case WL_TRACK_GPU:
		return classes[cat];
	case WL_TRACK_GAPS:
		return wl_gap_cat_name((enum wl_gap_cat)cat);
	case WL_TRACK_NVTX:
	case WL_TRACK_NVTX_GPU:
		return nvtx_name(tracks, ref);
	case WL_TRACK_API:
		return wl_str(t, wl_api_name(t)[ref]);
	case WL_TRACK_OSRT:
		return wl_str(t, wl_osrt_name(t)[ref]);
	case WL_TRACK_OVERHEAD:
		return wl_str(t, wl_overhead_name(t)[ref]);
	case WL_TRACK_ITERATIONS: {
		const struct wl_process_iters *p = &tracks->iterations->process[at->process];

		/* A range that only begins a step does not name it. */
		return p->is_joined || !p->by_marker ? "iteration"
						     : nvtx_name(tracks, p->at[ref].marker);
	}
	case WL_TRACK_PROCESS:
	case WL_N_TRACK_KINDS:
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

uint32_t wl_track_of_thread(const struct wl_tracks *tracks, enum wl_track_kind kind,
			    uint32_t thread)
{
	const uint32_t *of = tracks->inside->track_of_thread[kind];

	return of ? of[thread] : WL_NONE;
}
