/* SPDX-License-Identifier: MIT */
/* json and jsonl. */
#include <ctype.h>

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

/* A checker of JSON syntax, strict but for numbers; the place behind a value, or NULL. */
static const char *skip_value(const char *s);

static const char *skip_string(const char *s)
{
	if (*s++ != '"')
		return NULL;
	for (; *s != '"'; s++) {
		if ((unsigned char)*s < 0x20)
			return NULL;
		if (*s != '\\')
			continue;
		s++;
		if (*s == 'u') {
			for (int i = 0; i < 4; i++) {
				if (!isxdigit((unsigned char)*++s))
					return NULL;
			}
		} else if (*s == '\0' || !strchr("\"\\/bfnrt", *s)) {
			return NULL;
		}
	}
	return s + 1;
}

static const char *skip_list(const char *s, bool object)
{
	const char close = object ? '}' : ']';

	if (s[1] == close)
		return s + 2;
	do {
		s += 1 + strspn(s + 1, "\n");
		if (object) {
			s = skip_string(s);
			if (!s || *s++ != ':')
				return NULL;
		}
		s = skip_value(s);
	} while (s && *s == ',');
	return s && *s == close ? s + 1 : NULL;
}

static const char *skip_value(const char *s)
{
	static const char *const words[] = { "null", "true", "false" };
	size_t n;

	if (*s == '{' || *s == '[')
		return skip_list(s, *s == '{');
	if (*s == '"')
		return skip_string(s);
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		n = strlen(words[i]);
		if (strncmp(s, words[i], n) == 0)
			return s + n;
	}
	n = strspn(s, "-+.0123456789e");
	return n ? s + n : NULL;
}

static void expect_json(const char *text)
{
	const char *end = skip_value(text);

	assert_non_null(end);
	assert_string_equal(end, "\n");
	assert_true(wl_utf8_is_valid(text, strlen(text)));
	expect_safe(text, "\n");
	assert_null(strpbrk(text, "<>&"));
}

static void fill(struct doc *d)
{
	doc_init(d, cols, N_COLS);
	doc_frame(d, "run.sqlite");
	wl_table_row(&d->table);
	wl_put_str(&d->table, NAME, "gemm<\"f16\">");
	wl_put_i64(&d->table, TOOK, 2149900);
	wl_put_f64(&d->table, SHARE, 0.1);
	wl_put_i64(&d->table, ID, INT64_C(281474976710657));
	wl_put_i64(&d->table, FLAG, 0);
	wl_table_row(&d->table);
}

#define ROW_0                                                                                      \
	"{\"name\":\"gemm\\u003c\\\"f16\\\"\\u003e\",\"took\":2149900,\"share\":0.1,"              \
	"\"id\":\"281474976710657\",\"flag\":false}"
#define ROW_1 "{\"name\":null,\"took\":null,\"share\":null,\"id\":null,\"flag\":null}"

TEST(a_single_table_is_one_object)
{
	WITH(struct doc, d, doc_release, fill(&d));
	const struct wl_view_opts view = { .limit = 1, .columns = "name,took" };
	const struct wl_render_opts opts = { .width = 80 };
	FREED char *text;

	wl_table_cover(&d.table, "kernels", 3, 4);
	wl_table_cover(&d.table, "ranges", 5, 5);
	wl_table_note(&d.table, "a note");
	wl_table_note(&d.table, "another");
	text = doc_render_with(&d, "json", &view, &opts);
	expect_json(text);
	assert_string_equal(
		text,
		"{\"schema\":\"warplens/1\",\"definitions\":4,"
		"\"analysis\":\"test\",\"trace\":{\"path\":\"run.sqlite\"},"
		"\"window\":{\"spec\":\"all\",\"begin\":1000000,\"end\":2500000000,"
		"\"length\":2499000000},"
		"\"coverage\":{\"kernels\":{\"have\":3,\"of\":4},\"ranges\":{\"have\":5,\"of\":5}},"
		"\"columns\":[\n"
		"{\"key\":\"name\",\"title\":\"Name\",\"type\":\"string\",\"unit\":null},\n"
		"{\"key\":\"took\",\"title\":\"Took\",\"type\":\"duration\",\"unit\":\"ns\"}],"
		"\"rows\":[\n"
		"{\"name\":\"gemm\\u003c\\\"f16\\\"\\u003e\",\"took\":2149900}],"
		"\"rows_total\":2,\"notes\":[\"a note\",\"another\"]}\n");
}

TEST(rows_alone_are_lines)
{
	WITH(struct doc, d, doc_release, fill(&d));

	doc_expect(&d, "jsonl", ROW_0 "\n" ROW_1 "\n");
}

TEST(a_document_lists_sections)
{
	static const struct wl_fact facts[] = { { "path", "run.sqlite", 0 },
						{ "bytes", NULL, 42 } };
	const struct wl_doc_window windows[] = { { 0, 10, 20 }, { 1, 5, 15 } };
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_section sections[2];
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 1));
	FREED char *text;

	free(doc_render(&d, "json"));
	sections[0] = d.section;
	sections[0].title = "Kernels";
	sections[1] = (struct wl_section){ .analysis = "nvtx",
					   .title = "Ranges",
					   .missing = "no NVTX table" };
	d.document = (struct wl_document){
		.name = "summary",
		.trace = facts,
		.n_trace = WL_COUNT(facts),
		.window_spec = "steady",
		.windows = windows,
		.n_windows = WL_COUNT(windows),
		.n_devices = 2,
		.sections = sections,
		.n_sections = WL_COUNT(sections),
	};
	text = doc_print(&d.document, "json", &opts);
	expect_json(text);
	assert_string_equal(
		text,
		"{\"schema\":\"warplens/1\",\"definitions\":4,\"document\":\"summary\","
		"\"trace\":{\"path\":\"run.sqlite\",\"bytes\":42},"
		"\"window\":{\"spec\":\"steady\",\"begin\":5,\"end\":20,\"length\":15,\"devices\":["
		"{\"device\":0,\"begin\":10,\"end\":20},{\"device\":1,\"begin\":5,\"end\":15}]},"
		"\"sections\":[\n"
		"{\"analysis\":\"test\",\"title\":\"Kernels\",\"coverage\":{},\"columns\":[\n"
		"{\"key\":\"name\",\"title\":\"Name\",\"type\":\"string\",\"unit\":null}],"
		"\"rows\":[],\"rows_total\":0,\"notes\":[]},\n"
		"{\"analysis\":\"nvtx\",\"title\":\"Ranges\",\"missing\":\"no NVTX table\"}]}\n");
}

TEST(several_traces_are_listed_after_the_first)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 1));
	const struct wl_section missing = { .analysis = "test", .missing = "no kernels" };
	const struct wl_fact fact = { .key = "path", .str = "other.sqlite" };
	struct wl_document traces[2];
	FREED char *text;

	doc_frame(&d, "run.sqlite");
	traces[0] = d.document;
	traces[1] = (struct wl_document){ .name = "test",
					  .trace = &fact,
					  .n_trace = 1,
					  .n_devices = -1,
					  .sections = &missing,
					  .n_sections = 1,
					  .single = true };
	d.document.traces = traces;
	d.document.n_traces = WL_COUNT(traces);
	text = doc_render(&d, "json");
	expect_json(text);
	assert_non_null(strstr(
		text, "\"trace\":{\"path\":\"run.sqlite\"},\"window\":{\"spec\":\"all\","
		      "\"begin\":1000000,\"end\":2500000000,\"length\":2499000000},\"traces\":[\n"
		      "{\"trace\":{\"path\":\"run.sqlite\"},\"window\":{\"spec\":\"all\","
		      "\"begin\":1000000,\"end\":2500000000,\"length\":2499000000}},\n"
		      "{\"trace\":{\"path\":\"other.sqlite\"},\"window\":null,"
		      "\"missing\":\"no kernels\"}],\"coverage\":{}"));
}

TEST(an_answer_about_steps_says_what_a_step_is)
{
	struct wl_doc_step step = { .method = "sequence",
				    .what = "a repeating sequence of 3 kernels",
				    .count = 40,
				    .median = 1250,
				    .n_processes = 2,
				    .is_guess = 1 };
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_document doc = { .name = "x", .n_devices = -1, .step = &step };
	char *text;

	text = doc_print(&doc, "json", &opts);
	assert_non_null(strstr(text, "\"step\":{\"method\":\"sequence\",\"what\":\"a repeating "
				     "sequence of 3 kernels\",\"count\":40,\"median\":1250,"
				     "\"processes\":2,\"guess\":true}"));
	free(text);
	step.is_guess = -1;
	text = doc_print(&doc, "json", &opts);
	assert_non_null(strstr(text, "\"processes\":2}"));
	free(text);
	doc.step = NULL;
	text = doc_print(&doc, "json", &opts);
	assert_null(strstr(text, "step"));
	free(text);
}

TEST(a_tree_begins_with_id_and_parent)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 2));
	const struct wl_view_opts view = { .sort = "took", .limit = 1 };
	const struct wl_render_opts opts = { .width = 80 };
	char *text;

	doc_tree(&d, NAME, TOOK);
	text = doc_render_with(&d, "json", &view, &opts);
	expect_json(text);
	assert_string_equal(
		text,
		"{\"schema\":\"warplens/"
		"1\",\"definitions\":4,\"analysis\":\"test\",\"trace\":{},\"window\":null,"
		"\"coverage\":{},\"columns\":[\n"
		"{\"key\":\"id\",\"title\":\"ID\",\"type\":\"count\",\"unit\":null},\n"
		"{\"key\":\"parent\",\"title\":\"Parent\",\"type\":\"count\",\"unit\":null},\n"
		"{\"key\":\"name\",\"title\":\"Name\",\"type\":\"string\",\"unit\":null},\n"
		"{\"key\":\"took\",\"title\":\"Took\",\"type\":\"duration\",\"unit\":\"ns\"}],"
		"\"rows\":[\n"
		"{\"id\":1,\"parent\":null,\"name\":\"train\",\"took\":100000},\n"
		"{\"id\":4,\"parent\":1,\"name\":\"backward\",\"took\":70000},\n"
		"{\"id\":5,\"parent\":4,\"name\":\"gemm\\u003cf16\\u003e\",\"took\":60000}],"
		"\"rows_total\":6,\"notes\":[]}\n");
	free(text);
	text = doc_render_with(&d, "jsonl", &view, &opts);
	assert_string_equal(text, "{\"id\":1,\"parent\":null,\"name\":\"train\",\"took\":100000}\n"
				  "{\"id\":4,\"parent\":1,\"name\":\"backward\",\"took\":70000}\n"
				  "{\"id\":5,\"parent\":4,\"name\":\"gemm\\u003cf16\\u003e\","
				  "\"took\":60000}\n");
	free(text);
}

TEST(what_does_not_apply_is_null_or_empty)
{
	const struct wl_document empty = { .name = "x", .n_devices = -1 };
	const struct wl_render_opts opts = { .width = 80 };
	char *text = doc_print(&empty, "json", &opts);

	expect_json(text);
	assert_string_equal(
		text,
		"{\"schema\":\"warplens/1\",\"definitions\":4,\"document\":\"x\",\"trace\":{},"
		"\"window\":null,\"sections\":[]}\n");
	free(text);
	text = doc_print(&empty, "jsonl", &opts);
	assert_string_equal(text, "");
	free(text);
}

TEST(hostile_names_are_valid_json)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, 1));
	char *longest = hostile_long_name(), *text;
	size_t lines = 0;

	doc_frame(&d, "\033[31m</script>\xff\n");
	d.document.window_spec = "nvtx:\"\n";
	for (size_t i = 0; i < WL_COUNT(hostile_names); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME, hostile_names[i]);
	}
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, longest);
	wl_table_note(&d.table, "%s", hostile_names[4]);
	text = doc_render(&d, "json");
	expect_json(text);
	free(text);
	text = doc_render(&d, "jsonl");
	for (char *s = text; *s; lines++) {
		const char *end = skip_value(s);

		assert_non_null(end);
		assert_int_equal(*end, '\n');
		s += end + 1 - s;
	}
	assert_int_equal(lines, WL_COUNT(hostile_names) + 1);
	free(text);
	free(longest);
}
