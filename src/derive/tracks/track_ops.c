/* SPDX-License-Identifier: MIT */
/* track_ops.c - rows of a GPU: its summary, its streams, its iterations. */
#include "derive/rows/ops.h"
#include "derive/tracks/tracks_inside.h"
#include "known/palette.h"

uint8_t wl_track_colour_of_op(const struct wl_tracks *t, enum wl_family_id family, size_t row)
{
	const struct wl_classes *classes = t->inside->classes;

	if (family == WL_F_KERNELS)
		return t->kernel_category[wl_kernels_name(t->trace)[row]];
	if (family == WL_F_MEMCPYS && wl_class_of(t->trace, classes, family, row) == WL_COMM)
		return WL_COLOUR_COMM;
	return family == WL_F_GRAPHS ? WL_COLOUR_OTHER : WL_COLOUR_COPY;
}

static bool is_shown(const struct wl_filling *f, enum wl_family_id family, size_t row,
		     const struct wl_lane_event *event)
{
	const struct wl_track_filter *filter = f->filter;

	if (event->end - event->start < filter->min_dur || filter->muted >> event->cat & 1)
		return false;
	if (family != WL_F_KERNELS)
		return !filter->hides_other_ops;
	return !filter->kernel_name_on ||
	       filter->kernel_name_on[wl_kernels_name(f->tracks->trace)[row]];
}

bool wl_fill_stream(struct wl_filling *f)
{
	const struct wl_trace *t = f->tracks->trace;
	const struct wl_track_ops *list = &f->tracks->inside->ops[f->track];
	struct wl_ops ops[WL_N_OP_FAMILIES];

	for (unsigned i = 0; i < WL_N_OP_FAMILIES; i++)
		ops[i] = wl_trace_ops(t, wl_op_families[i]);
	for (size_t i = 0; i < list->n; i++) {
		const struct wl_track_op op = wl_track_op_of(list->ref[i]);
		const struct wl_ops *of = &ops[op.kind];
		enum wl_family_id family = wl_op_families[op.kind];
		wl_ns start = of->start[op.row];
		const struct wl_lane_event event = {
			start, start + wl_dur(of->family, of->dur, op.row), list->ref[i],
			wl_track_colour_of_op(f->tracks, family, op.row)
		};

		if (is_shown(f, family, op.row, &event))
			wl_filling_put(f, &event);
	}
	return true;
}

/*
 * Compute hides communication, which hides copies. Operations come in order of start, so a class is
 * under way until the latest end so far.
 */
struct summing {
	struct wl_filling *filling;
	wl_ns now, until[WL_N_CLASSES];
	struct wl_lane_event piece; /* the piece under way; empty for none */
};

static void put_piece(struct summing *s, uint8_t class, wl_ns begin, wl_ns end)
{
	if (s->piece.end == begin && s->piece.cat == class && s->piece.start < s->piece.end) {
		s->piece.end = end;
		return;
	}
	if (s->piece.start < s->piece.end)
		wl_filling_put(s->filling, &s->piece);
	s->piece = (struct wl_lane_event){ begin, end, 0, class };
}

/* A class that is not under way begins only with an operation, and none begins before to. */
static void advance(struct summing *s, wl_ns to)
{
	while (s->now < to) {
		unsigned class = 0;
		wl_ns next;

		while (class < WL_N_CLASSES && s->until[class] <= s->now)
			class ++;
		if (class == WL_N_CLASSES) {
			s->now = to;
			return;
		}
		next = s->until[class] < to ? s->until[class] : to;
		put_piece(s, (uint8_t) class, s->now, next);
		s->now = next;
	}
}

bool wl_fill_gpu(struct wl_filling *f)
{
	const struct wl_trace *t = f->tracks->trace;
	const struct wl_tracks_inside *in = f->tracks->inside;
	uint32_t device = f->tracks->at[f->track].device;
	struct summing s = { .filling = f, .now = INT64_MIN };
	struct wl_op_cursor cursor;
	struct wl_op op;

	for (unsigned i = 0; i < WL_N_CLASSES; i++)
		s.until[i] = INT64_MIN;
	wl_ops_begin(t, device, &cursor);
	while (wl_ops_next(&cursor, &op)) {
		enum wl_class class;

		if (!in->scope.place_on[op.place])
			continue;
		class = wl_class_of(t, in->classes, op.family, op.row);
		advance(&s, op.start);
		s.until[class] = op.end > s.until[class] ? op.end : s.until[class];
	}
	advance(&s, INT64_MAX);
	put_piece(&s, 0, INT64_MAX, INT64_MAX);
	return true;
}

bool wl_fill_iterations(struct wl_filling *f)
{
	const struct wl_process_iters *p =
		&f->tracks->iterations->process[f->tracks->at[f->track].process];

	for (uint32_t i = 0; i < p->n; i++) {
		const struct wl_interval tile = p->at[i].tile;

		wl_filling_put(
			f, &(struct wl_lane_event){ tile.begin, tile.end, i, WL_COLOUR_NEUTRAL });
	}
	return true;
}
