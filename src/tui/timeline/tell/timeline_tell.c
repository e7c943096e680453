/* SPDX-License-Identifier: MIT */
#include "tui/timeline/tell/timeline_tell.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void wl_text_buf_init(struct wl_text_buf *w, char *buf, size_t size)
{
	*w = (struct wl_text_buf){ buf, size, 0 };
	buf[0] = '\0';
}

void wl_tell(struct wl_text_buf *w, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (w->n + 1 >= w->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(w->buf + w->n, w->size - w->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		w->n = w->n + (size_t)n < w->size ? w->n + (size_t)n : w->size - 1;
}

const struct wl_launched *wl_timeline_launched(struct wl_timeline *t, uint32_t call)
{
	struct wl_timeline_kept *f = t->panels.kept;

	/*
	 * Kept for the call under the cursor: every redraw asks again, and a graph may have
	 * launched thousands.
	 */
	if (f->launched_call != call) {
		wl_launched_by(wl_timeline_scene(t), call, &f->launched);
		f->launched_call = call;
	}
	return &f->launched;
}

const struct wl_link *wl_timeline_projection(struct wl_timeline *t, uint32_t nvtx_row)
{
	struct wl_timeline_kept *f = t->panels.kept;

	if (f->projected_row != nvtx_row) {
		f->has_projection =
			wl_projection_of(wl_timeline_scene(t), nvtx_row, &f->projection);
		f->projected_row = nvtx_row;
	}
	return f->has_projection ? &f->projection : NULL;
}

uint32_t wl_timeline_device(const struct wl_timeline *t)
{
	uint32_t gpu = t->view.track == WL_NONE ? WL_NONE : wl_timeline_gpu(t, t->view.track);

	return gpu == WL_NONE ? WL_NONE : wl_timeline_scene(t)->tracks.at[gpu].device;
}

void wl_timeline_jump_to(struct wl_timeline *t, struct wl_link to)
{
	wl_ns span = t->view.end - t->view.begin, length = to.end - to.begin, begin;

	if (to.begin >= t->view.begin && to.end <= t->view.end) {
		wl_timeline_jump(t, to.track, to.begin, t->view.begin, t->view.end);
		return;
	}
	/*
	 * What would fill more than three quarters of the view gets one that is a quarter longer
	 * than itself.
	 */
	if (length > span - span / 4)
		span = length + length / 4;
	begin = to.begin - (span - length) / 2;
	wl_timeline_jump(t, to.track, to.begin, begin, begin + span);
}

const char *wl_timeline_op_name(const struct wl_timeline *t, struct wl_op_id id)
{
	const struct wl_trace *trace = wl_timeline_scene(t)->trace;

	if (id.family == WL_F_KERNELS)
		return wl_app_kernel_name(t->app, 0, wl_kernels_name(trace)[id.row]);
	return wl_op_name(trace, id.family, id.row);
}

const char *wl_gap_words(const struct wl_gap_details *gap, char *buf, size_t size)
{
	if (gap->cause == WL_N_CAUSES)
		(void)snprintf(buf, size, "%s", wl_cause_words(gap->cause));
	else
		(void)snprintf(buf, size, "%s%s%.200s", wl_cause_name(gap->cause),
			       gap->detail ? ", " : "", gap->detail ? gap->detail : "");
	return buf;
}

void wl_tell_sums(struct wl_text_buf *w, const struct wl_range_sums *sums, uint32_t device)
{
	char buf[WL_UNITS_BUF];

	if (sums->n_devices == 0) {
		wl_tell(w, "no GPU operations");
		return;
	}
	/* What shares are of comes first: it must not be cut off. */
	wl_tell(w, "%s", wl_brief_ns(buf, sums->range.end - sums->range.begin));
	if (device != WL_NONE)
		wl_tell(w, " of GPU %" PRIu32 ": ", device);
	else
		wl_tell(w, " of each of %zu GPUs: ", sums->n_devices);
	wl_tell(w, "compute %s", wl_brief_share(buf, sums->compute, sums->length));
	wl_tell(w, " exposed comm %s", wl_brief_share(buf, sums->exposed_comm, sums->length));
	wl_tell(w, " copy %s", wl_brief_share(buf, sums->exposed_copy, sums->length));
	wl_tell(w, " idle %s", wl_brief_share(buf, sums->idle, sums->length));
	if (sums->unused > 0)
		wl_tell(w, " (%s unused)", wl_brief_share(buf, sums->unused, sums->length));
}
