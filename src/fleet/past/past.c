/* SPDX-License-Identifier: MIT */
#include "fleet/past/past.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/past/ask.h"

static void put_condition(struct wl_text *to, const char *column, const char *value)
{
	if (!value)
		return;
	wl_text_printf(to, " AND %s = ", column);
	wl_store_quote(to, value);
}

static void put_filter(struct wl_text *to, const struct wl_past_filter *f)
{
	put_condition(to, "project", f->project);
	put_condition(to, "config", f->config);
	put_condition(to, "branch", f->branch);
	put_condition(to, "gpu", f->gpu);
	if (f->id) {
		wl_text_printf(to, " AND substring(run_id, 1, %zu) = ", strlen(f->id));
		wl_store_quote(to, f->id);
	}
}

static uint32_t u32_of(const char *cell)
{
	unsigned long v = strtoul(cell, NULL, 10);

	return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

enum { ID, VERSION, T, PROJECT, CONFIG, GPU, BRANCH, SHA, JOB, WORLD, RANKS, STEPS, STEP, N_CELLS };

static struct wl_past_run run_of(char *const *cell)
{
	return (struct wl_past_run){
		.id = cell[ID],
		.version = cell[VERSION],
		.t_ms = strtoll(cell[T], NULL, 10),
		.project = cell[PROJECT],
		.config = cell[CONFIG],
		.gpu = cell[GPU],
		.branch = cell[BRANCH],
		.sha = cell[SHA],
		.job = cell[JOB],
		.world = u32_of(cell[WORLD]),
		.ranks = u32_of(cell[RANKS]),
		.steps = u32_of(cell[STEPS]),
		.step = strtoll(cell[STEP], NULL, 10),
	};
}

/* Runs with rows of ranks and without the row that completes them. */
static int ask_open(const struct wl_store *store, size_t *ret, struct wl_arena *arena,
		    struct wl_err *reterr)
{
	struct wl_text question = { 0 };
	struct wl_past_rows rows;
	int r;

	wl_text_puts(&question, "SELECT uniqExact(run_id) FROM ");
	wl_store_put_target(store, WL_FACTS_RANKS, &question);
	wl_text_puts(&question, " WHERE run_id GLOBAL NOT IN (SELECT run_id FROM ");
	wl_store_put_target(store, WL_FACTS_RUNS, &question);
	wl_text_puts(&question, ") FORMAT TabSeparated");
	r = wl_past_ask(store, &question, 1, arena, &rows, reterr);
	*ret = r == WL_OK && rows.n ? strtoul(rows.cell[0], NULL, 10) : 0;
	wl_text_release(&question);
	return r;
}

enum { ACK_RUN, ACK_WHO, ACK_WHY, ACK_AT, N_ACK_CELLS };

/* The rows and not the view: it has those of the current version only. */
static int read_acks(const struct wl_store *store, struct wl_past *past, struct wl_arena *arena,
		     struct wl_err *reterr)
{
	struct wl_text question = { 0 };
	struct wl_past_rows rows;
	int r;

	wl_text_puts(&question, "SELECT run_id, who, why, at FROM ");
	wl_store_put_target(store, WL_FACTS_ACKS, &question);
	wl_text_printf(&question,
		       " FINAL WHERE metric = '%s' AND at > 0 ORDER BY at, run_id FORMAT "
		       "TabSeparated",
		       WL_PAST_METRIC);
	r = wl_past_ask(store, &question, N_ACK_CELLS, arena, &rows, reterr);
	wl_text_release(&question);
	/* The last one of a run counts. They are few: each was typed. */
	for (size_t i = 0; r == WL_OK && i < rows.n; i++) {
		char **cell = wl_past_row(&rows, i);

		for (size_t k = 0; k < past->n; k++) {
			if (strcmp(past->run[k].id, cell[ACK_RUN]) != 0)
				continue;
			past->run[k].acked_ms = strtoll(cell[ACK_AT], NULL, 10) / 1000000;
			past->run[k].acked_by = cell[ACK_WHO];
			past->run[k].acked_why = cell[ACK_WHY];
		}
	}
	return r;
}

int wl_past_read(const struct wl_store *store, const struct wl_past_filter *filter,
		 struct wl_arena *arena, struct wl_past *ret, struct wl_err *reterr)
{
	const bool is_modern = store->version >= WL_STORE_MODERN;
	struct wl_text question = { 0 };
	struct wl_past_rows rows;
	int r;

	*ret = (struct wl_past){ 0 };
	wl_text_printf(&question,
		       "SELECT run_id, version, %s, project, config, gpu, branch, sha, job, world, "
		       "ranks, steps, step_p50 FROM %s.runs WHERE 1",
		       is_modern ? "toUnixTimestamp64Milli(t)" : "t", store->database);
	put_filter(&question, filter);
	wl_text_puts(&question,
		     " ORDER BY project, config, gpu, world, t, run_id FORMAT TabSeparated");
	r = wl_past_ask(store, &question, N_CELLS, arena, &rows, reterr);
	wl_text_release(&question);
	if (r < 0)
		return r;
	ret->run = WL_NEW(arena, struct wl_past_run, rows.n);
	if (!ret->run)
		return wl_past_no_memory(reterr);
	for (; ret->n < rows.n; ret->n++)
		ret->run[ret->n] = run_of(wl_past_row(&rows, ret->n));
	r = read_acks(store, ret, arena, reterr);
	return r < 0 ? r : ask_open(store, &ret->n_open, arena, reterr);
}

size_t wl_past_series_end(const struct wl_past *past, size_t begin)
{
	const struct wl_past_run *a = &past->run[begin];
	size_t end = begin + 1;

	for (; end < past->n; end++) {
		const struct wl_past_run *b = &past->run[end];

		if (strcmp(a->project, b->project) != 0 || strcmp(a->config, b->config) != 0 ||
		    strcmp(a->gpu, b->gpu) != 0 || a->world != b->world)
			break;
	}
	return end;
}

/* "FROM steps_rows FINAL WHERE (run_id, version) IN (('a','1'),...)": what the views give. */
static void put_from(const struct wl_store *store, enum wl_facts_table_id table,
		     const struct wl_past_run *run, size_t n, struct wl_text *to)
{
	wl_text_puts(to, " FROM ");
	wl_store_put_target(store, table, to);
	wl_text_puts(to, " FINAL WHERE (run_id, version) IN (");
	for (size_t i = 0; i < n; i++) {
		wl_text_puts(to, i ? ",(" : "(");
		wl_store_quote(to, run[i].id);
		wl_text_puts(to, ",");
		wl_store_quote(to, run[i].version);
		wl_text_puts(to, ")");
	}
	wl_text_puts(to, ")");
}

enum { CELL_TEXTS = 5 };

/*
 * Each question gives name, run, nanoseconds and calls, in the order of names. Names of operations
 * are those of the run: the same operation may be hashed from another name one day.
 */
static void put_ops(const struct wl_store *store, const struct wl_past_run *run, size_t n,
		    struct wl_text *to)
{
	wl_text_puts(to,
		     "SELECT name, run_id, sum(if(class = 'comm', least_of, sum_of)), sum(times), "
		     "max(class = 'comm') FROM (SELECT run_id, op, sum(sum) AS sum_of, sum(min) AS "
		     "least_of, sum(calls) AS times");
	put_from(store, WL_FACTS_OP_STEP, run, n, to);
	wl_text_puts(
		to,
		" GROUP BY run_id, op) AS a GLOBAL ANY LEFT JOIN (SELECT run_id, op, name, class");
	put_from(store, WL_FACTS_OPS, run, n, to);
	wl_text_puts(to, ") AS b USING (run_id, op) GROUP BY name, run_id ORDER BY name, run_id");
}

static void put_ranks(const struct wl_store *store, const struct wl_past_run *run, size_t n,
		      struct wl_text *to)
{
	wl_text_puts(to, "SELECT toString(rank), run_id, avg(period - exposed_comm), 0, 0");
	put_from(store, WL_FACTS_STEPS, run, n, to);
	wl_text_puts(to, " GROUP BY rank, run_id ORDER BY rank, run_id");
}

static void put_hosts(const struct wl_store *store, const struct wl_past_run *run, size_t n,
		      struct wl_text *to)
{
	wl_text_puts(to,
		     "SELECT host, run_id, avg(own), 0, 0 FROM (SELECT run_id, rank, avg(period - "
		     "exposed_comm) AS own");
	put_from(store, WL_FACTS_STEPS, run, n, to);
	wl_text_puts(
		to, " GROUP BY run_id, rank) AS a GLOBAL ANY LEFT JOIN (SELECT run_id, rank, host");
	put_from(store, WL_FACTS_RANKS, run, n, to);
	wl_text_puts(to, ") AS b USING (run_id, rank) GROUP BY host, run_id ORDER BY host, run_id");
}

static uint32_t run_number(const struct wl_past_run *run, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(run[i].id, id) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

static const double longest = 9e15; /* nanoseconds: 104 days */

/* Sums of operations are of all steps, and of all ranks but for communication. */
static struct wl_hist_cell cell_of(char *const *text, const struct wl_past_run *run,
				   enum wl_past_part part)
{
	const bool is_comm = strtol(text[4], NULL, 10) != 0;
	double ns = strtod(text[2], NULL), calls = strtod(text[3], NULL), by = 1;

	if (part == WL_PAST_OPS) {
		by = run->steps ? run->steps : 1;
		calls /= by * (run->ranks ? run->ranks : 1);
		by *= is_comm || !run->ranks ? 1 : run->ranks;
	}
	ns /= by;
	/* What no step has, a database may say. */
	if (!(fabs(ns) < longest))
		ns = 0;
	return (struct wl_hist_cell){ .ns = llround(ns), .calls = calls >= 0 ? calls : 0 };
}

static void take_cells(const struct wl_past_rows *rows, const struct wl_past_run *run, size_t n,
		       enum wl_past_part part, struct wl_past_cells *ret)
{
	for (size_t i = 0; i < rows->n; i++) {
		char **text = wl_past_row(rows, i);
		uint32_t number = run_number(run, n, text[1]);
		struct wl_hist_cell cell;

		if (number == UINT32_MAX)
			continue;
		cell = cell_of(text, &run[number], part);
		if (!ret->n_names || strcmp(ret->name[ret->n_names - 1], text[0]) != 0)
			ret->name[ret->n_names++] = text[0];
		cell.run = number;
		cell.what = (uint32_t)ret->n_names - 1;
		ret->cell[ret->n++] = cell;
	}
}

int wl_past_read_cells(const struct wl_store *store, const struct wl_past_run *run, size_t n,
		       enum wl_past_part part, struct wl_arena *arena, struct wl_past_cells *ret,
		       struct wl_err *reterr)
{
	static void (*const put[WL_PAST_N_PARTS])(
		const struct wl_store *, const struct wl_past_run *, size_t,
		struct wl_text *) = { put_ops, put_ranks, put_hosts };
	struct wl_text question = { 0 };
	struct wl_past_rows rows;
	int r;

	*ret = (struct wl_past_cells){ 0 };
	put[part](store, run, n, &question);
	wl_text_puts(&question, " FORMAT TabSeparated");
	r = wl_past_ask(store, &question, CELL_TEXTS, arena, &rows, reterr);
	wl_text_release(&question);
	if (r < 0)
		return r;
	ret->cell = WL_NEW(arena, struct wl_hist_cell, rows.n);
	ret->name = WL_NEW(arena, const char *, rows.n);
	if (!ret->cell || !ret->name)
		return wl_past_no_memory(reterr);
	take_cells(&rows, run, n, part, ret);
	return WL_OK;
}
