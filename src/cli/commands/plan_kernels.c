/* SPDX-License-Identifier: MIT */
#include "cli/commands/plan_kernels.h"

#include <stdio.h>

#include "analysis/time/ncu_choice.h"
#include "base/pool.h"
#include "cli/open.h"

struct choosing {
	const struct wl_invocation *inv;
	struct wl_docs docs;
	struct wl_request request;
	struct wl_opened opened;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena; /* of the answer */
	struct wl_costs costs;
};

/* Texts move to the arena of the plan, which outlives the trace. */
static int take(const struct wl_view *v, struct wl_arena *arena, struct wl_wishes *wishes,
		struct wl_err *reterr)
{
	struct wl_plan_kernel *kernel = WL_NEW(arena, struct wl_plan_kernel, v->n_rows + 1);
	bool ok = kernel != NULL;

	for (size_t i = 0; ok && i < v->n_rows; i++) {
		size_t row = v->rows[i];

		kernel[i] = (struct wl_plan_kernel){
			.name = wl_arena_strdup(arena,
						wl_table_at(v->table, row, WL_CHOICE_KERNEL).str),
			.skip = wl_table_at(v->table, row, WL_CHOICE_SKIP).i64,
			.count = wl_table_at(v->table, row, WL_CHOICE_COUNT).i64,
		};
		ok = kernel[i].name != NULL;
	}
	if (!ok)
		return wl_fail(reterr, WL_E_NOMEM, "plan: no memory for the kernels");
	if (v->n_rows == 0)
		return wl_fail(reterr, WL_E_NODATA, "plan: the trace has no compute kernels");
	wishes->kernel = kernel;
	wishes->n_kernels = v->n_rows;
	return WL_OK;
}

static int choose(struct choosing *c, const char *trace, const char *top, struct wl_document *ret,
		  struct wl_err *reterr)
{
	const struct wl_opening how = { c->inv, c->pool, &c->budget, &c->costs };
	const char *args[WL_MAX_PARAMS] = { [WL_CHOICE_TOP] = top };
	int r;

	c->request = wl_opened_request(c->inv, &c->docs, c->pool);
	c->request.analysis = wl_analysis_get("ncu-choice");
	c->request.args = args;
	c->request.view = (struct wl_view_opts){ .limit = 0 };
	r = wl_request_check(&c->request, reterr);
	if (r == WL_OK)
		r = wl_opened_load(&c->opened, trace, &how, &c->request, reterr);
	if (r == WL_OK)
		r = wl_session_run(c->opened.session, &c->request, &c->arena, ret, reterr);
	wl_progress_end(&c->opened.progress);
	return r;
}

int wl_plan_kernels_find(const struct wl_invocation *inv, const char *trace, int64_t top,
			 struct wl_arena *arena, struct wl_wishes *wishes, struct wl_err *reterr)
{
	struct choosing c = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	char text[WL_UNITS_BUF];
	struct wl_document doc;
	int r;

	wl_arena_init_on(&c.arena, &c.budget);
	c.pool = wl_pool_option(inv);
	r = choose(&c, trace, wl_fmt_i64(text, top), &doc, reterr);
	if (r == WL_OK)
		r = take(&doc.sections[0].view, arena, wishes, reterr);
	wl_opened_release(&c.opened);
	wl_arena_release(&c.arena);
	wl_pool_free(c.pool);
	return r;
}
