/* SPDX-License-Identifier: MIT */
/* gpus.c - the devices that operations ran on, and the machine's other GPUs. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/analysis.h"

WL_DECLARE_ANALYSIS(gpus);

enum { DEVICE, NAME, PID, ORDINAL, MEMORY, SMS, CLOCK, CC, BANDWIDTH, BUS, UUID, ID };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY,
		     "Index that --gpu takes; empty for an unused GPU." },
	[NAME] = { "name", "Model", WL_T_STR, WL_PLAIN, "The GPU's model." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_NUMBER,
		  "Process, where the trace does not prove which GPU its ordinal is." },
	[ORDINAL] = { "ordinal", "CUDA", WL_T_COUNT, WL_PLAIN, "The CUDA device ordinal." },
	[MEMORY] = { "memory", "Memory", WL_T_BYTES, WL_PLAIN, "Memory of the GPU." },
	[SMS] = { "sms", "SMs", WL_T_COUNT, WL_PLAIN, "Streaming multiprocessors." },
	[CLOCK] = { "clock_mhz", "MHz", WL_T_COUNT, WL_PLAIN, "Clock rate." },
	[CC] = { "compute_capability", "CC", WL_T_STR, WL_PLAIN, "Compute capability." },
	[BANDWIDTH] = { "bandwidth", "Mem. rate", WL_T_RATE, WL_MINOR, "Peak memory bandwidth." },
	[BUS] = { "bus", "PCI bus", WL_T_STR, WL_MINOR, "PCI address of the GPU." },
	[UUID] = { "uuid", "UUID", WL_T_STR, WL_MINOR, "Unique id of the GPU." },
	[ID] = { "gpu_id", "Id", WL_T_COUNT, WL_MINOR | WL_NUMBER, "nsys's number of the GPU." },
};

/* Devices come from places, which need the operations' columns. */
static const enum wl_column_id uses[] = { WL_KERNELS_PLACE, WL_MEMCPYS_PLACE, WL_MEMSETS_PLACE,
					  WL_GRAPHS_PLACE, WL_N_COLUMNS };

static void put_text(const struct wl_run *r, struct wl_table *out, size_t col, uint32_t string)
{
	wl_put_str(out, col, string == WL_NONE ? NULL : wl_str(r->trace, string));
}

static void put_positive(struct wl_table *out, size_t col, int64_t v)
{
	if (v > 0)
		wl_put_i64(out, col, v);
}

/* Put what all GPUs of a model have in common. */
static void put_model(struct wl_table *out, const struct wl_gpu *g)
{
	char cc[48];

	put_positive(out, MEMORY, g->memory);
	put_positive(out, SMS, g->sm_count);
	put_positive(out, CLOCK, g->clock / 1000000);
	if (g->bandwidth > 0)
		wl_put_f64(out, BANDWIDTH, (double)g->bandwidth);
	if (g->cc_major > 0) {
		(void)snprintf(cc, sizeof(cc), "%" PRId64 ".%" PRId64, g->cc_major, g->cc_minor);
		wl_put_copy(out, CC, cc);
	}
}

/* Whether all GPUs of the machine agree: an unproven device then certainly has their numbers. */
static bool all_alike(const struct wl_trace *t)
{
	for (size_t i = 1; i < t->n_gpus; i++) {
		const struct wl_gpu *a = &t->gpus[0], *b = &t->gpus[i];

		if (a->name != b->name || a->memory != b->memory || a->clock != b->clock ||
		    a->sm_count != b->sm_count || a->bandwidth != b->bandwidth ||
		    a->cc_major != b->cc_major || a->cc_minor != b->cc_minor)
			return false;
	}
	return t->n_gpus > 0;
}

/* The only process that uses a device; WL_NONE if several do. */
static uint32_t only_process(const struct wl_trace *t, uint32_t device)
{
	uint32_t only = WL_NONE;

	for (size_t i = 0; i < t->n_places; i++) {
		if (t->places[i].device != device)
			continue;
		if (only != WL_NONE && only != t->places[i].process)
			return WL_NONE;
		only = t->places[i].process;
	}
	return only;
}

static bool any_unproven(const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_devices; i++) {
		if (!t->devices[i].proven)
			return true;
	}
	return false;
}

static void put_device(const struct wl_run *r, struct wl_table *out, uint32_t index, bool alike,
		       bool *seen)
{
	const struct wl_trace *t = r->trace;
	const struct wl_device *d = &t->devices[index];
	uint32_t process;

	wl_table_row(out);
	wl_put_i64(out, DEVICE, index);
	put_text(r, out, NAME, d->name);
	/* If some devices are known only by their process, show the process of the others, too. */
	process = d->proven && any_unproven(t) ? only_process(t, index) : d->process;
	if (process != WL_NONE)
		wl_put_i64(out, PID, t->processes[process].pid);
	wl_put_i64(out, ORDINAL, d->ordinal);
	if (d->gpu != WL_NONE) {
		put_model(out, &t->gpus[d->gpu]);
		put_text(r, out, BUS, t->gpus[d->gpu].bus);
		wl_put_i64(out, ID, t->gpus[d->gpu].id);
		seen[d->gpu] = true;
	} else if (alike) {
		put_model(out, &t->gpus[0]);
	}
	put_text(r, out, UUID, d->uuid);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	bool *seen = WL_NEW(r->arena, bool, t->n_gpus);
	size_t n_unproven = 0, n_unused = 0;
	bool alike = all_alike(t);

	if (!seen)
		return wl_no_memory(&wl_analysis_gpus, reterr);
	for (uint32_t i = 0; i < t->n_devices; i++) {
		put_device(r, out, i, alike, seen);
		n_unproven += !t->devices[i].proven;
	}
	for (size_t i = 0; i < t->n_gpus; i++)
		n_unused += !seen[i];
	/* One device alone cannot be the same GPU as another. */
	if (n_unproven > 1)
		wl_table_note(out,
			      "the physical GPUs of %zu devices were not recorded: two of them "
			      "may be the same GPU",
			      n_unproven);
	/* A GPU that seems unused may belong to an unproven device. */
	if (n_unproven == 0 && n_unused)
		wl_table_note(out, "unused GPUs in this machine: %zu", n_unused);
	return WL_OK;
}

/* Answers from facts of several traces. */
static int run_on_facts(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	(void)reterr;
	for (size_t i = 0; i < r->trace->n_devices; i++) {
		wl_table_row(out);
		wl_put_i64(out, DEVICE, (int64_t)i);
		put_text(r, out, NAME, r->trace->devices[i].name);
		put_text(r, out, UUID, r->trace->devices[i].uuid);
	}
	wl_table_note(out, "facts files of several traces contain only GPU models and ids; "
			   "see the facts of one rank for the rest");
	return WL_OK;
}

const struct wl_analysis wl_analysis_gpus = {
	.name = "gpus",
	.help = "List the GPUs that were used",
	.on_host = true,
	.of_file = true,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.facts = WL_FACTS_RUN,
	.run = run,
	.run_on_facts = run_on_facts,
};
