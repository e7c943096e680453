/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"
#include "support/doc.h"

enum { NAME, TOOK, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "" },
	[TOOK] = { "took", "Took", WL_T_NS, WL_PLAIN, "" },
};

TEST(a_table_has_frame_rows_and_remarks)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts view = { .limit = 2 };
	const struct wl_render_opts opts = { .width = 10 };
	FREED char *text;

	doc_frame(&d, "my_run.sqlite");
	for (int64_t i = 0; i < 3; i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME, "a|b*c");
		if (i)
			wl_put_i64(&d.table, TOOK, 1500);
	}
	wl_table_cover(&d.table, "kernels", 1, 2);
	wl_table_note(&d.table, "use [x]");
	text = doc_render_with(&d, "md", &view, &opts);
	assert_string_equal(
		text, "my\\_run.sqlite \u00b7 2 GPUs \u00b7 window 2.499 s (0.001 s to 2.500 s)\n"
		      "\n"
		      "| Name | Took |\n"
		      "| --- | ---: |\n"
		      "| a\\|b\\*c | - |\n"
		      "| a\\|b\\*c | 1.5 us |\n"
		      "\n"
		      "2 of 3 rows; -n 0 shows all\n"
		      "\n"
		      "- coverage: kernels 50.0% (1 of 2)\n"
		      "- use \\[x\\]\n");
}

TEST(what_sites_would_link_is_code)
{
	static const char *const names[][2] = {
		{ "plain @ # text", "plain @ # text" },
		{ "layer.#", "layer.#" },
		{ "@someone*", "`@someone*`" },
		{ "fixes #12", "`fixes #12`" },
		{ "see https://x|y", "`see https://x\\|y`" },
		{ "`www.x.y`", "`` `www.x.y` ``" },
	};

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		struct doc d;
		char *text;

		doc_init(&d, cols, N_COLS);
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME, names[i][0]);
		text = doc_render(&d, "md");
		assert_non_null(strstr(text, names[i][1]));
		free(text);
		doc_release(&d);
	}
}

TEST(sections_have_headings)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_section sections[2];
	FREED char *text;

	free(doc_render(&d, "md"));
	sections[0] = d.section;
	sections[0].title = "A <title>";
	sections[1] = (struct wl_section){ .analysis = "nvtx",
					   .title = "Ranges",
					   .missing = "no NVTX table" };
	d.document.sections = sections;
	d.document.n_sections = 2;
	d.document.single = false;
	text = doc_print(&d.document, "md", &opts);
	assert_string_equal(text, "## A \\<title\\>\n"
				  "\n"
				  "(no rows)\n"
				  "\n"
				  "## Ranges\n"
				  "\n"
				  "no NVTX table\n");
}

TEST(a_tree_has_a_dot_per_level)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts view = { .sort = "took", .limit = 2 };
	const struct wl_render_opts opts = { .width = 80 };
	FREED char *text;

	doc_tree(&d, NAME, TOOK);
	text = doc_render_with(&d, "md", &view, &opts);
	assert_string_equal(text, "| Name | Took |\n"
				  "| --- | ---: |\n"
				  "| train | 100 us |\n"
				  "| \u00b7 backward | 70 us |\n"
				  "| \u00b7 \u00b7 gemm\\<f16\\> | 60 us |\n"
				  "| \u00b7 forward | 20 us |\n"
				  "| eval | 5 us |\n"
				  "\n"
				  "5 of 6 rows; -n 0 shows all\n");
}

TEST(deep_levels_are_numbers)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	enum { LEVELS = 100000 };
	FREED char *text;

	doc_chain(&d, LEVELS, NAME, "gemm");
	text = doc_render(&d, "md");
	assert_true(strlen(text) < (size_t)LEVELS * 150);
	assert_non_null(strstr(text, "\u00b7 \u00b7 \u00b7 gemm |\n"));
	assert_null(strstr(text, "\u00b7 32: gemm"));
	assert_non_null(strstr(text, "\u00b7 33: gemm |\n"));
	assert_non_null(strstr(text, "\u00b7 99999: gemm |\n"));
}

/* Bars that begin or end a cell; an escaped one is text. */
static size_t count_bars(const char *s, const char *end)
{
	size_t n = 0;

	for (; s < end; s++) {
		if (*s == '\\')
			s++;
		else
			n += *s == '|';
	}
	return n;
}

TEST(hostile_names_stay_in_their_cell)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	static const char markup[] = "`*_<>&[]~$";
	char *longest = hostile_long_name(), *text;

	for (size_t i = 0; i < WL_COUNT(hostile_names); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME, hostile_names[i]);
	}
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, longest);
	text = doc_render(&d, "md");
	expect_safe(text, "\n");
	assert_true(wl_utf8_is_valid(text, strlen(text)));
	for (const char *s = text, *end; *s; s = end + 1) {
		end = strchr(s, '\n');
		assert_non_null(end);
		assert_int_equal(count_bars(s, end), 2);
	}
	for (const char *s = text; *s; s++) {
		if (*s == '\\')
			s++;
		else
			assert_null(strchr(markup, *s));
	}
	free(text);
	free(longest);
}
