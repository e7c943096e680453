/* SPDX-License-Identifier: MIT */
#include "render/explorer/explorer.h"

#include "known/exports/queries.h"
#include "known/exports/relations.h"
#include "known/exports/schema.h"
#include "support/doc.h"

enum { TABLE, ROWS, COLUMN, TYPE, N_COLS };

static const struct wl_col cols[] = {
	[TABLE] = { "table", "Table", WL_T_STR, WL_KEY, NULL },
	[ROWS] = { "rows", "Rows", WL_T_COUNT, WL_PLAIN, NULL },
	[COLUMN] = { "column", "Column", WL_T_STR, WL_KEY, NULL },
	[TYPE] = { "type", "Type", WL_T_ENUM, WL_PLAIN, NULL },
};

static bool reads(const char *table, const char *column)
{
	return strcmp(table, "OSRT_API") == 0 && strcmp(column, "nameId") == 0;
}

static const char *capture(const char *table)
{
	return strcmp(table, "SCHED_EVENTS") == 0 ? "nsys --switches" : NULL;
}

static void put(struct doc *d, const char *table, int64_t rows, const char *column)
{
	wl_table_row(&d->table);
	wl_put_str(&d->table, TABLE, table);
	wl_put_i64(&d->table, ROWS, rows);
	wl_put_str(&d->table, COLUMN, column);
	wl_put_str(&d->table, TYPE, "INTEGER");
}

/* The page; free it. */
static char *render(struct doc *d)
{
	static const struct wl_explorer_reader reader = { reads, capture };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	d->section.view.table = &d->table;
	d->document.sections = &d->section;
	d->document.n_sections = 1;
	wl_render_explorer(&d->document, &reader, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

/* The command gets the page and ends well, where the program that it begins with is installed. */
static void expect_pipe(const char *program, const char *command, const char *text)
{
	char which[64];
	FILE *pipe;

	(void)snprintf(which, sizeof(which), "command -v %s >/dev/null 2>&1", program);
	if (system(which) != 0)
		return;
	pipe = popen(command, "w");
	assert_non_null(pipe);
	assert_int_equal(fwrite(text, 1, strlen(text), pipe), strlen(text));
	assert_int_equal(pclose(pipe), 0);
}

/* Markup and policy. Links inside SVG are younger than Debian's tidy. */
static void expect_valid(const char *text)
{
	expect_pipe("tidy", "tidy -e -q --warn-proprietary-attributes no 1>&2", text);
	expect_pipe(
		"python3",
		"python3 -c \"import base64, hashlib, re, sys\n"
		"page = sys.stdin.read()\n"
		"for script in re.findall('<script>(.*?)</script>', page, re.S):\n"
		"    hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()\n"
		"    if ' \\'sha256-' + hash + '\\'' not in page:\n"
		"        sys.exit('the hash of a script is sha256-' + hash)\"",
		text);
	assert_null(strstr(text, "http:"));
	assert_null(strstr(text, "https:"));
	expect_safe(text, "\n");
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in\n%s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in\n%s", part, text);
}

TEST(a_trace_is_one_valid_page)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	doc_frame(&d, "some/run.sqlite");
	put(&d, "StringIds", 1, "id");
	put(&d, "StringIds", 1, "value");
	put(&d, "OSRT_API", 12, "nameId");
	put(&d, "OSRT_API", 12, "argumentsId");
	put(&d, "OSRT_API", 12, "mine");
	put(&d, "mine", 0, "x");
	text = render(&d);
	expect_valid(text);
	has(text, "<title>Schema of run.sqlite</title>");
	has(text, "3 tables \u00b7 6 columns \u00b7 13 rows");
	has(text, "<details class=\"table\" id=\"table-OSRT_API\" open><summary><span "
		  "class=\"called\">OSRT_API</span> "
		  "<span class=\"count\">12 rows</span>");
	has(text, "<th scope=\"row\">nameId</th><td>INTEGER</td><td class=\"when\">all</td>"
		  "<td>yes</td><td class=\"name\">string: function</td>"
		  "<td><a href=\"#table-StringIds\">StringIds</a></td>");
	has(text, "<th scope=\"row\">argumentsId</th><td>INTEGER</td>"
		  "<td class=\"when\">from 3.23.3</td><td></td>");
	has(text, "<th scope=\"row\">mine</th><td>INTEGER</td><td class=\"when\"></td><td></td>"
		  "<td class=\"name\">not known to warplens</td><td></td>");
	has(text, "id=\"table-mine\"><summary><span class=\"called\">mine</span> <span "
		  "class=\"count\">0 rows</span> "
		  "<span class=\"means\">unknown: warplens ignores it</span>");
	has(text, "<tr class=\"gone\"><th scope=\"row\">SCHED_EVENTS</th>"
		  "<td>threads put on a CPU or taken off</td>"
		  "<td class=\"when\">all</td><td>nsys --switches</td></tr>");
}

TEST(only_relations_with_both_sides_are_drawn)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	put(&d, "StringIds", 1, "id");
	put(&d, "StringIds", 1, "value");
	put(&d, "OSRT_API", 12, "nameId");
	put(&d, "OSRT_API", 12, "globalTid");
	put(&d, "PROCESSES", 2, "pid"); /* without the column that a globalTid leads to */
	text = render(&d);
	expect_valid(text);
	has(text, "<g class=\"line k-strings\"><title>OSRT_API (nameId) \u2192 StringIds (id)"
		  "</title>");
	lacks(text, "<g class=\"line k-ids\">");
	lacks(text, "href=\"#table-PROCESSES\"");
	lacks(text, "href=\"#table-ThreadNames\"");
}

/* A line of SQL belongs to a table; a query to all that it needs. */
TEST(queries_are_those_of_the_trace)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	put(&d, "CUPTI_ACTIVITY_KIND_KERNEL", 1, "start");
	put(&d, "CUPTI_ACTIVITY_KIND_MEMCPY", 1, "start");
	text = render(&d);
	has(text, "<h3>Gaps</h3>");
	has(text, "  UNION ALL SELECT globalPid, deviceId, start, end FROM "
		  "CUPTI_ACTIVITY_KIND_MEMCPY\n), ends AS (\n");
	has(text, "(globalPid &gt;&gt; 24) &amp; 0xFFFFFF AS pid");
	lacks(text, "FROM CUPTI_ACTIVITY_KIND_MEMSET");
	has(text, "<li>Kernels by time: needs StringIds</li>");
	has(text, "<li>Versions: needs META_DATA_EXPORT or EXPORT_META_DATA</li>");
	lacks(text, "<h3>Kernels by time</h3>");
}

/* Every table and column that we know, and the tables of codes that relations name. */
static void put_catalogue(struct doc *d)
{
	const char *table = NULL;

	for (size_t i = 0; i < wl_n_schema; i++) {
		if (wl_schema[i].table && (i + 1 == wl_n_schema || wl_schema[i + 1].table))
			put(d, wl_schema[i].table, 1, "any");
		if (wl_schema[i].table)
			table = wl_schema[i].table;
		else
			put(d, table, INT64_MAX, wl_schema[i].column);
	}
	for (size_t i = 0; i < wl_n_relations; i++) {
		const char *to = wl_relations[i].to_table;
		bool is_new = strncmp(to, "ENUM_", 5) == 0;

		for (size_t k = 0; k < i; k++)
			is_new = is_new && strcmp(wl_relations[k].to_table, to) != 0;
		if (is_new)
			put(d, to, 1, "id");
	}
}

TEST(the_whole_catalogue_fits)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	char part[128];
	FREED char *text;

	put_catalogue(&d);
	text = render(&d);
	expect_valid(text);
	for (size_t i = 0; i < wl_n_relations; i++) {
		const struct wl_relation *r = &wl_relations[i];

		(void)snprintf(part, sizeof(part), "<title>%s</title><rect", r->table);
		has(text, part);
		(void)snprintf(part, sizeof(part), "<title>%s</title><rect", r->to_table);
		has(text, part);
	}
	for (size_t i = 0; i < wl_n_query_facts; i++) {
		(void)snprintf(part, sizeof(part), "<h3>%s</h3>", wl_query_facts[i].title);
		has(text, part);
	}
	lacks(text, "Not for this trace");
	lacks(text, "SCHED_EVENTS</th><td>");
}

TEST(hostile_names_stay_text)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *long_name = hostile_long_name();
	FREED char *text;

	doc_frame(&d, "a/<script>alert(1)</script>");
	for (size_t i = 0; i < WL_COUNT(hostile_names); i++) {
		put(&d, hostile_names[i], 1, hostile_names[WL_COUNT(hostile_names) - 1 - i]);
		put(&d, hostile_names[i], 1, "<b>");
	}
	put(&d, "ENUM_\"><script>", 1, "id");
	put(&d, "StringIds", 1, "' onclick='x");
	put(&d, long_name, 1, long_name);
	text = render(&d);
	expect_valid(text);
	has(text, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;</span>");
	lacks(text, "<script>alert");
	lacks(text, "<img");
	lacks(text, "<b><");
}

TEST(a_file_without_tables_has_a_page)
{
	WITH(struct doc, d, doc_release, doc_init(&d, cols, N_COLS));
	FREED char *text;

	text = render(&d);
	expect_valid(text);
	has(text, "0 tables \u00b7 0 columns \u00b7 0 rows");
	has(text, "No two tables of this trace belong together.");
	lacks(text, "<svg");
}
