/* SPDX-License-Identifier: MIT */
#include "serve/answers/groups.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/texts.h"
#include "derive/nvtx/range_names.h"
#include "scene/details.h"
#include "serve/shown/categories.h"

/* ---- Categories: those of colours, causes and classes, then of operations ---- */

enum { COLOURS, CAUSES, CLASSES, N_PALETTES };

static uint32_t palette_of(enum wl_holds holds)
{
	if (holds == WL_HOLDS_GAPS)
		return CAUSES;
	return holds == WL_HOLDS_GPU_TIME ? CLASSES : COLOURS;
}

enum { FIRST_WORD = N_PALETTES * WL_MAX_LANE_CATS };

static uint32_t category_code(const struct wl_asked_row *row, const struct wl_lane *lane, size_t i)
{
	const struct wl_tracks *tracks = &row->scene->tracks;
	enum wl_holds holds = wl_holds(&tracks->at[row->track]);

	if (holds == WL_HOLDS_OPS)
		return (uint32_t)FIRST_WORD + wl_track_op_category(tracks, lane->ref[i]);
	return palette_of(holds) * WL_MAX_LANE_CATS + lane->cat[i];
}

static const char *category_text(const struct wl_event_groups *g, size_t code)
{
	static const enum wl_holds holds[N_PALETTES] = {
		[COLOURS] = WL_HOLDS_OPS,
		[CAUSES] = WL_HOLDS_GAPS,
		[CLASSES] = WL_HOLDS_GPU_TIME,
	};

	if (code >= FIRST_WORD)
		return g->served->show.scene[0]->tracks.category_word[code - FIRST_WORD];
	return wl_category_key(holds[code / WL_MAX_LANE_CATS], (uint8_t)(code % WL_MAX_LANE_CATS));
}

/* ---- NVTX ranges around launches ---- */

/* Within a trace it is known already which names are equal. */
static bool merge_ranges(struct wl_event_groups *g, size_t n)
{
	const struct wl_show *show = &g->served->show;

	if (show->n > 1) {
		g->range_same = wl_texts_merge(g->range_text, n, g->arena);
		return g->range_same != NULL;
	}
	g->range_same = WL_NEW(g->arena, uint32_t, n + 1);
	for (size_t i = 0; g->range_same && i < n; i++)
		g->range_same[i] = show->scene[0]->range_names->name[i].same_exact;
	return g->range_same != NULL;
}

static bool number_ranges(struct wl_event_groups *g)
{
	const struct wl_show *show = &g->served->show;
	size_t n = 0;

	for (size_t i = 0; i < show->n; i++)
		n += show->scene[i]->range_names->n;
	g->n = 1 + n;
	g->range_text = WL_NEW(g->arena, const char *, n + 1);
	if (!g->range_text)
		return false;
	n = 0;
	for (size_t i = 0; i < show->n; i++) {
		const struct wl_range_names *names = show->scene[i]->range_names;

		g->first_range[i] = n;
		for (size_t k = 0; k < names->n; k++)
			g->range_text[n++] = names->name[k].exact;
	}
	return merge_ranges(g, n);
}

static uint32_t range_code(const struct wl_event_groups *g, const struct wl_asked_row *row,
			   uint32_t ref)
{
	const struct wl_scene *scene = row->scene;
	const struct wl_track_op op = wl_track_op_of(ref);
	uint32_t call = wl_link_of(scene->links, op.kind, op.row), node;
	bool bridged;

	node = call == WL_NONE ? WL_NONE : wl_node_of_call(scene, call, &bridged);
	if (node == WL_NONE)
		return 0;
	return 1 + g->range_same[g->first_range[row->which] + scene->forest->name[node]];
}

/* ---- Rows ---- */

static const char *row_text(const struct wl_event_groups *g, size_t code)
{
	const struct wl_asked_row row = wl_asked_row(g->served, (uint32_t)code);
	const struct wl_track *track = &row.scene->tracks.at[row.track];
	char *text;
	size_t n;

	if (track->parent == WL_NONE)
		return track->label;
	n = strlen(row.scene->tracks.at[track->parent].label) + strlen(track->label) + 4;
	text = WL_NEW(g->arena, char, n);
	if (text)
		(void)snprintf(text, n, "%s / %s", row.scene->tracks.at[track->parent].label,
			       track->label);
	return text;
}

/* ---- All ---- */

bool wl_event_groups_init(struct wl_event_groups *g, const struct wl_ask *ask, enum wl_group_by by)
{
	*g = (struct wl_event_groups){ .served = ask->served, .by = by, .arena = ask->arena };
	switch (by) {
	case WL_GROUP_BY_NAME:
		g->n = g->served->names.n;
		return true;
	case WL_GROUP_BY_CATEGORY:
		g->n = FIRST_WORD + g->served->show.scene[0]->tracks.n_category_words;
		return true;
	case WL_GROUP_BY_ROW:
		g->n = wl_show_rows(&g->served->show);
		return true;
	case WL_GROUP_BY_NVTX:
		break;
	}
	return number_ranges(g);
}

uint32_t wl_group_of(const struct wl_event_groups *g, const struct wl_asked_row *row,
		     const struct wl_lane *lane, size_t i)
{
	switch (g->by) {
	case WL_GROUP_BY_NAME:
		return wl_names_of(&g->served->names, row->row, lane->ref[i], lane->cat[i]);
	case WL_GROUP_BY_CATEGORY:
		return category_code(row, lane, i);
	case WL_GROUP_BY_ROW:
		return row->row;
	case WL_GROUP_BY_NVTX:
		break;
	}
	return range_code(g, row, lane->ref[i]);
}

const char *wl_group_text(const struct wl_event_groups *g, size_t code)
{
	switch (g->by) {
	case WL_GROUP_BY_NAME:
		return g->served->names.at[code].text;
	case WL_GROUP_BY_CATEGORY:
		return category_text(g, code);
	case WL_GROUP_BY_ROW:
		return row_text(g, code);
	case WL_GROUP_BY_NVTX:
		break;
	}
	return code == 0 ? "(none)" : g->range_text[code - 1];
}
