/* SPDX-License-Identifier: MIT */
/*
 * low_nvtx_coverage.c - a rule: the trace has NVTX ranges, but too much of the GPU's work is
 * outside them. Names the GPU, the launching thread and the largest kernel.
 */
#include "base/text/units.h"
#include "derive/calls/launch.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "findings/nvtx_calls.h"
#include "findings/rule.h"

WL_DECLARE_RULE(low_nvtx_coverage);

/* Kernel time in the window, and the part launched outside all ranges. */
struct measured {
	double all, outside;
	double *by_device;
	/* Of the device with most of it: */
	double *by_thread, *by_kernel;
	bool has_inside; /* some of its kernels are in ranges */
};

/* Whether a call is inside a range, bridging included. */
static bool is_inside(const struct wl_forest *forest, uint32_t call)
{
	return call != WL_NONE &&
	       (forest->of_call[call] != WL_NONE || forest->above[call] != WL_NONE);
}

static uint32_t device_of(const struct wl_trace *t, const struct wl_ops *ops, size_t row)
{
	return t->places[ops->place[row]].device;
}

/* device WL_NONE: sum by device; else sum by thread and kernel of this device. */
static void add_up(const struct wl_rule_state *d, uint32_t device, struct measured *m)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t call = wl_link_of(d->run->derived->links, WL_OP_KERNEL, i);
		wl_ns start, end;

		if (!wl_op_clip(t, d->run->scope, &ops, i, &start, &end))
			continue;
		m->all += device == WL_NONE ? (double)(end - start) : 0;
		if (is_inside(d->run->derived->forest, call)) {
			m->has_inside = m->has_inside || device_of(t, &ops, i) == device;
			continue;
		}
		if (device == WL_NONE) {
			m->outside += (double)(end - start);
			m->by_device[device_of(t, &ops, i)] += (double)(end - start);
		} else if (device_of(t, &ops, i) == device) {
			m->by_kernel[wl_kernels_name(t)[i]] += (double)(end - start);
			if (call != WL_NONE)
				m->by_thread[wl_api_thread(t)[call]] += (double)(end - start);
		}
	}
}

static uint32_t largest(const double *sum, size_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < n; i++)
		most = sum[i] > sum[most] ? i : most;
	return most;
}

/* Of equals, the thread with the lowest id: thread order depends on which rows are loaded. */
static uint32_t busiest_thread(const struct wl_trace *t, const double *sum)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < t->n_threads; i++) {
		if (sum[i] > sum[most] ||
		    (sum[i] == sum[most] && t->threads[i].global < t->threads[most].global))
			most = i;
	}
	return most;
}

static bool has_calls(const struct wl_trace *t, const struct measured *m)
{
	return t->n_threads && m->by_thread[busiest_thread(t, m->by_thread)] > 0;
}

/* ", launched by thread 1234 (python)"; kernels without a recorded call have no thread. */
static const char *say_thread(struct wl_rule_state *d, const struct measured *m, double whole)
{
	const struct wl_trace *t = d->run->trace;
	uint32_t most = busiest_thread(t, m->by_thread);
	const struct wl_thread *thread;
	char share[WL_UNITS_BUF];
	const char *name;

	if (t->family[WL_F_API].n == 0)
		return ", because the trace has no CUDA API calls";
	if (!has_calls(t, m))
		return wl_calls_have_ids(t) ? ", whose launch calls are not recorded"
					    : ", because CUDA API calls have no correlation ids";
	thread = &t->threads[most];
	name = thread->name == WL_NONE
		       ? ""
		       : wl_say(d, " (%s)", wl_say_detail(d, wl_str(t, thread->name), "?"));
	if (!name || m->by_thread[most] >= 0.9995 * whole)
		return name ? wl_say(d, ", launched by thread %u%s", thread->tid, name) : NULL;
	return wl_say(d, ", %s of it launched by thread %u%s",
		      wl_fmt_share(share, m->by_thread[most] / whole), thread->tid, name);
}

static const char *say(struct wl_rule_state *d, const struct measured *m, uint32_t device)
{
	const struct wl_trace *t = d->run->trace;
	double whole = m->by_device[device];
	uint32_t kernel = largest(m->by_kernel, t->n_kernel_names);
	char share[WL_UNITS_BUF], time[WL_UNITS_BUF], part[WL_UNITS_BUF];
	const char *thread = say_thread(d, m, whole);

	return thread ? wl_say(d,
			       "%s of the kernel time is outside NVTX ranges" WL_STOP
			       ": %s on GPU %u%s" WL_STOP "; largest "
			       "kernel: %s (%s)",
			       m->outside >= 0.9995 * m->all
				       ? "All"
				       : wl_fmt_share(share, m->outside / m->all),
			       wl_fmt_ns(time, (wl_ns)whole, WL_UNIT_AUTO), device, thread,
			       wl_say_kernel(d, kernel),
			       wl_fmt_share(part, m->by_kernel[kernel] / whole))
		      : NULL;
}

static const struct wl_advice unlinked = {
	.action = "Start the capture before their launches",
	.advice = "Their launch calls are not recorded. A kernel belongs to the range around its "
		  "launch call (nsys profile --trace=cuda,nvtx).",
};

static const struct wl_advice without_ids = {
	.action = "Export the report again with a newer nsys",
	.advice =
		"Calls need correlation ids: a kernel belongs to the range around its launch call, "
		"which its correlation id names; \"nsys export --type sqlite\" writes them.",
};

static const struct wl_advice without_calls = {
	.action = "Record CUDA API calls: add cuda to --trace",
	.advice = "A kernel belongs to the range around its launch call.",
};

static bool apply(const struct wl_rule *rule, struct wl_rule_state *d)
{
	const struct wl_trace *t = d->run->trace;
	struct wl_arena *arena = d->run->arena;
	struct wl_finding f = { .kind = WL_FINDING_TRACE, .share = -1 };
	struct measured m = { .by_device = WL_NEW(arena, double, t->n_devices),
			      .by_thread = WL_NEW(arena, double, t->n_threads),
			      .by_kernel = WL_NEW(arena, double, t->n_kernel_names) };
	uint32_t device;

	if (!m.by_device || !m.by_thread || !m.by_kernel)
		return false;
	if (d->run->derived->forest->n == 0 || !wl_kernels_name(t))
		return true; /* without ranges, "what this trace cannot answer" says so */
	add_up(d, WL_NONE, &m);
	if (m.all <= 0 || m.all - m.outside >= d->min_coverage * m.all)
		return true;
	device = largest(m.by_device, t->n_devices);
	add_up(d, device, &m);
	if (!has_calls(t, &m))
		f.fix = t->family[WL_F_API].n == 0 ? without_calls
			: wl_calls_have_ids(t)     ? unlinked
						   : without_ids;
	f.sentence = say(d, &m, device);
	/* If no kernel is in a range, nvtx-kernels would be empty. */
	f.evidence = wl_cmdline_on(
		(struct wl_cmdline){ .verb = m.has_inside ? "nvtx-kernels" : "kernels" }, device);
	return wl_rule_state_put_plain(d, rule, &f);
}

static const enum wl_column_id columns[] = { WL_KERNELS_NAME, WL_API_THREAD, WL_API_CORR,
					     WL_N_COLUMNS };

const struct wl_rule wl_rule_low_nvtx_coverage = {
	.columns = columns,
	.code = "low-nvtx-coverage",
	.title = "Much of the kernel time is outside NVTX ranges",
	.fix = {
		.action = "Put NVTX ranges around the phases of a step",
		.advice = "Add them on every thread that launches kernels.",
		.in = WL_NVTX_CALLS,
	},
	.limits = "Stages and ranges describe the covered part only.",
	.apply = apply,
};
