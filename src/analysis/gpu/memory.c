/* SPDX-License-Identifier: MIT */
/* memory.c - memory that CUDA allocated and freed on each GPU: in use, peak, largest allocation. */
#include "analysis/words/step_words.h"
#include "derive/use/memory_use.h"

#include "analysis/analysis.h"
#include "derive/derived.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(memory);

enum {
	DEVICE,
	KIND,
	ITER,
	ALLOCS,
	FREES,
	ALLOCATED,
	IN_USE,
	PEAK,
	PEAK_AT,
	LARGEST,
	FREED,
	BEFORE,
	PID,
	ORDINAL,
	POOL_SIZE,
	POOL_USED,
	POOL_UNUSED,
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY,
		     "Device, numbered as in info; empty for one on which the process ran "
		     "nothing." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY,
		   "Kind of the memory: device, managed, pinned (of the host), ..." },
	[ITER] = { "iter", "Step", WL_T_COUNT, WL_KEY,
		   "Step of the process, by step only; empty for the time before the first." },
	[ALLOCS] = { "allocs", "Allocs", WL_T_COUNT, WL_SUM, "Allocations." },
	[FREES] = { "frees", "Frees", WL_T_COUNT, WL_SUM, "Frees." },
	[ALLOCATED] = { "allocated", "Allocated", WL_T_BYTES, WL_SUM, "Bytes allocated." },
	[IN_USE] = { "in_use", "In use", WL_T_BYTES, WL_PLAIN, "Bytes in use at the end." },
	[PEAK] = { "peak", "Peak", WL_T_BYTES, WL_PLAIN, "Most bytes in use." },
	[PEAK_AT] = { "peak_at", "Peak at", WL_T_TIME, WL_ANCHOR,
		      "When the peak is first reached; empty if at the begin." },
	[LARGEST] = { "largest", "Largest", WL_T_BYTES, WL_PLAIN, "Largest allocation." },
	[FREED] = { "freed", "Freed", WL_T_BYTES, WL_SUM | WL_MINOR, "Bytes freed." },
	[BEFORE] = { "before", "Before", WL_T_BYTES, WL_MINOR,
		     "Bytes in use at the begin, as far as known." },
	[PID] = { "pid", "PID", WL_T_COUNT, WL_KEY | WL_MINOR,
		  "The process; by step, and without a GPU." },
	[ORDINAL] = { "ordinal", "Ordinal", WL_T_COUNT, WL_KEY | WL_MINOR,
		      "The process's number of the GPU, where it is no device." },
	[POOL_SIZE] = { "pool_size", "Pool", WL_T_BYTES, WL_PLAIN,
			"Most bytes that a CUDA memory pool holds; only where one is used." },
	[POOL_USED] = { "pool_used", "Pool used", WL_T_BYTES, WL_PLAIN,
			"Bytes of it that are in use then." },
	[POOL_UNUSED] = { "pool_unused", "Pool unused", WL_T_RATIO, WL_PLAIN,
			  "The rest over the bytes that it holds: freed memory that the pool "
			  "keeps, or that is too fragmented to use." },
};

enum { BY };
enum facet { BY_GPU, BY_STEP };
static const char *const facets[] = { "gpu", "step", NULL };

static const struct wl_param params[] = {
	[BY] = { .key = "by",
		 .type = WL_P_ENUM,
		 .def = "gpu",
		 .choices = facets,
		 .help = "The whole window, or each step of a process." },
};

static const enum wl_column_id needs[] = { WL_MEM_EVENTS_TIME, WL_MEM_EVENTS_BYTES, WL_N_COLUMNS };

/* Devices and their windows are derived from operations, which a trace may lack. */
static const enum wl_column_id ops[] = { WL_OP_STARTS, WL_N_COLUMNS };

static void want(const union wl_arg *arg, struct wl_wanted *wanted)
{
	wl_want(wanted, arg[BY].i64 == BY_STEP ? WL_FROM(ITERATIONS) : 0, ops);
}

static uint64_t hidden(const union wl_arg *arg)
{
	return arg[BY].i64 == BY_STEP ? 0 : UINT64_C(1) << ITER;
}

static const struct wl_alias aliases[] = {
	{ .name = "cuda_memory_usage" },
	{ .name = NULL },
};

static const struct wl_example examples[] = {
	{ "warplens memory run.sqlite", "How much memory was in use at most, and when." },
	{ "warplens memory run.sqlite --by step --where 'kind = device'",
	  "Whether memory grows from step to step." },
	{ NULL, NULL },
};

struct listing {
	const struct wl_run *r;
	struct wl_memory_use use;
	struct wl_table *out;
	bool has_pool;
	bool was_before; /* memory was in use before the first event */
};

static void put_row(struct listing *l, const struct wl_memory_pool *p, uint32_t iter,
		    const struct wl_memory_sum *s)
{
	const char *kind = wl_memory_kind_name(p->kind);
	struct wl_table *out = l->out;

	wl_table_row(out);
	if (p->device != WL_NONE)
		wl_put_i64(out, DEVICE, p->device);
	wl_put_str(out, KIND, kind ? kind : "unknown");
	if (iter != WL_NONE)
		wl_put_i64(out, ITER, iter);
	if (p->process != WL_NONE)
		wl_put_i64(out, PID, l->r->trace->processes[p->process].pid);
	if (p->ordinal != WL_NONE)
		wl_put_i64(out, ORDINAL, p->ordinal);
	wl_put_i64(out, ALLOCS, (int64_t)s->allocs);
	wl_put_i64(out, FREES, (int64_t)s->frees);
	wl_put_i64(out, ALLOCATED, s->allocated);
	wl_put_i64(out, FREED, s->freed);
	wl_put_i64(out, BEFORE, s->before);
	wl_put_i64(out, IN_USE, s->after);
	wl_put_i64(out, PEAK, s->peak);
	if (s->peak_at != WL_NO_TIME)
		wl_put_i64(out, PEAK_AT, s->peak_at);
	if (s->allocs)
		wl_put_i64(out, LARGEST, s->largest);
	l->was_before |= p->at_first > 0;
	if (s->pool_size < 0)
		return;
	l->has_pool = true;
	wl_put_i64(out, POOL_SIZE, s->pool_size);
	wl_put_i64(out, POOL_USED, s->pool_used);
	wl_put_ratio(out, POOL_UNUSED, s->pool_size - s->pool_used, s->pool_size);
}

/* A step lasts until the host begins the next one. */
static void put_steps(struct listing *l, const struct wl_memory_pool *p, struct wl_interval window)
{
	const struct wl_process_iters *iters = &l->r->derived->iterations->process[p->process];
	/* The walk continues from step to step: all steps of a pool take one pass over its
	 * events. */
	struct wl_memory_walk walk = wl_memory_begin(p);
	uint32_t iter = WL_NONE;
	wl_ns begin = window.begin;

	for (size_t i = 0; iters->n && i <= iters->n; i++) {
		uint32_t next = WL_NONE;
		wl_ns end = i < iters->n ? wl_memory_step(iters, i, &next) : window.end;
		struct wl_interval at = { begin, end < window.end ? end : window.end };

		/* Steps outside the window are skipped. */
		if (at.begin < at.end) {
			struct wl_memory_sum s =
				wl_memory_measure(l->r->trace, &l->use, p, &walk, at);

			/*
			 * The time before the first step is not a step: it gets a row only if it
			 * has events.
			 */
			if (iter != WL_NONE || s.allocs || s.frees)
				put_row(l, p, iter, &s);
		}
		begin = end > begin ? end : begin;
		iter = next;
	}
}

static void put_pool(struct listing *l, const struct wl_memory_pool *p, enum facet by)
{
	struct wl_memory_walk walk = wl_memory_begin(p);
	struct wl_interval window;

	if (!wl_memory_window(l->r->scope, p, &window))
		return;
	if (by == BY_STEP) {
		put_steps(l, p, window);
	} else {
		struct wl_memory_sum s = wl_memory_measure(l->r->trace, &l->use, p, &walk, window);

		put_row(l, p, WL_NONE, &s);
	}
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct listing l = { .r = r, .out = out };
	enum facet by = (enum facet)r->arg[BY].i64;

	if (by == BY_STEP && r->derived->iterations->n_found == 0)
		return wl_fail(reterr, WL_E_NODATA, "--by step: %s", wl_no_iterations);
	if (!wl_memory_use_find(r->trace, by == BY_STEP, r->arena, &l.use))
		return wl_no_memory(&wl_analysis_memory, reterr);
	for (size_t i = 0; i < l.use.n; i++)
		put_pool(&l, &l.use.pool[i], by);
	for (unsigned i = POOL_SIZE; !l.has_pool && i <= POOL_UNUSED; i++)
		wl_table_hide(out, i);
	if (l.was_before)
		wl_table_note(out, "some memory was allocated before the capture: it counts as in "
				   "use from the start, so usage is a lower bound");
	return WL_OK;
}

const struct wl_analysis wl_analysis_memory = {
	.name = "memory",
	.topic = WL_TOPIC_TIME,
	.listed = { .level = WL_LEVEL_SECOND, .line = "GPU memory in use, peak and growth" },
	.help = "Show GPU memory in use: allocations, peak and growth",
	.about = "Memory that CUDA calls allocate and free, by GPU and kind of memory. A caching "
		 "allocator (PyTorch, JAX) asks CUDA for large blocks and keeps them: the trace "
		 "does not say how much of a block the framework uses. Memory of the driver "
		 "(contexts, modules) is not recorded either. With --by step, a step lasts until "
		 "the host begins the next one, and memory is that of its process. Without "
		 "--window every allocation of the trace counts.",
	.needs = needs,
	.from = WL_FROM(MEMORY_USE),
	.want = want,
	.hidden = hidden,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
	.examples = examples,
	.run = run,
};
