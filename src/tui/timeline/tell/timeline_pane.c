/* SPDX-License-Identifier: MIT */
/* timeline_pane.c - the detail pane on the screen, and its texts over the view. */
#include <inttypes.h>

#include "base/text/utf8.h"
#include "tui/timeline/tell/timeline_tell.h"

enum { TEXT_BUF = 32768 };

enum { ROOM_FOR_TOP = 100 }; /* columns */

/* Left and right in one line; the right one is short and stays whole where it has room. */
static void draw_both(struct wl_screen *s, int y, int width, const char *left, const char *right)
{
	int n_right = (int)wl_utf8_width(right), room = width - 2;

	if (n_right > 0 && n_right <= room) {
		(void)wl_screen_text(s, width - 1 - n_right, y, n_right, WL_STYLE_PLAIN, right);
		room -= n_right + 2;
	}
	if (room > 0)
		(void)wl_screen_label(s, 1, y, room, WL_STYLE_PLAIN, left);
}

/* On the rule over the range: what it is, where its time went, the kernel with most of it. */
static void draw_range(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_line *line, const struct wl_timeline_layout *l)
{
	const struct wl_range_kernels *k = NULL;
	uint32_t device = wl_timeline_device(t);
	struct wl_interval range;
	struct wl_range_sums sums;
	struct wl_text_buf w;
	char text[512], sum[WL_UNITS_BUF];
	bool marked = wl_timeline_range(t, &range);

	wl_text_buf_init(&w, text, sizeof(text));
	wl_tell(&w, " %s ", marked ? "range A..B" : "view");
	wl_range_sums_of(wl_timeline_scene(t), device, range, &sums);
	wl_tell_sums(&w, &sums, device);
	if (l->cols >= ROOM_FOR_TOP)
		k = wl_timeline_kernels(t, range, device);
	if (k && k->n > 0)
		wl_tell(&w, "  top: %s %s", k->at[0].name, wl_brief_ns(sum, k->at[0].sum));
	wl_tell(&w, " ");
	(void)wl_screen_label(s, 1, line->y, l->cols - 2, WL_STYLE_PLAIN, text);
}

/* What other streams of the GPU do at the cursor. */
static void say_others(struct wl_timeline *t, struct wl_text_buf *w, uint32_t device)
{
	const struct wl_scene *scene = wl_timeline_scene(t);

	for (size_t i = 0; i < scene->tracks.n; i++) {
		const struct wl_track *track = &scene->tracks.at[i];
		const struct wl_lane *lane;
		uint32_t at;

		if (wl_holds(track) != WL_HOLDS_OPS || track->device != device ||
		    i == t->view.track)
			continue;
		lane = wl_scene_lane(scene, i);
		at = lane ? wl_lane_at(lane, t->view.cursor) : WL_NONE;
		if (at == WL_NONE) {
			wl_tell(w, "  %.20s idle", track->brief);
		} else {
			struct wl_track_event e =
				wl_track_event_of(&scene->tracks, i, lane->ref[at]);

			wl_tell(w, "  %.20s %.60s", track->brief,
				wl_timeline_op_name(t, (struct wl_op_id){ e.family, e.row }));
		}
	}
}

static void say_marks(struct wl_timeline *t, struct wl_text_buf *w)
{
	char buf[WL_TIME_BUF], length[WL_UNITS_BUF];

	wl_tell(w, "cursor %s", wl_timeline_fmt(t, t->view.cursor, buf));
	if (t->view.mark_a != WL_NO_TIME)
		wl_tell(w, "  A %s", wl_timeline_fmt(t, t->view.mark_a, buf));
	if (t->view.mark_b != WL_NO_TIME)
		wl_tell(w, "  B %s", wl_timeline_fmt(t, t->view.mark_b, buf));
	if (t->view.mark_a != WL_NO_TIME && t->view.mark_b != WL_NO_TIME)
		wl_tell(w, "  \u0394 %s", wl_brief_ns(length, t->view.mark_b - t->view.mark_a));
}

/* Under the range: why the GPU waits at the cursor, or what its other streams do. */
static void draw_below(struct wl_timeline *t, struct wl_screen *s,
		       const struct wl_timeline_line *line, const struct wl_timeline_layout *l)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	uint32_t device = wl_timeline_device(t);
	char left[1024], right[256], words[400], length[WL_UNITS_BUF];
	struct wl_text_buf a, b;
	struct wl_gap_details gap;

	wl_text_buf_init(&a, left, sizeof(left));
	wl_text_buf_init(&b, right, sizeof(right));
	if (device != WL_NONE && wl_gap_at(scene, device, t->view.cursor, &gap)) {
		wl_tell(&a, "GPU %" PRIu32 " idle here %s, cause: %s", device,
			wl_brief_ns(length, gap.end - gap.begin),
			wl_gap_words(&gap, words, sizeof(words)));
	} else if (device != WL_NONE && wl_gap_is_outside(scene, device, t->view.cursor)) {
		wl_tell(&a, "GPU %" PRIu32 ": %s", device, wl_cause_words(WL_CAUSE_UNUSED));
	} else if (device != WL_NONE) {
		wl_tell(&a, "other streams:");
		say_others(t, &a, device);
	}
	if (l->wide || t->view.mark_a != WL_NO_TIME)
		say_marks(t, &b);
	draw_both(s, line->y, l->cols, left, right);
}

void wl_timeline_draw_detail(struct wl_timeline *t, struct wl_screen *s,
			     const struct wl_timeline_line *line,
			     const struct wl_timeline_layout *l)
{
	struct wl_detail d;

	if (!wl_timeline_is_ready(t) || t->view.track == WL_NONE || !t->panels.kept)
		return;
	if (line->kind == WL_LINE_RULE) {
		draw_range(t, s, line, l);
	} else if (line->n == WL_DETAIL_BELOW) {
		draw_below(t, s, line, l);
	} else {
		wl_timeline_detail(t, l->wide, &d);
		if ((size_t)line->n < d.n)
			draw_both(s, line->y, l->cols, d.line[line->n].left, d.line[line->n].right);
	}
}

static void show_detail(struct wl_timeline *t)
{
	const struct wl_scene *scene = wl_timeline_scene(t);
	char text[TEXT_BUF];
	struct wl_detail d;
	struct wl_text_buf w;
	struct wl_pick pick;

	wl_text_buf_init(&w, text, sizeof(text));
	if (wl_timeline_pick(t, &pick)) {
		wl_tell(&w, "%s\n", wl_timeline_pick_name(t, &pick));
		if (pick.event.family == WL_F_KERNELS) {
			const struct wl_kernel_name *k =
				&scene->trace->kernel_names[wl_kernels_name(
					scene->trace)[pick.event.row]];

			wl_tell(&w, "\ndemangled  %s\n", wl_str(scene->trace, k->demangled));
			wl_tell(&w, "mangled    %s\n", wl_str(scene->trace, k->mangled));
		}
		wl_tell(&w, "\n");
	}
	wl_timeline_detail(t, true, &d);
	for (size_t i = 0; i < d.n; i++)
		wl_tell(&w, "%s%s%s\n", d.line[i].left, *d.line[i].right ? "   " : "",
			d.line[i].right);
	wl_app_show_text(t->app, "Event", text);
}

static void keep_detail(struct wl_timeline *t)
{
	struct wl_timeline_layout l;

	t->panels.detail_open = !t->panels.detail_open;
	wl_timeline_layout_now(t, &l);
	if (t->panels.detail_open && l.rows < 30)
		wl_app_say(t->app, "not all details fit in fewer than 30 lines; Enter shows them");
}

static void copy_name(struct wl_timeline *t)
{
	struct wl_pick pick;
	const char *text;

	if (!wl_timeline_pick(t, &pick)) {
		wl_app_say(t->app, "no event under the cursor to copy the name of");
		return;
	}
	text = wl_timeline_pick_name(t, &pick);
	wl_app_copy(t->app, text);
	wl_app_say(t->app, "copied: %.120s", text);
}

static void copy_command(struct wl_timeline *t)
{
	const char *line = wl_app_command_line(t->app);

	wl_app_copy(t->app, line);
	wl_app_say(t->app, "copied: %.200s", line);
}

static bool make(struct wl_timeline *t)
{
	t->panels.kept = WL_NEW(&t->arena, struct wl_timeline_kept, 1);
	if (!t->panels.kept)
		return false;
	t->panels.kept->finding = SIZE_MAX;
	t->panels.kept->launched_call = t->panels.kept->projected_row = WL_NONE;
	wl_vec_init(&t->panels.kept->sum_text, 1, wl_app_options(t->app)->budget);
	return true;
}

static void drop(struct wl_timeline *t)
{
	if (t->panels.kept)
		wl_vec_release(&t->panels.kept->sum_text);
}

static const struct wl_timeline_act acts[] = {
	{ WL_ACT_DETAIL, .act = show_detail },
	{ WL_ACT_DETAIL_KEEP, .act = keep_detail },
	{ WL_ACT_COPY_NAME, .act = copy_name },
	{ WL_ACT_COPY_COMMAND, .act = copy_command },
};

const struct wl_timeline_part wl_timeline_telling = {
	.acts = acts,
	.n_acts = WL_COUNT(acts),
	.make = make,
	.drop = drop,
};
