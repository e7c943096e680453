/* SPDX-License-Identifier: MIT */
#include "support/viewed.h"

#include "derive/calls/launch.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"
#include "derive/nvtx/range_parents.h"

#include "support/unit.h"

static enum wl_visit take_duration(void *ctx, size_t row, uint32_t *ret_group, int64_t *ret_value)
{
	const struct wl_trace *t = ((const struct wl_scene *)ctx)->trace;

	*ret_group = wl_kernels_name(t)[row];
	*ret_value = wl_dur(&t->family[WL_F_KERNELS], wl_kernels_dur(t), row);
	return WL_VISIT_TAKE;
}

static void fill(struct wl_scene *d, size_t track)
{
	const struct wl_track_filter all = { .min_dur = 0 };

	assert_true(wl_track_fill(&d->tracks, track, &all, wl_arena_budget(&d->arena),
				  &d->lanes[track]));
	if (d->lanes[track].n > 1)
		assert_true(wl_lanes_flatten(&d->lanes[track], wl_arena_budget(&d->arena),
					     &d->flat[track]));
	d->n_events += d->lanes[track].n_events;
}

void viewed_make(struct viewed *v)
{
	struct wl_scene *d = &v->scene;
	size_t n_groups;

	*d = (struct wl_scene){ .path = "memory" };
	wl_arena_init(&d->arena, 64 << 20);
	d->trace = mem_seal(&v->mem);
	mem_scope_whole(&v->scope, d->trace);
	d->links = v->mem.derived.links;
	d->forest = v->mem.derived.forest;
	d->range_names = v->mem.derived.range_names;
	d->ranks = v->mem.derived.ranks;
	d->step_change = v->mem.derived.step_change;
	if (d->trace->n_stacks) {
		d->thread_stacks = v->mem.derived.thread_stacks;
		d->stack_names = v->mem.derived.stack_names;
	}
	d->range_parent = wl_range_parents_find(d->trace, d->forest, &d->arena);
	assert_non_null(d->range_parent);
	assert_true(wl_launches_find(d->trace, d->links, &d->arena, &d->launches));
	assert_true(wl_tracks_find(&v->mem.derived, &v->scope.scope, &d->arena, &d->tracks));
	d->lanes = WL_NEW(&d->arena, struct wl_lanes, d->tracks.n);
	d->flat = WL_NEW(&d->arena, struct wl_lanes, d->tracks.n);
	assert_true(d->lanes && d->flat);
	for (size_t i = 0; i < d->tracks.n; i++)
		fill(d, i);
	d->of_name = wl_stats_by_group(d->trace->family[WL_F_KERNELS].n, take_duration, d,
				       &d->arena, &n_groups);
	assert_non_null(d->of_name);
	d->stage = WL_SCENE_FINDINGS;
}

void viewed_release(struct viewed *v)
{
	for (size_t i = 0; i < v->scene.tracks.n; i++) {
		wl_lanes_release(&v->scene.lanes[i]);
		wl_lanes_release(&v->scene.flat[i]);
	}
	wl_arena_release(&v->scene.arena);
	mem_release(&v->mem);
}

uint32_t viewed_track(const struct viewed *v, enum wl_track_kind kind, uint32_t device)
{
	for (size_t i = 0; i < v->scene.tracks.n; i++) {
		if (v->scene.tracks.at[i].kind == kind && v->scene.tracks.at[i].device == device)
			return (uint32_t)i;
	}
	fail_msg("no %s row of device %u", wl_row_kinds[kind].key, (unsigned)device);
	return WL_NONE;
}
