/* SPDX-License-Identifier: MIT */
#include "analysis/args.h"

#include <string.h>

#include "analysis/registered.h"
#include "base/text/json_read.h"
#include "base/text/regex.h"
#include "support/unit.h"

static void expect_refusal(const struct wl_analysis *a, const char *const *text, const char *words)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, a, text, NULL, &err), WL_E_USAGE);
	assert_int_equal(err.code, WL_E_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, words);
	wl_args_release(&args);
}

TEST(defaults_are_parsed_like_what_users_write)
{
	static const char *const none[WL_MAX_PARAMS] = { NULL, NULL };
	struct wl_args args;

	for (int given = 0; given < 2; given++) {
		assert_int_equal(
			wl_args_init(&args, &wl_analysis_kernels, given ? none : NULL, NULL, NULL),
			WL_OK);
		assert_int_equal(args.value[0].i64, 0); /* label */
		assert_int_equal(args.value[1].i64, 0); /* device */
		wl_args_release(&args);
	}
	assert_int_equal(wl_args_init(&args, &wl_analysis_transfers, NULL, NULL, NULL), WL_OK);
	assert_int_equal(args.value[0].i64, 65536);
	wl_args_release(&args);
}

/* One that every analysis takes, so that the others can run with it. */
TEST(every_default_is_valid)
{
	static const char *const pattern[WL_MAX_PARAMS] = { "." };

	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		bool needs = a->n_params && a->params[0].operand;
		struct wl_args args;

		assert_in_range(a->n_params, 0, WL_MAX_PARAMS);
		assert_int_equal(wl_args_init(&args, a, needs ? pattern : NULL, NULL, NULL), WL_OK);
		wl_args_release(&args);
		for (size_t p = 0; p < a->n_params; p++) {
			const char *text[WL_MAX_PARAMS] = { needs ? "." : NULL };

			for (size_t c = 0; a->params[p].choices && a->params[p].choices[c]; c++) {
				text[p] = a->params[p].choices[c];
				assert_int_equal(wl_args_init(&args, a, text, NULL, NULL), WL_OK);
				if (a->params[p].type == WL_P_ENUM)
					assert_int_equal(args.value[p].i64, c);
				else
					assert_string_equal(args.value[p].str, text[p]);
				wl_args_release(&args);
			}
		}
	}
}

TEST(a_choice_that_does_not_exist_names_the_others)
{
	static const char *const naming[WL_MAX_PARAMS] = { "Mangle", NULL };
	static const char *const by[] = { NULL, "" };

	expect_refusal(&wl_analysis_kernels, naming,
		       "--name Mangle: use label, demangled, short, mangled or base");
	expect_refusal(&wl_analysis_kernels, by,
		       "use device, name, pid, stream, grid, category or block");
}

TEST(a_choice_has_the_names_of_its_column)
{
	static const char *const by[][2] = {
		{ NULL, "gpu" }, { NULL, "GPU" }, { NULL, "Device" }, { NULL, "kernel" }
	};
	static const char *const iter[WL_MAX_PARAMS] = { "iter" };
	struct wl_args args;
	struct wl_err err;

	for (size_t i = 0; i < WL_COUNT(by); i++) {
		const char *const text[WL_MAX_PARAMS] = { by[i][0], by[i][1] };

		assert_int_equal(wl_args_init(&args, &wl_analysis_kernels, text, NULL, &err),
				 WL_OK);
		/* device, name, ... */
		assert_int_equal(args.value[1].i64, i == 3);
		wl_args_release(&args);
	}
	assert_int_equal(wl_args_init(&args, &wl_analysis_overlap, iter, NULL, &err), WL_OK);
	assert_int_equal(args.value[0].i64, 1);
	wl_args_release(&args);
}

TEST(sizes_out_of_range_are_refused)
{
	static const char *const bad[] = { "-1", "12x", "", "99999999999999999999", "Ki" };
	static const char *const good[] = { "0", "9Gi" };
	struct wl_args args;

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refusal(&wl_analysis_transfers,
			       (const char *const[WL_MAX_PARAMS]){ bad[i], NULL }, "--small");
	for (size_t i = 0; i < WL_COUNT(good); i++) {
		const char *const text[WL_MAX_PARAMS] = { good[i], NULL };

		assert_int_equal(wl_args_init(&args, &wl_analysis_transfers, text, NULL, NULL),
				 WL_OK);
		assert_int_equal(args.value[0].i64, i ? INT64_C(9) << 30 : 0);
		wl_args_release(&args);
	}
}

TEST(patterns_are_compiled_and_must_be_given)
{
	static const char *const good[WL_MAX_PARAMS] = { "a+b" }, *const bad[WL_MAX_PARAMS] = {
		"("
	};
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, &wl_analysis_search, good, NULL, NULL), WL_OK);
	assert_int_equal(wl_regex_match(args.value[0].regex, "xaab", 4), 1);
	wl_args_release(&args);
	expect_refusal(&wl_analysis_search, bad, "pattern: malformed regular expression '('");
	expect_refusal(&wl_analysis_search, NULL, "pattern is missing");
}

/* The first argument is compiled before the second is refused. */
TEST(what_was_compiled_is_freed_after_a_failure)
{
	static const char *const text[WL_MAX_PARAMS] = { "a+b", "nowhere" };

	expect_refusal(&wl_analysis_search, text, "--in nowhere");
}

/* --- every type ---------------------------------------------------------------------------- */

enum { COUNT, NS, BYTES, RATIO, BOOL, ENUM, STR, REGEX };

static const char *const colours[] = { "red", "green", NULL };

static const struct wl_param with_defaults[] = {
	[COUNT] = { .key = "top", .type = WL_P_COUNT, .def = "10" },
	[NS] = { .key = "min", .type = WL_P_NS, .def = "10us" },
	[BYTES] = { .key = "small", .type = WL_P_BYTES, .def = "64Ki" },
	[RATIO] = { .key = "warn", .type = WL_P_RATIO, .def = "70%" },
	[BOOL] = { .key = "exact", .type = WL_P_BOOL },
	[ENUM] = { .key = "colour", .type = WL_P_ENUM, .def = "green", .choices = colours },
	[STR] = { .key = "label", .type = WL_P_STR, .def = "x" },
	[REGEX] = { .key = "match", .type = WL_P_REGEX, .def = "^a" },
};

static const struct wl_param without_defaults[] = {
	[COUNT] = { .key = "top", .type = WL_P_COUNT },
	[NS] = { .key = "min", .type = WL_P_NS },
	[BYTES] = { .key = "small", .type = WL_P_BYTES },
	[RATIO] = { .key = "warn", .type = WL_P_RATIO },
	[BOOL] = { .key = "exact", .type = WL_P_BOOL },
	[ENUM] = { .key = "colour", .type = WL_P_ENUM, .choices = colours },
	[STR] = { .key = "label", .type = WL_P_STR },
	[REGEX] = { .key = "match", .type = WL_P_REGEX },
};

static const struct wl_analysis typed = { .name = "typed",
					  .params = with_defaults,
					  .n_params = WL_COUNT(with_defaults) };
static const struct wl_analysis bare = { .name = "bare",
					 .params = without_defaults,
					 .n_params = WL_COUNT(without_defaults) };

TEST(every_type_has_its_default)
{
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, &typed, NULL, NULL, NULL), WL_OK);
	assert_int_equal(args.value[COUNT].i64, 10);
	assert_int_equal(args.value[NS].i64, 10000);
	assert_int_equal(args.value[BYTES].i64, 65536);
	assert_true(args.value[RATIO].f64 == 0.7);
	assert_false(args.value[BOOL].flag);
	assert_int_equal(args.value[ENUM].i64, 1);
	assert_string_equal(args.value[STR].str, "x");
	assert_int_equal(wl_regex_match(args.value[REGEX].regex, "ab", 2), 1);
	wl_args_release(&args);
}

TEST(an_option_without_a_default_may_be_absent)
{
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, &bare, NULL, NULL, NULL), WL_OK);
	assert_int_equal(args.value[COUNT].i64, -1);
	assert_int_equal(args.value[NS].i64, -1);
	assert_int_equal(args.value[BYTES].i64, -1);
	assert_true(args.value[RATIO].f64 == -1);
	assert_false(args.value[BOOL].flag);
	assert_int_equal(args.value[ENUM].i64, -1);
	assert_null(args.value[STR].str);
	assert_null(args.value[REGEX].regex);
	wl_args_release(&args);
}

TEST(every_type_takes_what_users_write)
{
	static const char *const text[WL_MAX_PARAMS] = {
		[COUNT] = "1.5M", [NS] = "1.5 ms", [BYTES] = "0", [RATIO] = "0.25",
		[BOOL] = "true",  [ENUM] = "red",  [STR] = "",    [REGEX] = "b$"
	};
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, &bare, text, NULL, NULL), WL_OK);
	assert_int_equal(args.value[COUNT].i64, 1500000);
	assert_int_equal(args.value[NS].i64, 1500000);
	assert_int_equal(args.value[BYTES].i64, 0);
	assert_true(args.value[RATIO].f64 == 0.25);
	assert_true(args.value[BOOL].flag);
	assert_int_equal(args.value[ENUM].i64, 0);
	assert_ptr_equal(args.value[STR].str, text[STR]);
	assert_int_equal(wl_regex_match(args.value[REGEX].regex, "ab", 2), 1);
	wl_args_release(&args);
}

TEST(every_type_refuses_what_does_not_fit)
{
	static const struct {
		size_t param;
		const char *text, *words;
	} bad[] = {
		{ COUNT, "many", "--top: 'many' is not a count" },
		{ COUNT, "-1", "--top -1: must not be negative" },
		{ COUNT, "0.5", "--top: '0.5' is not a count" },
		{ COUNT, "", "--top: '' is not a count" },
		{ NS, "10x", "--min: '10x' is not a duration (write 500ns" },
		{ NS, "-10us", "--min -10us: must not be negative" },
		{ NS, "0.5ns", "--min: '0.5ns' is too large or not a whole number" },
		{ NS, "99999999999s", "--min: '99999999999s' is too large" },
		{ BYTES, "big", "--small: 'big' is not a size" },
		{ RATIO, "much", "--warn: 'much' is not a ratio" },
		{ RATIO, "70", "--warn 70: must be between 0 and 1, or 0% and 100%" },
		{ RATIO, "-1%", "--warn -1%: must be between" },
		{ RATIO, "nan", "--warn: 'nan' is not a ratio" },
		{ BOOL, "yes", "--exact yes: use true or false" },
		{ BOOL, "", "use true or false" },
		{ ENUM, "blue", "--colour blue: use red or green" },
		{ REGEX, "(", "--match: malformed regular expression '('" },
	};

	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		const char *text[WL_COUNT(with_defaults)] = { NULL };

		text[bad[i].param] = bad[i].text;
		expect_refusal(&typed, text, bad[i].words);
	}
}

TEST(an_operand_is_named_without_dashes)
{
	static const struct wl_param params[] = {
		{ .key = "at", .type = WL_P_NS, .operand = true },
	};
	static const struct wl_analysis a = { .name = "a", .params = params, .n_params = 1 };
	static const char *const bad[] = { "noon" }, *const negative[WL_MAX_PARAMS] = { "-1ns" };

	expect_refusal(&a, NULL, "a: at is missing");
	expect_refusal(&a, bad, "at: 'noon' is not a duration");
	expect_refusal(&a, negative, "at -1ns: must not be negative");
}

TEST(a_document_is_passed_on)
{
	static const struct wl_param params[] = {
		{ .key = "min", .type = WL_P_NS, .def = "1ns" },
		{ .key = "phase-map", .type = WL_P_DOC },
	};
	static const struct wl_param operand[] = {
		{ .key = "rules", .type = WL_P_DOC, .operand = true },
	};
	const struct wl_analysis a = { .name = "a", .params = params, .n_params = 2 };
	const struct wl_analysis b = { .name = "b", .params = operand, .n_params = 1 };
	const char *const text[WL_MAX_PARAMS] = { NULL, "phases.json" };
	struct wl_json *docs[] = { NULL, NULL };
	struct wl_args args;

	assert_int_equal(wl_json_parse("{}", 2, "x", &docs[1], NULL), WL_OK);
	for (int given = 0; given < 2; given++) {
		assert_int_equal(wl_args_init(&args, &a, given ? text : NULL, docs, NULL), WL_OK);
		assert_ptr_equal(args.value[1].doc, docs[1]);
		wl_args_release(&args);
	}
	assert_int_equal(wl_args_init(&args, &a, NULL, NULL, NULL), WL_OK);
	assert_null(args.value[1].doc);
	wl_args_release(&args);
	assert_int_equal(wl_args_init(&args, &b, NULL, docs + 1, NULL), WL_OK);
	assert_ptr_equal(args.value[0].doc, docs[1]);
	wl_args_release(&args);
	expect_refusal(&b, text + 1, "b: rules is missing");
	wl_json_free(docs[1]);
}

TEST(words_of_a_key_are_joined_in_any_way)
{
	static const char *const same[] = { "out-dir", "out_dir", "outdir" }, *const others[] = {
		"out", "out-", "out-di", "out-dirs", ""
	};

	for (size_t i = 0; i < WL_COUNT(same); i++) {
		for (size_t k = 0; k < WL_COUNT(same); k++)
			assert_true(wl_key_is(same[i], same[k], strlen(same[k])));
		for (size_t k = 0; k < WL_COUNT(others); k++)
			assert_false(wl_key_is(same[i], others[k], strlen(others[k])));
	}
	assert_true(wl_key_is("out", "out-dir", 3));
	assert_false(wl_key_is(NULL, "out", 3));
}

TEST(only_values_are_found_by_name)
{
	static const struct wl_param params[] = {
		{ .key = "in-file", .type = WL_P_DOC, .alias = "file" },
		{ .key = "verbose", .type = WL_P_BOOL, .stands_for = "verbose" },
		{ .key = "min-count", .type = WL_P_COUNT, .alias = "least" },
	};
	const size_t n = WL_COUNT(params);

	assert_int_equal(wl_param_named(params, n, "min_count"), 2);
	assert_int_equal(wl_param_named(params, n, "least"), 2);
	assert_int_equal(wl_param_named(params, n, "in-file"), n);
	assert_int_equal(wl_param_named(params, n, "file"), n);
	assert_int_equal(wl_param_named(params, n, "verbose"), n);
	assert_int_equal(wl_param_named(params, n, "most"), n);
	assert_int_equal(wl_param_named(NULL, 0, "most"), 0);
}
