/* SPDX-License-Identifier: MIT */
/*
 * fuzz_facts.c - the bytes are a file of facts, or the blocks of one before they are packed.
 *
 * They are refused with a message, or what is read is the same when it is written and read again,
 * and can be merged and compared. Sums would keep changed blocks from being read at all: bytes that
 * do not begin as a file does are taken for the rows and content of each block.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "analysis/axes.h"
#include "base/file/checksum.h"
#include "base/file/zst.h"
#include "derive/use/rank_use.h"
#include "facts/file.h"
#include "facts/merge.h"
#include "fuzz/fuzz.h"
#include "known/definitions.h"
#include "session/facts/facts_accounts.h"
#include "session/facts/facts_job.h"
#include "session/select/selection.h"

enum { BUDGET = 32 << 20 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* The next block of the input: a byte of rows, two of length. */
struct cut {
	const uint8_t *at;
	size_t left;
};

static size_t take(struct cut *c, size_t n_bytes)
{
	size_t v = 0;

	for (; n_bytes > 0 && c->left > 0; n_bytes--, c->at++, c->left--)
		v = v << 8 | *c->at;
	return v;
}

static void put(struct wl_vec *to, const void *bytes, size_t n)
{
	void *at = n ? wl_vec_extend(to, n) : NULL;

	if (at)
		memcpy(at, bytes, n);
}

static void put_columns(FILE *out, size_t table)
{
	size_t end = wl_facts_end((enum wl_facts_table_id)table);

	(void)fputs(",\"columns\":[", out);
	for (size_t c = wl_facts_tables[table].first; c < end; c++)
		(void)fprintf(out, "%s\"%s\"", c > wl_facts_tables[table].first ? "," : "",
			      wl_facts_columns[c].name);
	(void)fputs("]", out);
}

static void put_block(struct cut *c, const char *name, FILE *head, struct wl_vec *blocks)
{
	size_t rows = take(c, 1), n = take(c, 2), before = blocks->n;

	n = n < c->left ? n : c->left;
	need(wl_zst_pack(c->at, n, 1, blocks));
	(void)fprintf(
		head,
		"%s{\"name\":\"%s\",\"rows\":%zu,\"raw\":%zu,\"size\":%zu,\"sum\":\"%016llx\"",
		before ? "," : "", name, rows, n, blocks->n - before,
		(unsigned long long)wl_checksum(c->at, n));
	c->at += n;
	c->left -= n;
}

/* A file whose blocks hold the input. */
static void make_file(const uint8_t *data, size_t size, struct wl_vec *ret)
{
	struct cut c = { data, size };
	struct wl_vec blocks;
	char *text = NULL;
	size_t n = 0;
	FILE *head = open_memstream(&text, &n);

	need(head != NULL);
	wl_vec_init(&blocks, 1, ret->budget);
	(void)fprintf(
		head,
		"{\"schema\":\"warplens-facts/1\",\"definitions\":%d,\"ranks\":0,\"blocks\":[",
		WL_DEFINITIONS);
	put_block(&c, "texts", head, &blocks);
	(void)fputs("}", head);
	for (size_t t = 0; t < WL_FACTS_N_TABLES; t++) {
		if (wl_facts_tables[t].origin != WL_FACTS_KEPT)
			continue;
		put_block(&c, wl_facts_tables[t].name, head, &blocks);
		put_columns(head, t);
		(void)fputs("}", head);
	}
	put_block(&c, "answers", head, &blocks);
	(void)fputs("}]}\n", head);
	need(fclose(head) == 0);
	put(ret, text, n);
	put(ret, blocks.data, blocks.n);
	free(text);
	wl_vec_release(&blocks);
}

static void check(const struct wl_facts *f, struct wl_budget *budget)
{
	struct wl_facts again, merged;
	struct wl_vec a, b;

	wl_vec_init(&a, 1, budget);
	wl_vec_init(&b, 1, budget);
	wl_facts_merge_begin(&merged, budget);
	wl_facts_merge_add(&merged, f);
	wl_facts_merge_add(&merged, f);
	if (wl_facts_encode(f, WL_FACTS_AS_KEPT, &a) &&
	    wl_facts_decode(a.data, a.n, "f", budget, &again, NULL) == WL_OK) {
		need(!wl_facts_encode(&again, WL_FACTS_AS_KEPT, &b) ||
		     (a.n == b.n && memcmp(a.data, b.data, a.n) == 0));
		wl_facts_release(&again);
	}
	if (wl_facts_merge_finish(&merged))
		need(merged.n[WL_FACTS_RANKS] == f->n[WL_FACTS_RANKS]);
	wl_facts_release(&merged);
	wl_vec_release(&a);
	wl_vec_release(&b);
}

/* The verbs that read a job of facts, with a choice of --by. */
static void ask(const struct wl_run *given, const char *verb, const char *by)
{
	struct wl_analysis asked = *wl_analysis_get(verb);
	const char *text[WL_MAX_PARAMS] = { NULL };
	struct wl_err err = { .code = WL_OK };
	struct wl_table table;
	struct wl_args args;
	int r;

	text[asked.axes->by] = by;
	need(asked.facts == WL_FACTS_RUN);
	r = wl_args_init(&args, &asked, text, NULL, &err);
	if (r == WL_OK) {
		struct wl_run run = *given;

		run.arg = args.value;
		r = wl_analysis_run(&asked, &run, &table, &err);
	}
	need(r == WL_OK || (err.code == r && *err.msg));
	wl_args_release(&args);
}

static void ask_all(const struct wl_run *run)
{
	ask(run, "ranks", "step");
	ask(run, "nccl", NULL);
	ask(run, "overlap", NULL);
	ask(run, "overlap", "iteration");
	ask(run, "iters", NULL);
	ask(run, "iters", "host");
}

/* The same in a window of steps. */
static void ask_steps(const struct wl_facts_job *job, const char *window, struct wl_arena *arena)
{
	const struct wl_selection selection = { .window = window };
	struct wl_err err = { .code = WL_OK };
	struct wl_scope_notes notes;
	struct wl_derived derived;
	struct wl_scope scope;
	int r = wl_selection_resolve(&selection, &job->derived, arena, &scope, &notes, &err);

	need(r == WL_OK || (err.code == r && *err.msg));
	if (r == WL_OK && wl_facts_job_narrow(job, &scope, arena, &derived) &&
	    wl_facts_account(job, &scope, UINT64_MAX, arena, &derived))
		ask_all(&(struct wl_run){ .trace = &job->trace,
					  .scope = &scope,
					  .derived = &derived,
					  .arena = arena });
}

/* As the ranks of a job they are compared: whatever the numbers, nothing overflows. */
static void compare_ranks(const struct wl_facts *f, struct wl_budget *budget)
{
	struct wl_rank_uses uses;
	struct wl_facts_job job;
	struct wl_derived derived;
	struct wl_arena arena;

	wl_arena_init_on(&arena, budget);
	if (f->n[WL_FACTS_RANKS] && wl_facts_job_make(f, "f", &arena, &job) &&
	    wl_rank_use_find(&job.derived, &job.scope, &arena, &uses)) {
		need(uses.n <= f->n[WL_FACTS_RANKS]);
		derived = job.derived;
		if (wl_facts_account(&job, &job.scope, UINT64_MAX, &arena, &derived))
			ask_all(&(struct wl_run){ .trace = &job.trace,
						  .scope = &job.scope,
						  .derived = &derived,
						  .arena = &arena });
		ask_steps(&job, "steady", &arena);
		ask_steps(&job, "iter:0..1", &arena);
	}
	wl_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_budget budget = { .limit = BUDGET };
	struct wl_err err = { .code = WL_OK };
	struct wl_facts f;
	struct wl_vec file;
	int r;

	wl_vec_init(&file, 1, &budget);
	if (size == 0 || data[0] != '{')
		make_file(data, size, &file);
	else
		put(&file, data, size);
	r = wl_facts_decode(file.data, file.n, "f", &budget, &f, &err);
	need(r == WL_OK || ((r == WL_E_FORMAT || r == WL_E_NOMEM) && err.code == r && *err.msg));
	if (r == WL_OK) {
		check(&f, &budget);
		compare_ranks(&f, &budget);
		wl_facts_release(&f);
	}
	wl_vec_release(&file);
	need(budget.used == 0);
	return 0;
}
