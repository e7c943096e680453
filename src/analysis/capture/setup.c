/* SPDX-License-Identifier: MIT */
/* setup.c - processes, their ranks and coordinates, and their GPUs. */
#include "analysis/axes.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "derive/nvtx/ranks.h"

WL_DECLARE_ANALYSIS(setup);

enum { PID, RANK, MESH, DEVICE, NAME, PROGRAM, THREADS, FIRST, LAST, AXES };

static const struct wl_col cols[] = {
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY, "Process id." },
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_PLAIN, "Rank of the process; empty if unknown." },
	[MESH] = { "mesh", "Mesh", WL_T_STR, WL_PROSE,
		   "Text after the rank in its first range named rank=N: coordinates, sizes." },
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[NAME] = { "name", "Model", WL_T_STR, WL_MINOR, "The GPU's model." },
	[PROGRAM] = { "process_name", "Process", WL_T_STR, WL_MINOR, "Name of the executable." },
	[THREADS] = { "threads", "Threads", WL_T_COUNT, WL_PLAIN,
		      "Threads of the process with CUDA API calls or NVTX ranges." },
	[FIRST] = { "first", "First", WL_T_TIME, WL_ANCHOR | WL_MINOR,
		    "Start of the first operation of the process on the GPU." },
	[LAST] = { "last", "Last", WL_T_TIME, WL_MINOR,
		   "End of the last operation of the process on the GPU." },
	WL_AXIS_COLS(AXES),
};

static const enum wl_column_id needs_any[] = { WL_OP_STARTS, WL_N_COLUMNS };

static const enum wl_column_id uses[] = { WL_API_THREAD, WL_N_COLUMNS };

static const struct wl_alias aliases[] = {
	{ "show_setup", { { "columns", "pid,rank,device,mesh" }, { "limit", "0" } } },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens setup run.sqlite", "Which rank ran on which GPU." },
	{ NULL, NULL },
};

/* What a process did at a place, within the scope. */
struct extent {
	bool any;
	wl_ns first, last;
};

static void widen(struct extent *e, wl_ns first, wl_ns last)
{
	e->first = e->any && e->first < first ? e->first : first;
	e->last = e->any && e->last > last ? e->last : last;
	e->any = true;
}

/* Indexed by place, of which there are few: a pass over millions of operations needs no lookup. */
static void find_extents(const struct wl_run *r, struct extent *by_place)
{
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops ops = wl_trace_ops(r->trace, wl_op_families[f]);

		for (size_t i = 0; i < ops.n; i++) {
			wl_ns start, end;

			if (wl_op_clip(r->trace, r->scope, &ops, i, &start, &end))
				widen(&by_place[ops.place[i]], start, end);
		}
	}
}

static bool count_threads(const struct wl_run *r, int64_t *n_threads)
{
	const struct wl_trace *t = r->trace;
	const struct wl_range_names *names = r->derived->range_names;
	bool *is_active = WL_NEW(r->arena, bool, t->n_threads);

	if (!is_active)
		return false;
	for (size_t i = 0; i < t->family[WL_F_API].n; i++)
		is_active[wl_api_thread(t)[i]] = true;
	for (size_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		if (names->of[i] != WL_NONE)
			is_active[wl_nvtx_thread(t)[i]] = true;
	}
	for (size_t i = 0; i < t->n_threads; i++)
		n_threads[t->threads[i].process] += is_active[i];
	return true;
}

struct facts {
	const struct wl_ranks *ranks;
	int64_t *n_threads; /* by process */
};

static void put_row(const struct wl_run *r, const struct facts *f, const struct wl_place *place,
		    const struct extent *e, struct wl_table *out)
{
	const struct wl_process *p = &r->trace->processes[place->process];
	const struct wl_device *d = &r->trace->devices[place->device];
	const char *mesh = r->derived->meshes->of[place->process].label;

	wl_table_row(out);
	wl_put_i64(out, PID, p->pid);
	if (f->ranks->of[place->process] >= 0)
		wl_put_i64(out, RANK, f->ranks->of[place->process]);
	wl_put_str(out, MESH, mesh && *mesh ? mesh : NULL);
	wl_put_i64(out, DEVICE, place->device);
	wl_put_str(out, NAME, d->name == WL_NONE ? NULL : wl_str(r->trace, d->name));
	wl_put_str(out, PROGRAM, p->name == WL_NONE ? NULL : wl_str(r->trace, p->name));
	wl_put_i64(out, THREADS, f->n_threads[place->process]);
	wl_put_i64(out, FIRST, e->first);
	wl_put_i64(out, LAST, e->last);
	wl_put_axes(out, AXES, r, place->process);
}

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct wl_place *places = ctx;

	if (places[a].process != places[b].process)
		return places[a].process < places[b].process;
	return places[a].device < places[b].device;
}

/* Put one row for all places of a process on a device. */
static bool put_rows(const struct wl_run *r, const struct facts *f, struct wl_table *out)
{
	const struct wl_trace *t = r->trace;
	struct extent *by_place = WL_NEW(r->arena, struct extent, t->n_places);
	uint32_t *order = WL_NEW(r->arena, uint32_t, t->n_places);
	uint32_t *tmp = WL_NEW(r->arena, uint32_t, t->n_places);
	size_t n = 0;

	if (!by_place || !order || !tmp)
		return false;
	find_extents(r, by_place);
	for (uint32_t i = 0; i < t->n_places; i++) {
		if (by_place[i].any)
			order[n++] = i;
	}
	wl_sort_index(order, n, tmp, place_less, t->places);
	for (size_t i = 0; i < n;) {
		struct extent e = { .any = false };
		size_t begin = i;

		for (; i < n && !place_less(t->places, order[begin], order[i]); i++)
			widen(&e, by_place[order[i]].first, by_place[order[i]].last);
		put_row(r, f, &t->places[order[begin]], &e, out);
	}
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct facts f = { .ranks = r->derived->ranks,
				 .n_threads = WL_NEW(r->arena, int64_t, r->trace->n_processes) };

	if (!f.n_threads || !count_threads(r, f.n_threads) || !put_rows(r, &f, out))
		return wl_no_memory(&wl_analysis_setup, reterr);
	return WL_OK;
}

static const struct wl_form forms[] = { { WL_FORM("ranks", "map") },
					{ WL_FORM("info", "section"), .value = "setup" },
					{ .verb = NULL } };

const struct wl_analysis wl_analysis_setup = {
	.name = "setup",
	.topic = WL_TOPIC_TIME,
	.forms = forms,
	.help = "List which process and rank ran on which GPU",
	.about = "One row per process that used a GPU and device. The rank comes from the patterns "
		 "of "
		 "the convention, an NVTX range named rank=N, MPI data, the environment or the "
		 "file name; the first that states it counts. mesh is the text after the rank in "
		 "the first range named rank=N, such as pp=1/4 dp=0/2; mbs=1 seq=4096. first and "
		 "last refer to the window and the selection, threads to the whole trace. Rows are "
		 "sorted by process and device.",
	.needs_any = needs_any,
	.uses = uses,
	.from = WL_FROM(RANGE_NAMES) | WL_FROM(RANKS) | WL_FROM(MESHES),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
