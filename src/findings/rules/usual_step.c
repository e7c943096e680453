/* SPDX-License-Identifier: MIT */
#include "findings/rules/usual_step.h"

#include "base/memory/sort.h"
#include "derive/iters/change.h"

/* The median of a part, which stands at an offset in a tile. */
static wl_ns median_of(const struct wl_rule_gpu *gpu, const bool *is_on, size_t offset, wl_ns *room)
{
	size_t n = 0;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		if (gpu->in_sample[i] && is_on[i])
			room[n++] = *(const wl_ns *)((const char *)&gpu->lane->tile[i] + offset);
	}
	return n ? wl_middle(room, n) : 0;
}

static uint32_t median_kernels(const struct wl_rule_gpu *gpu, const bool *is_on, wl_ns *room)
{
	size_t n = 0;

	for (size_t i = 0; i < gpu->lane->n_tiles; i++) {
		if (gpu->in_sample[i] && is_on[i])
			room[n++] = gpu->lane->tile[i].n_kernels;
	}
	wl_sort_i64(room, n);
	return n ? (uint32_t)room[wl_rank(n, 50)] : 0;
}

struct wl_usual_step wl_usual_step_of(const struct wl_rule_gpu *gpu, const bool *is_on, wl_ns *room)
{
	struct wl_usual_step u = { .length = median_of(gpu, is_on, offsetof(struct wl_tile, length),
						       room) };

	u.compute = median_of(gpu, is_on, offsetof(struct wl_tile, compute), room);
	for (size_t k = 0; k < WL_N_LOSSES; k++)
		u.loss[k] = median_of(gpu, is_on,
				      offsetof(struct wl_tile, loss) + k * sizeof(wl_ns), room);
	u.n_kernels = median_kernels(gpu, is_on, room);
	return u;
}

void wl_usual_step_claim(struct wl_rule_state *d, size_t g, uint32_t i,
			 const struct wl_usual_step *usual, struct wl_claim *claim,
			 wl_ns by_cause[WL_N_LOSSES + 1])
{
	const struct wl_tile *tile = &d->gpu[g].lane->tile[i];
	wl_ns left = tile->length - usual->length;

	for (unsigned k = 0; k < WL_N_LOSSES && left > 0; k++) {
		wl_ns more = tile->loss[k] - usual->loss[k], got;

		if (more <= 0 || k == WL_CAUSE_UNUSED)
			continue;
		got = wl_rule_state_take(d, g, i, (enum wl_loss)k, more < left ? more : left,
					 claim);
		by_cause[k] += got;
		left -= got;
	}
	if (tile->compute > usual->compute && left > 0) {
		wl_ns more = tile->compute - usual->compute;

		by_cause[WL_N_LOSSES] +=
			wl_rule_state_take_compute(d, g, i, more < left ? more : left, claim);
	}
}
