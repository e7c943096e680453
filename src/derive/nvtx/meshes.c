/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/meshes.h"

#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "known/ranks.h"

/* By name of a range: what it says behind the rank; NULL where it has none. */
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

const char *const *wl_meshes_find(const struct wl_derived *derived, struct wl_arena *arena)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_range_names *names = derived->range_names;
	const char **label = find_labels(names, arena);
	const char **mesh = WL_NEW(arena, const char *, t->n_processes);
	wl_ns *first = WL_NEW(arena, wl_ns, t->n_processes);

	if (!label || !mesh || !first)
		return NULL;
	for (size_t row = 0; row < t->family[WL_F_NVTX].n; row++) {
		uint32_t p = t->threads[wl_nvtx_thread(t)[row]].process;
		uint32_t name = names->of[row];

		if (name == WL_NONE || !label[name] ||
		    (mesh[p] && wl_nvtx_start(t)[row] >= first[p]))
			continue;
		first[p] = wl_nvtx_start(t)[row];
		mesh[p] = label[name];
	}
	return mesh;
}

int64_t wl_mesh_coordinate(const char *mesh, enum wl_axis axis)
{
	static const char *const names[] = { [WL_AXIS_PP] = "pp=",
					     [WL_AXIS_DP] = "dp=",
					     [WL_AXIS_CP] = "cp=",
					     [WL_AXIS_EP] = "ep=",
					     [WL_AXIS_TP] = "tp=" };
	const char *at = mesh;

	while ((at = strstr(at, names[axis])) != NULL) {
		/* A word of its own: "xpp=1" is another thing. */
		if (at == mesh || strchr(" ;,", at[-1]))
			break;
		at++;
	}
	if (!at)
		return -1;
	at += strlen(names[axis]);
	/* More digits than any job has ranks. */
	if (*at < '0' || *at > '9' || strspn(at, "0123456789") > 9)
		return -1;
	return strtoll(at, NULL, 10);
}
