/* SPDX-License-Identifier: MIT */
#include "findings/rules/named_loss.h"

#include <string.h>

/* A majority vote of names: a name with more than half of the time is the one left. */
struct vote {
	const char *name;
	wl_ns lead;
};

/* The step's own range is not informative. */
static const char *name_of(const struct wl_rule_gpu *gpu, const struct wl_atom *atom)
{
	return wl_atom_is_in_step_alone(gpu, atom) ? NULL : atom->detail;
}

static bool are_one(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool counts(const struct wl_rule_gpu *gpu, const struct wl_atom *atom, uint32_t tile,
		   enum wl_loss loss)
{
	return atom->loss == loss &&
	       (tile == WL_NONE ? gpu->in_sample[atom->tile] : atom->tile == tile);
}

const char *wl_say_named_loss(struct wl_rule_state *d, size_t g, uint32_t tile, enum wl_loss loss)
{
	const struct wl_rule_gpu *gpu = &d->gpu[g];
	struct vote vote = { NULL, 0 };
	wl_ns all = 0, own = 0;

	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (!counts(gpu, atom, tile, loss))
			continue;
		if (vote.lead == 0)
			vote.name = name_of(gpu, atom);
		vote.lead += are_one(vote.name, name_of(gpu, atom)) ? atom->ns : -atom->ns;
		if (vote.lead < 0)
			vote = (struct vote){ name_of(gpu, atom), -vote.lead };
	}
	for (size_t i = 0; i < gpu->lane->n_atoms; i++) {
		const struct wl_atom *atom = &gpu->lane->atom[i];

		if (!counts(gpu, atom, tile, loss))
			continue;
		all += atom->ns;
		own += are_one(vote.name, name_of(gpu, atom)) ? atom->ns : 0;
	}
	if (!vote.name || 2 * own <= all)
		return wl_say_loss(loss);
	return wl_say(d, "%s (%s)", wl_say_loss(loss), wl_say_quoted(d, vote.name, "?"));
}
