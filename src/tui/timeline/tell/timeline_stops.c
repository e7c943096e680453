/* SPDX-License-Identifier: MIT */
/* timeline_stops.c - moves from gap to gap and from finding to finding. */
#include <inttypes.h>
#include <string.h>

#include "tui/timeline/tell/timeline_tell.h"

enum { TEXT_BUF = 8192 };

/* Where a move goes, as bits. */
enum { LATER = 1, ANYWHERE = 2 };

static void step_gap(struct wl_timeline *t, int to_where)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t device = to_where & ANYWHERE ? WL_NONE : wl_timeline_device(t);
	bool is_later = to_where & LATER, found;
	wl_ns min = wl_gap_threshold(scene, device);
	char words[400], length[WL_UNITS_BUF];
	struct wl_gap_details gap = { .detail = NULL };
	struct wl_link to;

	found = is_later ? wl_gap_next(scene, device, t->view.cursor, min, &gap)
			 : wl_gap_before(scene, device, t->view.cursor, min, &gap);
	if (!found) {
		wl_app_say(t->app, "no idle gap of at least %s %s this", wl_brief_ns(length, min),
			   is_later ? "after" : "before");
		return;
	}
	to = (struct wl_link){ wl_track_of_device(&scene->tracks, WL_HOLDS_GAPS, gap.device),
			       gap.begin, gap.end };
	if (to.track == WL_NONE)
		to.track = wl_track_of_device(&scene->tracks, WL_HOLDS_GPU_TIME, gap.device);
	wl_timeline_jump_to(t, to);
	wl_app_say(t->app, "GPU %" PRIu32 " idle %s: %s", gap.device,
		   wl_brief_ns(length, gap.end - gap.begin),
		   wl_gap_words(&gap, words, sizeof(words)));
}

static const struct wl_timeline_act gap_acts[] = {
	{ WL_ACT_GAP_NEXT, .by = step_gap, .n = LATER },
	{ WL_ACT_GAP_PREV, .by = step_gap, .n = 0 },
	{ WL_ACT_GAP_NEXT_ANY, .by = step_gap, .n = LATER | ANYWHERE },
	{ WL_ACT_GAP_PREV_ANY, .by = step_gap, .n = ANYWHERE },
};

const struct wl_timeline_part wl_timeline_stepping_gaps = { .acts = gap_acts,
							    .n_acts = WL_COUNT(gap_acts) };

/* ---- Findings ---- */

static bool has_findings(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	enum wl_scene_stage stage = scene->stage;

	if (stage < WL_SCENE_FINDINGS) {
		wl_app_say(t->app, "findings are being looked for");
		return false;
	}
	if (scene->n_findings == 0)
		wl_app_say(t->app,
			   stage == WL_SCENE_FAILED ? "there are no findings: %s"
						    : "there are no findings%.0s",
			   scene->err.msg);
	return scene->n_findings > 0;
}

static void go_to_finding(struct wl_timeline *t, size_t i)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	const struct wl_scene_finding *f = &scene->finding[i];
	uint32_t track = wl_track_of_device(&scene->tracks, f->row, f->device);

	t->panels.kept->finding = i;
	if (f->at != WL_NO_TIME)
		wl_timeline_jump_to(t, (struct wl_link){ track == WL_NONE ? t->view.track : track,
							 f->at, f->at + 1 });
	wl_app_say(t->app, "%s: %s%s", f->code, f->detail,
		   f->at == WL_NO_TIME ? " (nowhere in particular)" : "");
}

/* In the order of the list: what saves most comes first. */
static void next_finding(struct wl_timeline *t)
{
	size_t last = t->panels.kept->finding;

	if (has_findings(t))
		go_to_finding(t,
			      last == SIZE_MAX ? 0 : (last + 1) % wl_timeline_scene(t)->n_findings);
}

/* What it is, what to do, and in each framework how: titles are a column, texts hang behind it. */
static void show_finding(struct wl_timeline *t, const struct wl_scene_finding *f)
{
	size_t widest = strlen("Command");
	char text[TEXT_BUF];
	struct wl_text_buf w;

	for (size_t i = 0; i < f->n_lines; i++)
		widest = strlen(f->line[i].title) > widest ? strlen(f->line[i].title) : widest;
	wl_text_buf_init(&w, text, sizeof(text));
	wl_tell(&w, "%s%s%s\n\n%s\n\n", f->detail, *f->fixing ? "; " : "", f->fixing, f->title);
	for (size_t i = 0; i < f->n_lines; i++)
		wl_tell(&w, "%-*s  %s\n", (int)widest, f->line[i].title, f->line[i].text);
	if (*f->evidence)
		wl_tell(&w, "%-*s  %s\n", (int)widest, "Command", f->evidence);
	wl_app_show_text(t->app, "Finding", text);
}

static void chose_finding(void *ctx, size_t i)
{
	struct wl_timeline *t = ctx;

	go_to_finding(t, i);
	show_finding(t, &wl_timeline_scene(t)->finding[i]);
}

static void list_findings(struct wl_timeline *t)
{
	enum { MAX_LISTED = 64 };
	const struct wl_scene *scene = wl_timeline_scene(t);
	const char *items[MAX_LISTED];
	size_t n = 0;

	if (!has_findings(t))
		return;
	while (n < scene->n_findings && n < MAX_LISTED) {
		items[n] = scene->finding[n].detail;
		n++;
	}
	wl_app_show_list(t->app, &(struct wl_list_opts){ .title = "Findings",
							 .items = items,
							 .n = n,
							 .chosen = chose_finding,
							 .ctx = t });
}

static const struct wl_timeline_act finding_acts[] = {
	{ WL_ACT_FINDING_NEXT, .act = next_finding },
	{ WL_ACT_FINDINGS, .act = list_findings },
};

const struct wl_timeline_part wl_timeline_finding = { .acts = finding_acts,
						      .n_acts = WL_COUNT(finding_acts) };
