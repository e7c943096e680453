/* SPDX-License-Identifier: MIT */
/* timeline_detail.c - the event under the cursor in words: the pane, and all of it over the view.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "known/exports/codes.h"
#include "tui/timeline/tell/timeline_words.h"

static const char *category_word(uint8_t cat)
{
	static const char *const words[WL_N_COLOURS] = {
		[WL_COLOUR_GEMM] = "GEMM", [WL_COLOUR_ATTENTION] = "ATTN",
		[WL_COLOUR_NORM] = "ELEM", [WL_COLOUR_COMM] = "COMM",
		[WL_COLOUR_COPY] = "MEM",  [WL_COLOUR_OTHER] = "OTHER",
		[WL_COLOUR_HOST] = "API",  [WL_COLOUR_NEUTRAL] = "NVTX",
	};

	return cat < WL_N_COLOURS ? words[cat] : "";
}

static void say_exposed(struct wl_text_buf *w, const struct wl_op_details *op)
{
	char buf[WL_UNITS_BUF];

	if (op->exposed == WL_NO_TIME)
		return;
	wl_tell(w, "exposed %s", wl_short_ns(buf, op->exposed));
	wl_tell(w, " (%s)", wl_brief_share(buf, op->exposed, op->end - op->start));
}

/* "p50 1.71ms (+27%)" */
static void say_p50(struct wl_text_buf *w, const struct wl_op_details *op)
{
	wl_ns dur = op->end - op->start;
	char buf[WL_UNITS_BUF];
	double percent = 0;

	if (!op->same || op->same->n == 0)
		return;
	wl_tell(w, "p50 %s", wl_short_ns(buf, op->same->p50));
	if (op->same->p50 > 0)
		percent = 100.0 * (double)(dur - op->same->p50) / (double)op->same->p50;
	/* No "-0%". */
	wl_tell(w, " (%+.0f%%)", percent > -0.5 && percent < 0.5 ? 0 : percent);
}

static void say_shape(struct wl_text_buf *w, const struct wl_op_details *op, bool wide)
{
	const struct wl_launch_config *c = op->config;
	char bytes[WL_UNITS_BUF], rate[WL_UNITS_BUF];

	if (c) {
		wl_tell(w, "grid %" PRIu32 "x%" PRIu32 "x%" PRIu32, c->grid[0], c->grid[1],
			c->grid[2]);
		if (wide)
			wl_tell(w,
				"  block %" PRIu32 "x%" PRIu32 "x%" PRIu32 "  regs %" PRIu32
				"  smem %s",
				c->block[0], c->block[1], c->block[2], c->registers,
				wl_fmt_bytes(bytes, (int64_t)c->static_shared + c->dynamic_shared));
	} else if (op->bytes >= 0) {
		wl_tell(w, "%s", wl_fmt_bytes(bytes, op->bytes));
		if (op->end > op->start)
			wl_tell(w, "  %s",
				wl_fmt_rate(rate, (double)op->bytes * 1e9 /
							  (double)(op->end - op->start)));
	}
}

static void say_same(struct wl_text_buf *w, const struct wl_op_details *op)
{
	if (!op->same || op->same->n == 0)
		return;
	wl_tell(w, "same name %zu", op->same->n);
	wl_tell_ns(w, "  sum ", op->same->sum);
	wl_tell_ns(w, "  p50 ", op->same->p50);
	wl_tell_ns(w, "  p99 ", op->same->p99);
}

/* "after NAME, which ended 2us before"; of another stream it may be what was waited for. */
static void say_before(struct wl_timeline *t, struct wl_text_buf *w, const char *words,
		       struct wl_op_id id, wl_ns start)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	wl_ns end;

	if (id.family == WL_N_FAMILIES)
		return;
	end = wl_op_time(scene, id).end;
	wl_tell(w, "%s%.200s, ", words, wl_timeline_op_name(t, id));
	wl_tell_ns(w, end > start ? "still under way for " : "ended ",
		   end > start ? end - start : start - end);
	wl_tell(w, "%s", end > start ? "" : " before");
}

static void tell_op_wide(struct wl_timeline *t, const struct wl_pick *pick,
			 const struct wl_op_details *op, struct wl_detail *d)
{
	const struct wl_trace *trace = wl_timeline_scene(t)->trace;
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "EVENT  %s", wl_timeline_pick_name(t, pick));
	wl_tell(&l.right, "%s   ", category_word(pick->cat));
	wl_tell_place(&l.right, trace, op->place, true);
	if (op->corr)
		wl_tell(&l.right, "   corr %" PRIu32, op->corr);
	if (op->graph_node != WL_NO_U64)
		wl_tell(&l.right, "   graph %" PRIu64 " node %" PRIu32, op->graph_node >> 32,
			(uint32_t)op->graph_node);
	l = wl_detail_next(d);
	wl_tell(&l.left, " start ");
	wl_tell_time(t, &l.left, op->start);
	wl_tell_ns(&l.left, "   dur ", op->end - op->start);
	wl_tell(&l.left, "   ");
	say_shape(&l.left, op, true);
	say_p50(&l.right, op);
	if (l.right.n && op->exposed != WL_NO_TIME)
		wl_tell(&l.right, "   ");
	say_exposed(&l.right, op);
	l = wl_detail_next(d);
	wl_tell(&l.left, " ");
	wl_tell_launch(t, &l.left, op, true);
	wl_tell(&l.right, "o: launch   O: NVTX   f: links   e: why");
	l = wl_detail_next(d);
	wl_tell(&l.left, " ");
	wl_tell_path(t, &l.left, op->node, op->is_bridged);
	say_same(&l.right, op);
}

static void tell_op_narrow(struct wl_timeline *t, const struct wl_pick *pick,
			   const struct wl_op_details *op, struct wl_detail *d)
{
	const struct wl_trace *trace = wl_timeline_scene(t)->trace;
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "%s", wl_timeline_pick_name(t, pick));
	wl_tell(&l.right, "%s  ", category_word(pick->cat));
	wl_tell_place(&l.right, trace, op->place, false);
	wl_tell_ns(&l.right, "  ", op->end - op->start);
	if (op->corr)
		wl_tell(&l.right, " #%" PRIu32, op->corr);
	l = wl_detail_next(d);
	wl_tell_launch(t, &l.left, op, false);
	if (op->exposed != WL_NO_TIME)
		say_exposed(&l.right, op);
	else
		say_p50(&l.right, op);
	l = wl_detail_next(d);
	wl_tell_path(t, &l.left, op->node, op->is_bridged);
	say_shape(&l.right, op, false);
	l = wl_detail_next(d);
	wl_tell(&l.left, "start ");
	wl_tell_time(t, &l.left, op->start);
	l = wl_detail_next(d);
	say_shape(&l.left, op, true);
	l = wl_detail_next(d);
	say_same(&l.left, op);
	if (op->exposed != WL_NO_TIME)
		say_p50(&l.right, op);
}

static void tell_op(struct wl_timeline *t, const struct wl_pick *pick, bool wide,
		    struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_op_details op;
	struct wl_detail_line l;

	wl_op_details_of(scene, (struct wl_op_id){ pick->event.family, pick->event.row }, pick->cat,
			 &op);
	if (wide)
		tell_op_wide(t, pick, &op, d);
	else
		tell_op_narrow(t, pick, &op, d);
	l = wl_detail_next(d);
	say_before(t, &l.left, " before on its stream: ", wl_op_before(scene, &op), op.start);
	l = wl_detail_next(d);
	say_before(t, &l.left, " last on other streams: ", wl_op_waited_for(scene, &op), op.start);
}

static void tell_call(struct wl_timeline *t, const struct wl_pick *pick, bool wide,
		      struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_trace *trace = scene->trace;
	uint32_t call = pick->event.row, node;
	const struct wl_launched *launched = wl_timeline_launched(t, call);
	int32_t result = wl_api_result(trace) ? wl_api_result(trace)[call] : 0;
	struct wl_detail_line l = wl_detail_next(d);
	bool is_bridged;

	wl_tell(&l.left, "%s%s", wide ? "CALL   " : "", wl_str(trace, wl_api_name(trace)[call]));
	wl_tell(&l.right, "API  ");
	wl_tell_thread(&l.right, trace, wl_api_thread(trace)[call], wide);
	wl_tell_ns(&l.right, "  ", pick->end - pick->start);
	if (wl_api_corr(trace) && wl_api_corr(trace)[call])
		wl_tell(&l.right, " #%" PRIu32, wl_api_corr(trace)[call]);
	l = wl_detail_next(d);
	if (launched->n == 0) {
		wl_tell(&l.left, "launched nothing that was traced");
	} else {
		wl_tell(&l.left, launched->n > 1 ? "launched %zu operations, first " : "launched ",
			launched->n);
		wl_tell(&l.left, "%.200s ", wl_timeline_op_name(t, launched->op[0]));
		wl_tell_place(
			&l.left, trace,
			wl_trace_ops(trace, launched->op[0].family).place[launched->op[0].row],
			false);
		wl_tell_ns(&l.left, launched->span.begin < pick->start ? " -" : " +",
			   llabs(launched->span.begin - pick->start));
		wl_tell_ns(&l.right, "on the GPU ", launched->span.end - launched->span.begin);
	}
	l = wl_detail_next(d);
	node = wl_node_of_call(scene, call, &is_bridged);
	wl_tell_path(t, &l.left, node, is_bridged);
	if (result != 0)
		wl_tell(&l.right, result == WL_CUDA_NOT_READY ? "not ready" : "error %" PRId32,
			result);
	l = wl_detail_next(d);
	wl_tell(&l.left, "start ");
	wl_tell_time(t, &l.left, pick->start);
}

static void tell_range(struct wl_timeline *t, const struct wl_pick *pick, bool wide,
		       struct wl_detail *d)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_trace *trace = scene->trace;
	struct wl_link host = wl_link_to_range(scene, pick->event.row);
	const struct wl_link *gpu = wl_timeline_projection(t, pick->event.row);
	uint32_t thread = wl_nvtx_thread(trace)[pick->event.row];
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "%s%s", wide ? "RANGE  " : "", wl_timeline_pick_name(t, pick));
	wl_tell(&l.right, "NVTX  ");
	if (thread != WL_NONE)
		wl_tell_thread(&l.right, trace, thread, wide);
	wl_tell_ns(&l.right, "  host ", host.end - host.begin);
	l = wl_detail_next(d);
	if (gpu) {
		wl_tell_ns(&l.left, "on the GPU ", gpu->end - gpu->begin);
		wl_tell(&l.left, " from ");
		wl_tell_time(t, &l.left, gpu->begin);
		wl_tell_ns(&l.right, gpu->begin < host.begin ? "begins -" : "begins +",
			   llabs(gpu->begin - host.begin));
	} else {
		wl_tell(&l.left, "launched no GPU work that is shown");
	}
	l = wl_detail_next(d);
	wl_tell_path(t, &l.left, wl_node_of_row(scene, pick->event.row), false);
	l = wl_detail_next(d);
	wl_tell(&l.left, "host start ");
	wl_tell_time(t, &l.left, host.begin);
}

/* What the time of a segment is spent on; the event that it leads to follows. */
static void tell_segment(const struct wl_pick *pick, struct wl_detail *d)
{
	struct wl_detail_line l = wl_detail_next(d);

	wl_tell(&l.left, "critical path: %s", pick->event.detail);
	wl_tell_ns(&l.right, "", pick->end - pick->start);
}

void wl_timeline_detail(struct wl_timeline *t, bool wide, struct wl_detail *ret)
{
	struct wl_pick pick;

	ret->n = 0;
	if (!wl_timeline_is_ready(t) || t->view.track == WL_NONE)
		return;
	if (!wl_timeline_pick(t, &pick)) {
		wl_detail_nothing(t, wide, ret);
		return;
	}
	if (wl_holds(&wl_timeline_scene(t)->tracks.at[pick.track]) == WL_HOLDS_PATH)
		tell_segment(&pick, ret);
	if (wl_is_op(pick.event.family))
		tell_op(t, &pick, wide, ret);
	else if (pick.event.family == WL_F_API)
		tell_call(t, &pick, wide, ret);
	else if (pick.event.family == WL_F_NVTX)
		tell_range(t, &pick, wide, ret);
	else if (pick.event.family == WL_F_OSRT)
		wl_detail_host(t, &pick, "OS", ret);
	else if (pick.event.family == WL_F_OVERHEAD)
		wl_detail_host(t, &pick, "PROFILER", ret);
	else
		wl_detail_row(t, &pick, wide, ret);
}
