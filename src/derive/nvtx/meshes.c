/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/meshes.h"

#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "known/ranks.h"

/* By range name: the text after the rank; NULL if the name has no rank. */
static const char **find_labels(const struct wl_range_names *names, struct wl_arena *arena)
{
	const char **label = WL_NEW(arena, const char *, names->n);

	for (size_t i = 0; label && i < names->n; i++) {
		if (names->name[i].text)
			(void)wl_rank_find(names->name[i].text, WL_RANK_IN_LABEL, &label[i]);
		while (label[i] && *label[i] && strchr(";, ", *label[i]))
			label[i]++;
	}
	return label;
}

static bool put_labels(const struct wl_derived *d, struct wl_arena *arena, struct wl_mesh *mesh)
{
	const struct wl_trace *t = d->trace;
	const struct wl_range_names *names = d->range_names;
	const char **label = find_labels(names, arena);
	wl_ns *first = WL_NEW(arena, wl_ns, t->n_processes);

	if (!label || !first)
		return false;
	for (size_t row = 0; row < t->family[WL_F_NVTX].n; row++) {
		uint32_t p = t->threads[wl_nvtx_thread(t)[row]].process;
		uint32_t name = names->of[row];

		if (name == WL_NONE || !label[name] ||
		    (mesh[p].label && wl_nvtx_start(t)[row] >= first[p]))
			continue;
		first[p] = wl_nvtx_start(t)[row];
		mesh[p].label = label[name];
	}
	return true;
}

/* A single host is not shown unless the trace is a job. */
static void put_hosts(const struct wl_trace *t, struct wl_mesh *mesh)
{
	bool has_several = t->n_files > 0;

	for (size_t i = 1; i < t->n_processes; i++)
		has_several = has_several || t->processes[i].host != t->processes[0].host;
	for (size_t i = 0; i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];

		mesh[i].host = WL_NONE;
		if (has_several)
			mesh[i].host = t->n_files ? t->files[p->file].host : p->host;
	}
}

bool wl_meshes_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_meshes *ret)
{
	const struct wl_trace *t = derived->trace;
	struct wl_mesh *mesh = WL_NEW(arena, struct wl_mesh, t->n_processes);

	if (!mesh || !put_labels(derived, arena, mesh))
		return false;
	put_hosts(t, mesh);
	for (size_t i = 0; i < t->n_processes; i++) {
		for (unsigned axis = 0; axis < WL_N_COORDINATES; axis++)
			mesh[i].at[axis] = mesh[i].label ? wl_mesh_coordinate(mesh[i].label,
									      (enum wl_axis)axis)
							 : -1;
	}
	ret->of = mesh;
	return true;
}

int64_t wl_mesh_coordinate(const char *label, enum wl_axis axis)
{
	static const char *const names[] = { [WL_AXIS_PP] = "pp=",
					     [WL_AXIS_DP] = "dp=",
					     [WL_AXIS_CP] = "cp=",
					     [WL_AXIS_EP] = "ep=",
					     [WL_AXIS_TP] = "tp=" };
	const char *at = label;

	while ((at = strstr(at, names[axis])) != NULL) {
		/* Must be a separate word: "xpp=1" is something else. */
		if (at == label || strchr(" ;,", at[-1]))
			break;
		at++;
	}
	if (!at)
		return -1;
	at += strlen(names[axis]);
	/* More digits than the ranks of any job need. */
	if (*at < '0' || *at > '9' || strspn(at, "0123456789") > 9)
		return -1;
	return strtoll(at, NULL, 10);
}
