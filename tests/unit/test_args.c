#include "analysis/args.h"

#include <string.h>

#include "base/regex.h"
#include "support/unit.h"

static void expect_refusal(const struct wl_analysis *a, const char *const *text, const char *words)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_args args;

	assert_int_equal(wl_args_init(&args, a, text, &err), WL_E_USAGE);
	assert_int_equal(err.code, WL_E_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, words);
	wl_args_release(&args);
}

static void defaults_are_parsed_like_what_users_write(void **state)
{
	static const char *const none[] = { NULL, NULL };
	struct wl_args args;

	(void)state;
	for (int given = 0; given < 2; given++) {
		assert_int_equal(
			wl_args_init(&args, &wl_analysis_kernels, given ? none : NULL, NULL),
			WL_OK);
		assert_int_equal(args.value[0].i64, 0); /* demangled */
		assert_int_equal(args.value[1].i64, 0); /* device */
		wl_args_release(&args);
	}
	assert_int_equal(wl_args_init(&args, &wl_analysis_transfers, NULL, NULL), WL_OK);
	assert_int_equal(args.value[0].i64, 65536);
	wl_args_release(&args);
}

/* One that every analysis takes, so that the others can run with it. */
static void every_default_is_valid(void **state)
{
	static const char *const pattern[WL_MAX_PARAMS] = { "." };

	(void)state;
	for (size_t i = 0; i < wl_n_analyses; i++) {
		const struct wl_analysis *a = wl_analyses[i];
		bool needs = a->n_params && !a->params[0].def;
		struct wl_args args;

		assert_in_range(a->n_params, 0, WL_MAX_PARAMS);
		assert_int_equal(wl_args_init(&args, a, needs ? pattern : NULL, NULL), WL_OK);
		wl_args_release(&args);
		for (size_t p = 0; p < a->n_params; p++) {
			const char *text[WL_MAX_PARAMS] = { needs ? "." : NULL };

			for (size_t c = 0; a->params[p].choices && a->params[p].choices[c]; c++) {
				text[p] = a->params[p].choices[c];
				assert_int_equal(wl_args_init(&args, a, text, NULL), WL_OK);
				assert_int_equal(args.value[p].i64, c);
				wl_args_release(&args);
			}
		}
	}
}

static void a_choice_that_does_not_exist_names_the_others(void **state)
{
	static const char *const naming[] = { "Demangled", NULL };
	static const char *const by[] = { NULL, "" };

	(void)state;
	expect_refusal(&wl_analysis_kernels, naming,
		       "--name Demangled: use demangled, short, mangled or base");
	expect_refusal(&wl_analysis_kernels, by, "use device, name, pid, stream or grid");
}

static void sizes_out_of_range_are_refused(void **state)
{
	static const char *const bad[] = { "-1", "12x", "", "99999999999999999999", "Ki" };
	static const char *const good[] = { "0", "9Gi" };
	struct wl_args args;

	(void)state;
	for (size_t i = 0; i < WL_COUNT(bad); i++)
		expect_refusal(&wl_analysis_transfers, &bad[i], "--small");
	for (size_t i = 0; i < WL_COUNT(good); i++) {
		assert_int_equal(wl_args_init(&args, &wl_analysis_transfers, &good[i], NULL),
				 WL_OK);
		assert_int_equal(args.value[0].i64, i ? INT64_C(9) << 30 : 0);
		wl_args_release(&args);
	}
}

static void patterns_are_compiled_and_must_be_given(void **state)
{
	static const char *const good[] = { "a+b", NULL }, *const bad[] = { "(", NULL };
	struct wl_args args;

	(void)state;
	assert_int_equal(wl_args_init(&args, &wl_analysis_search, good, NULL), WL_OK);
	assert_int_equal(wl_regex_match(args.value[0].regex, "xaab", 4), 1);
	wl_args_release(&args);
	expect_refusal(&wl_analysis_search, bad, "(");
	expect_refusal(&wl_analysis_search, NULL, "pattern is missing");
}

/* The first argument is compiled before the second is refused. */
static void what_was_compiled_is_freed_after_a_failure(void **state)
{
	static const char *const text[] = { "a+b", "nowhere" };

	(void)state;
	expect_refusal(&wl_analysis_search, text, "--in nowhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_parsed_like_what_users_write),
		cmocka_unit_test(every_default_is_valid),
		cmocka_unit_test(a_choice_that_does_not_exist_names_the_others),
		cmocka_unit_test(sizes_out_of_range_are_refused),
		cmocka_unit_test(patterns_are_compiled_and_must_be_given),
		cmocka_unit_test(what_was_compiled_is_freed_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
