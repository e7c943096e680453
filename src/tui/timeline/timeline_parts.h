/* SPDX-License-Identifier: MIT */
/*
 * timeline_parts.h - declarations that only the sources of the timeline itself share.
 */
#ifndef WL_TUI_TIMELINE_PARTS_H
#define WL_TUI_TIMELINE_PARTS_H

#include "base/num.h"
#include "tui/timeline/timeline.h"

/* length * of / whole, all >= 0, in integers that cannot overflow; rounded down. */
static inline wl_ns wl_part_of(wl_ns length, wl_ns of, wl_ns whole)
{
	return (wl_ns)((wl_u128)length * (wl_u128)of / (wl_u128)whole);
}

/* The rows are there: make what is by row. False without memory. */
bool wl_timeline_rows_make(struct wl_timeline *t) WL_MUST_CHECK;
bool wl_timeline_shown_make(struct wl_timeline *t) WL_MUST_CHECK;
void wl_timeline_shown_drop(struct wl_timeline *t);
/* The same of both traces, once the rows of the second are there. */
bool wl_timeline_twins_make(struct wl_timeline *t) WL_MUST_CHECK;
/* The row of the second trace that is shown with a row; WL_NONE for none. */
uint32_t wl_timeline_twin(const struct wl_timeline *t, uint32_t track);

/* How many NVTX rows a GPU has. */
size_t wl_timeline_n_nvtx(const struct wl_timeline *t, uint32_t gpu);
/* How many lines a row takes. */
int wl_timeline_height(struct wl_timeline *t, const struct wl_row *row);
/* The lane of an NVTX row that is worth its only line: not one box that fills the view. */
int wl_timeline_best_lane(struct wl_interval view, const struct wl_lanes *lanes);
/* Fold what does not fit into that many lines. */
void wl_timeline_fold_to(struct wl_timeline *t, int room);
/* How many lines there are for rows. */
int wl_timeline_room(struct wl_timeline *t);

/* Move the view and the cursor; zoom in or out by half, what is at a time stays where it is. */
void wl_timeline_pan(struct wl_timeline *t, wl_ns by);
void wl_timeline_zoom(struct wl_timeline *t, wl_ns at, bool in);
/* To the range, or the event under the cursor; to that in any case. */
void wl_timeline_zoom_to(struct wl_timeline *t);
void wl_timeline_zoom_to_event(struct wl_timeline *t);
/* Keep the first row that the layout found; and scroll by rows, the selected one on the screen. */
void wl_timeline_keep_scroll(struct wl_timeline *t);
void wl_timeline_scroll_rows(struct wl_timeline *t, int by);

enum { WL_MAX_MIN_US = 1000000 };

/* Set a part of the filter. A text that is no pattern changes nothing; false, said if loud. */
bool wl_timeline_filter_by(struct wl_timeline *t, const char *text, bool loud);
void wl_timeline_set_min(struct wl_timeline *t, wl_ns min_dur);
void wl_timeline_set_muted(struct wl_timeline *t, uint32_t muted);
/* The configuration changed: keep it within its bounds, and do what follows from it. */
void wl_timeline_reconfigure(struct wl_timeline *t);

/* The mouse; and where it is while a button is down. */
void wl_timeline_on_mouse(struct wl_timeline *t, const struct wl_event *event);

/* ---- Cells; timeline_cells.c ---- */

/* How a cell of two columns looks; cp 0 is blank. */
struct wl_chart_cell {
	uint32_t cp;
	struct wl_style style;
};

struct wl_chart_cell wl_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				struct wl_look_caps caps);
/* The same of a row that says why a GPU waited. */
struct wl_chart_cell wl_gap_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				    struct wl_look_caps caps);

/* The same of a row of levels: how high they are. */
struct wl_chart_cell wl_level_cell_of(struct wl_picture_column left, struct wl_picture_column right,
				      struct wl_look_caps caps);

/* ---- Ruler; timeline_ruler.c ---- */

/* Ticks of a ruler: at multiples of step from the clock's origin, labelled in units from base. */
struct wl_ticks {
	wl_ns step, unit, base; /* base is on the clock */
	const char *unit_name;
};

struct wl_ticks wl_ticks_of(wl_ns begin, wl_ns end, int cells, int spacing);

/* ---- Drawing; each file its lines ---- */

/* Where a row comes from: a time of it and the shift are a time of the view. */
struct wl_chart_source {
	const struct wl_scene *scene;
	uint32_t track;
	wl_ns shift;
};

void wl_timeline_draw_title(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l);
void wl_timeline_draw_state(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l, int y);
void wl_timeline_draw_overview(struct wl_timeline *t, struct wl_screen *s,
			       const struct wl_timeline_layout *l,
			       const struct wl_timeline_line *line);
void wl_timeline_draw_ruler(struct wl_timeline *t, struct wl_screen *s,
			    const struct wl_timeline_layout *l,
			    const struct wl_timeline_line *line);
void wl_timeline_draw_boxes(const struct wl_timeline_window *view, struct wl_screen *s,
			    const struct wl_timeline_layout *l, int y,
			    const struct wl_chart_source *from, const struct wl_lane *lane);
/* The names of operations over their cells, where they are long enough; of the first trace. */
void wl_timeline_draw_op_names(struct wl_timeline *t, struct wl_screen *s,
			       const struct wl_timeline_layout *l, int y,
			       const struct wl_chart_source *from, const struct wl_lane *lane);
void wl_timeline_draw_folded(struct wl_timeline *t, struct wl_screen *s,
			     const struct wl_timeline_layout *l,
			     const struct wl_timeline_line *line);
void wl_timeline_draw_empty(struct wl_timeline *t, struct wl_screen *s);
void wl_timeline_draw(struct wl_timeline *t, struct wl_screen *s);
/* The track whose refs a row has: of a merged row one of its streams. */
uint32_t wl_timeline_owner(const struct wl_timeline *t, uint32_t track);
/* Colours of columns that are not the category's. */
void wl_timeline_recolour(const struct wl_timeline *t, const struct wl_chart_source *from,
			  const struct wl_lane *lane, const struct wl_viewport *v,
			  struct wl_picture_column *columns);
void wl_timeline_overview_drop(struct wl_timeline *t);
/* Cells of the overview's strip, at chart_x. */
int wl_timeline_overview_width(const struct wl_timeline_layout *l);

#endif
