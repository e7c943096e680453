/* SPDX-License-Identifier: MIT */
#include "derive/rows/owners.h"

const uint32_t *wl_owners_find(const struct wl_trace *t, struct wl_arena *arena)
{
	uint32_t *owner = WL_NEW(arena, uint32_t, t->n_devices);
	bool *has_several = WL_NEW(arena, bool, t->n_devices);

	if (!owner || !has_several)
		return NULL;
	for (size_t i = 0; i < t->n_devices; i++)
		owner[i] = WL_NONE;
	for (size_t i = 0; i < t->n_places; i++) {
		uint32_t device = t->places[i].device, process = t->places[i].process;

		if (device == WL_NONE || has_several[device])
			continue;
		has_several[device] = owner[device] != WL_NONE && owner[device] != process;
		owner[device] = has_several[device] ? WL_NONE : process;
	}
	return owner;
}
