/* SPDX-License-Identifier: MIT */
/* timeline_links.c - links of an event, and the reason why it began when it did. */
#include <inttypes.h>
#include <stdio.h>

#include "derive/nvtx/forest.h"
#include "tui/timeline/tell/timeline_tell.h"

enum { NAME_BUF = 2048, TEXT_BUF = 16384 };

/* The event under the cursor, which says so where there is none. */
static bool pick_any(struct wl_timeline *t, struct wl_pick *ret)
{
	if (wl_timeline_pick(t, ret))
		return true;
	wl_app_say(t->app, "no event under the cursor");
	return false;
}

static void op_details(struct wl_timeline *t, const struct wl_pick *pick, struct wl_op_details *ret)
{
	wl_op_details_of(wl_timeline_scene(t),
			 (struct wl_op_id){ pick->event.family, pick->event.row }, pick->cat, ret);
}

static void follow(struct wl_timeline *t, struct wl_link to, const char *what)
{
	if (to.track == WL_NONE)
		wl_app_say(t->app, "%s is in no row of the selection", what);
	else
		wl_timeline_jump_to(t, to);
}

/* From a range on the GPU to where it is on its thread, and back. */
static void to_other_side(struct wl_timeline *t, const struct wl_pick *pick)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t row = pick->event.row;
	const struct wl_link *gpu = wl_timeline_projection(t, row);
	struct wl_link to = wl_link_to_range(scene, row);

	if (wl_holds(&scene->tracks.at[pick->track]) != WL_HOLDS_PROJECTIONS) {
		if (!gpu) {
			wl_app_say(t->app, "the range launched no GPU work that is shown");
			return;
		}
		to = *gpu;
	}
	follow(t, to, "the range");
}

static void to_launch(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_op_details op;
	struct wl_pick pick;

	if (!pick_any(t, &pick))
		return;
	if (wl_holds(&scene->tracks.at[pick.track]) == WL_HOLDS_PATH) {
		follow(t, wl_link_to_activity(scene, &pick.event), "the event");
	} else if (pick.event.family == WL_F_API) {
		const struct wl_launched *l = wl_timeline_launched(t, pick.event.row);

		if (l->n == 0)
			wl_app_say(t->app, "the call launched nothing that was traced");
		else
			follow(t, wl_link_to_op(scene, l->op[0]), "its GPU work");
		if (l->n > 1)
			wl_app_say(t->app, "the first of %zu operations", l->n);
	} else if (pick.event.family == WL_F_NVTX) {
		to_other_side(t, &pick);
	} else if (wl_is_op(pick.event.family)) {
		op_details(t, &pick, &op);
		if (op.call == WL_NONE)
			wl_app_say(t->app, "its launch was not traced");
		else
			follow(t, wl_link_to_call(scene, op.call), "its launch");
	} else {
		wl_app_say(t->app, "only GPU operations, calls and ranges have another side");
	}
}

/* The innermost range around an event; WL_NONE for none. */
static uint32_t node_of(struct wl_timeline *t, const struct wl_pick *pick)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t thread = scene->tracks.at[pick->track].thread, node;
	struct wl_op_details op;
	bool is_bridged;

	if (wl_is_op(pick->event.family)) {
		op_details(t, pick, &op);
		return op.node;
	}
	if (pick->event.family == WL_F_API)
		return wl_node_of_call(scene, pick->event.row, &is_bridged);
	if (pick->event.family == WL_F_NVTX) {
		node = wl_node_of_row(scene, pick->event.row);
		if (node == WL_NONE ||
		    wl_holds(&scene->tracks.at[pick->track]) == WL_HOLDS_PROJECTIONS)
			return node;
		return scene->forest->parent[node];
	}
	if (thread != WL_NONE && scene->forest && scene->forest->n)
		return wl_forest_around(scene->forest, thread, pick->start, pick->end);
	return WL_NONE;
}

static void to_innermost(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct wl_pick pick;
	uint32_t node;

	if (!pick_any(t, &pick))
		return;
	node = node_of(t, &pick);
	if (node == WL_NONE)
		wl_app_say(t->app, "no NVTX range is around it");
	else
		follow(t, wl_link_to_range(scene, scene->forest->row[node]), "its range");
}

/* ---- The list ---- */

struct listing {
	struct wl_timeline *t;
	char text[WL_MAX_LINKS][256];
	const char *item[WL_MAX_LINKS];
};

static void add_link(struct listing *l, struct wl_link to, const char *what, const char *name,
		     wl_ns from)
{
	struct wl_timeline_kept *f = l->t->panels.kept;
	char offset[WL_UNITS_BUF];
	wl_ns ahead = to.begin - from;

	if (f->n_links == WL_MAX_LINKS || to.track == WL_NONE)
		return;
	(void)snprintf(l->text[f->n_links], sizeof(l->text[0]), "%-12s %.180s  %s%s", what, name,
		       ahead < 0 ? "-" : "+", wl_brief_ns(offset, ahead < 0 ? -ahead : ahead));
	l->item[f->n_links] = l->text[f->n_links];
	f->link[f->n_links++] = to;
}

static void add_op(struct listing *l, struct wl_op_id id, const char *what, wl_ns from)
{
	if (id.family != WL_N_FAMILIES)
		add_link(l, wl_link_to_op(wl_timeline_scene(l->t), id), what,
			 wl_timeline_op_name(l->t, id), from);
}

static void add_call(struct listing *l, uint32_t call, wl_ns from)
{
	const struct wl_scene *scene = wl_timeline_scene(l->t);

	if (call != WL_NONE)
		add_link(l, wl_link_to_call(scene, call), "launch",
			 wl_str(scene->trace, wl_api_name(scene->trace)[call]), from);
}

/* The range and those around it, innermost first. */
static void add_ranges(struct listing *l, uint32_t node, wl_ns from)
{
	enum { MAX_RANGES = 16 };
	const struct wl_scene *scene = wl_timeline_scene(l->t);

	for (int i = 0; node != WL_NONE && i < MAX_RANGES; i++) {
		add_link(l, wl_link_to_range(scene, scene->forest->row[node]), "nvtx",
			 scene->range_names->name[scene->forest->name[node]].exact, from);
		node = scene->forest->parent[node];
	}
}

/* What one call launched: the nodes of a graph, or the operation. */
static void add_launched(struct listing *l, uint32_t call, const char *what, struct wl_op_id but,
			 wl_ns from)
{
	enum { MAX_SHOWN = 24 };
	const struct wl_launched *launched = wl_timeline_launched(l->t, call);

	for (size_t i = 0; i < launched->n && i < MAX_SHOWN; i++) {
		if (launched->op[i].family != but.family || launched->op[i].row != but.row)
			add_op(l, launched->op[i], what, from);
	}
}

static void follow_link(void *ctx, size_t i)
{
	struct wl_timeline *t = ctx;

	if (i < t->panels.kept->n_links)
		wl_timeline_jump_to(t, t->panels.kept->link[i]);
}

static void list_links(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	struct listing l = { .t = t };
	struct wl_op_details op;
	struct wl_pick pick;
	char title[96];
	size_t n_launched = 0;

	if (!pick_any(t, &pick))
		return;
	t->panels.kept->n_links = 0;
	if (wl_holds(&scene->tracks.at[pick.track]) == WL_HOLDS_PATH)
		add_link(&l, wl_link_to_activity(scene, &pick.event), "event",
			 wl_timeline_pick_name(t, &pick), pick.start);
	if (wl_is_op(pick.event.family)) {
		op_details(t, &pick, &op);
		add_call(&l, op.call, pick.start);
		add_op(&l, wl_op_before(scene, &op), "stream", pick.start);
		add_op(&l, wl_op_waited_for(scene, &op), "candidate", pick.start);
		add_ranges(&l, op.node, pick.start);
		if (op.call != WL_NONE) {
			add_launched(&l, op.call, "same launch", op.id, pick.start);
			n_launched = t->panels.kept->launched.n;
		}
	} else {
		if (pick.event.family == WL_F_API) {
			add_launched(&l, pick.event.row, "launched", WL_NO_OP, pick.start);
			n_launched = t->panels.kept->launched.n;
		}
		add_ranges(&l, node_of(t, &pick), pick.start);
	}
	(void)snprintf(title, sizeof(title),
		       n_launched > 1 ? "Links (its call launched %zu)" : "Links", n_launched);
	if (t->panels.kept->n_links == 0)
		wl_app_say(t->app, "the event is linked to nothing that was traced");
	else
		wl_app_show_list(t->app, &(struct wl_list_opts){ .title = title,
								 .items = l.item,
								 .n = t->panels.kept->n_links,
								 .chosen = follow_link,
								 .ctx = t });
}

/* ---- Explain ---- */

static void explain_gap(struct wl_timeline *t, const struct wl_gap_details *gap)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	char text[TEXT_BUF], buf[WL_UNITS_BUF], share[WL_UNITS_BUF], name[NAME_BUF];
	struct wl_interval at = { gap->begin, gap->end };
	struct wl_range_sums sums;
	struct wl_gap_function f;
	struct wl_text_buf w;

	wl_text_buf_init(&w, text, sizeof(text));
	wl_tell(&w, "GPU %" PRIu32 " was idle for %s.\n\n", gap->device,
		wl_brief_ns(buf, gap->end - gap->begin));
	wl_range_sums_of(scene, gap->device, at, &sums);
	for (int c = 0; sums.has_causes && c < WL_N_CAUSES; c++) {
		if (sums.cause[c] > 0)
			wl_tell(&w, "%-10s %9s %5s  %s\n", wl_cause_name((enum wl_cause)c),
				wl_brief_ns(buf, sums.cause[c]),
				wl_brief_share(share, sums.cause[c], at.end - at.begin),
				wl_cause_words((enum wl_cause)c));
	}
	if (gap->detail)
		wl_tell(&w, "\nMost of it: %s, %s.\n", wl_cause_name(gap->cause), gap->detail);
	if (wl_gap_function_of(scene, gap, &f))
		wl_tell(&w, "\nThe launching thread was in %s%s%s for %s of it.\n", f.name,
			*f.under ? " under " : "", f.under,
			wl_brief_share(share, f.time, at.end - at.begin));
	if (gap->opened_by)
		wl_tell(&w,
			"\n%s%s%s ended as the gap began: it emptied the launch queue\n"
			"(coincidence in time, not proof of cause).\n",
			gap->opened_by, gap->opened_in ? " in " : "",
			gap->opened_in ? gap->opened_in : "");
	if (gap->after.family != WL_N_FAMILIES) {
		struct wl_op_details op;

		wl_op_details_of(scene, gap->after, WL_COLOUR_OTHER, &op);
		wl_tell(&w, "\nIt ended with %s", wl_timeline_op_name(t, gap->after));
		if (op.call != WL_NONE)
			wl_tell(&w,
				",\nlaunched by %s on thread %" PRIu32 ", whose call began %s %s",
				wl_str(scene->trace, wl_api_name(scene->trace)[op.call]),
				scene->trace->threads[wl_api_thread(scene->trace)[op.call]].tid,
				wl_brief_ns(buf, op.lead < 0 ? -op.lead : op.lead),
				op.lead < 0 ? "after it" : "before it");
		wl_tell(&w, ".\n");
		if (op.node != WL_NONE)
			wl_tell(&w, "NVTX: %s\n",
				wl_node_path(scene, op.node, 0, name, sizeof(name)));
	}
	wl_app_show_text(t->app, "Why the GPU waited", text);
}

/* A sentence about an operation that ended shortly before. */
static bool say_follows(struct wl_timeline *t, struct wl_text_buf *w, struct wl_op_id id,
			wl_ns start, const char *why)
{
	char buf[WL_UNITS_BUF];
	wl_ns end;

	if (id.family == WL_N_FAMILIES)
		return false;
	end = wl_op_time(wl_timeline_scene(t), id).end;
	if (start - end > WL_DISPATCH_NS || end > start)
		return false;
	wl_tell(w, "It began %s after %s ended, %s.\n", wl_brief_ns(buf, start - end),
		wl_timeline_op_name(t, id), why);
	return true;
}

static void explain_op(struct wl_timeline *t, const struct wl_pick *pick)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	char text[TEXT_BUF], buf[WL_UNITS_BUF];
	struct wl_op_details op;
	struct wl_text_buf w;
	bool said = false;

	op_details(t, pick, &op);
	wl_text_buf_init(&w, text, sizeof(text));
	if (op.call == WL_NONE) {
		wl_tell(&w, "Its launch was not recorded: the queue time is unknown.\n");
	} else if (op.lead < 0) {
		wl_tell(&w,
			"It begins %s before its launch call does: the clocks of host and GPU "
			"disagree.\n",
			wl_brief_ns(buf, -op.lead));
	} else if (op.queue == WL_NO_TIME) {
		wl_tell(&w,
			"It did not wait: it began %s after its launch call began, before that "
			"returned.\n",
			wl_brief_ns(buf, op.lead));
		said = true;
	} else {
		wl_tell(&w, "It was queued for %s after its launch call returned.\n",
			wl_brief_ns(buf, op.queue));
		said = op.queue <= WL_DISPATCH_NS;
	}
	if (!said)
		said = say_follows(t, &w, wl_op_before(scene, &op), op.start,
				   "which is before it on its stream: stream order");
	if (!said)
		said = say_follows(t, &w, wl_op_waited_for(scene, &op), op.start,
				   "on another stream: it may have waited for that");
	if (!said && op.call != WL_NONE && op.lead >= 0)
		wl_tell(&w,
			"No operation of its GPU ended within 5 us before it: it may have waited "
			"for an event, or for the GPU to take it up.\n");
	wl_app_show_text(t->app, "Why it began here", text);
}

static void explain(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t device = wl_timeline_device(t);
	struct wl_gap_details gap;
	struct wl_pick pick;
	bool found = wl_timeline_pick(t, &pick);

	if (found && wl_is_op(pick.event.family))
		explain_op(t, &pick);
	else if (device != WL_NONE &&
		 wl_gap_at(scene, device, found ? pick.start : t->view.cursor, &gap))
		explain_gap(t, &gap);
	else
		wl_app_say(t->app, "%s",
			   device == WL_NONE
				   ? "only operations and gaps of a GPU have an explanation"
			   : wl_gap_is_outside(scene, device, found ? pick.start : t->view.cursor)
				   ? wl_cause_words(WL_CAUSE_UNUSED)
				   : "the GPU is busy here");
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_LAUNCH, .act = to_launch },
	{ WL_ACT_INNERMOST, .act = to_innermost },
	{ WL_ACT_LINKS, .act = list_links },
	{ WL_ACT_EXPLAIN, .act = explain },
};

const struct wl_timeline_part wl_timeline_linking = { .acts = acts, .n_acts = WL_COUNT(acts) };
