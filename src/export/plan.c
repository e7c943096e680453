/* plan.c - what a file will hold, and how large it will be. */
#include "export/timeline.h"

/* Bytes of a Perfetto file. */
enum { PER_SLICE = 29, PER_ARGS = 25, PER_FLOW = 22, PER_ROW = 200 };

void wl_export_plan(const struct wl_tracks *tracks, const struct wl_export_opts *opts,
		    struct wl_export_plan *ret)
{
	*ret = (struct wl_export_plan){ .flows = opts->flows != WL_DETAIL_NONE,
					.args = opts->args != WL_DETAIL_NONE };
	for (size_t i = 0; i < tracks->n; i++) {
		ret->slices += tracks->at[i].kind == WL_TRACK_PROCESS ? 0 : tracks->at[i].n_events;
		ret->bytes += PER_ROW;
	}
	ret->bytes += ret->slices * PER_SLICE;
}
