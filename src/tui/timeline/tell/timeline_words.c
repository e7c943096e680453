/* SPDX-License-Identifier: MIT */
#include "tui/timeline/tell/timeline_words.h"

#include <inttypes.h>

enum { PATH_BUF = 600 };

struct wl_detail_line wl_detail_next(struct wl_detail *d)
{
	struct wl_detail_line l;
	/* The last line takes what is too much, so that no caller needs to count. */
	size_t i = d->n < WL_DETAIL_LINES ? d->n++ : WL_DETAIL_LINES - 1;

	wl_text_buf_init(&l.left, d->line[i].left, sizeof(d->line[i].left));
	wl_text_buf_init(&l.right, d->line[i].right, sizeof(d->line[i].right));
	return l;
}

void wl_tell_ns(struct wl_text_buf *w, const char *before, wl_ns ns)
{
	char buf[WL_UNITS_BUF];

	wl_tell(w, "%s%s", before, wl_brief_ns(buf, ns));
}

void wl_tell_place(struct wl_text_buf *w, const struct wl_trace *t, uint32_t place, bool wide)
{
	const struct wl_place *p = &t->places[place];

	if (wide)
		wl_tell(w, "GPU %" PRIu32 "  ctx %" PRIu32 "  stream %" PRIu32, p->device,
			p->context, p->stream);
	else
		wl_tell(w, "G%" PRIu32 " S%" PRIu32, p->device, p->stream);
}

void wl_tell_thread(struct wl_text_buf *w, const struct wl_trace *t, uint32_t thread, bool wide)
{
	wl_tell(w, "tid %" PRIu32, t->threads[thread].tid);
	if (wide && t->threads[thread].name != WL_NONE)
		wl_tell(w, " %.40s", wl_str(t, t->threads[thread].name));
}

void wl_tell_time(struct wl_timeline *t, struct wl_text_buf *w, wl_ns time)
{
	const struct wl_process_iters *iters = wl_timeline_iters(t, t->view.track);
	uint32_t it = iters ? wl_timeline_iter_at(iters, time) : WL_NONE;
	char buf[WL_TIME_BUF], offset[WL_UNITS_BUF];

	wl_tell(w, "%s", wl_timeline_fmt(t, time, buf));
	if (it != WL_NONE)
		wl_tell(w, " (step %" PRIu32 " + %s)", it,
			wl_brief_ns(offset, time - iters->at[it].tile.begin));
}

void wl_tell_launch(struct wl_timeline *t, struct wl_text_buf *w, const struct wl_op_details *op,
		    bool wide)
{
	const struct wl_trace *trace = wl_timeline_scene(t)->trace;
	char buf[WL_UNITS_BUF];

	if (op->call == WL_NONE) {
		wl_tell(w, "launch not traced");
		return;
	}
	wl_tell(w, "launch %.80s ", wl_str(trace, wl_api_name(trace)[op->call]));
	wl_tell_thread(w, trace, wl_api_thread(trace)[op->call], wide);
	wl_tell(w, "%s%s", op->lead < 0 ? " +" : " -",
		wl_short_ns(buf, op->lead < 0 ? -op->lead : op->lead));
	if (op->lead < 0)
		wl_tell(w, " (the clocks disagree)");
	else if (op->queue == WL_NO_TIME)
		wl_tell(w, " \u2192 began before it returned");
	else
		wl_tell(w, " \u2192 %s %s", wide ? "queued" : "queue", wl_short_ns(buf, op->queue));
}

void wl_tell_path(struct wl_timeline *t, struct wl_text_buf *w, uint32_t node, bool is_bridged)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	static const size_t most[WL_N_PATH_STYLES] = {
		[WL_PATH_WHOLE] = 0, [WL_PATH_LAST_TWO] = 2, [WL_PATH_LAST] = 1
	};
	char path[PATH_BUF];

	if (node == WL_NONE)
		wl_tell(w, "nvtx none");
	else
		wl_tell(w, "nvtx %s%s",
			wl_node_path(scene, node, most[t->config.path_style], path, sizeof(path)),
			is_bridged ? "  (open on another thread)" : "");
}
