/* SPDX-License-Identifier: MIT */
/*
 * Every kind of parameter on the command line, in help and in --introspect. The
 * registry is one of our own, with a verb that has them all, so that this does not
 * depend on which verb uses which kind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/help.h"
#include "support/line.h"
#include "support/unit.h"

enum { WHAT, TOP, MIN, WARN, EXACT, KIND, LABEL, MAP, FROM, TOOL };

static const char *const kinds[] = { "long", "short", NULL };

static const struct wl_param params[] = {
	[WHAT] = { .key = "what",
		   .type = WL_P_REGEX,
		   .operand = true,
		   .help = "What to look for." },
	[TOP] = { .key = "top", .type = WL_P_COUNT, .def = "10", .help = "How many." },
	[MIN] = { .key = "min", .type = WL_P_NS, .def = "10us", .help = "How long." },
	[WARN] = { .key = "warn",
		   .type = WL_P_RATIO,
		   .def = "0.7",
		   .help = "When to warn.",
		   .alias = "warn-threshold" },
	[EXACT] = { .key = "exact-names", .type = WL_P_BOOL, .help = "Whole names." },
	[KIND] = { .key = "kind",
		   .type = WL_P_ENUM,
		   .def = "long",
		   .choices = kinds,
		   .help = "Which kind." },
	[MAP] = { .key = "map", .type = WL_P_DOC, .help = "Which map." },
	[LABEL] = { .key = "label", .type = WL_P_STR, .help = "Which label." },
	[FROM] = { .key = "from",
		   .type = WL_P_TRACE,
		   .many = true,
		   .takes = "FILE,LABEL",
		   .help = "Which trace." },
	[TOOL] = { .key = "tool", .type = WL_P_STR, .stands_for = "nsys", .help = "Which nsys." },
};

static const struct wl_col cols[] = { { "name", "Name", WL_T_STR, WL_KEY, "A name." } };

static const struct wl_alias aliases[] = {
	{ .name = "gpu_idle" },
	{ "short_gaps", { { "kind", "short" } } },
	{ "exact_gaps", { { "exact-names", "true" } } },
	{ "late_gaps", { { "kind", "short" }, { "window", "steady" }, { "columns", "name" } } },
	{ .name = NULL },
};

static const struct wl_analysis gaps = {
	.name = "gaps",
	.help = "List gaps",
	.about = "Lists gaps.",
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.aliases = aliases,
};

/* In place of analysis/registry.c and find.c, which the linker then leaves out. */
const struct wl_analysis *const wl_analyses[] = { &gaps };
const size_t wl_n_analyses = WL_COUNT(wl_analyses);

const struct wl_analysis *wl_analysis_find(const char *name)
{
	return strcmp(name, gaps.name) == 0 ? &gaps : NULL;
}

const struct wl_analysis *wl_analysis_get(const char *name)
{
	(void)name;
	return &gaps;
}

/* In place of the sources of commands, which would bring the registry along. */
const struct wl_command wl_command_diff = { .name = "diff", .help = "Diff", .operands = "A B" };
const struct wl_command wl_command_baseline = { .name = "baseline", .help = "B", .operands = "B" };
const struct wl_command wl_command_plan = { .name = "plan", .help = "B", .operands = "B" };
const struct wl_command wl_command_capture = { .name = "capture", .help = "B", .operands = "B" };
const struct wl_command wl_command_timeline = { .name = "timeline", .help = "T", .operands = "T" };
const struct wl_command wl_command_tui = { .name = "tui", .help = "T", .operands = "T" };
const struct wl_command wl_command_export = { .name = "export", .help = "E", .operands = "E" };
const struct wl_command wl_command_viewer = { .name = "viewer", .help = "V", .operands = "V" };
const struct wl_command wl_command_completion = { .name = "completion", .help = "C" };
const struct wl_command wl_command_demo = { .name = "demo", .help = "D", .operands = "" };
const struct wl_command wl_command_mcp = { .name = "mcp", .help = "M", .operands = "" };
const struct wl_command wl_command_agent_guide = { .name = "agent-guide",
						   .help = "A",
						   .operands = "" };
const struct wl_command wl_command_coach = { .name = "coach", .help = "K", .operands = "T" };
const struct wl_command wl_command_explain = { .name = "explain", .help = "X", .operands = "C" };
const struct wl_command wl_command_ask = { .name = "ask", .help = "A", .operands = "T" };
const struct wl_command wl_command_agent = { .name = "agent", .help = "G", .operands = "A" };
const struct wl_command wl_command_serve = { .name = "serve", .help = "S", .operands = "S" };
const struct wl_command wl_command_stats = { .name = "stats", .help = "S", .operands = "S" };
const struct wl_command wl_command_facts = { .name = "facts", .help = "F", .operands = "F" };
const struct wl_command wl_command_runs = { .name = "runs", .help = "R", .operands = "R" };
const struct wl_command wl_command_fleet = { .name = "fleet", .help = "F", .operands = "F" };
const struct wl_command wl_command_sql = { .name = "sql", .help = "S", .operands = "S" };
const struct wl_command wl_command_skill = { .name = "skill", .help = "S", .operands = "S" };
const struct wl_command wl_command_ncu = { .name = "ncu", .help = "N", .operands = "N" };

enum { GATE, LIMIT };

static const struct wl_param command_params[] = {
	[GATE] = { .key = "gate", .type = WL_P_STR, .many = true, .help = "What must not be." },
	[LIMIT] = { .key = "threshold", .type = WL_P_RATIO, .def = "1%", .help = "How much." },
};

static const struct wl_table_info tables[] = {
	{ "verdict", "Which is faster", cols, WL_COUNT(cols) },
	{ NULL, NULL, NULL, 0 },
};

const struct wl_command wl_command_index = {
	.name = "index",
	.help = "Index",
	.about = "Indexes.",
	.operands = "TRACE",
	.params = command_params,
	.n_params = WL_COUNT(command_params),
	.common = true,
	.tables = tables,
};

const struct wl_command wl_command_report = { .name = "report", .help = "Report" };

static void expect_param(const char *words, size_t param, const char *want)
{
	struct line l;

	if (line_parse(&l, words) < 0)
		fail_msg("%s: %s", words, l.err.msg);
	assert_ptr_equal(l.inv.verb.analysis, &gaps);
	assert_int_equal(l.inv.n_operands, 2);
	assert_non_null(l.inv.param[param]);
	assert_string_equal(l.inv.param[param], want);
}

static void expect_refusal(const char *words, const char *text)
{
	struct line l;

	assert_int_equal(line_parse(&l, words), WL_E_USAGE);
	if (!strstr(l.err.msg, text))
		fail_msg("%s: \"%s\" does not say \"%s\"", words, l.err.msg, text);
}

TEST(a_command_has_options_of_every_kind)
{
	char words[1024] = "index t.sqlite";
	struct line l;

	assert_int_equal(line_parse(&l, "--gate a index --threshold 2% t.sqlite --gate=b"), WL_OK);
	assert_ptr_equal(l.inv.verb.command, &wl_command_index);
	assert_string_equal(l.inv.param[LIMIT], "2%");
	assert_string_equal(l.inv.param[GATE], "b");
	assert_int_equal(l.inv.n_many, 2);
	assert_int_equal(l.inv.many[0].param, GATE);
	assert_string_equal(l.inv.many[0].text, "a");
	assert_string_equal(l.inv.many[1].text, "b");
	for (size_t i = 0; i <= WL_MAX_MANY; i++)
		(void)strncat(words, " --gate=x", sizeof(words) - strlen(words) - 1);
	expect_refusal(words, "--gate: given more than 64 times");
}

static void expect_values(const char *words, size_t n, const char *const *values, size_t n_operands)
{
	struct line l;

	if (line_parse(&l, words) < 0)
		fail_msg("%s: %s", words, l.err.msg);
	assert_int_equal(l.inv.n_many, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(l.inv.many[i].param, FROM);
		assert_string_equal(l.inv.many[i].text, values[i]);
	}
	assert_int_equal(l.inv.n_operands, n_operands);
}

/* As many values as follow, up to the next option. */
TEST(an_option_that_names_traces_takes_the_words_behind_it)
{
	static const char *const values[] = { "a,x", "b,y", "c,z" };

	expect_values("gaps --from a,x b,y c,z", 3, values, 0);
	expect_values("gaps --from a,x --from b,y c,z --top 3", 3, values, 0);
	expect_values("gaps --from=a,x b,y --top 3 o", 2, values, 1);
	expect_values("gaps o --from a,x b,y -f csv p", 2, values, 2);
	expect_values("gaps --from a,x -- b,y", 1, values, 1);
	expect_values("--from a,x gaps b,y", 2, values, 0);
	expect_refusal("gaps --from", "--from needs a value");
}

TEST(an_option_may_stand_for_one_of_all_verbs)
{
	struct line l;

	assert_int_equal(line_parse(&l, "gaps --tool ./nsys x t.sqlite"), WL_OK);
	assert_string_equal(l.inv.given[WL_OPT_NSYS], "./nsys");
}

TEST(a_switch_takes_no_value)
{
	struct line l;

	expect_param("gaps --exact-names x t.sqlite", EXACT, "true");
	expect_param("gaps x t.sqlite --exact-names", EXACT, "true");
	expect_param("--exact-names gaps x t.sqlite", EXACT, "true");
	assert_int_equal(line_parse(&l, "gaps x t.sqlite"), WL_OK);
	assert_null(l.inv.param[EXACT]);
	expect_refusal("gaps --exact-names=true x t.sqlite", "--exact-names takes no value");
}

TEST(other_types_take_one)
{
	expect_param("gaps --top 5 x t.sqlite", TOP, "5");
	expect_param("--top 5 gaps x t.sqlite", TOP, "5");
	expect_param("gaps --min=2ms x t.sqlite", MIN, "2ms");
	expect_param("gaps --kind short x t.sqlite", KIND, "short");
	expect_param("gaps --map m.json x t.sqlite", MAP, "m.json");
	expect_param("gaps --label --x x t.sqlite", LABEL, "--x");
	expect_refusal("gaps x t.sqlite --min", "--min needs a value");
	expect_refusal("gaps --what x t.sqlite", "unknown option --what");
}

TEST(another_spelling_is_the_option_itself)
{
	expect_param("gaps --warn 0.5 x t.sqlite", WARN, "0.5");
	expect_param("gaps --warn-threshold 0.5 x t.sqlite", WARN, "0.5");
	expect_param("--warn-threshold=0.5 gaps x t.sqlite", WARN, "0.5");
	expect_param("gaps --warn-threshold 1% x t.sqlite --warn 2%", WARN, "2%");
	expect_refusal("gaps x t.sqlite --warn-treshold 1", "did you mean --warn-threshold?");
	expect_refusal("info t.sqlite --warn-threshold 1",
		       "info has no --warn-threshold (gaps has it)");
}

TEST(an_alias_may_imply_an_option)
{
	struct line l;

	expect_param("short_gaps x t.sqlite", KIND, "short");
	expect_param("--top 3 short_gaps x t.sqlite", KIND, "short");
	expect_param("-- short_gaps x t.sqlite", KIND, "short");
	expect_param("exact_gaps x t.sqlite", EXACT, "true");
	assert_int_equal(line_parse(&l, "gpu_idle x t.sqlite"), WL_OK);
	for (size_t i = 0; i < WL_MAX_PARAMS; i++)
		assert_null(l.inv.param[i]);
}

TEST(an_alias_may_imply_options_of_all_verbs)
{
	struct line l;

	assert_int_equal(line_parse(&l, "late_gaps x t.sqlite"), WL_OK);
	assert_string_equal(l.inv.param[KIND], "short");
	assert_string_equal(l.inv.opt.window, "steady");
	/* Columns are for people: who prints asks the alias. */
	assert_null(l.inv.opt.columns);
	assert_string_equal(wl_alias_value(l.inv.verb.alias, "columns"), "name");
	assert_null(wl_alias_value(l.inv.verb.alias, "where"));
	assert_int_equal(line_parse(&l, "late_gaps --window iter:3 x t.sqlite"), WL_OK);
	assert_string_equal(l.inv.opt.window, "iter:3");
	assert_int_equal(line_parse(&l, "late_gaps --trim 1 2.5 x t.sqlite"), WL_OK);
	assert_string_equal(l.inv.opt.window, "1s..2.5s");
}

TEST(what_is_given_goes_before_what_is_implied)
{
	expect_param("short_gaps --kind long x t.sqlite", KIND, "long");
	expect_param("--kind=long short_gaps x t.sqlite", KIND, "long");
	expect_param("short_gaps --top 3 x t.sqlite", KIND, "short");
}

/* --- what is printed of it ------------------------------------------------------------------ */

static char *printed(void (*print)(FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void expect_text(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in\n%s", want, text);
}

static void put_help(FILE *out)
{
	const struct wl_verb v = { .analysis = &gaps };

	wl_help_verb(&v, out);
}

static void put_command_help(FILE *out)
{
	const struct wl_verb v = { .command = &wl_command_index };

	wl_help_verb(&v, out);
}

TEST(help_of_a_command_tells_its_tables)
{
	FREED char *text = printed(put_command_help);

	expect_text(text, "usage: warplens index [OPTIONS] TRACE\n");
	expect_text(text, "  --gate GATE          What must not be. May be repeated.\n");
	expect_text(text, "  --threshold RATIO    How much. (default 1%)\n");
	expect_text(text, "  verdict              Which is faster\n");
	expect_text(text, "\nColumns of verdict:\n  name ");
	expect_text(text, "\nOptions of all verbs:\n");
}

TEST(help_tells_argument_default_and_alias)
{
	FREED char *text = printed(put_help);

	expect_text(text, "usage: warplens gaps [OPTIONS] WHAT TRACE...\n");
	expect_text(text, "  --top N  ");
	expect_text(text, "How many. (default 10)\n");
	expect_text(text, "  --min TIME ");
	expect_text(text, "  --warn RATIO ");
	expect_text(text, "When to warn. (default 0.7) Also spelled");
	expect_text(text, "--warn-threshold.\n");
	expect_text(text, "  --exact-names        Whole names.\n");
	expect_text(text, "Which kind. One of long, short (default long)\n");
	expect_text(text, "\nAlso called: gpu_idle, short_gaps (--kind short), exact_gaps "
			  "(--exact-names),\n    late_gaps (--kind short --window steady)\n");
	expect_text(text, "\nTools with such names can differ: warplens explain "
			  "why-numbers-differ\n");
	expect_text(text, "  --map FILE           Which map.\n");
	expect_text(text, "  --label TEXT         Which label.\n");
}

TEST(introspection_tells_them_too)
{
	FREED char *text = printed(wl_help_introspect);

	expect_text(text, "{\"long\":\"top\",\"short\":null,\"alias\":null,\"arg\":\"N\","
			  "\"choices\":[],\"default\":\"10\"");
	expect_text(text, "{\"long\":\"warn\",\"short\":null,\"alias\":\"warn-threshold\","
			  "\"arg\":\"RATIO\"");
	expect_text(text, "{\"long\":\"exact-names\",\"short\":null,\"alias\":null,\"arg\":null,"
			  "\"choices\":[],\"default\":null");
	expect_text(text, "\"choices\":[\"long\",\"short\"]");
	expect_text(text, "\"aliases\":[{\"name\":\"gpu_idle\",\"option\":null},"
			  "{\"name\":\"short_gaps\",\"option\":\"--kind short\"},"
			  "{\"name\":\"exact_gaps\",\"option\":\"--exact-names\"},"
			  "{\"name\":\"late_gaps\",\"option\":\"--kind short --window steady\"}]");
	expect_text(text,
		    "\"arg\":\"GATE\",\"choices\":[],\"default\":null,\"default_for_people\":null,"
		    "\"help\":\"What must not be.\",\"group\":\"verb\",\"repeats\":true}");
	expect_text(text, "\"sections\":[{\"title\":\"Which is faster\",\"analysis\":\"verdict\",");
}
