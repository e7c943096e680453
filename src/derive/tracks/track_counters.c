/* SPDX-License-Identifier: MIT */
/*
 * track_counters.c - counters of a GPU as rows: the metrics that known/gpus/gpu_metrics.def names,
 * then memory in use, one row per kind of memory. Network adapters are below the first selected GPU
 * that their machine's processes use.
 *
 * Value texts are made once: for a percentage one per value, for larger numbers as many as four
 * digits can distinguish.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory/sort.h"
#include "base/text/units.h"
#include "derive/derived.h"
#include "derive/kinds/metric_series.h"
#include "derive/lanes/levels.h"
#include "derive/tracks/tracks_inside.h"
#include "derive/use/memory_use.h"
#include "known/exports/codes.h"
#include "known/gpus/gpu_metrics.h"

enum { MOST_TEXTS = 10000, PERCENT = 100 };

/* A counter's values. */
struct wl_track_samples {
	uint32_t series;     /* of a metric; WL_NONE for memory */
	size_t n;            /* of memory */
	const wl_ns *time;   /* memory only, by sample: when it begins */
	const int64_t *used; /* memory only, by sample: bytes */
	int64_t step;        /* values between texts */
	const char **text;   /* by value / step, rounded; NULL if there is none */
};

struct finder {
	const struct wl_derived *derived;
	const struct wl_trace *trace;
	struct wl_arena *arena;
	struct wl_vec counters; /* struct wl_track_counter */
	struct wl_vec samples;  /* struct wl_track_samples */
	struct wl_memory_use memory;
	uint32_t *home;   /* by series: the device whose rows it is among; WL_NONE for none */
	uint32_t *what;   /* by series: what it counts */
	uint32_t *series; /* series with a home, by home and by what they count */
	size_t n_series, next_series;
	size_t next_pool; /* pools are ordered by device, too */
};

static size_t n_of(const struct wl_metric_series *all, const struct wl_track_samples *s)
{
	return s->series == WL_NONE ? s->n : all->of[s->series].hi - all->of[s->series].lo;
}

/* Negative values count as 0; every sample is finite and ends no later than the next begins. */
static struct wl_metric_sample sample_at(const struct wl_trace *t,
					 const struct wl_metric_series *all,
					 const struct wl_track_samples *s, size_t i)
{
	struct wl_metric_sample ret;

	if (s->series != WL_NONE)
		ret = wl_metric_sample_at(t, all, s->series, all->of[s->series].lo + i);
	else
		ret = (struct wl_metric_sample){ s->time[i],
						 i + 1 < s->n ? s->time[i + 1] : WL_TIME_MAX,
						 s->used[i] };
	ret.value = ret.value > 0 ? ret.value : 0;
	return ret;
}

static size_t text_number(const struct wl_track_samples *s, int64_t value)
{
	/* Rounds without a sum that could overflow. */
	return (size_t)(value / s->step + (value % s->step >= s->step - s->step / 2));
}

/* The value that a text shows; the last one may exceed the integer range. */
static int64_t value_of(const struct wl_track_samples *s, size_t text)
{
	return (int64_t)text > INT64_MAX / s->step ? INT64_MAX : (int64_t)text * s->step;
}

static const char *text_of(struct finder *f, const char *label, const struct wl_metric_facts *facts,
			   int64_t value)
{
	char number[WL_UNITS_BUF], text[256];

	if (!facts)
		(void)snprintf(text, sizeof(text), "%s %s", label, wl_fmt_bytes(number, value));
	else if (facts->bytes > 0)
		(void)snprintf(text, sizeof(text), "%s %s", label,
			       wl_fmt_rate(number, (double)value * facts->bytes));
	else
		(void)snprintf(text, sizeof(text), "%s %s%s%s", label,
			       wl_fmt_real(number, (double)value / facts->per),
			       facts->is_percent ? "" : " ", facts->unit);
	return wl_arena_strdup(f->arena, text);
}

/* Byte rates are per second, whatever the file counts. */
static void set_unit(struct finder *f, struct wl_track_counter *counter,
		     const struct wl_metric_facts *facts)
{
	bool is_rate = facts && facts->bytes > 0;

	counter->full = (double)counter->top;
	if (facts)
		counter->full = is_rate ? counter->full * facts->bytes : counter->full / facts->per;
	counter->unit = !facts ? "B" : is_rate ? "B/s" : wl_arena_strdup(f->arena, facts->unit);
}

/* Make the texts of a counter and add it; facts are those of a metric, else NULL. */
static bool add(struct finder *f, struct wl_track_counter *counter, struct wl_track_samples *s,
		const struct wl_metric_facts *facts)
{
	const struct wl_metric_series *all = f->derived->metric_series;
	size_t n = n_of(all, s);
	int64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t value = sample_at(f->trace, all, s, i).value;

		most = value > most ? value : most;
	}
	counter->top = facts && facts->is_percent ? PERCENT : most > 0 ? most : 1;
	set_unit(f, counter, facts);
	s->step = most / MOST_TEXTS + 1;
	s->text = WL_NEW(f->arena, const char *, text_number(s, most) + 1);
	if (!s->text || !counter->label || !counter->brief || !counter->unit)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t k = text_number(s, sample_at(f->trace, all, s, i).value);

		if (s->text[k])
			continue;
		s->text[k] = text_of(f, counter->label, facts, value_of(s, k));
		if (!s->text[k])
			return false;
	}
	wl_vec_push(&f->counters, counter);
	wl_vec_push(&f->samples, s);
	return !f->counters.failed && !f->samples.failed;
}

/* The name of a metric without its unit. */
static const char *label_of(struct finder *f, const char *name, size_t length)
{
	char *label = WL_NEW(f->arena, char, length + 1);

	if (label)
		memcpy(label, name, length);
	return label;
}

/* By file: the GPU that adapters are shown below, which is the first selected one that is near. */
static uint32_t *find_below(const struct finder *f, const struct wl_scope *scope)
{
	const struct wl_trace *t = f->trace;
	const struct wl_metric_series *all = f->derived->metric_series;
	size_t n_files = t->n_files ? t->n_files : 1;
	uint32_t *below = WL_NEW(f->arena, uint32_t, n_files);

	for (size_t file = 0; below && file < n_files; file++) {
		below[file] = WL_NONE;
		for (uint32_t d = 0; d < t->n_devices && below[file] == WL_NONE; d++) {
			if (scope->device_on[d] && all->is_near[file * t->n_devices + d])
				below[file] = d;
		}
	}
	return below;
}

/* An adapter has no row for a counter that stayed 0. */
static bool has_row(const struct finder *f, uint32_t series)
{
	const struct wl_metric_series *all = f->derived->metric_series;
	const struct wl_slice of = all->of[series];

	if (f->trace->series[series].of == WL_COUNTER_OF_GPU)
		return of.lo < of.hi;
	for (size_t i = of.lo; i < of.hi; i++) {
		if (wl_metric_sample_at(f->trace, all, series, i).value > 0)
			return true;
	}
	return false;
}

static bool series_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct finder *f = ctx;

	return f->home[a] != f->home[b] ? f->home[a] < f->home[b] : f->what[a] < f->what[b];
}

/* Put series in the order of their rows. */
static bool find_series(struct finder *f, const struct wl_scope *scope)
{
	const struct wl_trace *t = f->trace;
	const uint32_t *below = find_below(f, scope);

	f->home = WL_NEW(f->arena, uint32_t, t->n_series + 1);
	f->what = WL_NEW(f->arena, uint32_t, t->n_series + 1);
	f->series = WL_NEW(f->arena, uint32_t, 2 * t->n_series + 1);
	if (!below || !f->home || !f->what || !f->series)
		return false;
	for (uint32_t i = 0; i < t->n_series; i++) {
		f->home[i] = t->series[i].of == WL_COUNTER_OF_GPU
				     ? f->derived->metric_series->device[i]
				     : below[t->series[i].file];
		f->what[i] = wl_metric_series_facts(t, i).what;
		if (f->home[i] != WL_NONE && scope->device_on[f->home[i]] &&
		    f->what[i] != WL_METRIC_OTHER && has_row(f, i))
			f->series[f->n_series++] = i;
	}
	wl_sort_index(f->series, f->n_series, f->series + f->n_series, series_less, f);
	return true;
}

/* "SMs Active", "mlx5_0:1 IB: Bytes sent"; NULL if out of memory. */
static const char *series_label(struct finder *f, uint32_t series, size_t length)
{
	const char *name = wl_str(f->trace, f->trace->series[series].name);
	char nic[WL_NIC_LABEL], label[200];

	if (f->trace->series[series].of == WL_COUNTER_OF_GPU)
		return label_of(f, name, length);
	(void)snprintf(label, sizeof(label), "%s %.100s",
		       wl_metric_nic_label(f->trace, series, nic), name);
	return wl_arena_strdup(f->arena, label);
}

static bool add_metrics(struct finder *f, uint32_t device)
{
	for (; f->next_series < f->n_series && f->home[f->series[f->next_series]] == device;
	     f->next_series++) {
		uint32_t series = f->series[f->next_series];
		const struct wl_metric_facts facts = wl_metric_series_facts(f->trace, series);
		struct wl_track_counter counter = { .device = device,
						    .brief = wl_gpu_metric_brief(facts.what) };
		struct wl_track_samples samples = { .series = series };

		counter.label = series_label(f, series, facts.length);
		if (!add(f, &counter, &samples, &facts))
			return false;
	}
	return true;
}

/* Read the bytes in use before the first event and after each one; of simultaneous events, after
 * the last. */
static bool read_pool(struct finder *f, const struct wl_memory_pool *pool,
		      struct wl_track_samples *s)
{
	const wl_ns *time = wl_mem_events_time(f->trace);
	struct wl_memory_walk walk = wl_memory_begin(pool);
	wl_ns *begin = WL_NEW(f->arena, wl_ns, pool->hi - pool->lo + 1);
	int64_t *used = WL_NEW(f->arena, int64_t, pool->hi - pool->lo + 1);

	s->time = begin;
	s->used = used;
	if (!begin || !used)
		return false;
	begin[0] = -WL_TIME_MAX;
	used[0] = pool->at_first;
	for (size_t i = pool->lo; i < pool->hi;) {
		wl_ns at = time[f->memory.row[i]];
		struct wl_memory_sum sum = wl_memory_measure(f->trace, &f->memory, pool, &walk,
							     (struct wl_interval){ at, at + 1 });

		s->n++;
		begin[s->n] = at;
		used[s->n] = sum.after;
		i = walk.next;
	}
	s->n++;
	return true;
}

static bool add_memory(struct finder *f, uint32_t device)
{
	const struct wl_memory_use *memory = &f->memory;

	/* Skip the pools of devices that are not selected. */
	for (; f->next_pool < memory->n && memory->pool[f->next_pool].device <= device;
	     f->next_pool++) {
		const struct wl_memory_pool *pool = &memory->pool[f->next_pool];
		const char *kind = wl_memory_kind_name(pool->kind);
		struct wl_track_counter counter = { .device = device };
		struct wl_track_samples samples = { .series = WL_NONE };
		char label[64], brief[16];

		if (pool->device != device)
			continue;
		(void)snprintf(label, sizeof(label), "Memory, %s", kind ? kind : "unknown");
		(void)snprintf(brief, sizeof(brief), "mem %.3s", kind ? kind : "?");
		counter.label = wl_arena_strdup(f->arena, label);
		counter.brief = wl_arena_strdup(f->arena, brief);
		if (!read_pool(f, pool, &samples) || !add(f, &counter, &samples, NULL))
			return false;
	}
	return true;
}

/* Move the vectors to the arena. */
static bool keep(struct finder *f, struct wl_tracks_inside *in, struct wl_tracks *tracks)
{
	struct wl_track_counter *counter =
		WL_NEW(f->arena, struct wl_track_counter, f->counters.n + 1);
	struct wl_track_samples *samples =
		WL_NEW(f->arena, struct wl_track_samples, f->samples.n + 1);

	for (size_t i = 0; counter && samples && i < f->counters.n; i++) {
		counter[i] = ((const struct wl_track_counter *)f->counters.data)[i];
		samples[i] = ((const struct wl_track_samples *)f->samples.data)[i];
	}
	tracks->counter = counter;
	tracks->n_counters = f->counters.n;
	in->samples = samples;
	return counter && samples;
}

bool wl_track_counters_find(const struct wl_derived *derived, struct wl_arena *arena,
			    struct wl_tracks_inside *in, struct wl_tracks *tracks)
{
	const struct wl_trace *t = derived->trace;
	struct finder f = { .derived = derived, .trace = t, .arena = arena };
	bool ok;

	if (!derived->metric_series)
		return true;
	if (wl_mem_events_time(t) && !wl_memory_use_find(t, false, arena, &f.memory))
		return false;
	wl_vec_init(&f.counters, sizeof(struct wl_track_counter), wl_arena_budget(arena));
	wl_vec_init(&f.samples, sizeof(struct wl_track_samples), wl_arena_budget(arena));
	ok = find_series(&f, &in->scope);
	for (uint32_t d = 0; ok && d < t->n_devices; d++)
		ok = !in->scope.device_on[d] || (add_metrics(&f, d) && add_memory(&f, d));
	ok = ok && keep(&f, in, tracks);
	wl_vec_release(&f.samples);
	wl_vec_release(&f.counters);
	return ok;
}

size_t wl_track_n_samples(const struct wl_tracks *tracks, const struct wl_tracks_inside *in,
			  uint32_t counter)
{
	return n_of(tracks->metric_series, &in->samples[counter]);
}

const char *wl_track_sample_name(const struct wl_tracks *tracks, uint32_t counter, uint32_t ref)
{
	const struct wl_track_samples *s = &tracks->inside->samples[counter];
	int64_t value = sample_at(tracks->trace, tracks->metric_series, s, ref).value;

	return s->text[text_number(s, value)];
}

/* Adjacent samples with equal values are one event, with the ref of the first. */
bool wl_fill_levels(struct wl_filling *f)
{
	const struct wl_tracks *tracks = f->tracks;
	uint32_t counter = tracks->at[f->track].counter;
	const struct wl_track_samples *s = &tracks->inside->samples[counter];
	const struct wl_interval extent = tracks->extent;
	size_t n = n_of(tracks->metric_series, s);
	struct wl_lane_event event = { .start = 0 };
	int64_t last = -1;

	for (size_t i = 0; i < n && i < WL_NONE; i++) {
		struct wl_metric_sample at = sample_at(tracks->trace, tracks->metric_series, s, i);
		wl_ns begin = at.begin > extent.begin ? at.begin : extent.begin;
		wl_ns end = at.end < extent.end ? at.end : extent.end;

		if (begin >= end)
			continue;
		if (last == at.value && event.end == begin) {
			event.end = end;
			continue;
		}
		if (last >= 0)
			(void)wl_filling_add(f, &event, 0);
		event = (struct wl_lane_event){
			begin, end, (uint32_t)i, wl_level_of(at.value, tracks->counter[counter].top)
		};
		last = at.value;
	}
	if (last >= 0)
		(void)wl_filling_add(f, &event, 0);
	return true;
}
