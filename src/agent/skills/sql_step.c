/* SPDX-License-Identifier: MIT */
#include "agent/skills/sql_step.h"

#include <string.h>

enum { N_SELECTED = 5 };

static int open_sql(const struct wl_skill_asked *asked, struct wl_arena *arena, struct wl_sql **sql,
		    struct wl_err *reterr)
{
	struct wl_sql_trace *trace;

	if (*sql)
		return WL_OK;
	/* The connection borrows the trace until it is closed. */
	trace = WL_NEW(arena, struct wl_sql_trace, 1);
	if (!trace)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for SQL");
	*trace = (struct wl_sql_trace){ .session = asked->session,
					.path = asked->database,
					.label = asked->label };
	return wl_sql_open(&(struct wl_sql_opts){ .traces = trace,
						  .n = 1,
						  .budget = asked->budget,
						  .pool = asked->selection.pool,
						  .marker = asked->selection.marker,
						  .conventions = asked->selection.conventions },
			   sql, reterr);
}

/* The selection as values of the named SQL parameters. */
static void select_by(const struct wl_selection *s, struct wl_sql_value ret[N_SELECTED])
{
	const struct {
		const char *name, *text;
	} all[N_SELECTED] = { { "window", s->window },
			      { "gpu", s->gpu },
			      { "rank", s->rank },
			      { "pid", s->pid },
			      { "stream", s->stream } };

	for (size_t i = 0; i < N_SELECTED; i++)
		ret[i] = (struct wl_sql_value){ .name = all[i].name,
						.type = all[i].text ? WL_SQL_TEXT : WL_SQL_NULL,
						.text = all[i].text };
}

static int check_used(const struct wl_skill *skill, const struct wl_sql_value *selected,
		      struct wl_err *reterr)
{
	for (size_t i = 0; i < N_SELECTED; i++) {
		if (selected[i].type != WL_SQL_NULL && !selected[i].is_used)
			return wl_fail(reterr, WL_E_USAGE,
				       "%s does not take --%s: its SQL has no :%s", skill->name,
				       selected[i].name, selected[i].name);
	}
	return WL_OK;
}

/* ---- Units ---- */

static bool ends_in(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);

	return n > k && strcmp(name + n - k, ending) == 0;
}

/* A column computed by SQL has a unit only in its name. */
static enum wl_type type_by_name(const struct wl_col *c)
{
	if (c->type == WL_T_COUNT && ends_in(c->key, "_ns"))
		return WL_T_NS;
	if (c->type == WL_T_COUNT && ends_in(c->key, "_at"))
		return WL_T_TIME;
	if (c->type == WL_T_COUNT && ends_in(c->key, "_bytes"))
		return WL_T_BYTES;
	if (c->type == WL_T_REAL && ends_in(c->key, "_share"))
		return WL_T_RATIO;
	return c->type;
}

static bool name_units(struct wl_section *section, struct wl_arena *arena)
{
	struct wl_table *table = WL_NEW(arena, struct wl_table, 1);
	struct wl_col *cols = WL_NEW(arena, struct wl_col, section->view.table->n_cols);

	if (!table || !cols)
		return false;
	*table = *section->view.table;
	for (size_t i = 0; i < table->n_cols; i++) {
		cols[i] = table->cols[i];
		cols[i].type = type_by_name(&cols[i]);
	}
	table->cols = cols;
	section->view.table = table;
	return true;
}

/* Fail if something is wrong with a result. */
static int check_result(const struct wl_skill *skill, const struct wl_sql_value *selected,
			const struct wl_document *doc, struct wl_err *reterr)
{
	int r = check_used(skill, selected, reterr);

	if (r == WL_OK && doc->sections[0].view.table->n_cols == 0)
		return wl_fail(reterr, WL_E_USAGE, "the SQL returns no rows; end it with SELECT");
	return r;
}

static int name_all_units(struct wl_document *doc, struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_section *section = WL_NEW(arena, struct wl_section, 1);

	if (!section)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the result");
	*section = doc->sections[0];
	if (!name_units(section, arena))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the result");
	doc->sections = section;
	return WL_OK;
}

int wl_skill_sql_run(const struct wl_skill_step *step, const struct wl_skill_values *values,
		     const struct wl_skill_asked *asked, struct wl_sql **sql,
		     struct wl_document *ret, struct wl_err *reterr)
{
	struct wl_sql_value all[WL_MAX_PARAMS + N_SELECTED];
	const struct wl_skill *skill = values->skill;
	struct wl_sql_value *selected = all + skill->n_params;
	const struct wl_sql_bound bound = { step->sql, all, skill->n_params + N_SELECTED };
	int r = wl_skill_values_bind(values, all, reterr);

	select_by(&asked->selection.selection, selected);
	if (r == WL_OK)
		r = open_sql(asked, values->arena, sql, reterr);
	if (r == WL_OK)
		r = wl_sql_run_bound(*sql, &bound, &asked->limits, values->arena, ret, reterr);
	if (r == WL_OK)
		r = check_result(skill, selected, ret, reterr);
	return r < 0 ? r : name_all_units(ret, values->arena, reterr);
}

int wl_skill_sql_lacks(const char *table, const struct wl_skill_asked *asked,
		       struct wl_arena *arena, struct wl_sql **sql, bool *ret,
		       struct wl_err *reterr)
{
	const struct wl_sql_table *tables;
	size_t n;
	int r = open_sql(asked, arena, sql, reterr);

	if (r == WL_OK)
		r = wl_sql_tables(*sql, arena, &tables, &n, reterr);
	if (r == WL_OK)
		*ret = !wl_sql_table_find(tables, n, table);
	return r;
}
