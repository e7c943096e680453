/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/capture_sweep.h"

#include <stdio.h>
#include <string.h>

#include "capture/runs/refuse_secrets.h"
#include "cli/print.h"
#include "cli/run_tables.h"

static int no_memory(struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "capture: no memory for the table of the sweep");
}

const char *const *wl_many_of(const struct wl_invocation *inv, size_t param, struct wl_arena *arena,
			      size_t *ret_n)
{
	const char **list = WL_NEW(arena, const char *, inv->n_many + 1);
	size_t n = 0;

	for (size_t i = 0; list && i < inv->n_many; i++)
		if (inv->many[i].param == param)
			list[n++] = inv->many[i].text;
	*ret_n = n;
	return list;
}

/* The words that the sweep made, by comparison with the program as it was given. */
static bool makes_secret(const char *const *argv, const char *const *masked,
			 const char *const *program)
{
	size_t n = 0;

	while (program[n])
		n++;
	for (size_t i = 0; argv[i]; i++) {
		bool is_made = i >= n || strcmp(argv[i], program[i]) != 0;

		if (is_made && strcmp(argv[i], masked[i]) != 0)
			return true;
	}
	return false;
}

int wl_sweep_refuse_secrets(const struct wl_sweep *sweep, const char *const *program,
			    struct wl_arena *arena, struct wl_err *reterr)
{
	for (size_t i = 0; i < sweep->n_runs; i++) {
		const char *const *argv = sweep->run[i].argv;
		const char *const *masked = wl_mask_secrets(argv, arena);

		if (!masked)
			return no_memory(reterr);
		if (makes_secret(argv, masked, program))
			return wl_fail(
				reterr, WL_E_USAGE,
				"--sweep: a value is a secret, and tables and manifests show "
				"values; capture these runs one by one");
	}
	return WL_OK;
}

const char *wl_sweep_title(const struct wl_sweep *sweep, size_t i, char *buf, size_t size)
{
	const struct wl_sweep_run *run = &sweep->run[i];

	(void)snprintf(buf, size, "run %zu of %zu:", i + 1, sweep->n_runs);
	for (size_t k = 0; k < run->n_pairs; k++) {
		size_t n = strlen(buf);

		(void)snprintf(buf + n, size - n, " %s=%s", run->pair[k].name, run->pair[k].value);
	}
	return buf;
}

int wl_sweep_print(const struct wl_invocation *inv, const char *const *path, size_t n,
		   struct wl_arena *arena, struct wl_err *reterr)
{
	static const struct wl_view_opts shown = { .columns = "sweep,exit,wall,step,state,run" };
	const struct wl_table_info *info = &wl_run_tables[WL_RUNS_LIST];
	struct wl_run_found *run = WL_NEW(arena, struct wl_run_found, n + 1);
	struct wl_section section = { .analysis = info->name };
	const struct wl_document doc = { .name = "capture",
					 .n_devices = -1,
					 .sections = &section,
					 .n_sections = 1,
					 .single = true };
	struct wl_printing print;
	struct wl_table table;
	int r = run ? wl_printing_init(&print, inv, reterr) : no_memory(reterr);

	wl_table_init(&table, arena, info->cols, info->n_cols);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		struct wl_err why;

		run[i].path = path[i];
		/* A manifest that could not be written was reported when that happened. */
		if (wl_manifest_read(path[i], arena, &run[i].manifest, &why) == WL_OK)
			wl_run_put(&table, &run[i]);
	}
	if (r == WL_OK && !wl_table_ok(&table))
		r = no_memory(reterr);
	if (r == WL_OK)
		r = wl_view_make(&table, &shown, arena, &section.view, reterr);
	return r < 0 ? r : wl_print(&print, &doc, reterr);
}
