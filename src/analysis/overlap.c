/* overlap.c - where each nanosecond of each device's window went. */
#include "analysis/analysis.h"
#include "base/pool.h"
#include "derive/derived.h"
#include "derive/sweep.h"

enum {
	DEVICE,
	NAME,
	WINDOW,
	COMPUTE,
	EXPOSED_COMM,
	EXPOSED_COPY,
	IDLE,
	BUSY_SHARE,
	BUSY,
	KERNEL_BUSY,
	COMM,
	OVERLAPPED_COMM,
	OVERLAP,
	COPY,
	OVERLAPPED_COPY
};

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "Device, numbered as in info." },
	[NAME] = { "name", "Model", WL_T_STR, WL_MINOR, "The GPU's model." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_SUM, "Length of the device's window." },
	[COMPUTE] = { "compute", "Compute", WL_T_NS, WL_SUM,
		      "Time with a compute kernel, memory set or graph replay under way." },
	[EXPOSED_COMM] = { "exposed_comm", "Exp. comm", WL_T_NS, WL_SUM,
			   "Time with communication under way and no compute." },
	[EXPOSED_COPY] = { "exposed_copy", "Exp. copy", WL_T_NS, WL_SUM,
			   "Time with a copy under way and neither compute nor communication." },
	[IDLE] = { "idle", "Idle", WL_T_NS, WL_SUM, "Time with nothing under way." },
	[BUSY_SHARE] = { "busy_share", "Busy", WL_T_RATIO, WL_PLAIN, "Busy time over the window." },
	[BUSY] = { "busy", "Busy time", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time with anything under way." },
	[KERNEL_BUSY] = { "kernel_busy", "Kernels", WL_T_NS, WL_SUM | WL_MINOR,
			  "Time with a kernel under way, of either class." },
	[COMM] = { "comm", "Comm", WL_T_NS, WL_SUM | WL_MINOR,
		   "Time with communication under way." },
	[OVERLAPPED_COMM] = { "overlapped_comm", "Comm hidden", WL_T_NS, WL_SUM | WL_MINOR,
			      "Time with communication and compute under way together." },
	[OVERLAP] = { "overlap", "Overlap", WL_T_RATIO, WL_MINOR,
		      "Hidden communication over all communication." },
	[COPY] = { "copy", "Copy", WL_T_NS, WL_SUM | WL_MINOR, "Time with a copy under way." },
	[OVERLAPPED_COPY] = { "overlapped_copy", "Copy hidden", WL_T_NS, WL_SUM | WL_MINOR,
			      "Time with a copy and compute or communication under way together." },
};

static const enum wl_column_id needs_any[] = { WL_KERNELS_START, WL_MEMCPYS_START, WL_MEMSETS_START,
					       WL_GRAPHS_START, WL_N_COLUMNS };

static const enum wl_column_id uses[] = {
	WL_CLASS_COLUMNS,
	WL_N_COLUMNS,
};

static const struct wl_example examples[] = {
	{ "warplens overlap run.sqlite", "Where the time of each GPU went." },
	{ "warplens overlap run.sqlite --window +1ms..+5ms", "The same for a part of the trace." },
	{ NULL, NULL },
};

/*
 * What graph replays hide: communication inside them counts as compute. So the
 * numbers of communication are those of traced kernels, and absent if there is none.
 */
static void put_row(struct wl_table *out, const struct wl_run *r, uint32_t device,
		    const struct wl_usage *u)
{
	struct wl_interval w = r->scope->device[device];
	const struct wl_device *d = &r->trace->devices[device];
	wl_ns comm = wl_usage_any(u, WL_ON_COMM);
	wl_ns exposed = wl_usage_without(u, WL_ON_COMM, WL_ON_COMPUTE);
	wl_ns copy = wl_usage_any(u, WL_ON_COPY);
	wl_ns exposed_copy = wl_usage_without(u, WL_ON_COPY, WL_ON_COMPUTE | WL_ON_COMM);
	wl_ns busy = wl_usage_any(u, WL_ON_COMPUTE | WL_ON_COMM | WL_ON_COPY);

	wl_table_row(out);
	wl_put_i64(out, DEVICE, device);
	wl_put_str(out, NAME, d->name == WL_NONE ? NULL : wl_str(r->trace, d->name));
	wl_put_i64(out, WINDOW, w.end - w.begin);
	wl_put_i64(out, COMPUTE, wl_usage_any(u, WL_ON_COMPUTE));
	wl_put_i64(out, EXPOSED_COPY, exposed_copy);
	wl_put_i64(out, IDLE, u->ns[0]);
	wl_put_ratio(out, BUSY_SHARE, busy, w.end - w.begin);
	wl_put_i64(out, BUSY, busy);
	wl_put_i64(out, KERNEL_BUSY, wl_usage_any(u, WL_ON_KERNEL));
	wl_put_i64(out, COPY, copy);
	wl_put_i64(out, OVERLAPPED_COPY, copy - exposed_copy);
	if (u->n_graphs && !u->n_comm)
		return;
	wl_put_i64(out, EXPOSED_COMM, exposed);
	wl_put_i64(out, COMM, comm);
	wl_put_i64(out, OVERLAPPED_COMM, comm - exposed);
	wl_put_ratio(out, OVERLAP, comm - exposed, comm);
}

/* Of those in the scope: the answer speaks of no others. */
static size_t count_comm_copies(const struct wl_run *r, const struct wl_classes *classes)
{
	struct wl_ops ops = wl_trace_ops(r->trace, WL_F_MEMCPYS);
	size_t n = 0;

	for (size_t i = 0; classes->copy_is_comm && i < ops.n; i++) {
		wl_ns start, end;

		n += classes->copy_is_comm[i] &&
		     wl_op_clip(r->trace, r->scope, &ops, i, &start, &end);
	}
	return n;
}

struct sweeping {
	const struct wl_run *run;
	const struct wl_classes *classes;
	struct wl_usage *usage; /* by device */
};

static bool sweep_device(void *ctx, size_t i, struct wl_arena *arena)
{
	const struct sweeping *s = ctx;
	const struct wl_run *r = s->run;

	(void)arena;
	if (r->scope->device_on[i])
		wl_sweep_usage(r->trace, r->scope, s->classes, (uint32_t)i, &s->usage[i]);
	return true;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	size_t n_devices = r->trace->n_devices, n_graphs = 0, n_copies;
	struct wl_usage *usage = WL_NEW(r->arena, struct wl_usage, n_devices);
	const struct wl_classes *classes = wl_derived_classes(r->derived);

	if (!usage || !classes ||
	    !wl_pool_map(r->pool, n_devices, sweep_device, &(struct sweeping){ r, classes, usage },
			 r->arena))
		return wl_no_memory(&wl_analysis_overlap, reterr);
	for (uint32_t d = 0; d < n_devices; d++) {
		if (!r->scope->device_on[d])
			continue;
		put_row(out, r, d, &usage[d]);
		n_graphs += usage[d].n_graphs;
	}
	if (n_graphs)
		wl_table_note(out,
			      "%zu CUDA graph replays were recorded whole: they count as compute, "
			      "so communication and idle time are lower bounds; record with "
			      "--cuda-graph-trace=node to see inside",
			      n_graphs);
	n_copies = count_comm_copies(r, classes);
	if (n_copies)
		wl_table_note(out, "copies inside NCCL calls, which count as communication: %zu",
			      n_copies);
	return WL_OK;
}

const struct wl_analysis wl_analysis_overlap = {
	.name = "overlap",
	.help = "Account for each GPU's time: compute, exposed communication, copies, idle",
	.about =
		"Every nanosecond of a device's window has one owner. compute + exposed_comm + "
		"exposed_copy + idle is the window, exactly. Communication is what kernels with "
		"known names do (NCCL, custom all-reduces, NVSHMEM, DeepEP and others), and copies "
		"between devices inside NCCL calls.",
	.needs_any = needs_any,
	.uses = uses,
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
