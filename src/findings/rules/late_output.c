/* SPDX-License-Identifier: MIT */
#include "findings/rules/late_output.h"

#include "known/calls/os_calls.h"

struct adding {
	const struct wl_trace *trace;
	struct wl_interval when;
	bool *writes; /* by string: whether the function writes */
	/* For the thread being summed: time by string, and calls; or NULL. */
	wl_ns *by_sum;
	struct wl_interval *call;
};

/* Find the functions that write; each is looked up once. */
static bool find_functions(struct adding *a, struct wl_arena *scratch)
{
	const struct wl_trace *t = a->trace;
	const uint32_t *name = wl_osrt_name(t);
	bool *is_known = WL_NEW(scratch, bool, t->strings.n + 1);

	a->writes = WL_NEW(scratch, bool, t->strings.n + 1);
	for (size_t i = 0; is_known && a->writes && i < t->family[WL_F_OSRT].n; i++) {
		if (name[i] == WL_NONE || is_known[name[i]])
			continue;
		is_known[name[i]] = true;
		a->writes[name[i]] = wl_os_class_of(wl_str(t, name[i])) == WL_OS_WRITES;
	}
	return is_known && a->writes;
}

/* Sum the rows of one thread, from row i on and in order of start; returns the first row of the
 * next. */
static size_t add_thread(const struct adding *a, const struct wl_thread_rows *rows, size_t i,
			 struct wl_late_output *ret)
{
	const uint32_t *name = wl_osrt_name(a->trace), thread = rows->thread[i];
	wl_ns until = a->when.begin;

	*ret = (struct wl_late_output){ .called = NULL };
	for (; i < rows->n && rows->thread[i] == thread; i++) {
		wl_ns begin = rows->start[i], end = wl_thread_row_end(rows, i);

		begin = begin > until ? begin : until;
		end = end < a->when.end ? end : a->when.end;
		if (name[i] == WL_NONE || !a->writes[name[i]] || end <= begin)
			continue;
		until = end;
		if (a->by_sum) {
			a->by_sum[name[i]] += end - begin;
			a->call[ret->n] = (struct wl_interval){ begin, end };
		}
		ret->sum += end - begin;
		ret->n++;
	}
	return i;
}

/* Find the calls and the main function of a thread, given its first row. */
static bool look_at(struct adding *a, const struct wl_thread_rows *rows, size_t first,
		    struct wl_arena *scratch, struct wl_late_output *ret)
{
	const struct wl_trace *t = a->trace;
	wl_ns longest = 0;

	a->by_sum = WL_NEW(scratch, wl_ns, t->strings.n + 1);
	a->call = WL_NEW(scratch, struct wl_interval, ret->n);
	if (!a->by_sum || !a->call)
		return false;
	(void)add_thread(a, rows, first, ret);
	for (uint32_t i = 0; i < t->strings.n; i++) {
		if (a->by_sum[i] > longest) {
			longest = a->by_sum[i];
			ret->called = wl_str(t, i);
		}
	}
	return true;
}

bool wl_late_output_find(const struct wl_rule_state *d, uint32_t process, struct wl_interval when,
			 struct wl_late_output *ret)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, WL_F_OSRT);
	struct adding a = { .trace = t, .when = when };
	struct wl_arena scratch;
	size_t most = 0;
	bool ok;

	*ret = (struct wl_late_output){ .called = NULL };
	if (!rows.start || !rows.dur || !rows.thread || !wl_osrt_name(t))
		return true;
	wl_arena_init_child(&scratch, d->run->arena);
	ok = find_functions(&a, &scratch);
	for (size_t i = 0, next; ok && i < rows.n; i = next) {
		struct wl_late_output here;

		next = add_thread(&a, &rows, i, &here);
		if (t->threads[rows.thread[i]].process != process || here.sum <= ret->sum)
			continue;
		*ret = here;
		most = i;
	}
	ok = ok &&
	     (ret->sum == 0 || (look_at(&a, &rows, most, &scratch, ret) &&
				wl_intervals_unite(a.call, ret->n, d->run->arena, &ret->calls)));
	wl_arena_release(&scratch);
	return ok;
}
