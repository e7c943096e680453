/* SPDX-License-Identifier: MIT */
/*
 * rows_metrics.c - sampled metrics of a GPU or a network adapter: every sample, valid from its time
 * on, in the metric's unit.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "derive/kinds/metric_series.h"
#include "export/timeline/walk.h"
#include "known/gpus/gpu_metrics.h"

/* "SMs Active [%]"; NULL without memory. */
static char *name_of(struct wl_walk *w, uint32_t series, const struct wl_metric_facts *facts)
{
	const char *name = wl_str(w->trace, w->trace->series[series].name);
	size_t n = facts->length, size = n + WL_METRIC_UNIT + sizeof(" []");
	char *text = WL_NEW(&w->arena, char, size);

	if (!text)
		return NULL;
	memcpy(text, name, n);
	if (facts->unit[0])
		(void)snprintf(text + n, size - n, " [%s]", facts->unit);
	return text;
}

/* The number of decimals of a value in its unit. */
static unsigned decimals_of(const struct wl_metric_facts *facts)
{
	double per = facts->per;
	unsigned n = 0;

	while (per > 1 && n < WL_EMIT_DECIMALS) {
		per /= 10;
		n++;
	}
	return n;
}

static void write_series(struct wl_walk *w, uint32_t series, struct wl_lazy_row *group)
{
	const struct wl_metric_series *all = w->tracks->metric_series;
	const struct wl_slice in = wl_samples_shown(&w->shown, w->tracks, series);
	const struct wl_metric_facts facts = wl_metric_series_facts(w->trace, series);
	struct wl_lazy_row row = { .row = { .kind = WL_EMIT_COUNTER,
					    .n_events = in.hi - in.lo,
					    .unit = facts.unit,
					    .decimals = decimals_of(&facts) },
				   .parent = group };
	const wl_ns first = wl_first_sample(w->tracks);

	if (in.lo >= in.hi || !wl_walk_goes_on(w))
		return;
	row.row.name = name_of(w, series, &facts);
	if (!row.row.name) {
		w->failed = true;
		return;
	}
	for (size_t i = in.lo; i < in.hi && wl_walk_goes_on(w); i++) {
		const struct wl_metric_sample s = wl_metric_sample_at(w->trace, all, series, i);

		/* If several samples have the same time, the last counts. */
		if (i + 1 < in.hi &&
		    wl_metric_sample_at(w->trace, all, series, i + 1).begin == s.begin)
			continue;
		w->emitter->ops->count(w->emitter, wl_lazy_row_id(w, &row),
				       s.begin > first ? s.begin : first, s.value);
	}
	w->emitter->ops->close(w->emitter, row.row.id);
}

void wl_rows_gpu_metrics(struct wl_walk *w, size_t track, struct wl_lazy_row *gpu)
{
	const struct wl_metric_series *all = w->tracks->metric_series;
	const struct wl_track *at = &w->tracks->at[track];
	char name[256]; /* labels are shorter */
	struct wl_lazy_row group = { .row = { .kind = WL_EMIT_GROUP, .name = name },
				     .parent = gpu };

	(void)snprintf(name, sizeof(name), "%s metrics", at->label);
	for (uint32_t i = 0; all && i < w->trace->n_series; i++) {
		if (all->device[i] == at->device)
			write_series(w, i, &group);
	}
}

/* GPUs, then ports of network adapters, file by file. */
static bool source_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_counter_series *x = &((const struct wl_counter_series *)ctx)[a];
	const struct wl_counter_series *y = &((const struct wl_counter_series *)ctx)[b];

	if (x->file != y->file)
		return x->file < y->file;
	if (x->of != y->of)
		return x->of < y->of;
	if (x->number != y->number)
		return x->number < y->number;
	return x->adapter != y->adapter ? x->adapter < y->adapter : x->port < y->port;
}

/* For a job the file is named, too, because each file numbers its GPUs from 0. */
static bool begin_group(struct wl_walk *w, uint32_t series, struct wl_lazy_row *group)
{
	const struct wl_trace *t = w->trace;
	const struct wl_counter_series *s = &t->series[series];
	const char *file = s->file < t->n_files ? wl_str(t, t->files[s->file].path) : "";
	char source[WL_NIC_LABEL];
	size_t size = strlen(file) + sizeof(source) + sizeof(" metrics, ");
	char *name = WL_NEW(&w->arena, char, size);

	if (s->of == WL_COUNTER_OF_GPU)
		(void)snprintf(source, sizeof(source), "nsys GPU %u", s->number);
	else
		(void)wl_metric_nic_label(t, series, source);
	if (name)
		(void)snprintf(name, size, "%s metrics%s%s", source, file[0] ? ", " : "", file);
	*group = (struct wl_lazy_row){ .row = { .kind = WL_EMIT_GROUP, .name = name } };
	return name != NULL;
}

void wl_rows_metrics(struct wl_walk *w)
{
	const struct wl_metric_series *all = w->tracks->metric_series;
	const struct wl_counter_series *series = w->trace->series;
	uint32_t n = all ? (uint32_t)w->trace->n_series : 0, last = WL_NONE;
	uint32_t *order = n ? WL_NEW(&w->arena, uint32_t, 2 * (size_t)n) : NULL;
	struct wl_lazy_row group = { .parent = NULL };

	w->failed = w->failed || (n && !order);
	if (!order)
		return;
	wl_sort_all(order, n, source_less, series);
	for (uint32_t i = 0; i < n && wl_walk_goes_on(w); i++) {
		if (all->device[order[i]] != WL_NONE)
			continue;
		if (last == WL_NONE || source_less(series, last, order[i]))
			w->failed = !begin_group(w, order[i], &group);
		last = order[i];
		if (!w->failed)
			write_series(w, last, &group);
	}
}
