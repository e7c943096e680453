/* SPDX-License-Identifier: MIT */
/* head_stacks.c - call stacks of host threads in the head. */
#include "serve/page/head_parts.h"
#include "serve/shown/stack_json.h"

/* A file has the trees of these words of --during; a server is asked. */
static const size_t kept[] = { WL_STACK_DURING_IDLE, WL_STACK_DURING_ALL };

static bool put_tree(const struct wl_head *head, const struct wl_scene *scene, size_t during,
		     struct wl_jsonw *out, struct wl_arena *arena)
{
	const struct wl_stack_choice choice = wl_stack_during(during);
	struct wl_request request = scene->request;
	struct wl_stack_tree tree;
	struct wl_err err;
	int r;

	/* As of findings: a window sets the first view only, unless the file has nothing else. */
	if (!head->show->in_window)
		request.selection.window = NULL;
	r = wl_stack_tree_find(scene->session, &request, &choice, WL_STACK_JSON_NODES, arena, &tree,
			       &err);
	if (r == WL_E_NOMEM)
		return false;
	wl_jsonw_key(out, wl_stack_durings[during]);
	if (r == WL_OK)
		return wl_stack_json_put(&tree, head->naming, out, arena);
	wl_jsonw_null(out);
	return true;
}

bool wl_head_stacks(const struct wl_head *head, size_t number, struct wl_jsonw *out,
		    struct wl_arena *arena)
{
	const struct wl_scene *scene = head->show->scene[number];
	bool ok = true;

	wl_jsonw_key(out, "stacks");
	if (!scene->session || scene->trace->n_stacks == 0) {
		wl_jsonw_null(out);
		return true;
	}
	wl_jsonw_begin_object(out);
	for (size_t i = 0; head->pack && ok && i < WL_COUNT(kept); i++)
		ok = put_tree(head, scene, kept[i], out, arena);
	wl_jsonw_end_object(out);
	return ok;
}
