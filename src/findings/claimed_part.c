/* SPDX-License-Identifier: MIT */
#include "findings/claimed_part.h"

/* What a claim has taken on all GPUs. */
struct of_claim {
	wl_ns all[WL_N_LOSSES];
	wl_ns counted[WL_N_LOSSES]; /* in the sample, as in budget */
};

static void add_up(const struct wl_rule_state *d, struct of_claim *of)
{
	const struct wl_taken *taken = d->taken.data;

	for (size_t i = 0; i < d->taken.n; i++) {
		const struct wl_rule_gpu *gpu = &d->gpu[taken[i].gpu];
		const struct wl_atom *atom = &gpu->lane->atom[taken[i].atom];
		struct of_claim *to = &of[taken[i].claim];

		to->all[atom->loss] += taken[i].ns;
		if (gpu->in_sample[atom->tile])
			to->counted[atom->loss] += taken[i].ns;
	}
}

static void mark(struct wl_finding *f, const struct of_claim *of)
{
	wl_ns compute = f->gpu_time;
	unsigned most = 0;

	for (unsigned i = 0; i < WL_N_LOSSES; i++) {
		compute -= of->all[i];
		most = of->all[i] > of->all[most] ? i : most;
	}
	if (of->all[most] == 0 || compute > of->all[most])
		return;
	f->part = wl_loss_name((enum wl_loss)most);
	f->part_time = of->counted[most];
}

bool wl_findings_mark_parts(struct wl_rule_state *d)
{
	struct wl_finding *all = d->findings.data;
	struct wl_arena scratch;
	struct of_claim *of;

	if (d->taken.failed)
		return false;
	wl_arena_init_child(&scratch, d->run->arena);
	of = wl_arena_calloc(&scratch, (size_t)d->n_claims + 1, sizeof(*of));
	if (of)
		add_up(d, of);
	for (size_t i = 0; of && i < d->findings.n; i++) {
		if (all[i].claim)
			mark(&all[i], &of[all[i].claim]);
	}
	wl_arena_release(&scratch);
	return of != NULL;
}
