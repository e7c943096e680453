/* SPDX-License-Identifier: MIT */
#include "render/text/digest.h"

#include <stdlib.h>
#include <string.h>

#include "render/text/digest_parts.h"
#include "support/unit.h"
#include "table/chart.h"

static const struct wl_col sentences[] = { { "finding", "Finding", WL_T_STR, WL_PROSE,
					     "A sentence." } };

static void expect_claim(const char *sentence, size_t width, const char *want)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	FREED char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct wl_table table;

	wl_table_init(&table, &arena, sentences, WL_COUNT(sentences));
	wl_table_row(&table);
	wl_put_stops(&table, 0, sentence);
	assert_non_null(out);
	(void)wl_digest_claim(out, &table, 0, 0, width, false);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
}

TEST(a_claim_ends_where_its_writer_let_it)
{
	expect_claim("It fits.", 8, "It fits.");
	expect_claim("GPU 2 is slow" WL_STOP ": by much" WL_STOP "; others wait", 50,
		     "GPU 2 is slow: by much; others wait");
	expect_claim("GPU 2 is slow" WL_STOP ": by much" WL_STOP "; others wait", 30,
		     "GPU 2 is slow: by much");
	/* Marks that are more than parts there are do not show. */
	expect_claim("a" WL_STOP ", b" WL_STOP ", c" WL_STOP ", d" WL_STOP ", e", 20,
		     "a, b, c, d, e");
	expect_claim("a" WL_STOP ", b" WL_STOP ", c" WL_STOP ", d" WL_STOP ", e", 11, "a, b, c");
	/* What it says is not looked at: a comma ends nothing. */
	expect_claim("Idle, says one; another: runs other code", 25,
		     "Idle, says one; another:\u2026");
	expect_claim("sm90_xmma_gemm_bf16bf16_bf16f32_tn_n_tilesize128x256x64 takes 23.83 ms", 50,
		     "sm90_xmma_gemm_b...128x256x64 takes 23.83 ms");
	expect_claim("one_word_that_is_wider", 10, "one_word_\u2026");
}

enum { DEVICE, WINDOW, COMPUTE, IDLE, N_COLS };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "A device." },
	[WINDOW] = { "window", "Window", WL_T_NS, WL_PLAIN, "A duration." },
	[COMPUTE] = { "compute", "Compute", WL_T_NS, WL_PLAIN, "A duration." },
	[IDLE] = { "idle", "Idle", WL_T_NS, WL_PLAIN, "A duration." },
};

static const struct wl_split gpus = {
	.subject = "GPU", .label = "device", .whole = "window", .parts = { "compute", "idle" }
};

/* GPUs with these shares of compute, in tenths of a percent; the rest is idle. */
static void expect_split(const int *compute, size_t n, const char *want)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_section section = { .split = &gpus };
	FREED char *text = NULL;
	size_t size = 0, lines = 0;
	FILE *out = open_memstream(&text, &size);
	struct wl_table table;

	wl_table_init(&table, &arena, cols, N_COLS);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(&table);
		wl_put_i64(&table, DEVICE, (int64_t)i);
		wl_put_i64(&table, WINDOW, 1000);
		wl_put_i64(&table, COMPUTE, compute[i]);
		wl_put_i64(&table, IDLE, 1000 - compute[i]);
	}
	section.view.table = &table;
	assert_non_null(out);
	wl_digest_ranks(out, &section, &opts);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(wl_digest_ranks_lines(&section), lines);
}

TEST(alike_gpus_are_a_row_and_all_alike_are_none)
{
	static const int one[] = { 900 }, alike[] = { 944, 946, 946, 948 };
	static const int slow[] = { 858, 857, 986, 859 }, apart[] = { 900, 919, 920 };
	static const int all[] = { 100, 200, 300, 400, 500, 600, 700 };

	expect_split(one, WL_COUNT(one), "");
	expect_split(alike, WL_COUNT(alike), "");
	expect_split(slow, WL_COUNT(slow),
		     "GPU    Compute    Idle  of the window\n"
		     "0-1,3    85.8%   14.2%\n"
		     "2        98.6%    1.4%\n");
	/* Two points apart are not alike. */
	expect_split(apart, WL_COUNT(apart),
		     "GPU  Compute    Idle  of the window\n"
		     "0-1    91.0%    9.0%\n"
		     "2      92.0%    8.0%\n");
	expect_split(all, WL_COUNT(all),
		     "GPU     Compute    Idle  of the window\n"
		     "0         10.0%   90.0%\n"
		     "1         20.0%   80.0%\n"
		     "2         30.0%   70.0%\n"
		     "3         40.0%   60.0%\n"
		     "4         50.0%   50.0%\n"
		     "2 more    65.0%   35.0%  (mean)\n");
}

TEST(a_split_without_its_columns_is_nothing)
{
	struct wl_section section = { .split = &gpus, .missing = "no GPUs" };

	assert_int_equal(wl_digest_ranks_lines(&section), 0);
}

enum { RANK, GPU, WHOLE, BUSY, LATE, SAVING, WHY, N_RANK_COLS };

static const struct wl_col rank_cols[] = {
	[RANK] = { "rank", "Rank", WL_T_COUNT, WL_KEY, "A rank." },
	[GPU] = { "device", "GPU", WL_T_COUNT, WL_KEY, "A device." },
	[WHOLE] = { "window", "Window", WL_T_NS, WL_PLAIN, "A duration." },
	[BUSY] = { "compute", "Compute", WL_T_NS, WL_PLAIN, "A duration." },
	[LATE] = { "lateness", "Lateness", WL_T_NS, WL_PLAIN, "A duration." },
	[SAVING] = { "saving", "Saving", WL_T_NS, WL_PLAIN, "A duration." },
	[WHY] = { "why", "Why", WL_T_STR, WL_PROSE, "A reason." },
};

static const char *const names[] = { "device", NULL };

static const struct wl_split by_rank = {
	.subject = "Rank",
	.label = "rank",
	.whole = "window",
	.parts = { "compute" },
	.why = "why",
	.late = "lateness",
	.saving = "saving",
	.names = names,
};

struct rank {
	int64_t gpu, late, saving;
	const char *why;
};

static void expect_ranks(const struct rank *rank, size_t n, const char *want)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_render_opts opts = { .width = 60 };
	struct wl_section section = { .split = &by_rank };
	FREED char *text = NULL;
	size_t size = 0, lines = 0;
	FILE *out = open_memstream(&text, &size);
	struct wl_table table;

	wl_table_init(&table, &arena, rank_cols, N_RANK_COLS);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(&table);
		wl_put_i64(&table, RANK, (int64_t)i);
		wl_put_i64(&table, GPU, rank[i].gpu);
		wl_put_i64(&table, WHOLE, 1000000);
		wl_put_i64(&table, BUSY, 900000);
		wl_put_i64(&table, LATE, rank[i].late);
		if (rank[i].saving)
			wl_put_i64(&table, SAVING, rank[i].saving);
		wl_put_str(&table, WHY, rank[i].why);
	}
	section.view.table = &table;
	assert_non_null(out);
	wl_digest_ranks(out, &section, &opts);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(wl_digest_ranks_lines(&section), lines);
}

TEST(ranks_with_one_reason_are_a_row)
{
	static const struct rank same[] = { { .gpu = 0 }, { .gpu = 1 } };
	static const struct rank two[] = {
		{ .gpu = 1, .late = 1000, .why = "waits for rank 1" },
		{ .gpu = 0,
		  .late = 2500000,
		  .saving = 7,
		  .why = "slow GPU: 1.2 times as long as all the others" },
	};
	static const struct rank four[] = {
		{ .gpu = 0, .why = "waits for rank 2" },
		{ .gpu = 1, .why = "waits for rank 2" },
		{ .gpu = 2, .why = "slow GPU" },
		{ .gpu = 3, .why = "waits for rank 2" },
	};

	expect_ranks(same, 2, "");
	/* GPUs that are not numbered as ranks are named, where each row has one. */
	expect_ranks(two, 2,
		     "Rank  GPU  Compute  Why (shares of the window)\n"
		     "0       1    90.0%  waits for rank 1\n"
		     "1       0    90.0%  slow GPU: 1.2 times as long as all the\u2026\n");
	expect_ranks(four, 4,
		     "Rank   Compute  Why (shares of the window)\n"
		     "0-1,3    90.0%  waits for rank 2\n"
		     "2        90.0%  slow GPU\n");
	expect_ranks(two, 0, "");
}

/* Of 7 reasons: the one that is named, though it is not the latest, and the latest four. */
TEST(of_many_groups_the_most_telling_have_a_row)
{
	static const char *const why[] = { "late host", "b", "c", "d", "e", "f", "g" };
	struct rank rank[7];

	for (size_t i = 0; i < 7; i++)
		rank[i] = (struct rank){ (int64_t)i, 1000 * ((int64_t)i + 1), i == 0, why[i] };
	expect_ranks(rank, 7,
		     "Rank    Compute  Why (shares of the window)\n"
		     "0         90.0%  late host\n"
		     "3         90.0%  d\n"
		     "4         90.0%  e\n"
		     "5         90.0%  f\n"
		     "6         90.0%  g\n"
		     "2 more    90.0%  (mean)\n");
}

enum { ROOF_KERNEL, ROOF_NAME, ROOF_SHARE, N_ROOF_COLS };

static const struct wl_col roof_cols[] = {
	[ROOF_KERNEL] = { "kernel", "Kernel", WL_T_STR, WL_KEY | WL_KERNEL, NULL },
	[ROOF_NAME] = { "roof", "Roof", WL_T_ENUM, WL_PLAIN, NULL },
	[ROOF_SHARE] = { "roof_share", "Of roof", WL_T_RATIO, WL_PLAIN, NULL },
};

static void put_roof(struct wl_table *t, const char *kernel, const char *roof, double share)
{
	wl_table_row(t);
	wl_put_str(t, ROOF_KERNEL, kernel);
	wl_put_str(t, ROOF_NAME, roof);
	if (share >= 0)
		wl_put_f64(t, ROOF_SHARE, share);
}

/* A line per roof, in the order of rows; kernels without a share are left out, as are lines
   beyond the last and kernels beyond the width. */
TEST(roofs_have_a_line_each)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	static const struct wl_chart chart = { .kind = WL_CHART_ROOFLINE,
					       .label = "kernel",
					       .group = "roof",
					       .also = { "kernel", "roof_share" } };
	struct wl_render_opts opts = { .width = 40 };
	struct wl_section section = { .analysis = "roofline", .chart = &chart };
	struct wl_err err;
	FREED char *text = NULL;
	struct wl_table t;
	size_t n;
	FILE *out;

	wl_table_init(&t, &arena, roof_cols, N_ROOF_COLS);
	put_roof(&t, "unknown", NULL, -1);
	put_roof(&t, "copy", "DRAM", 0.9);
	put_roof(&t, "a\033[2J", "compute", 0.5);
	put_roof(&t, "add", "DRAM", 0.25);
	put_roof(&t, "a_kernel_without_room_here", "DRAM", 0.125);
	assert_int_equal(
		wl_view_make(&t, &(struct wl_view_opts){ .limit = 0 }, &arena, &section.view, &err),
		WL_OK);
	assert_int_equal(wl_digest_roofs(NULL, &section, 2, &opts), 2);
	assert_int_equal(wl_digest_roofs(NULL, &section, 1, &opts), 1);
	out = open_memstream(&text, &n);
	assert_int_equal(wl_digest_roofs(out, &section, 2, &opts), 2);
	assert_int_equal(fclose(out), 0);
	assert_null(strchr(text, '\033'));
	assert_ptr_equal(strstr(text, "DRAM roof: copy 90.0%, add 25.0%\ncompute roof: a"), text);
}

enum { PART, TIME, STEPS, GPUS, N_BAR_COLS };

static const struct wl_col bar_cols[] = {
	[PART] = { "part", "Part", WL_T_ENUM, WL_KEY, NULL },
	[TIME] = { "time", "Time", WL_T_NS, WL_PLAIN, NULL },
	[STEPS] = { "steps", "Steps", WL_T_COUNT, WL_PLAIN, NULL },
	[GPUS] = { "gpus", "GPUs", WL_T_COUNT, WL_PLAIN, NULL },
};

enum { OF_PART, PART_TIME, N_LIST_COLS };

static const struct wl_col list_cols[] = {
	[OF_PART] = { "part", "Part", WL_T_ENUM, WL_PLAIN, NULL },
	[PART_TIME] = { "part_time", "Of the part", WL_T_NS, WL_PLAIN, NULL },
};

/* What a finding claims of a part; -1: it is of the part and claims nothing. */
struct claimed {
	const char *part;
	int64_t time;
};

static void make_view(const struct wl_table *t, struct wl_arena *arena, struct wl_view *ret)
{
	struct wl_err err;

	assert_int_equal(wl_view_make(t, &(struct wl_view_opts){ .limit = 0 }, arena, ret, &err),
			 WL_OK);
}

struct part {
	const char *name;
	int64_t ns;
};

/* A budget of these parts, as the mean of steps, 0 for a whole window, beside findings. */
static void expect_budget(const struct part *part, size_t n_parts, int64_t steps,
			  const struct claimed *claimed, size_t n, const char *want)
{
	WITH(struct wl_arena, arena, wl_arena_release, wl_arena_init(&arena, 1 << 20));
	const struct wl_document doc = { .name = "summary" };
	const struct wl_render_opts opts = { .width = 60, .ascii = true };
	struct wl_section budget = { .analysis = "budget" }, list = { .analysis = "findings" };
	struct wl_table parts, findings;
	FREED char *text = NULL;
	size_t size = 0, lines = 0;
	FILE *out = open_memstream(&text, &size);

	wl_table_init(&parts, &arena, bar_cols, N_BAR_COLS);
	for (size_t i = 0; i < n_parts; i++) {
		wl_table_row(&parts);
		wl_put_str(&parts, PART, part[i].name);
		wl_put_i64(&parts, TIME, part[i].ns);
		wl_put_i64(&parts, GPUS, 2);
		if (steps)
			wl_put_i64(&parts, STEPS, steps);
	}
	wl_table_init(&findings, &arena, list_cols, N_LIST_COLS);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(&findings);
		wl_put_str(&findings, OF_PART, claimed[i].part);
		if (claimed[i].time >= 0)
			wl_put_i64(&findings, PART_TIME, claimed[i].time);
	}
	make_view(&parts, &arena, &budget.view);
	make_view(&findings, &arena, &list.view);
	assert_non_null(out);
	wl_digest_budget(out, &doc, &budget, &list, &opts);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	assert_int_equal(wl_digest_budget_lines(&budget), lines);
}

/* Idle time has a row of its own with its three largest causes; what prints as 0.0% has none. */
TEST(a_budget_has_a_row_per_part_and_cause)
{
	static const struct part all[] = {
		{ "compute", 500000 }, { "exposed_comm", 249800 }, { "exposed_copy", 200 },
		{ "host", 100000 },    { "launch", 20000 },        { "managed", 110000 },
		{ "dispatch", 11000 }, { "sync", 9000 },
	};
	static const struct part busy[] = { { "compute", 980000 }, { "host", 20000 } };
	static const struct part idle[] = { { "host", 1000 } };

	expect_budget(all, WL_COUNT(all), 18, NULL, 0,
		      "Where a step goes: 1 ms, mean of 18 steps and 2 GPUs\n"
		      "compute           0.500 ms  50.0%  #############\n"
		      "exposed comm      0.250 ms  25.0%  ######\n"
		      "idle              0.250 ms  25.0%  ######\n"
		      "  managed memory  0.110 ms  11.0%  ###\n"
		      "  host code       0.100 ms  10.0%  ###\n"
		      "  launch calls    0.020 ms   2.0%  #\n");
	/* Of little idle time causes are not shown; few steps are said. */
	expect_budget(busy, WL_COUNT(busy), 1, NULL, 0,
		      "Where a step goes: 1 ms, mean of 1 step and 2 GPUs\n"
		      "compute           0.980 ms  98.0%  #########################\n"
		      "idle              0.020 ms   2.0%  #\n"
		      "note: few steps count, so that means are rough\n");
	expect_budget(idle, WL_COUNT(idle), 0, NULL, 0,
		      "Where the time goes: 1 us, whole trace, mean of 2 GPUs\n"
		      "idle              1.000 us 100.0%  #########################\n"
		      "  host code       1.000 us 100.0%  #########################\n");
}

TEST(a_cause_names_the_finding_that_claims_most_of_it)
{
	static const struct part parts[] = { { "compute", 100 }, { "host", 900 } };
	static const struct claimed all[] = {
		{ "host", 0 }, { "load", 50 }, { "host", 20 }, { "host", 700 }, { "host", 30 },
	};
	static const struct claimed first[] = { { "host", 700 }, { "host", 20 } };
	static const struct claimed of_nothing[] = { { "load", 50 }, { "host", -1 } };
	static const char rows[] = "Where the time goes: 1 us, whole trace, mean of 2 GPUs\n"
				   "compute           0.100 us  10.0%  ###\n"
				   "idle              0.900 us  90.0%  #######################\n"
				   "  host code       0.900 us  90.0%  #######################\n";

	expect_budget(parts, 2, 0, all, WL_COUNT(all),
		      "Where the time goes: 1 us, whole trace, mean of 2 GPUs\n"
		      "compute           0.100 us  10.0%  ##\n"
		      "idle              0.900 us  90.0%  #################\n"
		      "  host code       0.900 us  90.0%  ################# see 4\n");
	expect_budget(parts, 2, 0, first, WL_COUNT(first),
		      "Where the time goes: 1 us, whole trace, mean of 2 GPUs\n"
		      "compute           0.100 us  10.0%  ##\n"
		      "idle              0.900 us  90.0%  #################\n"
		      "  host code       0.900 us  90.0%  ################# see 1\n");
	/* Outside of the steps there is none of it. */
	expect_budget(parts, 2, 0, all, 2, rows);
	expect_budget(parts, 2, 0, of_nothing, WL_COUNT(of_nothing),
		      "Where the time goes: 1 us, whole trace, mean of 2 GPUs\n"
		      "compute           0.100 us  10.0%  ##\n"
		      "idle              0.900 us  90.0%  #################\n"
		      "  host code       0.900 us  90.0%  ################# see 2\n");
}
