#include "analysis/idle_notes.h"

void wl_idle_trust_add(struct wl_idle_trust *trust, const struct wl_trace *trace,
		       const struct wl_idle *idle, const struct wl_gap *gap,
		       struct wl_interval window)
{
	uint32_t process = trace->places[gap->after.place].process;

	trust->n_gaps++;
	trust->n_linked += gap->call != WL_NONE;
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
	trust->blind = trust->blind || other->blind;
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
			      "in %zu of the processes most operations start before their launch "
			      "call: the clocks are skewed, so their causes are unknown",
			      n_skewed);
	if (trust->blind)
		wl_table_note(out, "a launching process has no OS runtime calls in the trace, so "
				   "a wait in the OS looks like host code");
	if (n_graphs)
		wl_table_note(out,
			      "%zu CUDA graph replays were recorded whole: gaps inside them are "
			      "invisible, so idle time is a lower bound",
			      n_graphs);
}
