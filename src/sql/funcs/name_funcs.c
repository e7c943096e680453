/* SPDX-License-Identifier: MIT */
/* name_funcs.c - what names of kernels and other operations stand for. */
#include <string.h>

#include "base/memory/sort.h"
#include "derive/kinds/category_times.h"
#include "known/kernels/labels.h"
#include "sql/funcs/funcs_parts.h"

/* Kernel names of the trace in order of two of their texts, and their categories. */
struct names {
	const struct wl_trace *trace;
	const struct wl_named *named;
	uint32_t *by_demangled, *by_mangled;
	struct wl_category_rules rules;
	struct wl_category_map map;
};

static const char *demangled(const struct wl_trace *t, uint32_t i)
{
	return wl_str(t, t->kernel_names[i].demangled);
}

static const char *mangled(const struct wl_trace *t, uint32_t i)
{
	return wl_str(t, t->kernel_names[i].mangled);
}

static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
	return strcmp(demangled(ctx, a), demangled(ctx, b)) < 0;
}

static bool is_mangled_before(const void *ctx, uint32_t a, uint32_t b)
{
	return strcmp(mangled(ctx, a), mangled(ctx, b)) < 0;
}

static uint32_t *ordered(const struct wl_trace *t, wl_less *less, struct wl_arena *arena)
{
	uint32_t *order = WL_NEW(arena, uint32_t, 2 * t->n_kernel_names + 1);

	if (order)
		wl_sort_all(order, t->n_kernel_names, less, t);
	return order;
}

static void unmake(void *made)
{
	wl_category_rules_release(&((struct names *)made)->rules);
}

static int make(struct wl_sql_view *view, struct wl_err *reterr)
{
	struct names *names = WL_NEW(&view->arena, struct names, 1);

	if (!names)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of kernels");
	view->made = names;
	view->unmake = unmake;
	names->trace = view->derived.trace;
	names->named = view->derived.named;
	names->by_demangled = ordered(names->trace, is_before, &view->arena);
	names->by_mangled = ordered(names->trace, is_mangled_before, &view->arena);
	if (!names->by_demangled || !names->by_mangled ||
	    !wl_category_map_generic(names->trace, names->named, &view->arena, &names->rules,
				     &names->map)) {
		unmake(names);
		view->made = NULL;
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the names of kernels");
	}
	return WL_OK;
}

static const struct names *get(sqlite3_context *to)
{
	struct wl_sql_view *view;
	struct wl_err err = { .code = WL_OK };
	int r = wl_sql_view_get(sqlite3_user_data(to), 0, WL_SQL_NAMES, &view, &err);

	if (r == WL_OK && !view->made)
		r = make(view, &err);
	if (r == WL_OK)
		return view->made;
	if (r == WL_E_NOMEM)
		sqlite3_result_error_nomem(to);
	else
		wl_sql_error(to, "%s", err.msg);
	return NULL;
}

/* ---- Looking up ---- */

struct looked_for {
	const struct wl_trace *trace;
	const uint32_t *order;
	const char *(*text)(const struct wl_trace *, uint32_t);
	const char *name;
};

static bool lies_before(const void *ctx, size_t i)
{
	const struct looked_for *l = ctx;

	return strcmp(l->text(l->trace, l->order[i]), l->name) < 0;
}

/* A kernel name with this text, or WL_NONE. */
static uint32_t find(const struct looked_for *l)
{
	size_t i = wl_lower_bound(l->trace->n_kernel_names, lies_before, l);

	if (i == l->trace->n_kernel_names || strcmp(l->text(l->trace, l->order[i]), l->name) != 0)
		return WL_NONE;
	return l->order[i];
}

static uint32_t find_demangled(const struct names *n, const char *name)
{
	return find(&(struct looked_for){ n->trace, n->by_demangled, demangled, name });
}

static uint32_t find_mangled(const struct names *n, const char *name)
{
	return find(&(struct looked_for){ n->trace, n->by_mangled, mangled, name });
}

/* The name that is asked for; NULL for NULL, and without memory. */
static const char *name_of(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? NULL
							: (const char *)sqlite3_value_text(value);
}

static void return_text(sqlite3_context *to, const char *text)
{
	sqlite3_result_text(to, text, -1, SQLITE_TRANSIENT);
}

/* ---- The functions ---- */

/* Of a name that the trace has not: what it would be called on its own. */
static void put_label(sqlite3_context *to, const char *name)
{
	const struct wl_sql_context *ctx = sqlite3_user_data(to);
	struct wl_arena scratch;
	const char *label;

	wl_arena_init_on(&scratch, ctx->budget);
	if (wl_kernel_labels(&name, 1, &scratch, &label))
		return_text(to, label);
	else
		sqlite3_result_error_nomem(to);
	wl_arena_release(&scratch);
}

void wl_sqlf_short_name(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const char *name = name_of(arg[0]);
	const struct names *names = name ? get(to) : NULL;
	uint32_t i;

	(void)n;
	if (!names)
		return;
	i = find_demangled(names, name);
	if (i != WL_NONE)
		return_text(to, names->named->label[i]);
	else
		put_label(to, name);
}

/* "[CUDA memcpy HtoD]" and "[CUDA memset]" are no kernels: as wl_category_map_make() has it. */
static struct wl_kernel_facts facts_of(const char *name)
{
	static const struct wl_kernel_facts memory = { .category = WL_CATEGORY_MEMORY };

	return strncmp(name, "[CUDA mem", 9) == 0 ? memory : wl_kernel_named(name);
}

void wl_sqlf_category(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const char *name = name_of(arg[0]);
	const struct names *names = name ? get(to) : NULL;
	int category;
	uint32_t i;

	(void)n;
	if (!names)
		return;
	i = find_demangled(names, name);
	if (i != WL_NONE) {
		category = names->map.of_kernel_name[i];
	} else if (strcmp(name, "(graph)") == 0) {
		category = names->rules.graph;
	} else {
		struct wl_kernel_facts facts = facts_of(name);
		size_t n_given_up = 0;

		category = wl_category_of_name(&names->rules, name, &facts, &n_given_up);
	}
	if (category < 0)
		sqlite3_result_error_nomem(to);
	else
		return_text(to, names->rules.category[category]);
}

void wl_sqlf_demangle(sqlite3_context *to, int n, sqlite3_value **arg)
{
	const char *name = name_of(arg[0]);
	const struct names *names = name ? get(to) : NULL;
	uint32_t i;

	(void)n;
	if (!names)
		return;
	i = find_mangled(names, name);
	return_text(to, i == WL_NONE ? name : demangled(names->trace, i));
}
