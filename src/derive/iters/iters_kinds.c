/* SPDX-License-Identifier: MIT */
/*
 * iters_kinds.c - finds kinds of step: steps of a serving engine are prefills, decodes, or both at
 * once. The names of a step's ranges on its marker's thread decide, or else those of its kernels,
 * but only if some names say prefill and others decode.
 */
#include "base/memory/sort.h"
#include "derive/derived.h"
#include "derive/iters/iters_parts.h"
#include "known/calls/steps.h"

enum { BOTH = WL_DOES_PREFILL | WL_DOES_DECODE };

const char *wl_step_kind_name(enum wl_step_kind kind)
{
	static const char *const names[] = { [WL_STEP_NONE] = "",
					     [WL_STEP_PREFILL] = "prefill",
					     [WL_STEP_DECODE] = "decode",
					     [WL_STEP_MIXED] = "mixed" };

	return names[kind];
}

/* An insertion sort of four at most. */
size_t wl_step_kinds_by_count(const struct wl_process_iters *p,
			      enum wl_step_kind ret_kind[WL_N_STEP_KINDS])
{
	size_t n = 0;

	for (unsigned k = 0; k < WL_N_STEP_KINDS; k++) {
		size_t at = n;

		if (p->kind[k].n == 0)
			continue;
		for (; at > 0 && p->kind[ret_kind[at - 1]].n < p->kind[k].n; at--)
			ret_kind[at] = ret_kind[at - 1];
		ret_kind[at] = (enum wl_step_kind)k;
		n++;
	}
	return n;
}

static unsigned ask_names(const struct wl_iter_input *in, uint8_t *does)
{
	unsigned all = 0;

	for (size_t i = 0; i < in->names->n; i++) {
		const char *text = in->names->name[i].text;

		does[i] = (uint8_t)(text ? wl_range_does(text) : 0);
		all |= does[i];
	}
	return all;
}

bool wl_iter_does_find(const struct wl_iter_input *in, struct wl_arena *arena,
		       struct wl_iter_does *ret)
{
	const struct wl_trace *t = in->trace;
	uint8_t *range = WL_NEW(arena, uint8_t, in->names ? in->names->n : 0);
	uint8_t *kernel = WL_NEW(arena, uint8_t, t->n_kernel_names);
	unsigned by_range, by_kernel = 0;

	if (!range || !kernel)
		return false;
	by_range = in->names ? ask_names(in, range) : 0;
	for (size_t i = 0; i < t->n_kernel_names; i++) {
		kernel[i] = (uint8_t)wl_kernel_does(wl_str(t, t->kernel_names[i].demangled));
		by_kernel |= kernel[i];
	}
	/*
	 * Names are kept only if both kinds occur: "decode" alone may also name a part of every
	 * step.
	 */
	*ret = (struct wl_iter_does){ .range = by_range == BOTH ? range : NULL,
				      .kernel = by_kernel == BOTH && wl_kernels_name(t) ? kernel
											: NULL };
	return true;
}

/* The kinds named by the ranges on the step's thread that start inside the step. */
static unsigned ask_ranges(const struct wl_iter_input *in, const struct wl_process_iters *p,
			   const uint8_t *does, uint8_t *of)
{
	const struct wl_trace *t = in->trace;
	uint32_t thread = wl_nvtx_thread(t)[p->at[0].marker];
	unsigned all = 0;

	for (uint32_t row = 0; row < t->family[WL_F_NVTX].n; row++) {
		uint32_t name = in->names->of[row], at;

		if (name == WL_NONE || !does[name] || wl_nvtx_thread(t)[row] != thread)
			continue;
		at = wl_iteration_at(p, wl_nvtx_start(t)[row]);
		if (at != WL_NONE)
			of[at] |= does[name];
		all |= at == WL_NONE ? 0 : does[name];
	}
	return all;
}

/* The kinds named by the step's kernels. */
static unsigned ask_kernels(const struct wl_iter_input *in, uint32_t process,
			    const struct wl_process_iters *p, const uint8_t *does, uint8_t *of)
{
	const struct wl_trace *t = in->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const struct wl_links *links = in->derived->links;
	unsigned all = 0;

	for (size_t i = 0; i < ops.n; i++) {
		uint8_t bits = does[wl_kernels_name(t)[i]];
		uint32_t at;

		if (!bits || t->places[ops.place[i]].process != process)
			continue;
		at = wl_iteration_of(t, p, ops.start[i], wl_link_of(links, WL_OP_KERNEL, i));
		if (at != WL_NONE)
			of[at] |= bits;
		all |= at == WL_NONE ? 0 : bits;
	}
	return all;
}

void wl_iter_count_kinds(struct wl_process_iters *p, wl_ns *room)
{
	for (unsigned k = 0; k < WL_N_STEP_KINDS; k++) {
		size_t n = 0;

		for (size_t i = 0; i < p->n; i++) {
			const struct wl_iteration *it = &p->at[i];

			p->kind[k].n += it->kind == k;
			if (it->kind == k && !it->is_last)
				room[n++] = it->tile.end - it->tile.begin;
		}
		wl_sort_i64(room, n);
		p->kind[k].median = n ? room[wl_rank(n, 50)] : 0;
	}
}

bool wl_iter_find_kinds(const struct wl_iter_input *in, uint32_t process,
			const struct wl_iter_does *does, struct wl_process_iters *p,
			struct wl_iteration *at, struct wl_arena *scratch)
{
	static const enum wl_step_kind kinds[] = { WL_STEP_NONE, WL_STEP_PREFILL, WL_STEP_DECODE,
						   WL_STEP_MIXED };
	uint8_t *of = WL_NEW(scratch, uint8_t, p->n);
	wl_ns *room = WL_NEW(scratch, wl_ns, p->n);
	unsigned all = 0;
	bool differ = false;

	if (!of || !room)
		return false;
	if (p->by_marker && does->range)
		all = ask_ranges(in, p, does->range, of);
	if (all != BOTH && does->kernel) {
		for (size_t i = 0; i < p->n; i++)
			of[i] = 0;
		all = ask_kernels(in, process, p, does->kernel, of);
	}
	for (size_t i = 1; i < p->n; i++)
		differ = differ || of[i] != of[0];
	if (all != BOTH || !differ)
		return true;
	for (size_t i = 0; i < p->n; i++)
		at[i].kind = kinds[of[i]];
	p->has_kinds = true;
	wl_iter_count_kinds(p, room);
	return true;
}
