/* SPDX-License-Identifier: MIT */
#include "index/texts.h"

#include <string.h>

typedef bool visitor(void *ctx, uint32_t text);

static bool visit_processes(const struct wl_trace *t, visitor *visit, void *ctx)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_processes; i++)
		ok = visit(ctx, t->processes[i].name) && visit(ctx, t->processes[i].host);
	for (size_t i = 0; ok && i < t->n_threads; i++)
		ok = visit(ctx, t->threads[i].name);
	return ok;
}

static bool visit_devices(const struct wl_trace *t, visitor *visit, void *ctx)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_gpus; i++)
		ok = visit(ctx, t->gpus[i].name) && visit(ctx, t->gpus[i].bus) &&
		     visit(ctx, t->gpus[i].uuid);
	for (size_t i = 0; ok && i < t->n_devices; i++)
		ok = visit(ctx, t->devices[i].uuid) && visit(ctx, t->devices[i].name);
	for (size_t i = 0; ok && i < t->n_series; i++)
		ok = visit(ctx, t->series[i].name) && visit(ctx, t->series[i].nic) &&
		     visit(ctx, t->series[i].unit);
	return ok;
}

static bool visit_code(const struct wl_trace *t, visitor *visit, void *ctx)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_frames; i++)
		ok = visit(ctx, t->frames[i].symbol) && visit(ctx, t->frames[i].module);
	for (size_t i = 0; ok && i < t->n_kernel_names; i++)
		ok = visit(ctx, t->kernel_names[i].demangled) &&
		     visit(ctx, t->kernel_names[i].brief) && visit(ctx, t->kernel_names[i].mangled);
	return ok;
}

bool wl_catalogue_texts(const struct wl_trace *t, visitor *visit, void *ctx)
{
	bool ok = visit(ctx, t->host) && visit_processes(t, visit, ctx) &&
		  visit_devices(t, visit, ctx) && visit_code(t, visit, ctx);

	for (size_t i = 0; ok && i < t->n_meta; i++)
		ok = visit(ctx, t->meta[i].table) && visit(ctx, t->meta[i].name) &&
		     visit(ctx, t->meta[i].value);
	for (size_t i = 0; ok && i < t->n_source_columns; i++)
		ok = visit(ctx, t->source_columns[i].name) && visit(ctx, t->source_columns[i].type);
	return ok;
}

struct naming {
	bool *is_named; /* by text */
	size_t n;
};

static bool name(void *ctx, uint32_t text)
{
	const struct naming *g = ctx;

	if (text < g->n)
		g->is_named[text] = true;
	return true;
}

static void name_columns(const struct wl_trace *t, struct naming *g)
{
	for (size_t c = 0; c < WL_N_COLUMNS; c++) {
		const uint32_t *text = t->column[c];

		if (wl_column_infos[c].domain != WL_D_TEXT || !text)
			continue;
		for (size_t i = 0; i < t->family[wl_column_infos[c].family].n; i++)
			(void)name(g, text[i]);
	}
}

static bool copy_named(const struct wl_trace *t, const struct naming *g, struct wl_vec *blob,
		       struct wl_vec *offset)
{
	for (uint32_t i = 0; i < t->strings.n && !blob->failed; i++) {
		const char *text = g->is_named[i] ? wl_str(t, i) : "";
		const uint64_t at = blob->n;
		size_t size = strlen(text) + 1;
		char *to = wl_vec_extend(blob, size);

		wl_vec_push(offset, &at);
		if (to)
			memcpy(to, text, size);
	}
	return !blob->failed && !offset->failed;
}

bool wl_texts_named(const struct wl_trace *t, struct wl_vec *blob, struct wl_vec *offset)
{
	struct naming g = { .n = t->strings.n };
	struct wl_vec named;
	bool ok;

	wl_vec_init(&named, sizeof(bool), blob->budget);
	g.is_named = wl_vec_extend(&named, g.n);
	ok = g.is_named != NULL;
	if (ok) {
		memset(g.is_named, 0, g.n * sizeof(bool));
		(void)wl_catalogue_texts(t, name, &g);
		name_columns(t, &g);
		ok = copy_named(t, &g, blob, offset);
	}
	wl_vec_release(&named);
	return ok;
}
