/* SPDX-License-Identifier: MIT */
/* answer_stacks.c - the call stacks of host threads in a window, as a tree. */
#include "serve/answers/answer_window.h"
#include "serve/shown/stack_json.h"

int wl_answer_stacks(const struct wl_ask *ask, struct wl_answer *ret, struct wl_err *reterr)
{
	struct wl_asked_window w;
	struct wl_stack_choice choice;
	struct wl_stack_tree tree;
	struct wl_session *session;
	struct wl_json_answer j;
	size_t during = WL_STACK_DURING_IDLE;
	bool ok;
	int r = wl_window_of(&w, ask, reterr);

	if (r == WL_OK)
		r = wl_query_word(ask->query, "during", wl_stack_durings, &during, reterr);
	if (r < 0)
		return r;
	session = ask->served->show.scene[w.which]->session;
	if (!session)
		return wl_fail(reterr, WL_E_NODATA, "the trace cannot be asked");
	choice = wl_stack_during(during);
	r = wl_stack_tree_find(session, &w.request, &choice, WL_STACK_JSON_NODES, ask->arena, &tree,
			       reterr);
	if (r == WL_OK)
		r = wl_answer_begin_json(ret, &j, reterr);
	if (r < 0)
		return r;
	ok = wl_stack_json_put(&tree, WL_NAMES_AS_THEY_ARE, &j.json, ask->arena);
	r = wl_answer_end_json(ret, &j, reterr);
	return ok ? r : wl_fail(reterr, WL_E_NOMEM, "no memory for call stacks");
}
