/* SPDX-License-Identifier: MIT */
/* csv and tsv; jsonl, their sibling, is in test_json.c. */
#include "base/text/utf8.h"
#include "support/doc.h"

enum { NAME, TOOK, SHARE, ID, FLAG, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "" },
	[TOOK] = { "took", "Took", WL_T_NS, WL_PLAIN, "" },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN, "" },
	[ID] = { "id", "ID", WL_T_ID, WL_PLAIN, "" },
	[FLAG] = { "flag", "Flag", WL_T_BOOL, WL_PLAIN, "" },
};

TEST(cells_are_base_units_in_full)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));

	doc_frame(&d, "run.sqlite");
	wl_table_note(&d.table, "not printed");
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "gemm<\"f16\", 128>");
	wl_put_i64(&d.table, TOOK, 2149900);
	wl_put_f64(&d.table, SHARE, 0.1);
	wl_put_i64(&d.table, ID, INT64_MIN);
	wl_put_i64(&d.table, FLAG, 1);
	wl_table_row(&d.table);
	doc_expect(&d, "csv",
		   "name,took,share,id,flag\n"
		   "\"gemm<\"\"f16\"\", 128>\",2149900,0.1,-9223372036854775808,true\n"
		   ",,,,\n");
	doc_expect(&d, "tsv",
		   "name\ttook\tshare\tid\tflag\n"
		   "gemm<\"f16\", 128>\t2149900\t0.1\t-9223372036854775808\ttrue\n"
		   "\t\t\t\t\n");
}

TEST(an_empty_name_differs_from_none)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));

	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "");
	wl_table_row(&d.table);
	doc_expect(&d, "csv", "name,took\n\"\",\n,\n");
}

TEST(commands_to_a_log_are_quoted)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));

	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "::error file=a::b");
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, " \u00a0::add-mask::b");
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "at::native");
	doc_expect(&d, "csv",
		   "name,took\n\"::error file=a::b\",\n\" \u00a0::add-mask::b\",\nat::native,\n");
}

TEST(no_rows_leave_the_header)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));

	doc_expect(&d, "csv", "name,took\n");
	doc_expect(&d, "tsv", "name\ttook\n");
}

TEST(only_the_first_section_is_printed)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_section sections[2];
	char *text;

	free(doc_render(&d, "csv"));
	sections[0] = sections[1] = d.section;
	d.document.sections = sections;
	d.document.n_sections = 2;
	d.document.single = false;
	text = doc_print(&d.document, "csv", &opts);
	assert_string_equal(text, "name,took\n");
	free(text);
	sections[0].missing = "no data";
	text = doc_print(&d.document, "csv", &opts);
	assert_string_equal(text, "");
	free(text);
	d.document.n_sections = 0;
	text = doc_print(&d.document, "tsv", &opts);
	assert_string_equal(text, "");
	free(text);
}

TEST(a_tree_begins_with_id_and_parent)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));
	const struct wl_view_opts sorted = { .sort = "took",
					     .where = "took > 10us",
					     .columns = "took,name" };
	const struct wl_render_opts opts = { .width = 80 };
	FREED char *text;

	doc_tree(&d, NAME, TOOK);
	doc_expect(&d, "csv",
		   "id,parent,name,took\n"
		   "1,,train,100000\n"
		   "3,1,forward,20000\n"
		   "4,1,backward,70000\n"
		   "5,4,gemm<f16>,60000\n"
		   "6,1,loss,1500\n"
		   "2,,eval,5000\n");
	text = doc_render_with(&d, "tsv", &sorted, &opts);
	assert_string_equal(text, "id\tparent\ttook\tname\n"
				  "1\t\t100000\ttrain\n"
				  "4\t1\t70000\tbackward\n"
				  "5\t4\t60000\tgemm<f16>\n"
				  "3\t1\t20000\tforward\n");
}

TEST(an_empty_tree_has_the_same_header)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));

	wl_table_tree(&d.table);
	doc_expect(&d, "csv", "id,parent,name,took\n");
	wl_table_row(&d.table);
	doc_expect(&d, "csv", "id,parent,name,took\n1,,,\n");
}

/* Split a line as RFC 4180 says and count the fields; -1 for a malformed line. */
static int count_fields(const char **s)
{
	int n = 1;

	while (**s && **s != '\n') {
		if (**s == '"') {
			for ((*s)++; **s != '"' || (*s)[1] == '"'; (*s)++) {
				if (**s == '\0')
					return -1;
				*s += **s == '"';
			}
			(*s)++;
			if (**s != ',' && **s != '\n')
				return -1;
			continue;
		}
		n += **s == ',';
		(*s)++;
	}
	if (**s == '\n')
		(*s)++;
	return n;
}

TEST(hostile_names_stay_in_their_field)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));
	char *longest = hostile_long_name(), *text;
	size_t rows = 0, tabs = 0;

	for (size_t i = 0; i <= WL_COUNT(hostile_names); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME,
			   i < WL_COUNT(hostile_names) ? hostile_names[i] : longest);
		wl_put_i64(&d.table, TOOK, 1);
	}
	text = doc_render(&d, "csv");
	expect_safe(text, "\n");
	assert_true(wl_utf8_is_valid(text, strlen(text)));
	for (const char *s = text; *s; rows++)
		assert_int_equal(count_fields(&s), 2);
	assert_int_equal(rows, WL_COUNT(hostile_names) + 2);
	assert_non_null(strstr(text, "\n=1+1,1\n"));
	free(text);
	text = doc_render(&d, "tsv");
	expect_safe(text, "\n\t");
	for (const char *s = text; *s; s++)
		tabs += *s == '\t';
	assert_int_equal(tabs, rows);
	free(text);
	free(longest);
}
