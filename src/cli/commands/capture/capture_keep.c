/* SPDX-License-Identifier: MIT */
#include "cli/commands/capture/capture_keep.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/runs/refuse_secrets.h"
#include "capture/runs/surroundings.h"

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int look(struct wl_manifest *m, const struct wl_kept_wish *wish, struct wl_arena *arena,
		struct wl_err *reterr)
{
	int r;

	m->argv = wish->argv;
	m->n_argv = count(wish->argv);
	m->warplens = WL_VERSION;
	m->allowed = wish->allowed;
	m->n_allowed = count(wish->allowed);
	m->sweep = wish->sweep;
	m->n_sweep = wish->n_sweep;
	r = wl_manifest_look(m, &(struct wl_looking){ .env = (const char *const *)environ }, arena,
			     reterr);
	if (r == WL_OK)
		r = wl_manifest_hash_inputs(m, NULL, arena, reterr);
	/* Inputs are found by the arguments as they are; masked ones name no files. */
	m->argv = wl_mask_secrets(wish->argv, arena);
	if (r == WL_OK && !m->argv)
		r = wl_fail(reterr, WL_E_NOMEM, "no memory for the manifest");
	return r;
}

/* Secrets are refused before there is a directory to remove. */
int wl_kept_run_begin(struct wl_kept_run *run, const struct wl_kept_wish *wish,
		      struct wl_arena *arena, struct wl_err *reterr)
{
	struct wl_manifest *m = &run->manifest;
	int r = wl_refuse_secrets(wish->argv, (const char *const *)environ, wish->allowed, reterr);

	wl_manifest_init(m);
	m->begin_ms = wl_clock_utc_ms();
	if (r == WL_OK)
		r = look(m, wish, arena, reterr);
	if (r == WL_OK)
		r = wl_run_dir_make(wish->parent, wish->argv, m->begin_ms, run->id, run->path,
				    reterr);
	if (r < 0)
		return r;
	m->id = run->id;
	if (snprintf(run->dir, sizeof(run->dir), "%s/nsys", run->path) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "--dir: the path is too long");
	return WL_OK;
}

enum { MOST_STAGES = 4 };

/* Those that came to pass, in order. */
static size_t list_stages(const struct wl_kept_end *end, struct wl_run_stage stage[MOST_STAGES])
{
	const struct wl_collection *all = &end->done->collection;
	size_t n = 0;

	stage[n++] = (struct wl_run_stage){ "record", end->done->watched.tool_ns };
	if (all->n > 0)
		stage[n++] = (struct wl_run_stage){ "export", all->export_ns };
	if (all->look_ns > 0)
		stage[n++] = (struct wl_run_stage){ "check", all->look_ns };
	if (end->ncu_ns >= 0)
		stage[n++] = (struct wl_run_stage){ "ncu", end->ncu_ns };
	return n;
}

int wl_kept_run_end(struct wl_kept_run *run, const struct wl_kept_end *end, struct wl_arena *arena,
		    struct wl_err *reterr)
{
	const struct wl_watched *w = &end->done->watched;
	struct wl_run_stage *stage = WL_NEW(arena, struct wl_run_stage, MOST_STAGES);
	struct wl_manifest *m = &run->manifest;
	int r;

	if (!stage)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the manifest of the run");

	m->nsys = end->nsys;
	m->ncu = end->ncu;
	m->step_ns = end->step_ns;
	m->end_ms = wl_clock_utc_ms();
	m->stage = stage;
	m->n_stages = list_stages(end, stage);
	m->failure = end->failure;
	m->wall_ns = w->program_ns;
	m->bare_ns = end->done->bare_ns;
	m->exit_status = w->program.signal ? -1 : w->program.code;
	m->exit_signal = w->program.signal;
	r = wl_manifest_hash_outputs(m, run->path, NULL, arena, reterr);
	return r < 0 ? r : wl_manifest_write(m, run->path, reterr);
}

/*
 * The report is made of a trace that its manifest describes already, so the manifest is written a
 * second time, with the sums of the report.
 */
int wl_kept_run_report(struct wl_kept_run *run, struct wl_arena *arena, struct wl_err *reterr)
{
	int r = wl_manifest_hash_report(&run->manifest, run->path, arena, reterr);

	return r < 0 ? r : wl_manifest_write(&run->manifest, run->path, reterr);
}
