/* SPDX-License-Identifier: MIT */
#include "render/chart/label_places.h"

#include <math.h>
#include <string.h>

/* The width of a digit in a wide font at the size of SVG text. The reader's font is unknown. */
static const double digit_width = 7.7;

void wl_label_places_add_mark(struct wl_label_places *l, struct wl_svg_box mark)
{
	if (l->n_marks < WL_LABEL_PLACES_MAX)
		l->mark[l->n_marks++] = mark;
}

void wl_label_places_add_line(struct wl_label_places *l, struct wl_svg_line line)
{
	if (l->n_lines < WL_LABEL_PLACES_MAX)
		l->line[l->n_lines++] = line;
}

double wl_label_width(const char *text)
{
	return (double)strlen(text) * digit_width + 2;
}

/* ---- Overlaps and crossings ---- */

static bool do_overlap(const struct wl_svg_box *a, const struct wl_svg_box *b)
{
	return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

static bool is_inside(const struct wl_svg_box *area, const struct wl_svg_box *box)
{
	return box->x >= area->x && box->x + box->w <= area->x + area->w && box->y >= area->y &&
	       box->y + box->h <= area->y + area->h;
}

/* The sign tells on which side of the line the point is. */
static double side(const struct wl_svg_line *l, double x, double y)
{
	return (l->x2 - l->x1) * (y - l->y1) - (l->y2 - l->y1) * (x - l->x1);
}

static bool do_cross(const struct wl_svg_line *a, const struct wl_svg_line *b)
{
	return side(a, b->x1, b->y1) * side(a, b->x2, b->y2) < 0 &&
	       side(b, a->x1, a->y1) * side(b, a->x2, a->y2) < 0;
}

/* True if the bounding boxes overlap and the line has corners of the box on both sides. */
static bool does_cross(const struct wl_svg_line *l, const struct wl_svg_box *box)
{
	const double x = box->x, y = box->y, right = x + box->w, bottom = y + box->h;
	const double of[] = { side(l, x, y), side(l, right, y), side(l, x, bottom),
			      side(l, right, bottom) };
	bool above = false, below = false;

	if (fmin(l->x1, l->x2) > right || fmax(l->x1, l->x2) < x || fmin(l->y1, l->y2) > bottom ||
	    fmax(l->y1, l->y2) < y)
		return false;
	for (size_t i = 0; i < 4; i++) {
		above = above || of[i] >= 0;
		below = below || of[i] <= 0;
	}
	return above && below;
}

static bool hits_box(const struct wl_svg_box *all, size_t n, const struct wl_svg_box *box)
{
	for (size_t i = 0; i < n; i++) {
		if (do_overlap(&all[i], box))
			return true;
	}
	return false;
}

static bool hits_line(const struct wl_svg_line *all, size_t n, const struct wl_svg_box *box)
{
	for (size_t i = 0; i < n; i++) {
		if (does_cross(&all[i], box))
			return true;
	}
	return false;
}

static bool is_unlabelled(const struct wl_label_places *l, const struct wl_svg_box *box)
{
	return is_inside(&l->area, box) && !hits_box(l->label, l->n_labels, box);
}

static struct wl_svg_box widened(const struct wl_svg_box *box, double by)
{
	return (struct wl_svg_box){ box->x - by, box->y - by, box->w + 2 * by, box->h + 2 * by };
}

static bool is_same(const struct wl_svg_box *a, const struct wl_svg_box *b)
{
	return a->x == b->x && a->y == b->y && a->w == b->w && a->h == b->h;
}

/* Whether the box keeps this distance from all marks except its own. */
static bool is_off_marks(const struct wl_label_places *l, const struct wl_svg_box *box,
			 const struct wl_svg_box *own, double distance)
{
	for (size_t i = 0; i < l->n_marks; i++) {
		const bool is_own = own && is_same(&l->mark[i], own);
		const struct wl_svg_box mark = widened(&l->mark[i], is_own ? 0 : distance);

		if (do_overlap(&mark, box))
			return false;
	}
	return true;
}

static bool is_free(const struct wl_label_places *l, const struct wl_svg_box *box)
{
	return is_unlabelled(l, box) && !hits_line(l->line, l->n_lines, box) &&
	       !hits_line(l->leader, l->n_leaders, box);
}

/* A leader may cross lines and marks of the picture, but not labels or other leaders. */
static bool is_clear(const struct wl_label_places *l, const struct wl_svg_line *leader)
{
	for (size_t i = 0; i < l->n_labels; i++) {
		if (does_cross(leader, &l->label[i]))
			return false;
	}
	for (size_t i = 0; i < l->n_leaders; i++) {
		if (do_cross(leader, &l->leader[i]))
			return false;
	}
	return true;
}

/* ---- Places ---- */

static void take(struct wl_label_places *l, struct wl_svg_box place)
{
	if (l->n_labels < WL_LABEL_PLACES_MAX)
		l->label[l->n_labels++] = place;
}

bool wl_label_places_take(struct wl_label_places *l, struct wl_svg_box place)
{
	if (!is_free(l, &place) || !is_off_marks(l, &place, NULL, 0))
		return false;
	take(l, place);
	return true;
}

/* Sixteen directions, the first to the right, and distances of the box from the mark. */
enum { DIRECTIONS = 16, NEAR = 1, STEP = 7, TRIES = 24 };
static const double full_turn = 6.283185307179586;

/* The box beside the mark in a direction, with a gap in between. */
static struct wl_label_place place_at(struct wl_svg_box mark, double width, int direction,
				      double gap)
{
	const double x = mark.x + mark.w / 2, y = mark.y + mark.h / 2;
	const double dx = cos(full_turn * direction / DIRECTIONS);
	const double dy = -sin(full_turn * direction / DIRECTIONS);
	const struct wl_svg_box box = { x + dx * (mark.w / 2 + gap + width / 2) - width / 2,
					y + dy * (mark.h / 2 + gap + WL_LABEL_HEIGHT / 2.0) -
						WL_LABEL_HEIGHT / 2.0,
					width, WL_LABEL_HEIGHT };
	/* The leader goes to the nearest point of the box. */
	const struct wl_svg_line leader = { x, y, fmin(fmax(x, box.x), box.x + box.w),
					    fmin(fmax(y, box.y), box.y + box.h) };

	return (struct wl_label_place){ box, gap > STEP, leader };
}

/* The number of other marks that the leader crosses. */
static int count_crossed(const struct wl_label_places *l, const struct wl_label_place *at,
			 const struct wl_svg_box *own)
{
	int n = 0;

	for (size_t i = 0; at->has_leader && i < l->n_marks; i++)
		n += !is_same(&l->mark[i], own) && does_cross(&at->leader, &l->mark[i]);
	return n;
}

/* A label without a leader is read as that of the mark next to it, so other marks must keep a
 * distance. */
static bool is_good(const struct wl_label_places *l, const struct wl_label_place *at,
		    const struct wl_svg_box *own)
{
	enum { AWAY = 5 };

	if (!is_free(l, &at->box) || !is_off_marks(l, &at->box, own, at->has_leader ? 0 : AWAY))
		return false;
	return !at->has_leader || is_clear(l, &at->leader);
}

bool wl_label_places_take_near(struct wl_label_places *l, struct wl_svg_box mark, double width,
			       struct wl_label_place *ret)
{
	enum { PER_CROSSED = 30, PER_COVERED = 100000 };
	const double never = (double)INFINITY;
	double best = never;

	for (int i = 0; i < TRIES * DIRECTIONS; i++) {
		const int ring = i / DIRECTIONS;
		const double gap = NEAR + STEP * ring;
		const struct wl_label_place at = place_at(mark, width, i % DIRECTIONS, gap);
		double cost = gap + PER_CROSSED * count_crossed(l, &at, &mark);

		if (!is_good(l, &at, &mark))
			cost = is_unlabelled(l, &at.box) ? cost + PER_COVERED : never;
		if (cost < best) {
			best = cost;
			*ret = at;
		}
	}
	if (best == never)
		return false;
	take(l, ret->box);
	if (ret->has_leader && l->n_leaders < WL_LABEL_PLACES_MAX)
		l->leader[l->n_leaders++] = ret->leader;
	return true;
}
