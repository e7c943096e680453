/* SPDX-License-Identifier: MIT */
#include "model/build.h"

#include <stdlib.h>
#include <string.h>

int wl_build_init(struct wl_build *b, const char *path, struct wl_budget *budget,
		  struct wl_err *reterr)
{
	*b = (struct wl_build){ .duration = WL_NO_TIME, .host = WL_NONE, .job = WL_NONE };
	b->budget = budget ? budget : &b->own;
	wl_string_pool_init(&b->strings, b->budget);
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_vec_init(&b->column[c], wl_column_infos[c].size, b->budget);
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		wl_vec_init(&b->family[f].long_row, sizeof(uint32_t), b->budget);
		wl_vec_init(&b->family[f].long_dur, sizeof(wl_ns), b->budget);
	}
	wl_intern_init(&b->place_keys, sizeof(struct wl_place_key), b->budget);
	wl_vec_init(&b->place_used, sizeof(uint8_t), b->budget);
	wl_intern_init(&b->thread_keys, sizeof(uint64_t), b->budget);
	wl_intern_init(&b->kernel_names, sizeof(struct wl_kernel_name), b->budget);
	wl_intern_init(&b->configs, sizeof(struct wl_launch_config), b->budget);
	wl_intern_init(&b->frames, sizeof(struct wl_stack_frame), b->budget);
	wl_intern_init(&b->stacks, sizeof(struct wl_stack), b->budget);
	wl_intern_init(&b->series, sizeof(struct wl_counter_series), b->budget);
	wl_intern_init(&b->metric_keys, sizeof(struct wl_metric_key), b->budget);
	wl_vec_init(&b->gpus, sizeof(struct wl_gpu), b->budget);
	wl_vec_init(&b->cuda_devices, sizeof(struct wl_cuda_device), b->budget);
	wl_vec_init(&b->process_names, sizeof(struct wl_label), b->budget);
	wl_vec_init(&b->thread_names, sizeof(struct wl_label), b->budget);
	wl_vec_init(&b->mpi_ranks, sizeof(struct wl_mpi_rank), b->budget);
	wl_vec_init(&b->hosts, sizeof(struct wl_label), b->budget);
	wl_vec_init(&b->meta, sizeof(struct wl_meta), b->budget);
	wl_vec_init(&b->payload_fields, sizeof(struct wl_payload_field), b->budget);
	wl_vec_init(&b->payload_items, sizeof(struct wl_payload_item), b->budget);
	wl_vec_init(&b->payload_names, sizeof(struct wl_payload_name), b->budget);
	wl_vec_init(&b->metric_names, sizeof(uint32_t), b->budget);
	wl_vec_init(&b->source_columns, sizeof(struct wl_source_column), b->budget);
	wl_vec_init(&b->files, sizeof(struct wl_build_file), b->budget);
	wl_vec_init(&b->taken_devices, sizeof(struct wl_taken_device), b->budget);
	wl_vec_init(&b->place_device, sizeof(uint32_t), b->budget);
	wl_vec_init(&b->trace_files, sizeof(struct wl_trace_file), b->budget);
	wl_vec_init(&b->processes, sizeof(struct wl_process), b->budget);
	wl_vec_init(&b->devices, sizeof(struct wl_device), b->budget);
	wl_vec_init(&b->places, sizeof(struct wl_place), b->budget);
	wl_vec_init(&b->threads, sizeof(struct wl_thread), b->budget);
	b->path = strdup(path);
	if (!b->path)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", path);
	return WL_OK;
}

/* Every vector but those of columns and families. */
static const size_t catalogue[] = {
	offsetof(struct wl_build, place_used),
	offsetof(struct wl_build, gpus),
	offsetof(struct wl_build, cuda_devices),
	offsetof(struct wl_build, process_names),
	offsetof(struct wl_build, thread_names),
	offsetof(struct wl_build, mpi_ranks),
	offsetof(struct wl_build, hosts),
	offsetof(struct wl_build, meta),
	offsetof(struct wl_build, payload_fields),
	offsetof(struct wl_build, payload_items),
	offsetof(struct wl_build, payload_names),
	offsetof(struct wl_build, metric_names),
	offsetof(struct wl_build, source_columns),
	offsetof(struct wl_build, files),
	offsetof(struct wl_build, taken_devices),
	offsetof(struct wl_build, place_device),
	offsetof(struct wl_build, trace_files),
	offsetof(struct wl_build, processes),
	offsetof(struct wl_build, devices),
	offsetof(struct wl_build, places),
	offsetof(struct wl_build, threads),
	offsetof(struct wl_build, place_keys.items),
	offsetof(struct wl_build, thread_keys.items),
	offsetof(struct wl_build, kernel_names.items),
	offsetof(struct wl_build, configs.items),
	offsetof(struct wl_build, frames.items),
	offsetof(struct wl_build, stacks.items),
	offsetof(struct wl_build, series.items),
	offsetof(struct wl_build, metric_keys.items),
};

void wl_build_release(struct wl_build *b)
{
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		wl_vec_release(&b->column[c]);
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		wl_vec_release(&b->family[f].long_row);
		wl_vec_release(&b->family[f].long_dur);
	}
	for (size_t i = 0; i < WL_COUNT(catalogue); i++)
		wl_vec_release((struct wl_vec *)((char *)b + catalogue[i]));
	wl_intern_release(&b->place_keys);
	wl_intern_release(&b->thread_keys);
	wl_intern_release(&b->kernel_names);
	wl_intern_release(&b->configs);
	wl_intern_release(&b->frames);
	wl_intern_release(&b->stacks);
	wl_intern_release(&b->series);
	wl_intern_release(&b->metric_keys);
	wl_string_pool_release(&b->strings);
	free(b->path);
	b->path = NULL;
}

bool wl_build_failed(const struct wl_build *b)
{
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		if (b->column[c].failed)
			return true;
	}
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		if (b->family[f].long_row.failed || b->family[f].long_dur.failed)
			return true;
	}
	for (size_t i = 0; i < WL_COUNT(catalogue); i++) {
		if (((const struct wl_vec *)((const char *)b + catalogue[i]))->failed)
			return true;
	}
	return b->strings.failed;
}

static void publish_families(struct wl_build *b)
{
	struct wl_trace *t = &b->trace;

	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		struct wl_build_family *from = &b->family[f];

		t->family[f] = (struct wl_family){
			.present = from->present,
			.n = from->n,
			.n_dropped = from->n_dropped,
			.n_long = from->long_row.n,
			.long_row = from->long_row.data,
			.long_dur = from->long_dur.data,
		};
	}
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		t->column[c] = b->column[c].data;
}

static void publish_catalogue(struct wl_build *b)
{
	struct wl_trace *t = &b->trace;

	t->path = b->path;
	t->loaded = b->loaded;
	t->strings = wl_string_view(&b->strings);
	t->places = b->places.data;
	t->n_places = b->places.n;
	t->threads = b->threads.data;
	t->n_threads = b->threads.n;
	t->kernel_names = b->kernel_names.items.data;
	t->n_kernel_names = b->kernel_names.items.n;
	t->configs = b->configs.items.data;
	t->n_configs = b->configs.items.n;
	t->frames = b->frames.items.data;
	t->n_frames = b->frames.items.n;
	t->stacks = b->stacks.items.data;
	t->n_stacks = b->stacks.items.n;
	t->series = b->series.items.data;
	t->n_series = b->series.items.n;
	t->processes = b->processes.data;
	t->n_processes = b->processes.n;
	t->devices = b->devices.data;
	t->n_devices = b->devices.n;
	t->gpus = b->gpus.data;
	t->n_gpus = b->gpus.n;
	t->meta = b->meta.data;
	t->n_meta = b->meta.n;
	t->mpi_ranks = b->mpi_ranks.data;
	t->n_mpi_ranks = b->mpi_ranks.n;
	t->files = b->trace_files.data;
	t->n_files = b->trace_files.n;
	t->world = b->world;
	t->job = b->job;
	t->source_columns = b->source_columns.data;
	t->n_source_columns = b->source_columns.n;
	t->duration = b->duration;
	t->utc_start = b->utc_start;
	t->session = b->session;
	t->host = b->host;
	t->n_repaired = b->strings.n_repaired;
	t->n_mistyped = b->n_mistyped;
	for (size_t f = 0; f < WL_N_FAMILIES; f++)
		t->n_mistyped += b->family[f].n_mistyped;
	t->reader = b->reader;
	t->detours = b->detours;
}

int wl_build_finish(struct wl_build *b, struct wl_err *reterr)
{
	int r = wl_build_identify(b, reterr);

	for (size_t f = 0; r == WL_OK && f < WL_N_FAMILIES; f++) {
		/*
		 * Identified first: rows are ordered by device, which places know only afterwards.
		 * A family is ordered once, also if later loads add others.
		 */
		if (b->family[f].filled && !b->family[f].ordered)
			r = wl_build_order(b, (enum wl_family_id)f, reterr);
	}
	if (r < 0)
		return r;
	if (wl_build_failed(b))
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory for the trace (%zu bytes used)",
			       b->path, wl_budget_root(b->budget)->used);
	/* Nothing is published unless everything fits, so that a trace is never half loaded. */
	publish_families(b);
	publish_catalogue(b);
	return WL_OK;
}
