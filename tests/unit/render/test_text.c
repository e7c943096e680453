/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"
#include "support/doc.h"

enum { DEVICE, NAME, TOOK, SHARE, P90, P99, N_COLS };

static const struct wl_col cols[] = {
	[DEVICE] = { "device", "GPU", WL_T_COUNT, WL_KEY, "A device." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A name." },
	[TOOK] = { "took", "Took", WL_T_NS, WL_PLAIN, "A duration." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "A ratio." },
	[P90] = { "p90", "p90", WL_T_NS, WL_MINOR, "A duration." },
	[P99] = { "p99", "p99", WL_T_NS, WL_MINOR, "A duration." },
};

static const struct wl_view_opts all = { .limit = 0 };

/* Named columns are shown even where they are empty. */
static const struct wl_view_opts three = { .columns = "device,name,took" };

static void add_row(struct doc *d, int64_t device, const char *name, int64_t took)
{
	wl_table_row(&d->table);
	wl_put_i64(&d->table, DEVICE, device);
	wl_put_str(&d->table, NAME, name);
	wl_put_i64(&d->table, TOOK, took);
	wl_put_ratio(&d->table, SHARE, took, 10000000);
	wl_put_i64(&d->table, P90, took / 2);
	wl_put_i64(&d->table, P99, took / 3);
}

static void expect_table(struct doc *d, const struct wl_view_opts *view,
			 const struct wl_render_opts *opts, const char *want)
{
	char *text = doc_render_with(d, "table", view, opts);

	assert_string_equal(text, want);
	free(text);
}

TEST(numbers_stand_right_and_text_left)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));

	add_row(&d, 0, "gemm", 2149900);
	add_row(&d, 1, "softmax", 100);
	doc_expect(&d, "table",
		   "GPU  Name         Took  Share       p90       p99\n"
		   "  0  gemm     2.150 ms  21.5%  1.075 ms  716.6 us\n"
		   "  1  softmax    100 ns   0.0%     50 ns     33 ns\n");
}

TEST(wide_characters_keep_columns_aligned)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 3));

	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "\u4f60\u597d e\u0301 \U0001f600");
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "123456789");
	expect_table(&d, &three, &(struct wl_render_opts){ .width = 80 },
		     "GPU  Name       Took\n"
		     "  -  \u4f60\u597d e\u0301 \U0001f600     -\n"
		     "  -  123456789     -\n");
}

TEST(every_type_has_its_words)
{
	static const struct wl_col types[] = {
		{ "e", "E", WL_T_ENUM, WL_PLAIN, "" },  { "t", "T", WL_T_TIME, WL_PLAIN, "" },
		{ "b", "B", WL_T_BYTES, WL_PLAIN, "" }, { "r", "R", WL_T_RATE, WL_PLAIN, "" },
		{ "i", "I", WL_T_ID, WL_PLAIN, "" },    { "y", "Y", WL_T_BOOL, WL_PLAIN, "" },
		{ "n", "N", WL_T_BOOL, WL_PLAIN, "" },  { "u", "U", WL_T_STR, WL_PLAIN, "" },
		{ "m", "M", WL_T_REAL, WL_PLAIN, "" },
	};
	WITH(struct doc, d, doc_release, doc_init(&d, types, WL_COUNT(types)));

	wl_table_row(&d.table);
	wl_put_str(&d.table, 0, "copy");
	wl_put_i64(&d.table, 1, 1234567891);
	wl_put_i64(&d.table, 2, 1070000000);
	wl_put_f64(&d.table, 3, 12.3e9);
	wl_put_i64(&d.table, 4, 4711);
	wl_put_i64(&d.table, 5, 1);
	wl_put_i64(&d.table, 6, 0);
	wl_put_str(&d.table, 7, "u");
	wl_put_ratio(&d.table, 8, 25, 2);
	doc_expect(&d, "table",
		   "E                 T        B          R     I  Y    N  U     M\n"
		   "copy  1.234567891 s  1.07 GB  12.3 GB/s  4711  yes     u  12.5\n");
}

TEST(an_increase_has_its_sign)
{
	static const struct wl_col changes[] = {
		{ "up", "Up", WL_T_NS, WL_CHANGE, "" },
		{ "none", "None", WL_T_NS, WL_CHANGE, "" },
		{ "down", "Down", WL_T_RATIO, WL_CHANGE, "" },
		{ "more", "More", WL_T_RATIO, WL_CHANGE, "" },
	};
	WITH(struct doc, d, doc_release, doc_init(&d, changes, WL_COUNT(changes)));

	wl_table_row(&d.table);
	wl_put_i64(&d.table, 0, 1500);
	wl_put_i64(&d.table, 1, 0);
	wl_put_f64(&d.table, 2, -0.25);
	wl_put_f64(&d.table, 3, 0.25);
	doc_expect(&d, "table",
		   "     Up  None    Down    More\n"
		   "+1.5 us  0 ns  -25.0%  +25.0%\n");
}

TEST(the_frame_comes_first_and_notes_last)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_render_opts opts = { .width = 80 };
	const struct wl_render_opts narrow = { .width = 30, .ascii = true };
	const struct wl_view_opts one = { .limit = 1, .columns = "name" };

	doc_frame(&d, "run.sqlite");
	add_row(&d, 0, "a", 1);
	add_row(&d, 0, "b", 1);
	wl_table_cover(&d.table, "attributed_kernels", 1999999, 2000000);
	wl_table_cover(&d.table, "complete", 7, 7);
	wl_table_note(&d.table, "one note with several words\nand a \033 control");
	expect_table(&d, &one, &opts,
		     "run.sqlite \u00b7 2 GPUs \u00b7 window 2.499 s (0.001 s to 2.500 s)\n"
		     "coverage: attributed kernels 99.9% (1,999,999 of 2,000,000)\n"
		     "Name\n"
		     "a\n"
		     "1 of 2 rows (-n 0 for all)\n"
		     "note: one note with several words\ufffdand a \ufffd control\n");
	expect_table(&d, &one, &narrow,
		     "run.sqlite | 2 GPUs\n"
		     "window 2.499 s (0.001 s to\n"
		     "2.500 s)\n"
		     "coverage: attributed kernels\n"
		     "          99.9% (1,999,999 of\n"
		     "          2,000,000)\n"
		     "Name\n"
		     "a\n"
		     "1 of 2 rows (-n 0 for all)\n"
		     "note: one note with several\n"
		     "      words?and a ? control\n");
}

TEST(a_window_by_device_shows_its_bounds)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_doc_window windows[] = { { 0, 39000000000, 40000000000 },
						 { 1, 39500000000, 42000000000 } };
	const struct wl_render_opts opts = { .width = 0 };

	doc_frame(&d, "run.sqlite");
	d.document.n_devices = 1;
	d.document.window_spec = "iter:3";
	d.document.windows = windows;
	d.document.n_windows = 2;
	expect_table(&d, &all, &opts,
		     "run.sqlite \u00b7 1 GPU \u00b7 window iter:3: 3 s (39 s to 42 s), differs by "
		     "GPU\n"
		     "(no rows)\n");
}

TEST(long_text_is_cut_in_the_middle)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_render_opts opts = { .width = 40 };
	const struct wl_render_opts ascii = { .width = 40, .ascii = true };

	add_row(&d, 0, "void cutlass_80_tensorop_f16_relu(Params)", 1);
	add_row(&d, 0,
		"\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u597d"
		"\u4f60\u597d\u4f60\u597d",
		1);
	expect_table(&d, &three, &opts,
		     "GPU  Name                           Took\n"
		     "  0  void cutlass_8\u20266_relu(Params)  1 ns\n"
		     "  0  \u4f60\u597d\u4f60\u597d\u4f60\u597d\u4f60\u2026\u597d\u4f60\u597d\u4f60"
		     "\u597d\u4f60\u597d  1 ns\n");
	expect_table(&d, &three, &ascii,
		     "GPU  Name                           Took\n"
		     "  0  void cutlass_..._relu(Params)  1 ns\n"
		     "  0  \u4f60\u597d\u4f60\u597d\u4f60\u597d...\u597d\u4f60\u597d\u4f60\u597d"
		     "\u4f60\u597d  1 ns\n");
}

TEST(two_texts_share_what_is_there)
{
	static const struct wl_col two[] = {
		{ "a", "A", WL_T_STR, WL_PLAIN, "" },
		{ "b", "B", WL_T_STR, WL_PLAIN, "" },
		{ "c", "C", WL_T_STR, WL_PLAIN, "" },
	};
	WITH(struct doc, d, doc_release, doc_init(&d, two, 3));
	FREED char *text;

	wl_table_row(&d.table);
	wl_put_str(&d.table, 0, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
	wl_put_str(&d.table, 1, "short");
	wl_put_str(&d.table, 2, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz");
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 30 },
		     "A           B      C\n"
		     "abcde\u2026wxyz  short  abcde\u2026vwxyz\n");
	d.section.title = "Title";
	text = doc_render_with(&d, "table", &all,
			       &(struct wl_render_opts){ .width = 3, .ascii = true });
	assert_memory_equal(text, "Tit\n", 4);
}

/* Widest line of a text in terminal columns. */
static size_t widest(const char *text)
{
	size_t max = 0, width = 0;

	while (*text) {
		uint32_t cp = wl_utf8_next(&text);

		width = cp == '\n' ? 0 : width + (size_t)wl_utf8_cp_width(cp);
		max = width > max ? width : max;
	}
	return max;
}

TEST(columns_are_left_out_only_when_text_is_short)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts chosen = { .columns = "device,name,took,share,p90,p99" };
	char *text;

	add_row(&d, 0, "a_kernel_name_that_takes_more_than_fifty_columns_of_a_line", 1234567);
	for (int width = 200; width >= 58; width--) {
		const struct wl_render_opts opts = { .width = width };

		text = doc_render_with(&d, "table", &all, &opts);
		if (widest(text) > (size_t)width)
			fail_msg("width %d:\n%s", width, text);
		/* 3 + 36 + 8 + 5 + 8 + 8 and five gaps */
		assert_int_equal(strstr(text, "more column") == NULL, width >= 78);
		free(text);
	}
	text = doc_render_with(&d, "table", &all, &(struct wl_render_opts){ .width = 60 });
	assert_non_null(strstr(text, "2 more columns (--columns LIST)\n"));
	assert_non_null(strstr(text, "a_kernel_name"));
	free(text);
	text = doc_render_with(&d, "table", &all, &(struct wl_render_opts){ .width = 40 });
	assert_non_null(strstr(text, "2 more columns (--columns LIST)\n"));
	free(text);
	text = doc_render_with(&d, "table", &chosen, &(struct wl_render_opts){ .width = 50 });
	assert_null(strstr(text, "more column"));
	assert_true(widest(text) <= 50);
	free(text);
	text = doc_render_with(&d, "table", &all, &(struct wl_render_opts){ .width = 1 });
	/* The first column stays, whatever its width. */
	assert_memory_equal(text, "GPU\n  0\n5\nmore\n", 15);
	free(text);
}

TEST(the_time_unit_can_be_fixed)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_render_opts opts = { .width = 80, .timeunit = WL_UNIT_US };
	const struct wl_view_opts view = { .columns = "took" };

	add_row(&d, 0, "a", 1500);
	add_row(&d, 0, "a", 2000000);
	expect_table(&d, &view, &opts, "     Took\n   1.5 us\n2000.0 us\n");
}

TEST(hostile_names_stay_in_their_cell)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	static const char override[] = { '\xe2', '\x80', '\xae', '\0' };
	FREED char *longest = hostile_long_name();
	char *text;

	doc_frame(&d, "\033[31m.sqlite\n");
	d.document.window_spec = "nvtx:\033[2J\n";
	for (size_t i = 0; i < WL_COUNT(hostile_names); i++)
		add_row(&d, 0, hostile_names[i], 1);
	add_row(&d, 0, longest, 1);
	for (int width = 0; width < 200; width += 7) {
		size_t lines = 0;

		text = doc_render_with(&d, "table", &all,
				       &(struct wl_render_opts){ .width = width });
		expect_safe(text, "\n");
		assert_true(wl_utf8_is_valid(text, strlen(text)));
		assert_null(strstr(text, override));
		for (const char *s = text; *s; s++)
			lines += *s == '\n';
		assert_in_range(lines, WL_COUNT(hostile_names) + 2, WL_COUNT(hostile_names) + 24);
		free(text);
	}
}

TEST(a_tree_is_indented)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 3));
	const struct wl_render_opts opts = { .width = 80 };

	doc_tree(&d, NAME, TOOK);
	expect_table(&d, &all, &opts,
		     "Name               Took\n"
		     "train          100.0 us\n"
		     "  forward       20.0 us\n"
		     "  backward      70.0 us\n"
		     "    gemm<f16>   60.0 us\n"
		     "  loss           1.5 us\n"
		     "eval             5.0 us\n");
	expect_table(&d, &(struct wl_view_opts){ .sort = "took", .limit = 2 }, &opts,
		     "Name             Took\n"
		     "train          100 us\n"
		     "  backward      70 us\n"
		     "    gemm<f16>   60 us\n"
		     "  forward       20 us\n"
		     "eval             5 us\n"
		     "5 of 6 rows (-n limits those in each row; -n 0 for all)\n");
	expect_table(&d, &(struct wl_view_opts){ .where = "name ~ gemm", .columns = "took,name" },
		     &opts,
		     "  Took  Name\n"
		     "100 us  train\n"
		     " 70 us    backward\n"
		     " 60 us      gemm<f16>\n");
	expect_table(&d, &(struct wl_view_opts){ .where = "name = eval", .columns = "took" }, &opts,
		     "Took\n5 us\n");
}

TEST(levels_never_take_more_than_half_of_a_name)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 3));

	doc_chain(&d, 13, NAME, "a_name_of_some_length");
	expect_table(&d, &three, &(struct wl_render_opts){ .width = 36 },
		     "GPU  Name                       Took\n"
		     "  -  a_name_of_some_length         -\n"
		     "  -    a_name_of_some_length       -\n"
		     "  -      a_name_of_some_length     -\n"
		     "  -        a_name_of\u2026me_length     -\n"
		     "  -          a_name_o\u2026e_length     -\n"
		     "  -            a_name_\u2026_length     -\n"
		     "  -              a_name\u2026length     -\n"
		     "  -           7: a_name\u2026length     -\n"
		     "  -           8: a_name\u2026length     -\n"
		     "  -           9: a_name\u2026length     -\n"
		     "  -          10: a_name\u2026length     -\n"
		     "  -          11: a_name\u2026length     -\n"
		     "  -          12: a_name\u2026length     -\n");
}

/* Numbers go before a name of a tree has less than 24 columns beside its levels. */
TEST(names_of_a_tree_outlast_numbers)
{
	static const struct wl_col many[] = {
		{ "name", "Name", WL_T_STR, WL_KEY, "Which." },
		{ "one", "First one", WL_T_COUNT, WL_PLAIN, "A number." },
		{ "two", "Second", WL_T_COUNT, WL_PLAIN, "A number." },
		{ "three", "Third one", WL_T_COUNT, WL_PLAIN, "A number." },
	};
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	WITH(struct doc, d, doc_release, doc_init(&d, many, 4));
	char *text;

	doc_chain(&d, 5, 0, name);
	for (size_t col = 1; col < 4; col++)
		wl_put_i64(&d.table, col, 1);
	/* Four levels take 8 columns, and all numbers with their gaps 22: 30 - 8 are left of 52. */
	text = doc_render_with(&d, "table", &all, &(struct wl_render_opts){ .width = 52 });
	assert_non_null(strstr(text, "\n        abcdefghijkl\u2026yz0123456789  "));
	assert_null(strstr(text, "Third one"));
	assert_non_null(strstr(text, "Second"));
	assert_true(widest(text) <= 52);
	free(text);
	/* Where the line is narrow, a number stays all the same. */
	text = doc_render_with(&d, "table", &all, &(struct wl_render_opts){ .width = 40 });
	assert_non_null(strstr(text, "First"));
	assert_true(widest(text) <= 40);
	free(text);
}

TEST(deep_trees_stay_within_the_width)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 3));
	enum { LEVELS = 100000 };
	char *text;

	doc_chain(&d, LEVELS, NAME, "gemm");
	for (int width = 0; width < 120; width += 40) {
		text = doc_render_with(&d, "table", &three,
				       &(struct wl_render_opts){ .width = width });
		/* Without a limit 32 levels are spaces, and the others are as wide. */
		assert_true(widest(text) <= (width ? (size_t)width : 90));
		assert_non_null(strstr(text, " 99999: gemm  "));
		free(text);
	}
}

TEST(hostile_names_of_a_tree_stay_in_their_cell)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 3));
	char *text;

	wl_table_tree(&d.table);
	for (size_t i = 0; i < 4 * WL_COUNT(hostile_names); i++) {
		wl_table_row(&d.table);
		if (i)
			wl_put_parent(&d.table, i - 1);
		wl_put_str(&d.table, NAME, hostile_names[i % WL_COUNT(hostile_names)]);
	}
	for (int width = 19; width < 200; width++) {
		size_t lines = 0;

		text = doc_render_with(
			&d, "table", &all,
			&(struct wl_render_opts){ .width = width, .ascii = width % 2 });
		expect_safe(text, "\n");
		assert_true(wl_utf8_is_valid(text, strlen(text)));
		assert_true(widest(text) <= (size_t)width);
		for (const char *s = text; *s; s++)
			lines += *s == '\n';
		assert_int_equal(lines, 1 + 4 * WL_COUNT(hostile_names));
		free(text);
	}
}

TEST(sections_have_titles_and_reasons)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));
	const struct wl_render_opts opts = { .width = 80, .bold = true };
	struct wl_section sections[2];
	FREED char *text;

	doc_frame(&d, "run.sqlite");
	free(doc_render(&d, "table"));
	sections[0] = d.section;
	sections[0].title = "Kernels";
	sections[1] = (struct wl_section){ .analysis = "nvtx",
					   .title = "Ranges",
					   .missing = "no NVTX table; capture with --trace=nvtx" };
	d.document.sections = sections;
	d.document.n_sections = 2;
	d.document.single = false;
	text = doc_print(&d.document, "table", &opts);
	assert_string_equal(text,
			    "run.sqlite \u00b7 2 GPUs \u00b7 window 2.499 s (0.001 s to 2.500 s)\n"
			    "\n"
			    "\033[1mKernels\033[0m\n"
			    "(none)\n"
			    "\n"
			    "\033[1mRanges\033[0m\n"
			    "no NVTX table; capture with --trace=nvtx\n");
}

TEST(the_frame_alone_has_notes_and_coverage)
{
	const struct wl_render_opts opts = { .width = 80, .ascii = true };
	struct doc d;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	doc_init(&d, cols, 2);
	doc_frame(&d, "run.sqlite");
	wl_table_note(&d.table, "a note");
	wl_table_cover(&d.table, "rows_read", INT64_MAX / 2, INT64_MAX);
	free(doc_render(&d, "csv"));
	wl_render_frame(&d.document, &opts, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "run.sqlite | 2 GPUs | window 2.499 s (0.001 s to 2.500 s)\n"
				  "coverage: rows read 50.0% (4,611,686,018,427,387,903 of\n"
				  "          9,223,372,036,854,775,807)\n"
				  "note: a note\n");
	free(text);
	doc_release(&d);
}

TEST(formats_are_found_by_name_and_ending)
{
	assert_int_equal(wl_n_formats, 7);
	assert_string_equal(wl_formats[0].name, "table");
	assert_null(wl_format_find("text"));
	assert_null(wl_format_find(""));
	assert_string_equal(wl_format_of_file("a/b.JSON")->name, "json");
	assert_string_equal(wl_format_of_file("x.jsonl")->name, "jsonl");
	assert_string_equal(wl_format_of_file("x.csv.md")->name, "md");
	assert_null(wl_format_of_file(".csv"));
	assert_null(wl_format_of_file("csv"));
	assert_null(wl_format_of_file("x.sqlite"));
	for (size_t i = 0; i < wl_n_formats; i++) {
		assert_ptr_equal(wl_format_find(wl_formats[i].name), &wl_formats[i]);
		assert_non_null(wl_formats[i].help);
		assert_int_equal(wl_formats[i].ending[0], '.');
	}
}

TEST(a_column_has_one_unit_where_its_range_allows)
{
	static const struct wl_col some[] = {
		{ "took", "Took", WL_T_NS, WL_PLAIN, "" },
		{ "size", "Size", WL_T_BYTES, WL_PLAIN, "" },
		{ "start", "Start", WL_T_TIME, WL_PLAIN, "" },
		{ "mean", "Mean", WL_T_REAL, WL_PLAIN, "" },
		{ "calls", "Calls", WL_T_COUNT, WL_PLAIN, "" },
		{ "pid", "PID", WL_T_COUNT, WL_KEY, "" },
		{ "far", "Far", WL_T_NS, WL_PLAIN, "" },
	};
	static const int64_t rows[][6] = {
		{ 26000000, 1234, 845195010, 9999, 12345, 26000000 },
		{ 38230400, 64000, 1822597346, 22564, 12346, 20 },
		{ 0, 0, 0, 0, 0, 0 },
	};
	static const double means[] = { 2.5, 17.25, 3 };
	WITH(struct doc, d, doc_release, doc_init(&d, some, WL_COUNT(some)));

	for (size_t i = 0; i < WL_COUNT(rows); i++) {
		wl_table_row(&d.table);
		for (size_t col = 0; col < 3; col++)
			wl_put_i64(&d.table, col, rows[i][col]);
		wl_put_f64(&d.table, 3, means[i]);
		for (size_t col = 4; col < 7; col++)
			wl_put_i64(&d.table, col, rows[i][col - 1]);
	}
	doc_expect(&d, "table",
		   "    Took      Size          Start   Mean   Calls    PID       Far\n"
		   "26.00 ms   1.23 kB  0.845195010 s   2.50    9999  12345  26.00 ms\n"
		   "38.23 ms  64.00 kB  1.822597346 s  17.25  22,564  12346     20 ns\n"
		   "    0 ms      0 kB            0 s   3.00       0      0      0 ns\n");
}

TEST(titles_break_before_columns_go)
{
	static const struct wl_col some[] = {
		{ "gpu", "GPU", WL_T_COUNT, WL_KEY, "" },
		{ "exposed_comm", "Exposed comm", WL_T_NS, WL_PLAIN, "" },
		{ "kind", "Kind", WL_T_ENUM, WL_PLAIN, "" },
		{ "exposed_copy", "Exposed copy", WL_T_NS, WL_MINOR, "" },
		{ "empty", "Empty", WL_T_NS, WL_PLAIN, "" },
	};
	const struct wl_view_opts chosen = { .columns = "gpu,exposed_comm,kind" };
	WITH(struct doc, d, doc_release, doc_init(&d, some, WL_COUNT(some)));

	wl_table_row(&d.table);
	wl_put_i64(&d.table, 0, 3);
	wl_put_i64(&d.table, 1, 1234567);
	wl_put_str(&d.table, 2, "copy");
	wl_put_i64(&d.table, 3, 5000);
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 40 },
		     "GPU  Exposed comm  Kind  Exposed copy\n"
		     "  3      1.235 ms  copy          5 us\n");
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 30 },
		     "      Exposed        Exposed\n"
		     "GPU      comm  Kind     copy\n"
		     "  3  1.235 ms  copy     5 us\n");
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 24 },
		     "GPU  Exposed comm  Kind\n"
		     "  3      1.235 ms  copy\n"
		     "1 more column (--columns\n"
		     "LIST)\n");
	/* What is still too wide goes from the right, but not what the user named. */
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 14 },
		     "      Exposed\n"
		     "GPU      comm\n"
		     "  3  1.235 ms\n"
		     "2 more columns\n"
		     "(--columns\n"
		     "LIST)\n");
	expect_table(&d, &chosen, &(struct wl_render_opts){ .width = 14 },
		     "GPU           3\n"
		     "Exposed comm  1\n"
		     "Kind          c\n");
}

TEST(parts_of_a_bar_have_colours_or_characters)
{
	static const struct wl_col parts[] = {
		{ "part", "Part", WL_T_ENUM, WL_KEY, "" },
		{ "time", "Time", WL_T_NS, WL_PLAIN, "" },
	};
	static const char *const names[] = { "compute", "launch", "sync" };
	WITH(struct doc, d, doc_release, doc_init(&d, parts, WL_COUNT(parts)));

	d.section.look = WL_LOOK_BAR;
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, 0, names[i]);
		wl_put_i64(&d.table, 1, i ? 250 : 500);
	}
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 24 },
		     "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588!!!!!"
		     "!======\n"
		     "\u2588 compute 500 ns 50.0%\n"
		     "! launch 250 ns 25.0%\n"
		     "= sync 250 ns 25.0%\n");
	/* launch and sync share a colour on pages; here each has its own. */
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 4, .bold = true, .colour = true },
		     "\033[38;5;32m\u2588\u2588\033[0m\033[38;5;175m\u2588\033[0m"
		     "\033[38;5;103m\u2588\033[0m\n"
		     "\033[38;5;32m\u2588\033[0m c\u2026\n"
		     "\033[38;5;175m\u2588\033[0m l\u2026\n"
		     "\033[38;5;103m\u2588\033[0m s\u2026\n");
}

/* Of a narrow line numbers give way to what the table is for; its words go on below it. */
TEST(numbers_give_way_to_answers)
{
	static const struct wl_col ranks[] = {
		{ "rank", "Rank", WL_T_COUNT, WL_KEY, "" },
		{ "wait", "Wait", WL_T_NS, WL_PLAIN, "" },
		{ "saves", "Saves", WL_T_RATIO, WL_ANSWER, "" },
		{ "late", "Late", WL_T_NS, WL_PLAIN, "" },
		{ "why", "Why", WL_T_STR, WL_PROSE | WL_ANSWER, "" },
	};
	WITH(struct doc, d, doc_release, doc_init(&d, ranks, WL_COUNT(ranks)));

	for (int64_t i = 0; i < 2; i++) {
		wl_table_row(&d.table);
		wl_put_i64(&d.table, 0, i);
		wl_put_i64(&d.table, 1, 1000);
		wl_put_f64(&d.table, 2, 0.091);
		wl_put_i64(&d.table, 3, 2000);
		wl_put_str(&d.table, 4, i ? "waits" : "slow GPU: all kernels take twice as long");
	}
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 60 },
		     "Rank  Wait  Saves  Late  Why\n"
		     "   0  1 us   9.1%  2 us  slow GPU: all kernels take twice as\n"
		     "                         long\n"
		     "   1  1 us   9.1%  2 us  waits\n");
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 46 },
		     "Rank  Wait  Saves  Why\n"
		     "   0  1 us   9.1%  slow GPU: all kernels take\n"
		     "                   twice as long\n"
		     "   1  1 us   9.1%  waits\n"
		     "1 more column (--columns LIST)\n");
	expect_table(&d, &all, &(struct wl_render_opts){ .width = 38 },
		     "Rank  Saves  Why\n"
		     "   0   9.1%  slow GPU: all kernels\n"
		     "             take twice as long\n"
		     "   1   9.1%  waits\n"
		     "2 more columns (--columns LIST)\n");
}

TEST(the_weight_of_a_finding_has_a_colour)
{
#define BEHIND                                                                                     \
	"                                                          " /* to the end of the line */
	static const struct wl_col findings[] = {
		{ "code", "Code", WL_T_ENUM, WL_KEY, "" },
		{ "severity", "Severity", WL_T_ENUM, WL_PLAIN, "" },
		{ "finding", "Finding", WL_T_STR, WL_PROSE, "" },
		{ "action", "Action", WL_T_STR, WL_PROSE, "" },
	};
	static const char *const weights[] = { "high", "medium", "low" };
	WITH(struct doc, d, doc_release, doc_init(&d, findings, WL_COUNT(findings)));

	d.section.look = WL_LOOK_LIST;
	for (size_t i = 0; i < WL_COUNT(weights); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, 0, "x");
		wl_put_str(&d.table, 1, weights[i]);
		wl_put_str(&d.table, 2, "It waits.");
		wl_put_str(&d.table, 3, "Stop.");
	}
	expect_table(&d, &(struct wl_view_opts){ .limit = 1 },
		     &(struct wl_render_opts){ .width = 80, .bold = true },
		     "\n"
		     "1   \033[1mhigh\033[0m  It waits." BEHIND "[x]\n"
		     "   Do     Stop.\n"
		     "   1 of 3; -n 0 for all\n");
	expect_table(&d, &all,
		     &(struct wl_render_opts){ .width = 80, .bold = true, .colour = true },
		     "\n"
		     "1   \033[1;31mhigh\033[0m  It waits." BEHIND "[x]\n"
		     "   Do     Stop.\n"
		     "\n"
		     "2 \033[1;33mmedium\033[0m  It waits." BEHIND "[x]\n"
		     "   Do     Stop.\n"
		     "\n"
		     "3    \033[1;36mlow\033[0m  It waits." BEHIND "[x]\n"
		     "   Do     Stop.\n");
#undef BEHIND
}
