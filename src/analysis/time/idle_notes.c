/* SPDX-License-Identifier: MIT */
#include "analysis/time/idle_notes.h"

#include "base/text/units.h"

void wl_idle_trust_add(struct wl_idle_trust *trust, const struct wl_trace *trace,
		       const struct wl_idle *idle, const struct wl_gap *gap,
		       struct wl_interval window)
{
	uint32_t process = trace->places[gap->after.place].process;

	trust->n_gaps++;
	trust->n_linked += gap->call != WL_NONE;
	trust->n_opened += gap->opener != WL_NONE;
	trust->faultless = trust->faultless || wl_idle_is_between_migrations(idle, gap);
	/*
	 * One such part is enough for the note: after it, no more parts are examined.
	 */
	if (trust->blind || wl_idle_sees_os(idle, process))
		return;
	for (size_t i = 0; i < gap->n_parts && !trust->blind; i++) {
		const struct wl_gap_part *p = &gap->part[i];

		trust->blind =
			p->cause == WL_CAUSE_HOST && p->begin < window.end && p->end > window.begin;
	}
}

void wl_idle_trust_join(struct wl_idle_trust *trust, const struct wl_idle_trust *other)
{
	trust->n_gaps += other->n_gaps;
	trust->n_linked += other->n_linked;
	trust->n_opened += other->n_opened;
	trust->blind = trust->blind || other->blind;
	trust->faultless = trust->faultless || other->faultless;
}

static size_t count_skewed(const struct wl_run *r, const struct wl_idle *idle)
{
	size_t n = 0;

	for (uint32_t i = 0; i < r->trace->n_processes; i++)
		n += r->scope->process_on[i] && wl_idle_is_skewed(idle, i);
	return n;
}

void wl_idle_trust_note(const struct wl_idle_trust *trust, const struct wl_run *r,
			const struct wl_idle *idle, struct wl_table *out)
{
	size_t n_skewed = count_skewed(r, idle);
	size_t n_graphs = wl_ops_admitted(r->trace, r->scope, WL_F_GRAPHS);

	wl_table_cover(out, "gaps_with_launch", (int64_t)trust->n_linked, (int64_t)trust->n_gaps);
	if (n_skewed)
		wl_table_note(out,
			      "host and GPU clocks disagree in %zu of the processes: their "
			      "idle causes are unknown",
			      n_skewed);
	if (trust->blind) {
		/*
		 * Noted here with its consequence; the general note on missing families omits it.
		 */
		out->told |= UINT64_C(1) << WL_F_OSRT;
		wl_table_note(out, "OS calls of a launching process were not recorded: OS waits "
				   "count as host time (add osrt to --trace)");
	}
	if (trust->faultless)
		wl_table_note(out, "CPU page faults were not recorded: \"managed\" includes host "
				   "code between faults (add --cuda-um-cpu-page-faults=true)");
	if (n_graphs)
		wl_table_note(out,
			      "idle time is a lower bound: gaps inside %zu CUDA graph replays "
			      "are not visible",
			      n_graphs);
}

void wl_idle_openers_init(struct wl_idle_openers *o, struct wl_budget *budget)
{
	o->host_side = 0;
	/* Equal call names share one pointer (idle.h): pointers serve as keys. */
	wl_intern_init(&o->calls, sizeof(const char *), budget);
	wl_vec_init(&o->sums, sizeof(wl_ns), budget);
}

void wl_idle_openers_release(struct wl_idle_openers *o)
{
	wl_intern_release(&o->calls);
	wl_vec_release(&o->sums);
}

static void add_call(struct wl_idle_openers *o, const char *call, wl_ns length)
{
	uint32_t number = wl_intern_put(&o->calls, &call);

	if (number == WL_NONE)
		o->sums.failed = true;
	else if (number == o->sums.n)
		wl_vec_push(&o->sums, &(wl_ns){ 0 });
	if (!o->sums.failed)
		((wl_ns *)o->sums.data)[number] += length;
}

void wl_idle_openers_add(struct wl_idle_openers *o, enum wl_cause cause, const char *call,
			 wl_ns length)
{
	if (!wl_cause_is_host_side(cause))
		return;
	o->host_side += length;
	if (call)
		add_call(o, call, length);
}

void wl_idle_openers_join(struct wl_idle_openers *o, const struct wl_idle_openers *other)
{
	o->host_side += other->host_side;
	o->sums.failed = o->sums.failed || other->sums.failed;
	for (size_t i = 0; i < other->sums.n; i++)
		add_call(o, ((const char *const *)other->calls.items.data)[i],
			 ((const wl_ns *)other->sums.data)[i]);
}

static void put_note(const struct wl_idle_openers *o, const char *call, wl_ns of_call, wl_ns opened,
		     struct wl_table *out)
{
	char share[WL_UNITS_BUF], time[WL_UNITS_BUF], of_most[WL_UNITS_BUF];

	wl_fmt_ratio(share, (double)opened / (double)o->host_side);
	wl_fmt_ns(time, opened, WL_UNIT_AUTO);
	wl_fmt_ns(of_most, of_call, WL_UNIT_AUTO);
	if (of_call == opened)
		wl_table_note(out,
			      "%s of host-side idle time (%s) follows %s; it may not be the cause",
			      share, time, call);
	else
		wl_table_note(out,
			      "%s of host-side idle time (%s) follows blocking calls, %s %s (%s); "
			      "they may not be the cause",
			      share, time, of_call > opened / 2 ? "mostly" : "the largest part",
			      call, of_most);
}

void wl_idle_openers_note(const struct wl_idle_openers *o, struct wl_table *out)
{
	const wl_ns *sum = o->sums.data;
	wl_ns opened = 0;
	size_t most = 0;

	for (size_t i = 0; i < o->sums.n; i++) {
		opened += sum[i];
		most = sum[i] > sum[most] ? i : most;
	}
	if (opened)
		put_note(o, ((const char *const *)o->calls.items.data)[most], sum[most], opened,
			 out);
}
