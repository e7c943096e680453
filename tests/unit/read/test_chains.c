/* SPDX-License-Identifier: MIT */
/* Tables of call chains become stacks: what folds, what is a note, what is out of order. */
#include "read/chains.h"

#include <stdio.h>
#include <string.h>

#include "read/input.h"
#include "support/db.h"
#include "support/invariants.h"
#include "support/same_trace.h"
#include "support/unit.h"

static struct wl_input *load(const char *path, const struct wl_reader_ops *reader)
{
	const struct wl_input_opts opts = { .reader = reader };
	struct wl_columns all = all_columns();
	struct wl_input *in = NULL;

	assert_int_equal(wl_input_open(path, &opts, &in, NULL), WL_OK);
	assert_int_equal(wl_input_load(in, &all, NULL), WL_OK);
	assert_null(broken_invariant(wl_input_trace(in)));
	return in;
}

/* "main;step;(libx)" from the outermost frame inwards, "-" for none. */
static void expect_stack(const struct wl_trace *t, uint32_t stack, const char *want)
{
	char text[512] = "", part[512];

	for (uint32_t s = stack; s != WL_NONE; s = t->stacks[s].caller) {
		const struct wl_stack_frame *f = &t->frames[t->stacks[s].frame];
		bool named = f->kind != WL_FRAME_ADDRESS;

		(void)snprintf(part, sizeof(part), "%s%s%s%s%.400s", named ? "" : "(",
			       wl_str(t, named ? f->symbol : f->module), named ? "" : ")",
			       *text ? ";" : "", text);
		memcpy(text, part, sizeof(text));
	}
	assert_string_equal(*text ? text : "-", want);
}

static const char strings[] =
	"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES (1, 'main'), (2, 'step'), (3, 'app'), (4, '0x7f01'),"
	" (5, '0x7f02'), (6, 'libx'), (7, '[Max depth]'), (8, 'liby'), (9, 'read'), (10, '0xfun'),"
	" (11, 'cut off');";

#define CHAINS(table)                                                                              \
	"CREATE TABLE " table " (id INT, symbol INT, module INT, specialEntry INT, stackDepth "    \
	"INT);"

TEST_WITH(frames_become_nodes_of_a_tree, db_setup, db_teardown)
{
	static const char *const want[] = {
		"main;step",                 /* 1 */
		"main;step;step",            /* 2: recursion stays */
		"main;(libx)",               /* 3: addresses of one module are one frame */
		"main;(libx);(liby);(libx)", /* 4: neighbours only */
		"[Max depth];step",          /* 5 */
		"cut off;step",              /* 6: a note by its flag */
		"main;0xfun",                /* 7: no address */
		"main;step;read",            /* 8: rows out of order */
		"main;(libx)",               /* 9: rows that do not follow each other */
		"-",                         /* 10: no rows */
	};
	struct db *db = db_open(state, "chains");
	struct wl_input *in[2];
	const struct wl_trace *t;
	const char *path;

	db_run(db, "%s", strings);
	db_run(db, CHAINS("SAMPLING_CALLCHAINS") "INSERT INTO SAMPLING_CALLCHAINS VALUES "
						 "(1,2,3,NULL,0), (1,1,3,NULL,1),"
						 " (2,2,3,0,0), (2,2,3,0,1), (2,1,3,0,2),"
						 " (3,4,6,0,0), (3,5,6,0,1), (3,1,3,0,2),"
						 " (4,4,6,0,0), (4,4,8,0,1), (4,5,8,0,2), "
						 "(4,5,6,0,3), (4,1,3,0,4),"
						 " (5,2,3,0,0), (5,7,7,NULL,1),"
						 " (6,2,3,0,0), (6,11,3,1,1),"
						 " (7,10,3,0,0), (7,1,3,0,1),"
						 " (8,1,3,0,2), (8,9,3,0,0), (8,2,3,0,1),"
						 " (9,4,6,0,0), (11,1,3,0,0), (9,1,3,0,1);"
						 "CREATE TABLE COMPOSITE_EVENTS (id INTEGER "
						 "PRIMARY KEY, start INT, globalTid INT,"
						 " cpuCycles INT);"
						 "INSERT INTO COMPOSITE_EVENTS VALUES (1,10,1,1), "
						 "(2,20,1,1), (3,30,1,1), (4,40,1,1),"
						 " (5,50,1,1), (6,60,1,0), (7,70,1,1), (8,80,1,1), "
						 "(9,90,1,1), (10,100,1,NULL);");
	path = db_close(db);
	in[0] = load(path, &wl_reader_sqlite);
	in[1] = load(path, &wl_reader_pages);
	t = wl_input_trace(in[1]);
	assert_null(trace_difference(wl_input_trace(in[0]), t));
	assert_int_equal(t->family[WL_F_SAMPLES].n, WL_COUNT(want));
	for (size_t i = 0; i < WL_COUNT(want); i++) {
		expect_stack(t, wl_samples_stack(t)[i], want[i]);
		assert_int_equal(wl_samples_leaving(t)[i], i == 5);
	}
	/* main, step, read, libx, liby, both notes and 0xfun. */
	assert_int_equal(t->n_frames, 8);
	wl_input_close(in[0]);
	wl_input_close(in[1]);
}

TEST_WITH(calls_have_stacks_of_their_own_tables, db_setup, db_teardown)
{
	struct db *db = db_open(state, "calls");
	struct wl_input *in;
	const struct wl_trace *t;

	db_run(db, "%s", strings);
	db_run(db,
	       CHAINS("OSRT_CALLCHAINS") "INSERT INTO OSRT_CALLCHAINS VALUES (1,9,3,0,0), "
					 "(1,1,3,0,1);" CHAINS(
						 "CUDA_CALLCHAINS") "INSERT INTO CUDA_CALLCHAINS "
								    "VALUES (1,2,3,0,0), "
								    "(1,1,3,0,1);"
								    "CREATE TABLE OSRT_API (start "
								    "INT, end INT, globalTid INT, "
								    "nameId INT, callchainId INT);"
								    "INSERT INTO OSRT_API VALUES "
								    "(1,2,1,9,1), (3,4,1,9,0), "
								    "(5,6,1,9,NULL);"
								    "CREATE TABLE "
								    "CUPTI_ACTIVITY_KIND_RUNTIME "
								    "(start INT, end INT, "
								    "globalTid INT,"
								    " nameId INT, callchainId INT);"
								    "INSERT INTO "
								    "CUPTI_ACTIVITY_KIND_RUNTIME "
								    "VALUES (1,2,1,9,7), "
								    "(3,4,1,9,1);");
	in = load(db_close(db), &wl_reader_pages);
	t = wl_input_trace(in);
	expect_stack(t, wl_osrt_stack(t)[0], "main;read");
	expect_stack(t, wl_osrt_stack(t)[1], "-");
	expect_stack(t, wl_osrt_stack(t)[2], "-");
	expect_stack(t, wl_api_stack(t)[0], "-");
	expect_stack(t, wl_api_stack(t)[1], "main;step");
	wl_input_close(in);
}

/* Schema 2.9.1: calls count chains from 0, the table of chains from 1. */
TEST_WITH(chains_may_be_counted_from_zero, db_setup, db_teardown)
{
	static const struct {
		const char *calls;
		const char *stack[3];
	} of[] = {
		{ "(1,2,1,9,0), (3,4,1,9,1), (5,6,1,9,NULL)", { "step", "main", "-" } },
		{ "(1,2,1,9,0), (3,4,1,9,1), (5,6,1,9,2)", { "-", "step", "main" } },
		{ "(1,2,1,9,1), (3,4,1,9,NULL), (5,6,1,9,NULL)", { "step", "-", "-" } },
		{ "(1,2,1,9,0), (3,4,1,9,0), (5,6,1,9,1)", { "-", "-", "step" } },
	};

	for (size_t i = 0; i < WL_COUNT(of); i++) {
		char name[] = "zero0";
		struct db *db;
		struct wl_input *in;

		name[4] = (char)('0' + i);
		db = db_open(state, name);
		db_run(db, "%s", strings);
		db_run(db,
		       CHAINS("CUDA_CALLCHAINS") "INSERT INTO CUDA_CALLCHAINS VALUES (1,2,3,0,0), "
						 "(2,1,3,0,0);"
						 "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start "
						 "INT, end INT, globalTid INT, nameId INT, "
						 "callchainId INT);"
						 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
						 "%s",
		       of[i].calls);
		in = load(db_close(db), &wl_reader_pages);
		for (size_t k = 0; k < 3; k++)
			expect_stack(wl_input_trace(in), wl_api_stack(wl_input_trace(in))[k],
				     of[i].stack[k]);
		wl_input_close(in);
	}
}

/* A chain of any length is cut, and a trace without chains has no stacks. */
TEST_WITH(a_hostile_chain_is_cut, db_setup, db_teardown)
{
	struct db *db = db_open(state, "deep");
	struct wl_input *in;
	const struct wl_trace *t;

	db_run(db, "%s", strings);
	db_run(db, CHAINS("SAMPLING_CALLCHAINS") "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL "
						 "SELECT x + 1 FROM i WHERE x < 9999)"
						 " INSERT INTO SAMPLING_CALLCHAINS SELECT 1, 2, 3, "
						 "0, x FROM i;"
						 "CREATE TABLE COMPOSITE_EVENTS (id INTEGER "
						 "PRIMARY KEY, start INT, globalTid INT);"
						 "INSERT INTO COMPOSITE_EVENTS VALUES (1, 10, 1)");
	in = load(db_close(db), &wl_reader_pages);
	t = wl_input_trace(in);
	assert_int_equal(t->n_stacks, WL_CHAIN_FRAMES);
	assert_int_equal(wl_samples_stack(t)[0], WL_CHAIN_FRAMES - 1);
	wl_input_close(in);
}
