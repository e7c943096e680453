/* SPDX-License-Identifier: MIT */
/* The registries as users and generators see them: complete, unambiguous, in one style. */
#include "cli/verb.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/args.h"
#include "base/process/sandbox.h"
#include "cli/confine.h"
#include "cli/help/help.h"
#include "cli/line/opt.h"
#include "cli/line/option_names.h"
#include "render/render.h"
#include "session/open/several.h"
#include "support/unit.h"
#include "table/chart.h"
#include "table/cols.h"

enum { MAX_NAMES = 256 };

/* A sentence of the help: a capital and a full stop, and fit for one line of JSON. */
static bool is_sentence(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	return n > 3 && isalnum((unsigned char)s[0]) && s[n - 1] == '.' && !strchr(s, '\n');
}

/* "Rank GPU kernels by time": imperative, no full stop, one line of the overview. */
static bool is_headline(const char *s)
{
	size_t n = s ? strlen(s) : 0;

	return n > 3 && n <= 80 && isupper((unsigned char)s[0]) &&
	       isalnum((unsigned char)s[n - 1]) && !strchr(s, '\n');
}

/* Keys are JSON members, options and words that shells complete. */
static bool is_key(const char *s, const char *also)
{
	if (!islower((unsigned char)*s))
		return false;
	for (; *s; s++) {
		if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && !strchr(also, *s))
			return false;
	}
	return true;
}

struct names {
	const char *name[MAX_NAMES];
	size_t n;
};

static void expect_new(struct names *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->name[i], name) == 0)
			fail_msg("%s comes twice", name);
	}
	assert_in_range(all->n, 0, MAX_NAMES - 1);
	all->name[all->n++] = name;
}

TEST(every_verb_is_explained)
{
	struct wl_verb v;
	size_t n = 0;

	for (; wl_verb_at(n, &v); n++) {
		const char *about = wl_verb_about(&v);
		const struct wl_example *e = wl_verb_examples(&v);

		if (!is_headline(wl_verb_help(&v)))
			fail_msg("%s: help is \"%s\"", wl_verb_name(&v), wl_verb_help(&v));
		if (!is_sentence(about) || strstr(about, "  "))
			fail_msg("%s: about is \"%s\"", wl_verb_name(&v), about);
		if (!e || !e->command)
			fail_msg("%s: no example", wl_verb_name(&v));
	}
	assert_true(n >= wl_n_documents + wl_n_analyses + 1);
	assert_false(wl_verb_at(n + 1, &v));
}

TEST(a_verb_is_exactly_one_thing)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const char *kind = wl_verb_kind(&v);

		assert_int_equal(!!v.analysis + !!v.document + !!v.command, 1);
		assert_string_equal(kind, v.analysis   ? "analysis"
					  : v.document ? "document"
						       : "command");
	}
}

static bool is_common(const char *key)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (strcmp(wl_options[i].long_name, key) == 0)
			return true;
	}
	return false;
}

/* An alias may imply options of its verb, with values that it takes, and options of all verbs. */
static void expect_implied(const struct wl_verb *v, const struct wl_alias *alias)
{
	const char *text[WL_MAX_PARAMS] = { NULL };
	size_t n_params, n_found = 0, n_implied = 0;
	const struct wl_param *params = wl_verb_params(v, &n_params);
	struct wl_args args;

	for (size_t i = 0; i < n_params; i++) {
		const char *value = wl_alias_value(alias, params[i].key);

		text[i] = params[i].operand ? "." : value;
		n_found += value != NULL;
	}
	for (; n_implied < WL_MAX_IMPLIED && alias->implies[n_implied].key; n_implied++)
		n_found += is_common(alias->implies[n_implied].key);
	if (n_found != n_implied)
		fail_msg("%s implies what is no option", alias->name);
	if (v->analysis)
		assert_int_equal(wl_args_init(&args, v->analysis, text, NULL, NULL), WL_OK);
	if (v->analysis)
		wl_args_release(&args);
}

TEST(names_and_aliases_are_unique_and_found)
{
	struct names all = { .n = 0 };
	struct wl_verb v, found;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		assert_true(is_key(wl_verb_name(&v), "-"));
		expect_new(&all, wl_verb_name(&v));
		assert_true(wl_verb_find(wl_verb_name(&v), &found));
		assert_memory_equal(&v, &found, sizeof(v));
		for (const struct wl_alias *a = wl_verb_aliases(&v); a->name; a++) {
			assert_true(is_key(a->name, v.command ? "-" : "_"));
			expect_new(&all, a->name);
			assert_true(wl_verb_find(a->name, &found));
			assert_ptr_equal(found.analysis, v.analysis);
			assert_ptr_equal(found.alias, a);
			expect_implied(&v, a);
		}
	}
	assert_false(wl_verb_find("nobody", &found));
	assert_false(wl_verb_find("", &found));
	assert_false(wl_verb_find("gpus", &found)); /* a part, not a verb */
}

TEST(names_from_other_tools_are_aliases)
{
	static const struct {
		const char *alias, *verb;
	} known[] = {
		{ "cuda_gpu_kern_sum", "kernels" },
		{ "gpukernsum", "kernels" },
		{ "cuda_gpu_mem_time_sum", "transfers" },
		{ "gpumemtimesum", "transfers" },
		{ "cuda_gpu_mem_size_sum", "transfers" },
		{ "gpumemsizesum", "transfers" },
		{ "cuda_api_sum", "api" },
		{ "cudaapisum", "api" },
		{ "top_kernels", "kernels" },
		{ "memory_transfers", "transfers" },
		{ "schema_inspect", "schema" },
		{ "kernel_launch_pattern", "launch" },
		{ "kernel_overlap_matrix", "matrix" },
		{ "overlap_breakdown", "overlap" },
		{ "pipeline_bubble_metrics", "overlap" },
		{ "memory_bandwidth", "transfers" },
		{ "stream_concurrency", "streams" },
		{ "sync_cost_analysis", "sync" },
		{ "host_sync_parent_ranges", "sync" },
		{ "cpu_gpu_pipeline", "launch" },
		{ "gc_impact", "api" },
		{ "module_loading", "api" },
		{ "iteration_timing", "iters" },
		{ "iteration_detail", "kernels" },
		{ "nvtx_layer_breakdown", "nvtx" },
		{ "speedup_estimator", "findings" },
		{ "root_cause_matcher", "findings" },
		{ "profile_health_manifest", "summary" },
		{ "um_sum", "transfers" },
		{ "markdown", "tree" },
		{ "export-csv", "export" },
		{ "export-json", "export" },
	};
	struct wl_verb v;

	for (size_t i = 0; i < WL_COUNT(known); i++) {
		assert_true(wl_verb_find(known[i].alias, &v));
		assert_string_equal(wl_verb_name(&v), known[i].verb);
	}
}

TEST(the_nearest_verb_may_be_an_alias)
{
	assert_string_equal(wl_verb_nearest("kernls"), "kernels");
	assert_string_equal(wl_verb_nearest("cudaapisun"), "cudaapisum");
	assert_null(wl_verb_nearest("xyzzy"));
}

static void expect_columns(const struct wl_analysis *a)
{
	struct names all = { .n = 0 };
	size_t n_keys = 0;

	/* What tables of several traces have in front. */
	expect_new(&all, "trace");
	assert_in_range(a->n_cols, 1, WL_MAX_COLS - 1);
	for (size_t c = 0; c < a->n_cols; c++) {
		const struct wl_col *col = &a->cols[c];

		expect_new(&all, col->key);
		if (!is_key(col->key, "_") || !*col->title || !is_sentence(col->help))
			fail_msg("%s: column %s is not explained: %s", a->name, col->key,
				 col->help);
		if (col->flags & WL_SUM && wl_type_is_text(col->type))
			fail_msg("%s: column %s cannot be summed", a->name, col->key);
		n_keys += col->flags & WL_KEY;
	}
	if (n_keys == 0)
		fail_msg("%s: no column identifies a row", a->name);
}

TEST(columns_are_unique_and_explained)
{
	for (size_t i = 0; i < wl_n_analyses; i++)
		expect_columns(wl_analyses[i]);
	for (size_t i = 0; i < wl_n_documents; i++) {
		for (size_t s = 0; s < wl_documents[i]->n_sections; s++)
			expect_columns(wl_analysis_get(wl_documents[i]->sections[s].analysis));
	}
}

static bool has_column(const struct wl_analysis *a, const char *key)
{
	size_t i = 0;

	while (i < a->n_cols && strcmp(a->cols[i].key, key) != 0)
		i++;
	return i < a->n_cols;
}

static void expect_chart(const struct wl_analysis *a, const struct wl_chart *c, bool joined)
{
	if (!c)
		return;
	assert_true(is_headline(c->title) && is_sentence(c->shows));
	if (!has_column(a, c->label) && !(joined && strcmp(c->label, "trace") == 0))
		fail_msg("%s: a chart of a column %s", a->name, c->label);
	if (c->group && !has_column(a, c->group))
		fail_msg("%s: a chart of a column %s", a->name, c->group);
	for (size_t i = 0; i < WL_CHART_PARTS && c->parts[i]; i++) {
		if (!has_column(a, c->parts[i]))
			fail_msg("%s: a chart of a column %s", a->name, c->parts[i]);
	}
}

/* A title is what people type: it must not mean another column, or break a list. */
static void expect_titles(const char *name, const struct wl_col *cols, size_t n)
{
	const struct wl_table t = { .cols = cols, .n_cols = n };

	for (size_t i = 0; i < n; i++) {
		const char *title = cols[i].title;
		size_t at = n;

		if (strchr(title, ','))
			fail_msg("%s: \"%s\" has a comma", name, title);
		if (!wl_cols_named(&t, title, strlen(title), &at) || at != i)
			fail_msg("%s: \"%s\" means %s and not %s", name, title,
				 at < n ? cols[at].key : "nothing", cols[i].key);
	}
}

TEST(titles_are_names_of_their_columns)
{
	struct wl_verb v;

	expect_titles("summary", wl_several_table.cols, wl_several_table.n_cols);
	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		const struct wl_table_info *t = v.command ? v.command->tables : NULL;

		if (v.analysis)
			expect_titles(v.analysis->name, v.analysis->cols, v.analysis->n_cols);
		for (; t && t->name; t++)
			expect_titles(t->name, t->cols, t->n_cols);
		for (size_t k = 0; v.document && k < v.document->n_sections; k++) {
			const struct wl_analysis *a =
				wl_analysis_get(v.document->sections[k].analysis);

			expect_titles(a->name, a->cols, a->n_cols);
		}
	}
}

TEST(charts_are_of_columns_that_there_are)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		expect_chart(wl_analyses[i], wl_analyses[i]->chart, false);
		expect_chart(wl_analyses[i], wl_analyses[i]->joined_chart, true);
	}
}

/* A parameter is an option of its verb: it must not hide one that all verbs have. */
TEST(parameters_are_unique_and_explained)
{
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		struct names all = { .n = 0 };
		bool operands = true;

		for (size_t o = 0; o < WL_N_OPTIONS; o++)
			expect_new(&all, wl_options[o].long_name);
		assert_in_range(a->n_params, 0, WL_MAX_PARAMS);
		for (size_t p = 0; p < a->n_params; p++) {
			const struct wl_param *param = &a->params[p];
			bool known = !param->choices || !param->def;

			expect_new(&all, param->key);
			if (param->alias)
				expect_new(&all, param->alias);
			if (!is_key(param->key, "-") || !is_sentence(param->help))
				fail_msg("%s: --%s is not explained", a->name, param->key);
			/* Operands come first, and must be given. */
			assert_true(operands || !param->operand);
			operands = param->operand;
			assert_false(param->operand && param->def);
			assert_false(param->type == WL_P_BOOL && (param->operand || param->def));
			assert_true(param->type != WL_P_ENUM || param->choices);
			assert_true(!param->choices || param->type == WL_P_ENUM ||
				    param->type == WL_P_STR);
			for (size_t c = 0; param->choices && param->choices[c]; c++)
				known = known || strcmp(param->choices[c], param->def) == 0;
			if (!known)
				fail_msg("%s: --%s has a default that is no choice", a->name,
					 param->key);
		}
	}
}

/* An option may stand before the verb, so whether it takes a value must not depend on the verb. */
TEST(options_of_one_name_are_of_one_kind)
{
	struct {
		const char *name;
		bool takes;
	} seen[MAX_NAMES];
	size_t n = 0;

	for (size_t i = 0; i < wl_n_analyses; i++) {
		for (size_t p = 0; p < wl_analyses[i]->n_params; p++) {
			const struct wl_param *param = &wl_analyses[i]->params[p];
			const char *const names[] = { param->key, param->alias };
			bool takes = param->type != WL_P_BOOL;

			for (size_t k = 0; !param->operand && k < WL_COUNT(names); k++) {
				if (!names[k])
					continue;
				for (size_t s = 0; s < n; s++) {
					if (strcmp(seen[s].name, names[k]) == 0)
						assert_int_equal(seen[s].takes, takes);
				}
				assert_in_range(n, 0, MAX_NAMES - 1);
				seen[n].name = names[k];
				seen[n++].takes = takes;
			}
		}
	}
}

TEST(common_options_are_unique_and_explained)
{
	struct names all = { .n = 0 };
	bool seen[128] = { false };

	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		const struct wl_option *o = &wl_options[i];

		expect_new(&all, o->long_name);
		if (!is_key(o->long_name, "-") || !is_sentence(o->help) || !*o->group)
			fail_msg("--%s is not explained", o->long_name);
		assert_true(o->argument || !o->def); /* a switch has no default */
		assert_in_range(o->short_name, 0, 127);
		assert_false(o->short_name && seen[o->short_name]);
		seen[o->short_name] = true;
	}
	assert_string_equal(wl_options[WL_OPT_FORMAT].def, wl_formats[0].name);
}

/* The tests run the examples; here they only must be about their verb. */
TEST(examples_are_about_their_verb)
{
	struct wl_verb v, shown;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		for (const struct wl_example *e = wl_verb_examples(&v); e->command; e++) {
			char word[64] = "";

			if (strncmp(e->command, "warplens ", 9) != 0 || !is_sentence(e->help) ||
			    strlen(e->command) > 74)
				fail_msg("%s: example \"%s\"", wl_verb_name(&v), e->command);
			if (!v.command && !strstr(e->command, "run.sqlite"))
				fail_msg("%s: example without a trace: \"%s\"", wl_verb_name(&v),
					 e->command);
			(void)sscanf(e->command, "warplens %63s", word);
			if (strcmp(word, "run.sqlite") == 0)
				(void)snprintf(word, sizeof(word), "summary");
			assert_true(wl_verb_find(word, &shown));
			assert_string_equal(wl_verb_name(&shown), wl_verb_name(&v));
		}
	}
}

TEST(operands_are_in_capitals)
{
	char buf[64];
	struct wl_verb v;

	assert_true(wl_verb_find("kernels", &v));
	wl_verb_operands(&v, buf, sizeof(buf));
	assert_string_equal(buf, "TRACE...");
	assert_true(wl_verb_find("search", &v));
	wl_verb_operands(&v, buf, sizeof(buf));
	assert_string_equal(buf, "PATTERN TRACE...");
	assert_true(wl_verb_find("help", &v));
	wl_verb_operands(&v, buf, sizeof(buf));
	assert_string_equal(buf, "[VERB]");
	assert_true(wl_verb_find("info", &v));
	wl_verb_operands(&v, buf, sizeof(buf));
	assert_string_equal(buf, "TRACE");
}

TEST(exit_statuses_are_told_once)
{
	bool seen[256] = { false };
	size_t n = 0;

	for (const struct wl_exit_info *e = wl_exits; e->help; e++, n++) {
		assert_in_range(e->code, 0, 255);
		assert_false(seen[e->code]);
		assert_true(is_sentence(e->help));
		seen[e->code] = true;
	}
	assert_int_equal(n, 7);
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

static void expect_narrow(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n > 80)
			fail_msg("wider than 80 columns: %.*s", (int)n, text);
		if (n && text[n - 1] == ' ')
			fail_msg("ends in a blank: %.*s", (int)n, text);
		assert_int_equal(text[n], '\n');
		text += n + 1;
	}
}

TEST(help_shows_options_columns_and_sections)
{
	struct wl_verb v;

	for (size_t i = 0; wl_verb_at(i, &v); i++) {
		char *text = NULL, line[96];
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		wl_help_verb(&v, out);
		assert_int_equal(fclose(out), 0);
		expect_narrow(text);
		for (size_t c = 0; v.analysis && c < v.analysis->n_cols; c++) {
			const char *key = v.analysis->cols[c].key;

			/* A long key stands on a line of its own. */
			(void)snprintf(line, sizeof(line), "\n  %s%c", key,
				       strlen(key) < 20 ? ' ' : '\n');
			assert_non_null(strstr(text, line));
		}
		for (size_t p = 0; v.analysis && p < v.analysis->n_params; p++) {
			const struct wl_param *param = &v.analysis->params[p];

			(void)snprintf(line, sizeof(line), param->operand ? "  %s " : "--%s ",
				       param->key);
			assert_non_null(strstr(text, line));
		}
		for (size_t s = 0; v.document && s < v.document->n_sections; s++) {
			(void)snprintf(line, sizeof(line), "\n  %s ",
				       v.document->sections[s].analysis);
			assert_non_null(strstr(text, line));
		}
		/* What the file holds is the same in every window. */
		if (!v.command)
			assert_int_equal(strstr(text, "--window SPEC") != NULL,
					 v.analysis ? !v.analysis->of_file
						    : !wl_document_is_of_file(v.document));
		free(text);
	}
}

/* Another parser reads it, strictly; and finds what the registries hold. */
TEST(introspection_is_json)
{
	static const char script[] =
		"import json, sys\n"
		"def once(pairs):\n"
		"    assert len(dict(pairs)) == len(pairs), pairs\n"
		"    return dict(pairs)\n"
		"d = json.load(sys.stdin, object_pairs_hook=once)\n"
		"assert d['schema'] == 'warplens-introspect/1'\n"
		"n_verbs, n_options, n_formats = map(int, sys.argv[1:])\n"
		"assert len(d['verbs']) == n_verbs and len(d['options']) == n_options\n"
		"assert len(d['formats']) == n_formats\n"
		"for v in d['verbs']:\n"
		"    assert v['kind'] != 'analysis' or v['columns'], v\n"
		"    assert v['kind'] != 'document' or v['sections'], v\n"
		"    for c in v['columns']:\n"
		"        assert c['key'] and c['type'] and c['help'], c\n";
	char command[sizeof(script) + 64], *text = printed(wl_help_introspect);
	struct wl_verb v;
	size_t n = 0;
	FILE *python;

	while (wl_verb_at(n, &v))
		n++;
	(void)snprintf(command, sizeof(command), "python3 -c \"%s\" %zu %d %zu", script, n,
		       (int)WL_N_OPTIONS, wl_n_formats);
	python = popen(command, "w");
	assert_non_null(python);
	assert_int_equal(fwrite(text, 1, strlen(text), python), strlen(text));
	assert_int_equal(pclose(python), 0);
	free(text);
}

/* A name in rights.def that no command has would be a right that nothing uses. */
TEST(rights_are_those_of_commands)
{
	static const char *const names[] = {
#define WL_RIGHTS(command, with, exec, connect, listen, open) #command,
#include "cli/rights.def"
#undef WL_RIGHTS
	};

	for (size_t i = 0; i < WL_COUNT(names); i++) {
		struct wl_verb verb = { .command = NULL };

		assert_true(wl_verb_find(names[i], &verb));
		assert_non_null(verb.command);
		assert_string_equal(verb.command->name, names[i]);
		assert_int_not_equal(wl_rights_of(names[i]), 0);
	}
	for (size_t i = 0;; i++) {
		struct wl_verb verb;

		if (!wl_verb_at(i, &verb))
			break;
		if (!verb.command)
			assert_int_equal(wl_rights_of(wl_verb_name(&verb)), 0);
	}
	assert_int_equal(wl_rights_of("serve"), WL_MAY_LISTEN);
	assert_int_equal(wl_rights_of("sql"), WL_MAY_OPEN);
	assert_int_equal(wl_rights_of("capture"), WL_MAY_ALL);
}

static unsigned rights_of_line(const char *verb, const char *option, const char *operand)
{
	struct wl_invocation inv = { .has_verb = true };
	size_t n;
	const struct wl_param *param;
	bool is_known = !option;

	assert_true(wl_verb_find(verb, &inv.verb));
	param = wl_verb_params(&inv.verb, &n);
	for (size_t i = 0; option && i < n; i++) {
		if (strcmp(param[i].key, option) == 0) {
			inv.param[i] = "1";
			is_known = true;
		}
	}
	assert_true(is_known);
	inv.operand[0] = operand;
	inv.n_operands = operand ? 1 : 0;
	return wl_rights_given(&inv);
}

TEST(rights_follow_the_command_line)
{
	assert_int_equal(rights_of_line("ask", NULL, "why"), 0);
	assert_int_equal(rights_of_line("ask", "llm", "why"), WL_MAY_CONNECT | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("fleet", NULL, "push"), WL_MAY_CONNECT | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("fleet", NULL, "scatter"), WL_MAY_EXEC | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("mcp", NULL, NULL), WL_MAY_EXEC | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("mcp", "http", NULL),
			 WL_MAY_EXEC | WL_MAY_LISTEN | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("mcp", "page", NULL),
			 WL_MAY_EXEC | WL_MAY_CONNECT | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("plan", NULL, NULL), WL_MAY_EXEC | WL_MAY_OPEN);
	assert_int_equal(rights_of_line("kernels", NULL, "t.sqlite"), 0);
}

/* No line of words.def is left over: each is of an option that a verb has. */
TEST(words_are_of_options)
{
	static const struct {
		const char *verb, *key;
		enum wl_param_type type;
		char letter;
		const char *argument;
	} words[] = {
#define WL_WORD(verb, key, type, letter, argument) { verb, key, WL_P_##type, letter, argument },
#include "cli/line/words.def"
#undef WL_WORD
	};

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		bool is_met = false;
		struct wl_verb v;

		for (size_t k = 0; wl_verb_at(k, &v); k++) {
			size_t n;
			const struct wl_param *p = wl_verb_params(&v, &n);

			for (size_t j = 0; j < n; j++)
				is_met = is_met || (strcmp(p[j].key, words[i].key) == 0 &&
						    p[j].type == words[i].type &&
						    wl_param_letter(&v, &p[j]) == words[i].letter &&
						    strcmp(wl_param_argument(&v, &p[j]),
							   words[i].argument) == 0 &&
						    (!words[i].verb ||
						     strcmp(words[i].verb, wl_verb_name(&v)) == 0));
		}
		if (!is_met)
			fail_msg("no verb has --%s so", words[i].key);
	}
}
