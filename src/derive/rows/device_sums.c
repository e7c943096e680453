/* SPDX-License-Identifier: MIT */
#include "derive/rows/device_sums.h"

#include <string.h>

#include "base/num.h"

/* -1 means no kernel yet, because a kernel may take no time. Stops at INT64_MAX. */
static void add(wl_ns *sum, wl_ns length)
{
	if (!wl_add_i64(*sum < 0 ? 0 : *sum, length, sum))
		*sum = INT64_MAX;
}

/* The sums of one device, by label; -1 where it ran none. */
static void add_device(const struct wl_trace *t, const struct wl_scope *scope,
		       const uint32_t *label, uint32_t device, wl_ns *sum)
{
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);
	const uint32_t *name = wl_kernels_name(t);
	size_t lo, hi;

	wl_ops_on_device(t, &ops, device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns start, end;

		if (!wl_op_clip(t, scope, &ops, i, &start, &end))
			continue;
		add(&sum[label[name[i]]], end - start);
	}
}

static void put_sum(struct wl_device_sum *s, uint32_t device, wl_ns sum)
{
	if (s->n == 0 || sum < s->min) {
		s->min = sum;
		s->min_on = device;
	}
	if (s->n == 0 || sum > s->max) {
		s->max = sum;
		s->max_on = device;
	}
	s->n++;
}

struct wl_device_sum *wl_device_sums_find(const struct wl_trace *trace,
					  const struct wl_scope *scope, const uint32_t *label,
					  struct wl_arena *arena)
{
	size_t n = trace->n_kernel_names;
	struct wl_device_sum *found = WL_NEW(arena, struct wl_device_sum, n + 1);
	struct wl_arena scratch;
	wl_ns *sum;

	wl_arena_init_child(&scratch, arena);
	sum = WL_NEW(&scratch, wl_ns, n + 1);
	for (uint32_t d = 0; found && sum && d < trace->n_devices; d++) {
		if (!scope->device_on[d])
			continue;
		memset(sum, 0xFF, n * sizeof(*sum)); /* -1 */
		add_device(trace, scope, label, d, sum);
		for (size_t i = 0; i < n; i++) {
			if (sum[i] >= 0)
				put_sum(&found[i], d, sum[i]);
		}
	}
	found = sum ? found : NULL;
	wl_arena_release(&scratch);
	return found;
}
