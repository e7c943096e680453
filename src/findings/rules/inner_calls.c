/* SPDX-License-Identifier: MIT */
#include "findings/rules/inner_calls.h"

#include "derive/comm/mpi_calls.h"
#include "derive/derived.h"
#include "derive/rows/scope.h"
#include "known/calls/calls.h"

/* A lane without steps has no process: take that of the first kernel on the device. */
static uint32_t process_of(const struct wl_trace *t, const struct wl_rule_gpu *gpu)
{
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	size_t lo, hi;

	if (gpu->lane->process != WL_NONE)
		return gpu->lane->process;
	wl_ops_on_device(t, &ops, gpu->lane->device, &lo, &hi);
	return lo < hi && ops.place ? t->places[ops.place[lo]].process : WL_NONE;
}

static wl_ns clip(const struct wl_rule_gpu *gpu, wl_ns begin, wl_ns end)
{
	begin = begin > gpu->begin ? begin : gpu->begin;
	end = end < gpu->end ? end : gpu->end;
	return end > begin ? end - begin : 0;
}

/* The time in a thread's outermost MPI calls. */
static wl_ns in_messages(const struct wl_mpi_calls *mpi, const struct wl_rule_gpu *gpu,
			 uint32_t thread)
{
	wl_ns sum = 0;

	for (unsigned i = 0; i < WL_N_MPI_SOURCES; i++) {
		const struct wl_outer_lists *l = &mpi->of[i].by_thread;
		wl_ns until = gpu->begin;

		for (size_t k = l->list[thread].lo; k < l->list[thread].hi; k++) {
			wl_ns begin = l->start[l->row[k]], end = wl_outer_end(l, l->row[k]);

			if (end <= until)
				continue;
			sum += clip(gpu, begin > until ? begin : until, end);
			until = end;
		}
	}
	return sum;
}

struct looked {
	const struct wl_mpi_calls *mpi;
	const struct wl_rule_gpu *gpu;
	struct wl_slice left[WL_N_MPI_SOURCES];
	uint32_t process, thread;
	wl_ns until; /* end of the last counted call: calls inside it do not count */
};

static bool is_in_message(struct looked *s, wl_ns at)
{
	bool found = false;

	for (unsigned i = 0; i < WL_N_MPI_SOURCES; i++) {
		wl_ns until = INT64_MAX;

		found |= wl_outermost_at(&s->mpi->of[i].by_thread, &s->left[i], at, &until) !=
			 WL_NONE;
	}
	return found;
}

/* Sum the calls with this name, or all calls if it is WL_NONE, and return the name of the
 * longest. */
static wl_ns add_up(const struct wl_trace *t, struct looked *s, uint32_t name, uint32_t *ret_name)
{
	const struct wl_thread_rows api = wl_trace_thread_rows(t, WL_F_API);
	const uint32_t *names = wl_api_name(t);
	wl_ns sum = 0, longest = 0;

	s->thread = WL_NONE;
	for (size_t i = 0; i < api.n; i++) {
		wl_ns ns = clip(s->gpu, api.start[i], wl_thread_row_end(&api, i));

		if (t->threads[api.thread[i]].process != s->process)
			continue;
		if (api.thread[i] != s->thread) {
			s->thread = api.thread[i];
			s->until = INT64_MIN;
			for (unsigned k = 0; k < WL_N_MPI_SOURCES; k++)
				s->left[k] = s->mpi->of[k].by_thread.list[s->thread];
		}
		if (ns == 0 || names[i] == WL_NONE || api.start[i] < s->until ||
		    (name != WL_NONE && names[i] != name) || !is_in_message(s, api.start[i]) ||
		    wl_call_class_of(wl_str(t, names[i])) != WL_CALLS_ALLOC)
			continue;
		s->until = wl_thread_row_end(&api, i);
		sum += ns;
		*ret_name = ns > longest ? names[i] : *ret_name;
		longest = ns > longest ? ns : longest;
	}
	return sum;
}

bool wl_inner_calls_find(const struct wl_rule_state *d, const struct wl_rule_gpu *gpu,
			 struct wl_inner_calls *ret)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_thread_rows api = wl_trace_thread_rows(t, WL_F_API);
	struct looked s = { .mpi = d->run->derived->mpi_calls, .gpu = gpu };

	*ret = (struct wl_inner_calls){ .name = WL_NONE };
	s.process = process_of(t, gpu);
	if (!s.mpi || !s.mpi->any || s.process == WL_NONE || !api.start || !api.dur ||
	    !api.thread || !wl_api_name(t))
		return false;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		if (t->threads[i].process == s.process)
			ret->messages += in_messages(s.mpi, gpu, i);
	}
	(void)add_up(t, &s, WL_NONE, &ret->name);
	if (ret->name != WL_NONE)
		ret->sum = add_up(t, &s, ret->name, &ret->name);
	return ret->name != WL_NONE && 2 * ret->sum > ret->messages;
}
