/* SPDX-License-Identifier: MIT */
#include "cli/commands/asking.h"

#include "base/process/pool.h"

int wl_asking_run(struct wl_asking *a, const char *trace, const struct wl_analysis *analysis,
		  const char *const *args, const struct wl_view **ret, struct wl_err *reterr)
{
	struct wl_opening how = { a->inv, NULL, &a->budget, &a->costs };
	int r;

	a->budget = (struct wl_budget){ .limit = a->inv->opt.memory };
	wl_arena_init_on(&a->arena, &a->budget);
	a->pool = how.pool = wl_pool_option(a->inv);
	a->request = wl_opened_request(a->inv, &a->docs, a->pool);
	a->request.analysis = analysis;
	a->request.args = args;
	a->request.view = (struct wl_view_opts){ .limit = 0 };
	r = wl_request_check(&a->request, reterr);
	if (r == WL_OK)
		r = wl_opened_load(&a->opened, trace, &how, &a->request, reterr);
	if (r == WL_OK)
		r = wl_session_run(a->opened.session, &a->request, &a->arena, &a->doc, reterr);
	wl_progress_end(&a->opened.progress);
	if (r == WL_OK)
		*ret = &a->doc.sections[0].view;
	return r;
}

void wl_asking_release(struct wl_asking *a)
{
	wl_opened_release(&a->opened);
	wl_arena_release(&a->arena);
	wl_pool_free(a->pool);
}
