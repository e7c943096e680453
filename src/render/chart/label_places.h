/* SPDX-License-Identifier: MIT */
/*
 * label_places.h - places the labels of a picture so that none covers another label, a mark or a
 * line.
 *
 * Order of calls: marks and lines of the picture first, then its labels, the most important first.
 * Checks every mark for every place it tries, which is fast enough for a hundred marks.
 */
#ifndef WL_RENDER_LABEL_PLACES_H
#define WL_RENDER_LABEL_PLACES_H

#include <stdbool.h>

#include "render/chart/svg.h"

enum { WL_LABEL_PLACES_MAX = 64 }; /* most marks, lines and labels each; further ones are ignored */

struct wl_svg_line {
	double x1, y1, x2, y2;
};

struct wl_label_places {
	struct wl_svg_box area; /* labels stay inside it */
	/* Private. */
	struct wl_svg_box mark[WL_LABEL_PLACES_MAX], label[WL_LABEL_PLACES_MAX];
	struct wl_svg_line line[WL_LABEL_PLACES_MAX], leader[WL_LABEL_PLACES_MAX];
	size_t n_marks, n_labels, n_lines, n_leaders;
};

/* Keep these free. */
void wl_label_places_add_mark(struct wl_label_places *l, struct wl_svg_box mark);
void wl_label_places_add_line(struct wl_label_places *l, struct wl_svg_line line);

/* The height of a text with a small margin; the baseline is WL_LABEL_BASE below the top. */
enum { WL_LABEL_HEIGHT = 14, WL_LABEL_BASE = 11 };
double wl_label_width(const char *text);

/* Take this place for a label. False if it is not free. */
bool wl_label_places_take(struct wl_label_places *l, struct wl_svg_box place);

/* The place of a mark's label. */
struct wl_label_place {
	struct wl_svg_box box;
	bool has_leader; /* too far from its mark to be unambiguous: a line from the mark leads to
			    it */
	struct wl_svg_line leader;
};

/*
 * Take the nearest free place around a mark for a text of this width, or else one that no other
 * label occupies. False if there is neither.
 */
bool wl_label_places_take_near(struct wl_label_places *l, struct wl_svg_box mark, double width,
			       struct wl_label_place *ret);

#endif
