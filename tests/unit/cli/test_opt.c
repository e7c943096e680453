/* SPDX-License-Identifier: MIT */
#include "cli/line/opt.h"

#include <stdio.h>
#include <string.h>

#include "analysis/registered.h"
#include "support/line.h"
#include "support/unit.h"

static void expect_parsed(struct line *l, const char *words)
{
	if (line_parse(l, words) < 0)
		fail_msg("%s: %s", words, l->err.msg);
}

static void expect_refusal(const char *words, const char *text)
{
	struct line l;

	if (line_parse(&l, words) != WL_E_USAGE)
		fail_msg("%s: not refused", words);
	assert_int_equal(l.err.code, WL_E_USAGE);
	if (!strstr(l.err.msg, text))
		fail_msg("%s: \"%s\" does not say \"%s\"", words, l.err.msg, text);
}

static void expect_option(const char *words, enum wl_option_id option, const char *want)
{
	struct line l;

	expect_parsed(&l, words);
	assert_non_null(l.inv.given[option]);
	assert_string_equal(l.inv.given[option], want);
}

TEST(nothing_is_no_verb)
{
	struct line l;

	expect_parsed(&l, "");
	assert_false(l.inv.has_verb);
	assert_int_equal(l.inv.n_operands, 0);
	for (size_t i = 0; i < WL_N_OPTIONS; i++)
		assert_null(l.inv.given[i]);
}

TEST(a_verb_and_its_operands_are_told_apart)
{
	struct line l;

	expect_parsed(&l, "search gemm run.sqlite");
	assert_true(l.inv.has_verb);
	assert_ptr_equal(l.inv.verb.analysis, &wl_analysis_search);
	assert_int_equal(l.inv.n_operands, 2);
	assert_string_equal(l.inv.operand[0], "gemm");
	assert_string_equal(l.inv.operand[1], "run.sqlite");
	expect_parsed(&l, "info run.sqlite");
	assert_string_equal(wl_verb_name(&l.inv.verb), "info");
	assert_non_null(l.inv.verb.document);
	expect_parsed(&l, "help kernels");
	assert_non_null(l.inv.verb.command);
	assert_string_equal(l.inv.operand[0], "kernels");
	expect_parsed(&l, "gpukernsum run.sqlite");
	assert_ptr_equal(l.inv.verb.analysis, &wl_analysis_kernels);
}

TEST(a_file_alone_is_a_summary)
{
	static const char *const lines[] = { "run.sqlite",      "./run",         "/tmp",
					     "-n 3 run.sqlite", "-- run.sqlite", "-- run" };
	struct line l;

	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		expect_parsed(&l, lines[i]);
		assert_true(l.inv.has_verb);
		assert_string_equal(wl_verb_name(&l.inv.verb), "summary");
		assert_int_equal(l.inv.n_operands, 1);
	}
}

TEST(options_take_their_value_in_every_spelling)
{
	expect_option("kernels t.sqlite -n 5", WL_OPT_LIMIT, "5");
	expect_option("kernels t.sqlite -n5", WL_OPT_LIMIT, "5");
	expect_option("kernels t.sqlite -n=5", WL_OPT_LIMIT, "5");
	expect_option("kernels t.sqlite --limit 5", WL_OPT_LIMIT, "5");
	expect_option("kernels t.sqlite --limit=5", WL_OPT_LIMIT, "5");
	expect_option("kernels t.sqlite --sort=", WL_OPT_SORT, "");
	expect_option("kernels t.sqlite --sort -sum", WL_OPT_SORT, "-sum");
	expect_option("kernels t.sqlite --where a=b", WL_OPT_WHERE, "a=b");
	expect_option("kernels t.sqlite --where=a=b", WL_OPT_WHERE, "a=b");
	expect_option("kernels t.sqlite --gpu --", WL_OPT_GPU, "--");
	expect_option("kernels t.sqlite --help", WL_OPT_HELP, "");
	expect_option("-h", WL_OPT_HELP, "");
	expect_option("kernels -n 1 t.sqlite -n 2", WL_OPT_LIMIT, "2"); /* the last one wins */
}

/* With --help values are not parsed. */
TEST(every_option_is_found_by_its_names)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		const struct wl_option *o = &wl_options[i];
		bool two = o->argument && strchr(o->argument, ' ');
		char words[128];

		/* A table has all that it has to say; documents have more. */
		const char *verb = i == WL_OPT_VERBOSE ? "summary" : "kernels";

		(void)snprintf(words, sizeof(words), "%s --help --%s %s%s", verb, o->long_name,
			       o->argument ? "x" : "", two ? " y" : "");
		expect_option(words, (enum wl_option_id)i, o->argument ? "x" : "");
		if (!o->short_name)
			continue;
		(void)snprintf(words, sizeof(words), "%s --help -%c %s", verb, o->short_name,
			       o->argument ? "x" : "");
		expect_option(words, (enum wl_option_id)i, o->argument ? "x" : "");
	}
}

static void expect_window(const char *words, const char *window)
{
	struct line l;

	if (line_parse(&l, words) != WL_OK)
		fail_msg("%s: %s", words, l.err.msg);
	assert_string_equal(l.inv.opt.window, window);
}

TEST(a_window_may_be_two_times_in_seconds)
{
	expect_window("kernels --trim 39 42 t.sqlite", "39s..42s");
	expect_window("--trim 39 42 kernels t.sqlite", "39s..42s");
	expect_window("kernels t.sqlite --trim=0.5 1.25", "0.5s..1.25s");
	expect_window("kernels t.sqlite --trim 5ms 1", "5ms..1s");
	expect_window("timeline t.sqlite --gpu 0 --trim 39 42", "39s..42s");
	expect_window("compute_overlap t.sqlite --start 80000000 --end 100000000",
		      "80000000ns..100000000ns");
	expect_window("compute_overlap t.sqlite --start 5ms", "5ms..");
	expect_window("compute_overlap t.sqlite", "middle");
	expect_refusal("kernels t.sqlite --trim 39", "needs two values");
	expect_refusal("kernels t.sqlite --trim=39", "give two times");
	expect_refusal("kernels t.sqlite --trim a b", "not a duration");
	expect_refusal("kernels t.sqlite --trim 42 39", "42s is after 39s");
	expect_refusal("kernels t.sqlite --trim 39 42 --window steady",
		       "--trim sets the window; remove --window");
	expect_refusal("overlap t.sqlite --start 80000000",
		       "overlap has no --start: --window A..B");
}

TEST(options_are_known_in_the_spellings_of_other_tools)
{
	expect_option("kernels --out x.csv t.sqlite", WL_OPT_OUTPUT, "x.csv");
	expect_option("kernels --keep_export x t.sqlite", WL_OPT_KEEP_EXPORT, "x");
	expect_option("kernels --keepexport x t.sqlite", WL_OPT_KEEP_EXPORT, "x");
	expect_refusal("kernels --outp x.csv t.sqlite", "did you mean");
}

TEST(the_order_does_not_matter)
{
	static const char *const lines[] = {
		"kernels t.sqlite --by name -n 5",    "-n 5 kernels --by name t.sqlite",
		"--by name -n5 kernels t.sqlite",     "--by=name kernels -n 5 -- t.sqlite",
		"-n 5 --by name -- kernels t.sqlite", "--limit 5 kernels t.sqlite --by=name",
	};
	struct line l;

	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		expect_parsed(&l, lines[i]);
		assert_ptr_equal(l.inv.verb.analysis, &wl_analysis_kernels);
		assert_string_equal(l.inv.given[WL_OPT_LIMIT], "5");
		assert_null(l.inv.param[0]);
		assert_string_equal(l.inv.param[1], "name");
		assert_int_equal(l.inv.n_operands, 1);
		assert_string_equal(l.inv.operand[0], "t.sqlite");
	}
}

/* The argument of an option is never taken for the verb or the trace. */
TEST(arguments_are_not_verbs)
{
	struct line l;

	expect_parsed(&l, "--format json -o kernels api t.sqlite");
	assert_ptr_equal(l.inv.verb.analysis, &wl_analysis_api);
	assert_string_equal(l.inv.given[WL_OPT_OUTPUT], "kernels");
	expect_parsed(&l, "--in api search x t.sqlite");
	assert_ptr_equal(l.inv.verb.analysis, &wl_analysis_search);
	assert_string_equal(l.inv.param[1], "api");
}

static void expect_verb(const char *words, const char *verb)
{
	struct line l;

	expect_parsed(&l, words);
	assert_true(l.inv.has_verb);
	assert_string_equal(wl_verb_name(&l.inv.verb), verb);
}

/* A value follows --sweep of capture, and none that of whatif. */
TEST(options_before_the_verb_are_its_own)
{
	struct line l;

	expect_verb("--sweep A=1,2 capture -- true", "capture");
	expect_verb("--sweep=A=1,2 capture -- true", "capture");
	expect_verb("--sweep whatif capture -- true", "whatif");
	expect_verb("-q --sweep whatif run.sqlite", "whatif");
	expect_verb("--sweep -n 3 whatif run.sqlite", "whatif");
	expect_verb("--trim 1 2 --sweep whatif run.sqlite", "whatif");
	expect_verb("-r nvtx_sum stats run.sqlite", "stats");
	expect_verb("-rnvtx_sum stats run.sqlite", "stats");
	expect_verb("-r=nvtx_sum stats run.sqlite", "stats");
	expect_verb("-c kernels sql run.sqlite", "sql");
	expect_verb("-p limit=3 skill run top_kernels run.sqlite", "skill");
	expect_parsed(&l, "-r cuda_gpu_kern_sum -f csv stats run.sqlite");
	assert_string_equal(wl_verb_name(&l.inv.verb), "stats");
	assert_int_equal(l.inv.n_operands, 1);
	assert_string_equal(l.inv.operand[0], "run.sqlite");
	assert_string_equal(l.inv.many[0].text, "cuda_gpu_kern_sum");
	expect_parsed(&l, "--trim summary kernels stats run.sqlite --help");
	assert_string_equal(wl_verb_name(&l.inv.verb), "stats");
	expect_verb("--tree nvtx run.sqlite", "tree");
	expect_verb("--save main diff run.sqlite", "baseline");
	expect_verb("--save=main diff run.sqlite", "baseline");
	expect_refusal("-r nvtx_sum run.sqlite", "unknown option -r");
}

TEST(after_two_dashes_everything_is_an_operand)
{
	struct line l;

	expect_parsed(&l, "kernels -n 3 -- -t.sqlite");
	assert_string_equal(l.inv.operand[0], "-t.sqlite");
	expect_parsed(&l, "search -- --help t.sqlite");
	assert_string_equal(l.inv.operand[0], "--help");
	assert_null(l.inv.given[WL_OPT_HELP]);
	expect_parsed(&l, "kernels -- -- t.sqlite");
	assert_int_equal(l.inv.n_operands, 2);
	expect_parsed(&l, "kernels -");
	assert_string_equal(l.inv.operand[0], "-");
}

TEST(an_empty_word_is_an_operand)
{
	struct line l;

	expect_parsed(&l, "kernels \"\"");
	assert_int_equal(l.inv.n_operands, 1);
	expect_refusal("\"\"", "no verb or file");
}

TEST(wrong_verbs_name_the_nearest)
{
	expect_refusal("kernls", "did you mean kernels?");
	expect_refusal("kernls t.sqlite", "did you mean kernels?");
	expect_refusal("-n 5 kernls t.sqlite", "did you mean kernels?");
	expect_refusal("cuda_gpu_kern t.sqlite", "did you mean cuda_gpu_kern_sum?");
	expect_refusal("xyzzy t.sqlite", "lists the verbs");
	expect_refusal("t.sqlite kernels", "the verb comes first: warplens kernels t.sqlite");
	expect_refusal("t.sqlite gemm search", "the verb comes first");
}

TEST(wrong_options_name_the_nearest)
{
	expect_refusal("kernels --fromat json", "unknown option --fromat; did you mean --format?");
	expect_refusal("--fromat json t.sqlite", "did you mean --format?");
	expect_refusal("kernels --fromat=json", "did you mean --format?");
	expect_refusal("kernels --nmae x", "did you mean --name?");
	expect_refusal("--nmae x kernels", "did you mean --name?");
	expect_refusal("kernels --xyzzy", "\"warplens help kernels\" lists them");
	expect_refusal("--xyzzy", "\"warplens help options\" lists them");
	expect_refusal("kernels -z", "unknown option -z");
}

TEST(an_option_of_another_verb_says_whose_it_is)
{
	expect_refusal("api --name base t.sqlite",
		       "api has no --name (kernels and search have it)");
	expect_refusal(
		"gaps --by rank t.sqlite",
		"gaps has no --by (overlap, iters, kernels, transfers, idle, launch, nccl, ranks, "
		"nvtx, memory, metrics, mfu, path, categories, sync, mpi, stacks and ncu have it)");
	expect_refusal("idle --name base t.sqlite",
		       "idle has no --name (kernels and search have it); idle takes --");
	expect_refusal("t.sqlite --name base",
		       "summary has no --name (kernels and search have it)");
	expect_refusal("search --pattern x t.sqlite", "unknown option --pattern");
}

TEST(a_refused_option_is_named_as_it_was_typed)
{
	expect_refusal("index --trim 0.1 0.2 run.sqlite", "index: --trim does not apply; ");
	expect_refusal("index --window 1s..2s run.sqlite", "index: --window does not apply; ");
}

TEST(values_are_neither_missing_nor_too_many)
{
	expect_refusal("kernels t.sqlite -n", "-n needs a value");
	expect_refusal("kernels t.sqlite --gpu", "--gpu needs a value");
	expect_refusal("kernels t.sqlite --by", "--by needs a value");
	expect_refusal("kernels --help=x", "--help takes no value");
	expect_refusal("-hx", "-h takes no value");
}

TEST(operands_are_counted)
{
	/* As many operands as there is room for, and one more. */
	static char program[] = "warplens", verb[] = "kernels", x[] = "x", last[] = "last";
	static char *argv[2 + WL_MAX_OPERANDS + 1];
	static struct wl_invocation inv;
	struct wl_err err;

	argv[0] = program;
	argv[1] = verb;
	for (size_t i = 0; i <= WL_MAX_OPERANDS; i++)
		argv[2 + i] = i + 1 == WL_MAX_OPERANDS ? last : x;
	assert_int_equal(wl_opt_parse(2 + WL_MAX_OPERANDS, argv, &inv, &err), WL_OK);
	assert_int_equal(inv.n_operands, WL_MAX_OPERANDS);
	assert_string_equal(inv.operand[WL_MAX_OPERANDS - 1], "last");
	assert_int_equal(wl_opt_parse(2 + WL_MAX_OPERANDS + 1, argv, &inv, &err), WL_E_USAGE);
	assert_string_equal(err.msg, "too many operands");
}

/* The files of a job are one operand: the verb need not know how many there are. */
TEST(files_of_a_job_are_one_operand)
{
	struct line l;

	expect_parsed(&l, "search --job gemm /dev/null /dev/zero");
	assert_int_equal(l.inv.n_operands, 2);
	assert_string_equal(l.inv.operand[0], "gemm");
	assert_string_equal(l.inv.operand[l.inv.job_at], "/dev/null");
	assert_int_equal(l.inv.n_job, 2);
	assert_string_equal(l.inv.job[1], "/dev/zero");
	assert_false(l.inv.is_guessed);
	expect_parsed(&l, "/dev/null /dev/zero");
	assert_int_equal(l.inv.n_operands, 1);
	assert_int_equal(l.inv.n_job, 2);
	assert_true(l.inv.is_guessed);
	expect_parsed(&l, "summary /dev/null /dev/zero");
	assert_int_equal(l.inv.n_operands, 1);
	assert_int_equal(l.inv.n_job, 2);
	assert_true(l.inv.is_guessed && l.inv.may_separate);
	/* Directories are jobs, each for itself. */
	expect_parsed(&l, "/dev /tmp");
	assert_int_equal(l.inv.n_operands, 2);
	assert_false(l.inv.is_guessed);
	assert_int_equal(line_parse(&l, "kernels --job /dev/null no_such_file"), WL_E_IO);
	assert_non_null(strstr(l.err.msg, "no file \"no_such_file\""));
}

TEST(long_words_are_cut_in_messages)
{
	char words[400];

	memset(words, 'x', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	expect_refusal(words, "no verb or file");
	memcpy(words, "--", 2);
	expect_refusal(words, "unknown option");
}
