/* SPDX-License-Identifier: MIT */
/* merge_clock.c - shifts the rows of a job to its files' corrected clocks. */
#include "model/merge_parts.h"

/* A family whose rows are being shifted. */
struct moving {
	struct wl_build *b;
	enum wl_family_id family;
	const struct wl_trace_file *before, *after; /* by file */
};

static uint32_t file_of(const struct moving *v, size_t row)
{
	const struct wl_build *b = v->b;
	uint32_t owner = ((const uint32_t *)b->column[wl_family_keys(v->family).owner].data)[row];
	uint32_t process = wl_family_infos[v->family].order == WL_BY_DEVICE
				   ? ((const struct wl_place *)b->places.data)[owner].process
				   : ((const struct wl_thread *)b->threads.data)[owner].process;

	return ((const struct wl_process *)b->processes.data)[process].file;
}

static wl_ns move(const struct moving *v, uint32_t file, wl_ns t)
{
	return wl_merge_time(&v->after[file], t - v->before[file].offset);
}

/* Lengths first: each is the difference of two times, and both times move. */
static void move_lengths(struct moving *v, size_t start_at, size_t dur_at)
{
	struct wl_build_family *f = &v->b->family[v->family];
	const wl_ns *start = v->b->column[start_at].data;
	uint32_t *dur = v->b->column[dur_at].data, *row = f->long_row.data;
	wl_ns *length = f->long_dur.data;

	for (size_t i = 0; dur && i < f->n; i++) {
		uint32_t file = file_of(v, i);
		wl_ns moved;

		if (dur[i] == WL_LONG || v->after[file].drift == 0)
			continue;
		moved = move(v, file, start[i] + dur[i]) - move(v, file, start[i]);
		dur[i] = (uint32_t)(moved < WL_LONG ? moved : (wl_ns)WL_LONG - 1);
	}
	for (size_t i = 0; i < f->long_row.n; i++) {
		uint32_t file = file_of(v, row[i]);

		length[i] = move(v, file, start[row[i]] + length[i]) - move(v, file, start[row[i]]);
	}
}

static void move_family(struct moving *v)
{
	const struct wl_key_columns keys = wl_family_keys(v->family);
	size_t n = v->b->family[v->family].n;

	if (keys.dur != WL_N_COLUMNS)
		move_lengths(v, keys.start, keys.dur);
	for (size_t c = wl_family_infos[v->family].first_column; c < wl_family_end(v->family);
	     c++) {
		enum wl_column_domain domain = wl_column_infos[c].domain;
		wl_ns *time = v->b->column[c].data;

		if (!time || (domain != WL_D_START && domain != WL_D_TIME))
			continue;
		for (size_t i = 0; i < n; i++)
			time[i] = time[i] == WL_NO_TIME ? WL_NO_TIME
							: move(v, file_of(v, i), time[i]);
	}
}

void wl_merge_set_clocks(struct wl_merge *m, const struct wl_trace_file *clock)
{
	struct wl_build *b = m->build;
	struct wl_build_file *file = b->files.data;
	struct moving v = { .b = b, .before = b->trace_files.data, .after = clock };

	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		v.family = (enum wl_family_id)f;
		/* Rows without an owner are few, and no measurement uses them. */
		if (wl_family_infos[f].order != WL_BY_ROW && b->family[f].n)
			move_family(&v);
	}
	for (size_t i = 0; i < b->files.n; i++) {
		file[i].clock.offset = clock[i].offset;
		file[i].clock.drift = clock[i].drift;
		file[i].clock.clock_state = clock[i].clock_state;
		file[i].clock.fitted = clock[i].fitted;
		file[i].clock.residual = clock[i].residual;
		file[i].clock.residual_p50 = clock[i].residual_p50;
		file[i].clock.anchors = clock[i].anchors;
		file[i].clock.violations = clock[i].violations;
	}
	wl_merge_set_extent(m);
}
