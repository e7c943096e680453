/* SPDX-License-Identifier: MIT */
/* iters_input.c - collects operations and launches by process, for all ways to find iterations. */
#include "base/memory/compare.h"
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "derive/rows/ops.h"
#include "derive/rows/stats.h"

/* By process. */
struct rooms {
	struct wl_iter_op **op;
	uint8_t **is_copy;
	struct wl_iter_run **run;
};

static bool make_rooms(struct wl_iter_input *in, const struct rooms *to, struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	size_t *n_ops = WL_NEW(arena, size_t, t->n_processes);
	size_t *n_runs = WL_NEW(arena, size_t, t->n_processes), all = 0, all_runs = 0;
	struct wl_iter_op *ops;
	struct wl_iter_run *runs;
	uint8_t *copies;

	if (!n_ops || !n_runs)
		return false;
	for (size_t f = 0; f < WL_N_OP_FAMILIES; f++) {
		struct wl_ops family = wl_trace_ops(t, wl_op_families[f]);

		for (size_t i = 0; i < family.n; i++)
			n_ops[t->places[family.place[i]].process]++;
		all += family.n;
	}
	/* An upper bound: a run is a device, and a process may use several of its streams. */
	for (size_t i = 0; i < t->n_places; i++)
		n_runs[t->places[i].process]++;
	ops = WL_NEW(arena, struct wl_iter_op, all);
	runs = WL_NEW(arena, struct wl_iter_run, t->n_places);
	copies = WL_NEW(arena, uint8_t, all);
	if (!ops || !runs || !copies)
		return false;
	all = 0;
	for (size_t i = 0; i < t->n_processes; i++) {
		to->op[i] = ops + all;
		to->is_copy[i] = copies + all;
		to->run[i] = runs + all_runs;
		in->process[i].op = to->op[i];
		in->process[i].is_copy = to->is_copy[i];
		in->process[i].run = to->run[i];
		all += n_ops[i];
		all_runs += n_runs[i];
	}
	return true;
}

static wl_ns launch_of(const struct wl_trace *t, const struct wl_links *links,
		       const struct wl_op *op)
{
	uint32_t call = wl_link_of(links, op->kind, op->row);

	return call == WL_NONE ? WL_NO_TIME : wl_api_start(t)[call];
}

/* Devices are visited in order, which keeps the operations of a process on one device together. */
static bool fill_ops(struct wl_iter_input *in, const struct wl_links *links, struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	const struct rooms to = { WL_NEW(arena, struct wl_iter_op *, t->n_processes),
				  WL_NEW(arena, uint8_t *, t->n_processes),
				  WL_NEW(arena, struct wl_iter_run *, t->n_processes) };

	if (!to.op || !to.is_copy || !to.run || !make_rooms(in, &to, arena))
		return false;
	for (uint32_t d = 0; d < t->n_devices; d++) {
		struct wl_op_cursor cursor;
		struct wl_op o;

		wl_ops_begin(t, d, &cursor);
		while (wl_ops_next(&cursor, &o)) {
			uint32_t p = t->places[o.place].process;
			struct wl_iter_process *ip = &in->process[p];

			if (ip->n_runs == 0 || to.run[p][ip->n_runs - 1].device != d)
				to.run[p][ip->n_runs++] = (struct wl_iter_run){ d, ip->n, ip->n };
			to.is_copy[p][ip->n] = o.kind == WL_OP_MEMCPY || o.kind == WL_OP_MEMSET;
			to.op[p][ip->n++] =
				(struct wl_iter_op){ o.start, o.end, launch_of(t, links, &o) };
			to.run[p][ip->n_runs - 1].hi = ip->n;
		}
	}
	return true;
}

static void add_busy(struct wl_iter_process *p)
{
	for (size_t r = 0; r < p->n_runs; r++) {
		struct wl_busy b = { 0, INT64_MIN };

		for (size_t i = p->run[r].lo; i < p->run[r].hi; i++)
			wl_busy_add(&b, p->op[i].start, p->op[i].end);
		p->busy = wl_add_up(p->busy, b.sum);
	}
}

enum { NO_LAUNCH = -1 };

/* By API row: the total duration of what it launched; NO_LAUNCH if it launched nothing. */
static wl_ns *sum_by_call(const struct wl_trace *t, const struct wl_links *links,
			  struct wl_arena *arena)
{
	size_t n = t->family[WL_F_API].n;
	wl_ns *sum = WL_NEW(arena, wl_ns, n);

	for (size_t i = 0; sum && i < n; i++)
		sum[i] = NO_LAUNCH;
	for (unsigned kind = 0; sum && kind < WL_N_OP_FAMILIES; kind++) {
		struct wl_ops ops = wl_trace_ops(t, wl_op_families[kind]);

		for (size_t i = 0; i < ops.n; i++) {
			uint32_t call = wl_link_of(links, (enum wl_op_kind)kind, i);

			if (call != WL_NONE)
				sum[call] = wl_add_up(sum[call] == NO_LAUNCH ? 0 : sum[call],
						      wl_dur(ops.family, ops.dur, i));
		}
	}
	return sum;
}

WL_LESS(call_less, wl_ns)

/* Merge the calls of a process's threads, each in order, into its launches. */
static bool order_launches(const struct wl_trace *t, struct wl_iter_process *p, uint32_t *calls,
			   uint32_t *tmp, const wl_ns *by_call, struct wl_arena *arena)
{
	wl_ns *launch = WL_NEW(arena, wl_ns, p->n_launches);
	wl_ns *sum = WL_NEW(arena, wl_ns, p->n_launches + 1);

	if (!launch || !sum)
		return false;
	/* Each thread is in order already; this merges runs. */
	wl_sort_index(calls, p->n_launches, tmp, call_less, wl_api_start(t));
	for (size_t i = 0; i < p->n_launches; i++) {
		launch[i] = wl_api_start(t)[calls[i]];
		/* Prefix sums: the total for the launches in any range is the difference of two of
		 * them. */
		sum[i + 1] = wl_add_up(sum[i], by_call[calls[i]]);
	}
	p->launch = launch;
	p->sum = sum;
	return true;
}

static bool fill_launches(struct wl_iter_input *in, const struct wl_links *links,
			  struct wl_arena *arena, struct wl_arena *scratch)
{
	const struct wl_trace *t = in->trace;
	size_t n = t->family[WL_F_API].n, at = 0;
	const wl_ns *by_call = sum_by_call(t, links, scratch);
	uint32_t *calls = WL_NEW(scratch, uint32_t, n), *tmp = WL_NEW(scratch, uint32_t, n);
	uint32_t **next = WL_NEW(scratch, uint32_t *, t->n_processes);

	if (!by_call || !calls || !tmp || !next)
		return false;
	for (size_t i = 0; i < n; i++)
		in->process[t->threads[wl_api_thread(t)[i]].process].n_launches +=
			by_call[i] != NO_LAUNCH;
	for (size_t p = 0; p < t->n_processes; p++) {
		next[p] = calls + at;
		at += in->process[p].n_launches;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (by_call[i] != NO_LAUNCH)
			*next[t->threads[wl_api_thread(t)[i]].process]++ = i;
	}
	for (size_t p = 0; p < t->n_processes; p++) {
		struct wl_iter_process *ip = &in->process[p];

		if (!order_launches(t, ip, next[p] - ip->n_launches, tmp, by_call, arena))
			return false;
	}
	return true;
}

bool wl_iter_input_fill(struct wl_iter_input *in, struct wl_arena *arena)
{
	const struct wl_trace *t = in->trace;
	const struct wl_links *links = in->derived->links;
	struct wl_arena scratch;
	bool ok = true;

	in->process = WL_NEW(arena, struct wl_iter_process, t->n_processes);
	if (!in->process || !fill_ops(in, links, arena))
		return false;
	for (size_t p = 0; p < t->n_processes; p++)
		add_busy(&in->process[p]);
	if (in->names) {
		wl_arena_init_child(&scratch, arena);
		ok = fill_launches(in, links, arena, &scratch);
		wl_arena_release(&scratch);
	}
	return ok;
}
