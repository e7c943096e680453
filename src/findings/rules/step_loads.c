/* SPDX-License-Identifier: MIT */
#include "findings/rules/step_loads.h"

#include "derive/derived.h"
#include "derive/iters/iters.h"
#include "known/calls/calls.h"

struct loads {
	const struct wl_trace *trace;
	const struct wl_process_iters *iters;
	uint32_t process;
	uint8_t *known; /* by string: 0 not checked yet, 1 no, 2 loads */
	wl_ns *sum;     /* by string */
	bool *has;      /* by step */
	uint32_t most;  /* the string with the largest sum; or WL_NONE */
};

static bool is_load(const struct loads *l, uint32_t name)
{
	if (name == WL_NONE)
		return false;
	if (!l->known[name])
		l->known[name] = wl_call_class_of(wl_str(l->trace, name)) == WL_CALLS_LOAD ? 2 : 1;
	return l->known[name] == 2;
}

static void mark(struct loads *l)
{
	const struct wl_thread_rows api = wl_trace_thread_rows(l->trace, WL_F_API);
	const uint32_t *name = wl_api_name(l->trace);

	l->most = WL_NONE;
	for (size_t i = 0; name && i < api.n; i++) {
		uint32_t step;

		if (l->trace->threads[api.thread[i]].process != l->process || !is_load(l, name[i]))
			continue;
		step = wl_iteration_since(l->iters, api.start[i]);
		if (step == WL_NONE)
			continue;
		l->has[step] = true;
		l->sum[name[i]] += wl_thread_row_end(&api, i) - api.start[i];
		if (l->most == WL_NONE || l->sum[name[i]] > l->sum[l->most])
			l->most = name[i];
	}
}

/* Whether the steps that have such calls are exactly the given ones, apart from step 0. */
static bool are_the_same(const struct loads *l, const uint32_t *step, size_t n)
{
	size_t n_here = 0, n_all = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || step[i] != step[i - 1])
			n_here += l->has[step[i]];
		if (!l->has[step[i]])
			return false;
	}
	for (size_t i = step[0] == 0 ? 0 : 1; i < l->iters->n; i++)
		n_all += l->has[i];
	return n_here == n_all;
}

bool wl_step_loads_find(const struct wl_rule_state *d, size_t gpu, const uint32_t *step, size_t n,
			struct wl_step_loads *ret)
{
	const struct wl_iterations *all = d->run->derived->iterations;
	struct loads l = { .trace = d->run->trace, .process = d->gpu[gpu].lane->process };
	struct wl_arena scratch;
	bool ok;

	*ret = (struct wl_step_loads){ .name = NULL };
	if (!all || l.process == WL_NONE || !step)
		return true;
	l.iters = &all->process[l.process];
	wl_arena_init_child(&scratch, d->run->arena);
	l.known = WL_NEW(&scratch, uint8_t, l.trace->strings.n);
	l.sum = WL_NEW(&scratch, wl_ns, l.trace->strings.n);
	l.has = WL_NEW(&scratch, bool, l.iters->n);
	ok = l.known && l.sum && l.has;
	if (ok) {
		mark(&l);
		if (l.most != WL_NONE && are_the_same(&l, step, n))
			*ret = (struct wl_step_loads){ .name = wl_str(l.trace, l.most),
						       .but_in_first = step[0] > 0 && l.has[0] };
	}
	wl_arena_release(&scratch);
	return ok;
}
