/* SPDX-License-Identifier: MIT */
#include "serve/answers/found.h"

#include <string.h>

int wl_hit_compare(const struct wl_hit *x, const struct wl_hit *y)
{
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static void put_members(struct wl_jsonw *w, const struct wl_served *served, const struct wl_hit *h)
{
	wl_jsonw_begin_object(w);
	wl_jsonw_put_i64(w, "rowId", h->row);
	wl_jsonw_put_i64(w, "ref", h->ref);
	wl_jsonw_put_i64(w, "begin", h->begin);
	wl_jsonw_put_i64(w, "end", h->end);
	wl_jsonw_put_i64(w, "category", h->category);
	wl_jsonw_put_str(w, "name", served->names.at[h->name].text);
	wl_jsonw_end_object(w);
}

void wl_hit_put(struct wl_jsonw *w, const struct wl_served *served, const char *key,
		const struct wl_hit *h)
{
	wl_jsonw_key(w, key);
	if (h)
		put_members(w, served, h);
	else
		wl_jsonw_null(w);
}

bool wl_found_init(struct wl_found *f, const struct wl_ask *ask, size_t max)
{
	const struct wl_show *show = &ask->served->show;

	*f = (struct wl_found){ .served = ask->served, .max = max };
	f->list = WL_NEW(ask->arena, struct wl_hit, max + 1);
	for (size_t s = 0; s < show->n; s++) {
		const struct wl_scene *scene = show->scene[s];

		f->n_devices += scene->trace->n_devices;
		for (size_t p = 0; p < scene->trace->n_processes; p++) {
			if (f->n_steps[s] < scene->tracks.iterations->process[p].n)
				f->n_steps[s] = scene->tracks.iterations->process[p].n;
		}
		f->step[s] = WL_NEW(ask->arena, struct wl_hit_sum, f->n_steps[s] + 1);
		if (!f->step[s])
			return false;
	}
	f->device = WL_NEW(ask->arena, struct wl_hit_sum, f->n_devices + 1);
	return f->list && f->device;
}

/* As lengthBin() of web/data/hits.js. */
static size_t bin_of(wl_ns length)
{
	enum { PER_OCTAVE = 4, OCTAVE = 2 * PER_OCTAVE };
	size_t octave = 0;

	for (; length >= OCTAVE; length /= 2)
		octave++;
	return octave * PER_OCTAVE + (length > 0 ? (size_t)length : 0);
}

/* The longest first, and in order. */
static int compare_lengths(const struct wl_hit *x, const struct wl_hit *y)
{
	wl_ns of_x = x->end - x->begin, of_y = y->end - y->begin;

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return wl_hit_compare(x, y);
}

static void add_to_list(struct wl_found *f, const struct wl_hit *h)
{
	size_t at = f->n;

	if (f->n == f->max && (f->n == 0 || compare_lengths(h, &f->list[f->n - 1]) > 0))
		return;
	while (at > 0 && compare_lengths(h, &f->list[at - 1]) < 0)
		at--;
	if (f->n < f->max)
		f->n++;
	memmove(&f->list[at + 1], &f->list[at], (f->n - at - 1) * sizeof(*f->list));
	f->list[at] = *h;
}

static void add_to_sum(struct wl_hit_sum *sum, wl_ns length)
{
	sum->n++;
	sum->time += length;
}

/* The step of the row's process in whose time on the GPU a hit begins, where that is shown. */
static void add_to_step(struct wl_found *f, const struct wl_asked_row *row, const struct wl_hit *h)
{
	const struct wl_scene *s = row->scene;
	const struct wl_track *track = &s->tracks.at[row->track];
	const struct wl_process_iters *iters = NULL;
	const struct wl_interval shown = wl_show_extent(&f->served->show, row->which);
	uint32_t step;

	if (track->device != WL_NONE)
		iters = wl_device_iters(s, track->device);
	else if (track->process != WL_NONE)
		iters = &s->tracks.iterations->process[track->process];
	step = iters ? wl_iteration_around(iters, h->begin + row->origin) : WL_NONE;
	if (step != WL_NONE && iters->at[step].tile.begin < shown.end &&
	    iters->at[step].tile.end > shown.begin)
		add_to_sum(&f->step[row->which][step], h->end - h->begin);
}

void wl_found_add(struct wl_found *f, const struct wl_asked_row *row, const struct wl_hit *h)
{
	const uint32_t device = row->scene->tracks.at[row->track].device;
	const size_t first = wl_show_first_device(&f->served->show, row->which);
	wl_ns length = h->end - h->begin;

	add_to_list(f, h);
	add_to_sum(&f->all, length);
	add_to_sum(&f->device[device == WL_NONE ? 0 : 1 + first + device], length);
	add_to_step(f, row, h);
	f->length[bin_of(length)]++;
}

/* [key, or both of them, how many, ns]; nothing for none. */
static void put_sum(struct wl_jsonw *w, const struct wl_hit_sum *sum, int64_t key, int64_t second)
{
	if (sum->n == 0)
		return;
	wl_jsonw_begin_array(w);
	wl_jsonw_i64(w, key);
	if (second >= 0)
		wl_jsonw_i64(w, second);
	wl_jsonw_i64(w, (int64_t)sum->n);
	wl_jsonw_i64(w, sum->time);
	wl_jsonw_end_array(w);
}

static void put_sums(const struct wl_found *f, struct wl_jsonw *w)
{
	wl_jsonw_open_array(w, "devices");
	for (size_t d = 0; d <= f->n_devices; d++)
		put_sum(w, &f->device[d], (int64_t)d - 1, -1);
	wl_jsonw_end_array(w);
	wl_jsonw_open_array(w, "steps");
	for (size_t s = 0; s < f->served->show.n; s++) {
		for (size_t i = 0; i < f->n_steps[s]; i++)
			put_sum(w, &f->step[s][i], (int64_t)s, (int64_t)i);
	}
	wl_jsonw_end_array(w);
}

void wl_found_put(const struct wl_found *f, struct wl_jsonw *w)
{
	wl_jsonw_put_i64(w, "total", (int64_t)f->all.n);
	wl_jsonw_put_i64(w, "sum", f->all.time);
	put_sums(f, w);
	wl_jsonw_open_array(w, "lengths");
	for (size_t i = 0; i < WL_LENGTH_BINS; i++) {
		if (f->length[i] == 0)
			continue;
		wl_jsonw_begin_array(w);
		wl_jsonw_i64(w, (int64_t)i);
		wl_jsonw_i64(w, (int64_t)f->length[i]);
		wl_jsonw_end_array(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_open_array(w, "list");
	for (size_t i = 0; i < f->n; i++)
		put_members(w, f->served, &f->list[i]);
	wl_jsonw_end_array(w);
}
