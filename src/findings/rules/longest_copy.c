/* SPDX-License-Identifier: MIT */
#include "findings/rules/longest_copy.h"

#include "known/exports/codes.h"

static const struct wl_atom *find_atom(const struct wl_ledger_lane *lane, uint32_t tile)
{
	const struct wl_atom *longest = NULL;

	for (size_t i = 0; i < lane->n_atoms; i++) {
		const struct wl_atom *atom = &lane->atom[i];

		if (atom->tile == tile && atom->loss == WL_LOSS_EXPOSED_COPY &&
		    (!longest || atom->longest > longest->longest))
			longest = atom;
	}
	return longest;
}

static int64_t find_bytes(const struct wl_rule_state *d, const struct wl_ledger_lane *lane,
			  uint32_t tile, uint8_t kind)
{
	const struct wl_trace *trace = d->run->trace;
	const struct wl_ops ops = wl_trace_ops(trace, WL_F_MEMCPYS);
	const int64_t *bytes = wl_memcpys_bytes(trace);
	const uint8_t *kinds = wl_memcpys_kind(trace);
	int64_t found = -1;
	wl_ns longest = -1;
	size_t lo, hi;

	if (!bytes || !kinds || !ops.place)
		return -1;
	wl_ops_on_device(trace, &ops, lane->device, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		wl_ns dur = wl_dur(ops.family, ops.dur, i);

		if (ops.start[i] < lane->tile[tile].begin || ops.start[i] >= lane->tile[tile].end ||
		    wl_known_copy_kind(kinds[i]) != kind || dur <= longest)
			continue;
		longest = dur;
		found = bytes[i];
	}
	return found;
}

struct wl_longest_copy wl_longest_copy_find(const struct wl_rule_state *d, size_t g, uint32_t tile)
{
	const struct wl_ledger_lane *lane = d->gpu[g].lane;
	const struct wl_atom *atom = find_atom(lane, tile);

	if (!atom)
		return (struct wl_longest_copy){ .exposed = 0 };
	return (struct wl_longest_copy){ .exposed = atom->longest,
					 .kind = wl_copy_kind_name(atom->copy),
					 .bytes = find_bytes(d, lane, tile, atom->copy) };
}
