/* SPDX-License-Identifier: MIT */
#include "base/text/utf8.h"
#include "support/doc.h"

enum { NAME, TOOK, N_COLS };

static const struct wl_col cols[] = {
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY, "A \"name\"." },
	[TOOK] = { "took", "Took", WL_T_NS, WL_PLAIN, "A duration." },
};

/* Debian's tidy finds neither errors nor warnings, where it is installed. */
static void expect_tidy(const char *text)
{
	FILE *tidy;

	if (system("command -v tidy >/dev/null 2>&1") != 0)
		return;
	tidy = popen("tidy -e -q 1>&2", "w");
	assert_non_null(tidy);
	assert_int_equal(fwrite(text, 1, strlen(text), tidy), strlen(text));
	assert_int_equal(pclose(tidy), 0);
}

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in\n%s", part, text);
}

TEST(a_table_is_one_valid_page)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	doc_frame(&d, "run<1>.sqlite");
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, "gemm<f16>");
	wl_put_i64(&d.table, TOOK, 1500);
	wl_table_note(&d.table, "a & b");
	wl_table_cover(&d.table, "kernels", 1, 2);
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_part(text, "<!DOCTYPE html>\n<html lang=\"en\">");
	expect_part(text, "content=\"default-src 'none'; style-src 'unsafe-inline'; ");
	expect_part(text, "prefers-color-scheme: dark");
	expect_part(text, "<title>warplens test: run&lt;1&gt;.sqlite</title>");
	expect_part(text, "<h2>test</h2>");
	expect_part(text, "<p class=\"frame\">run&lt;1&gt;.sqlite \u00b7 2 GPUs \u00b7 window");
	expect_part(text, "<caption>1 row</caption>");
	expect_part(text, "<th scope=\"col\" class=\"name\" title=\"A &quot;name&quot;.\">Name</th>"
			  "<th scope=\"col\" class=\"num\" title=\"A duration.\">Took</th>");
	expect_part(text, "<tr><td class=\"name\">gemm&lt;f16&gt;</td><td class=\"num\">1.5 "
			  "\u00b5s</td></tr>");
	expect_part(text, "<li>coverage: kernels 50.0% (1 of 2)</li>\n<li>a &amp; b</li>\n");
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "http:"));
	assert_null(strstr(text, "https:"));
}

/* The policy names the hash of the script that is there; without python3 nobody can tell. */
static void expect_hash(const char *text)
{
	static const char check[] =
		"python3 -c \"import base64, hashlib, re, sys\n"
		"page = sys.stdin.read()\n"
		"script = re.search('<script>(.*)</script>', page, re.S).group(1)\n"
		"hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()\n"
		"if '; script-src \\'sha256-' + hash + '\\'; ' not in page:\n"
		"    sys.exit('the hash of the script is sha256-' + hash)\"";
	FILE *python;

	if (system("command -v python3 >/dev/null 2>&1") != 0)
		return;
	python = popen(check, "w");
	assert_non_null(python);
	assert_int_equal(fwrite(text, 1, strlen(text), python), strlen(text));
	assert_int_equal(pclose(python), 0);
}

TEST(a_tree_is_one_valid_page)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	doc_tree(&d, NAME, TOOK);
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_hash(text);
	expect_part(text, "<table role=\"treegrid\">\n<caption>6 rows</caption>\n");
	expect_part(text,
		    "<tr aria-level=\"1\"><td class=\"name node\" style=\"--level:0\">train</td>"
		    "<td class=\"num\">100.0 \u00b5s</td></tr>\n"
		    "<tr aria-level=\"2\"><td class=\"name node\" style=\"--level:1\">");
	expect_part(text, "<tr aria-level=\"3\"><td class=\"name node\" style=\"--level:2\">"
			  "gemm&lt;f16&gt;</td>");
	expect_part(text, "@media print { tr[hidden] { display: table-row }");
}

/* The paper of a report has rows of 1% and more, and counts the others. */
TEST(small_rows_of_a_tree_are_counted)
{
	static const struct wl_col shared[] = {
		{ "name", "Name", WL_T_STR, WL_KEY, "A name." },
		{ "share", "Share", WL_T_RATIO, WL_PLAIN, "A share." },
	};
	static const int64_t share[] = { 1000, 10, 9, 0 };
	WITH(struct doc, d, doc_release, doc_init(&d, shared, WL_COUNT(shared)));
	FREED char *text;

	wl_table_tree(&d.table);
	for (size_t i = 0; i < WL_COUNT(share); i++) {
		wl_table_row(&d.table);
		if (i)
			wl_put_parent(&d.table, 0);
		wl_put_str(&d.table, 0, "f");
		wl_put_ratio(&d.table, 1, share[i], 1000);
	}
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_part(text, "1.0%</td></tr>\n<tr aria-level=\"2\" class=\"small\">");
	expect_part(text, "<p class=\"paper\">2 more below 1%</p>");
}

TEST(an_empty_tree_is_valid)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	wl_table_tree(&d.table);
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_part(text, "<tr><td colspan=\"2\">(no rows)</td></tr>");
}

TEST(a_tree_without_names_is_not_indented)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts view = { .columns = "took" };
	const struct wl_render_opts opts = { .width = 80 };
	FREED char *text;

	doc_tree(&d, NAME, TOOK);
	text = doc_render_with(&d, "html", &view, &opts);
	expect_tidy(text);
	expect_part(text, "<tr aria-level=\"2\"><td class=\"num\">20.0 \u00b5s</td></tr>");
	assert_null(strstr(text, "--level:"));
}

TEST(deep_levels_are_numbers)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	enum { LEVELS = 100000 };
	FREED char *text;

	doc_chain(&d, LEVELS, NAME, "gemm");
	text = doc_render(&d, "html");
	expect_part(text,
		    "<tr aria-level=\"33\"><td class=\"name node\" style=\"--level:32\">gemm<");
	expect_part(text, "<tr aria-level=\"34\"><td class=\"name node\" style=\"--level:32\">"
			  "33: gemm<");
	expect_part(text, "<tr aria-level=\"100000\"><td class=\"name node\" style=\"--level:32\">"
			  "99999: gemm<");
}

TEST(sections_and_empty_tables_are_valid)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_render_opts opts = { .width = 80 };
	struct wl_section sections[2];
	char *text;

	free(doc_render(&d, "html"));
	sections[0] = d.section;
	sections[0].title = "A <title>";
	sections[1] = (struct wl_section){ .analysis = "nvtx",
					   .title = "Ranges",
					   .missing = "no <NVTX> table" };
	d.document.sections = sections;
	d.document.n_sections = 2;
	d.document.single = false;
	text = doc_print(&d.document, "html", &opts);
	expect_tidy(text);
	expect_part(text, "<h2>A &lt;title&gt;</h2>");
	expect_part(text, "<p class=\"missing\">(none)</p>");
	expect_part(text, "<p class=\"missing\">no &lt;NVTX&gt; table</p>");
	free(text);
	wl_table_hide(&d.table, NAME);
	wl_table_hide(&d.table, TOOK);
	text = doc_render(&d, "html");
	expect_tidy(text);
	assert_null(strstr(text, "<table>"));
	free(text);
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

enum { CODE, WEIGHT, FIXING, GPU, SAYS, ACTION, ADVICE, LIMITS };

static const struct wl_col finding_cols[] = {
	[CODE] = { "code", "Finding", WL_T_ENUM, WL_KEY, NULL },
	[WEIGHT] = { "severity", "Severity", WL_T_ENUM, WL_PLAIN, NULL },
	[FIXING] = { "fixing", "Fixing", WL_T_STR, WL_PROSE | WL_MINOR, NULL },
	[GPU] = { "device", "GPU", WL_T_COUNT, WL_PLAIN, NULL },
	[SAYS] = { "finding", "What it is", WL_T_STR, WL_PROSE, NULL },
	[ACTION] = { "action", "What to do", WL_T_STR, WL_PROSE, NULL },
	[ADVICE] = { "advice", "How", WL_T_STR, WL_PROSE | WL_MINOR, NULL },
	[LIMITS] = { "limits", "What it cannot know", WL_T_STR, WL_PROSE | WL_MINOR, NULL },
};

TEST(a_list_is_articles_and_a_folded_table)
{
	WITH(struct doc, d, doc_release, doc_init(&d, finding_cols, WL_COUNT(finding_cols)));
	FREED char *text;

	d.section.look = WL_LOOK_LIST;
	wl_table_row(&d.table);
	wl_put_str(&d.table, CODE, "launch-bound");
	wl_put_str(&d.table, WEIGHT, "high");
	wl_put_str(&d.table, FIXING, "saves at most 1.5 us");
	wl_put_i64(&d.table, GPU, 3);
	wl_put_str(&d.table, SAYS, "It <waits>");
	wl_put_str(&d.table, ACTION, "Launch less");
	wl_put_str(&d.table, ADVICE, "Use graphs.");
	wl_put_str(&d.table, LIMITS, "Much & more.");
	wl_table_row(&d.table);
	wl_put_str(&d.table, SAYS, "Nothing else is known");
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_part(text, "<h3>1 \u25b2\u25b2 high: It &lt;waits&gt;</h3>\n"
			  "<p class=\"saving\">saves at most 1.5 us, GPU 3</p>\n"
			  "<p><b>Launch less</b>. Use graphs.</p>\n");
	expect_part(text, "<dt>What it cannot know</dt><dd>Much &amp; more.</dd>\n"
			  "<dt>Code</dt><dd>launch-bound</dd>");
	expect_part(text, "<h3>2 Nothing else is known</h3>\n<details>");
	expect_part(text, "<details open><summary>Table: test</summary>");
}

TEST(an_empty_list_says_so)
{
	WITH(struct doc, d, doc_release, doc_init(&d, finding_cols, WL_COUNT(finding_cols)));
	FREED char *text;

	d.section.look = WL_LOOK_LIST;
	text = doc_render(&d, "html");
	expect_tidy(text);
	expect_part(text, "<p>Nothing: no finding is above 1% of the time.");
}

/* A section that explains itself, with all rows in a file. */
TEST(what_a_section_rests_on_is_said)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts view = { .limit = 1 };
	const struct wl_render_opts opts = { .width = 0 };
	char *name = hostile_long_name(), *text;

	d.document.single = false;
	d.document.title = "A <title>";
	d.section.title = "Section";
	d.section.from = "From x < y.";
	d.section.about = "About & about.";
	d.section.file = "tables/test.csv";
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, name);
	wl_table_row(&d.table);
	text = doc_render_with(&d, "html", &view, &opts);
	expect_tidy(text);
	expect_hash(text);
	expect_part(text, "<title>A &lt;title&gt;</title>");
	expect_part(text, "<h1>A &lt;title&gt;</h1>");
	expect_part(text, "<a href=\"#test\">Section</a>");
	expect_part(text, "<section id=\"test\">\n<h2>Section</h2>");
	expect_part(text, "<caption>1 of 2 rows; all are in "
			  "<a href=\"tables/test.csv\">tables/test.csv</a></caption>");
	expect_part(text, "<p>From x &lt; y.</p></details>");
	expect_part(text, "<summary>Definition and limits</summary><p>About &amp; about.</p>");
	assert_true(strlen(text) < 20000); /* the file has the whole name */
	free(text);
	free(name);
}

/* What is mailed begins with the step, and defines at its end what sections share once. */
TEST(a_front_has_the_step_and_one_list_of_definitions)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_doc_step step = { .method = "nvtx",
					  .what = "NVTX range `<step>`",
					  .count = 12,
					  .median = 53420000,
					  .part = { { "steps", 10, 1000000 }, { "", 2, 60000000 } },
					  .is_guess = 1 };
	struct wl_section sections[2];
	FREED char *text;

	d.document.single = false;
	d.document.has_front = true;
	d.document.step = &step;
	d.section.title = "One <1>";
	d.section.missing = "Nothing of it.";
	d.section.about = "About & about.";
	d.section.from = "From x < y.";
	sections[0] = sections[1] = d.section;
	sections[1].title = "Two";
	d.document.sections = sections;
	d.document.n_sections = WL_COUNT(sections);
	text = doc_print(&d.document, "html", &(struct wl_render_opts){ .width = 0 });
	expect_tidy(text);
	expect_hash(text);
	expect_part(text, "<p class=\"big\">53.42 ms</p>\n<p>median of 12 steps</p>");
	expect_part(text, "step = NVTX range `&lt;step&gt;`; it may be a layer and not a step");
	expect_part(text, "two lengths: 10 steps, median 1 ms; 2, median 60 ms");
	expect_part(text, "<a href=\"#definitions\">Definitions and sources</a>");
	expect_part(text,
		    "<dt><a href=\"#test\">One &lt;1&gt;</a>, <a href=\"#test-2\">Two</a></dt>\n"
		    "<dd>About &amp; about.</dd>\n<dd>From x &lt; y.</dd>\n</dl>");
	assert_int_equal(count(text, "About &amp; about."), 1);
	assert_int_equal(count(text, "Definition and limits"), 0);
}

/* A median over prefills and decodes is that of neither. */
TEST(a_front_has_the_kinds_of_steps)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_doc_step step = { .method = "nvtx",
					  .what = "NVTX range `step`",
					  .count = 60,
					  .median = 1152000,
					  .part = { { "decodes", 55, 1129000 },
						    { "prefills", 5, 4068000 } },
					  .outer = { "ranges `<run> #`", 2, 41000000 },
					  .has_kinds = 1 };
	FREED char *text;

	d.document.single = false;
	d.document.has_front = true;
	d.document.step = &step;
	text = doc_print(&d.document, "html", &(struct wl_render_opts){ .width = 0 });
	expect_part(text, "<p class=\"big\">1.129 ms</p>\n<p>median of 55 decodes; 5 prefills, "
			  "median 4.068 ms</p>");
	expect_part(text, "<p>55 decodes, median 1.129 ms; 5 prefills, median 4.068 ms; "
			  "in 2 ranges `&lt;run&gt; #`, median 41 ms</p>");
}

TEST(hostile_names_make_no_markup)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	const struct wl_view_opts view = { .limit = WL_COUNT(hostile_names) };
	const struct wl_render_opts opts = { .width = 80 };
	char *longest = hostile_long_name(), *text;

	doc_frame(&d, "</title><script>\033\xff\n");
	d.document.window_spec = "nvtx:<b>\"'";
	wl_table_row(&d.table);
	wl_put_str(&d.table, NAME, longest);
	for (size_t i = 0; i < WL_COUNT(hostile_names); i++) {
		wl_table_row(&d.table);
		wl_put_str(&d.table, NAME, hostile_names[i]);
		wl_table_note(&d.table, "name %s", hostile_names[i]);
	}
	text = doc_render_with(&d, "html", &view, &opts);
	expect_tidy(text);
	expect_safe(text, "\n");
	assert_true(wl_utf8_is_valid(text, strlen(text)));
	assert_int_equal(count(text, "<script"), 0);
	assert_int_equal(count(text, "<img"), 0);
	assert_int_equal(count(text, "<table>"), 1);
	assert_int_equal(count(text, "</table>"), 1);
	assert_int_equal(count(text, "<td"), WL_COUNT(hostile_names));
	assert_int_equal(count(text, "onmouseover=\""), 0);
	expect_part(text, "<caption>16 of 17 rows; -n 0 shows all</caption>");
	free(text);
	free(longest);
}
