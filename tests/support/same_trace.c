/* SPDX-License-Identifier: MIT */
#include "support/same_trace.h"

#include <string.h>

static bool same(const void *a, const void *b, size_t n, size_t size)
{
	return n == 0 || memcmp(a, b, n * size) == 0;
}

static const char *family_difference(const struct wl_trace *a, const struct wl_trace *b, size_t f)
{
	const struct wl_family *fa = &a->family[f], *fb = &b->family[f];

	if (fa->present != fb->present || fa->n != fb->n || fa->n_dropped != fb->n_dropped ||
	    fa->n_long != fb->n_long || !same(fa->long_row, fb->long_row, fa->n_long, 4) ||
	    !same(fa->long_dur, fb->long_dur, fa->n_long, 8))
		return wl_family_infos[f].name;
	for (size_t c = wl_family_infos[f].first_column; c < wl_family_end((enum wl_family_id)f);
	     c++) {
		if (!a->column[c] != !b->column[c] ||
		    (a->column[c] &&
		     !same(a->column[c], b->column[c], fa->n, wl_column_infos[c].size)))
			return wl_column_infos[c].name;
	}
	return NULL;
}

/* Structs may have padding: compared member by member. */
static bool same_process(const struct wl_process *a, const struct wl_process *b)
{
	return a->key == b->key && a->rank == b->rank && a->pid == b->pid && a->name == b->name &&
	       a->rank_source == b->rank_source && a->on_gpu == b->on_gpu;
}

static bool same_device(const struct wl_device *a, const struct wl_device *b)
{
	return a->proven == b->proven && a->process == b->process && a->ordinal == b->ordinal &&
	       a->gpu == b->gpu && a->uuid == b->uuid && a->name == b->name &&
	       a->gpu_id == b->gpu_id;
}

static bool same_thread(const struct wl_thread *a, const struct wl_thread *b)
{
	return a->global == b->global && a->process == b->process && a->name == b->name &&
	       a->tid == b->tid;
}

static bool same_strings(const struct wl_trace *a, const struct wl_trace *b)
{
	if (a->strings.n != b->strings.n)
		return false;
	for (uint32_t i = 0; i < a->strings.n; i++) {
		if (strcmp(wl_str(a, i), wl_str(b, i)) != 0)
			return false;
	}
	return true;
}

#define EACH_SAME(array, count, equal)                                                             \
	for (size_t i = 0; i < a->count; i++) {                                                    \
		if (!equal(&a->array[i], &b->array[i]))                                            \
			return #array;                                                             \
	}

static const char *catalogue_difference(const struct wl_trace *a, const struct wl_trace *b)
{
	if (!same_strings(a, b))
		return "strings";
	if (a->n_places != b->n_places ||
	    !same(a->places, b->places, a->n_places, sizeof(*a->places)))
		return "places";
	if (a->n_kernel_names != b->n_kernel_names ||
	    !same(a->kernel_names, b->kernel_names, a->n_kernel_names, sizeof(*a->kernel_names)))
		return "kernel_names";
	if (a->n_configs != b->n_configs ||
	    !same(a->configs, b->configs, a->n_configs, sizeof(*a->configs)))
		return "configs";
	if (a->n_frames != b->n_frames ||
	    !same(a->frames, b->frames, a->n_frames, sizeof(*a->frames)))
		return "frames";
	if (a->n_stacks != b->n_stacks ||
	    !same(a->stacks, b->stacks, a->n_stacks, sizeof(*a->stacks)))
		return "stacks";
	if (a->n_series != b->n_series ||
	    !same(a->series, b->series, a->n_series, sizeof(*a->series)))
		return "series";
	if (a->n_meta != b->n_meta || !same(a->meta, b->meta, a->n_meta, sizeof(*a->meta)))
		return "meta";
	if (a->n_source_columns != b->n_source_columns ||
	    !same(a->source_columns, b->source_columns, a->n_source_columns,
		  sizeof(*a->source_columns)))
		return "source_columns";
	if (a->n_threads != b->n_threads || a->n_processes != b->n_processes ||
	    a->n_devices != b->n_devices || a->n_gpus != b->n_gpus)
		return "counts";
	EACH_SAME(threads, n_threads, same_thread)
	EACH_SAME(processes, n_processes, same_process)
	EACH_SAME(devices, n_devices, same_device)
	if (a->duration != b->duration || a->utc_start != b->utc_start || a->host != b->host ||
	    a->n_repaired != b->n_repaired || a->n_mistyped != b->n_mistyped)
		return "numbers of the trace";
	return NULL;
}

const char *trace_difference(const struct wl_trace *a, const struct wl_trace *b)
{
	const char *what = catalogue_difference(a, b);

	if (memcmp(&a->loaded, &b->loaded, sizeof(a->loaded)) != 0)
		return "what is loaded";
	for (size_t f = 0; !what && f < WL_N_FAMILIES; f++)
		what = family_difference(a, b, f);
	return what;
}
