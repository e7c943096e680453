/* SPDX-License-Identifier: MIT */
#include "findings/rules/all_to_all.h"

#include "derive/calls/launch.h"
#include "derive/comm/collectives.h"
#include "derive/derived.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"

/* By range name: whether it is the first with its label, and the label means an all-to-all. NULL
 * without memory. */
static const bool *find_labels(const struct wl_rule_state *d)
{
	const struct wl_range_names *names = d->run->derived->range_names;
	bool *is = WL_NEW(d->run->arena, bool, names->n);

	for (size_t i = 0; is && i < names->n; i++)
		is[i] = names->name[i].label == i &&
			wl_range_is_all_to_all(names->name[i].label_text);
	return is;
}

/* The label of the innermost range around a call that has one of these labels; NULL for none. */
static const char *range_of(const struct wl_rule_state *d, const bool *is, uint32_t call)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_forest *forest = d->run->derived->forest;
	const struct wl_range_names *names = d->run->derived->range_names;
	wl_ns end = wl_api_start(t)[call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	unsigned most = WL_MAX_AROUND;

	for (uint32_t node = forest->of_call[call]; node != WL_NONE && most-- > 0;
	     node = wl_forest_around_next(forest, node, end)) {
		const struct wl_range_name *name = &names->name[forest->name[node]];

		if (is[name->label])
			return name->label_text;
	}
	return NULL;
}

static bool is_loaded(const struct wl_rule_state *d)
{
	const struct wl_derived *of = d->run->derived;
	const struct wl_trace *t = d->run->trace;

	return of->links && of->collectives && of->forest && of->range_names &&
	       wl_kernels_name(t) && wl_api_start(t) && wl_api_dur(t);
}

const char *wl_all_to_all_find(const struct wl_rule_state *d, size_t gpu)
{
	const struct wl_trace *t = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const char *found = NULL;
	const bool *is = is_loaded(d) ? find_labels(d) : NULL;
	size_t n = 0, n_in = 0, lo, hi;

	if (!is)
		return NULL;
	wl_ops_on_device(t, &ops, d->gpu[gpu].lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		uint32_t call = wl_link_of(d->run->derived->links, WL_OP_KERNEL, i);
		const char *range;

		if (call == WL_NONE || wl_collective_of(t, d->run->derived->collectives,
							WL_F_KERNELS, i) != WL_SEND_RECV)
			continue;
		range = range_of(d, is, call);
		found = found ? found : range;
		n_in += range != NULL;
		n++;
	}
	return 2 * n_in > n ? found : NULL;
}
