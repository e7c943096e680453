/* SPDX-License-Identifier: MIT */
/* skill.c - the command that lists, shows, runs, adds, removes and tests skills. */
#include <stdio.h>
#include <string.h>

#include "agent/skills/expect.h"
#include "agent/skills/store.h"
#include "base/process/pool.h"
#include "base/text/clean.h"
#include "cli/commands/ask/skill_show.h"
#include "cli/docs.h"
#include "cli/open.h"
#include "cli/print.h"
#include "cli/status.h"

enum { PARAM, TIMEOUT, N_PARAMS };

/* Statuses of the program: a check failed. */
enum { FAILED = 1 };

static const struct wl_param params[N_PARAMS] = {
	[PARAM] = { .key = "param",
		    .type = WL_P_STR,
		    .many = true,
		    .help = "A parameter of the skill; may be given several times." },
	[TIMEOUT] = { .key = "timeout",
		      .type = WL_P_SECONDS,
		      .help = "Stop SQL that takes longer, with exit status 6." },
};

static const struct wl_table_info tables[] = {
	{ "skills", "Skills", wl_skill_list_cols, WL_N_SKILL_LIST_COLS },
	{ "test", "Expectations", wl_skill_test_cols, 4 },
	{ NULL, NULL, NULL, 0 },
};

struct skilled {
	const struct wl_invocation *inv;
	struct wl_args args;
	struct wl_docs docs;
	struct wl_printing print;
	struct wl_pool *pool;
	struct wl_budget budget;
	struct wl_arena arena;
	char folder[WL_PATH_CAP];
	const char *dir; /* of the user's skills; NULL: there is no place for them */
	struct wl_skill skill;
	struct wl_skill_values values;
	struct wl_opened opened;
	bool has_failed; /* an expectation did */
};

static int print_table(struct skilled *s, const char *name, struct wl_table *table,
		       struct wl_err *reterr)
{
	const struct wl_view_opts opts = wl_printing_view(&s->print);
	struct wl_section section = { .analysis = name };
	const struct wl_document doc = { .name = "skill",
					 .n_devices = -1,
					 .sections = &section,
					 .n_sections = 1,
					 .single = true };
	int r;

	if (!wl_table_ok(table))
		return wl_fail(reterr, WL_E_NOMEM, "skill: no memory for the answer");
	r = wl_view_make(table, &opts, &s->arena, &section.view, reterr);
	if (r < 0)
		return r;
	wl_view_note_none(&section.view, table);
	return wl_print(&s->print, &doc, reterr);
}

/* ---- Without a trace ---- */

static int list(struct skilled *s, struct wl_err *reterr)
{
	struct wl_skill_list all;
	struct wl_table table;
	int r = wl_skill_list(s->dir, &s->arena, &all, reterr);

	if (r < 0)
		return r;
	wl_table_init(&table, &s->arena, wl_skill_list_cols, WL_N_SKILL_LIST_COLS);
	for (size_t i = 0; i < all.n; i++)
		wl_skill_put_line(&table, &all.skill[i]);
	for (size_t i = 0; i < all.n_refused; i++)
		wl_table_note(&table, "%s", all.refused[i]);
	/* A list that leaves some out would not be one. */
	if (!s->inv->given[WL_OPT_LIMIT])
		s->print.limit = 0;
	return print_table(s, "skills", &table, reterr);
}

/* A file where the word has a slash or the ending of one, else a name. */
static int find(struct skilled *s, const char *word, struct wl_err *reterr)
{
	if (strchr(word, '/') || wl_path_ends_in(word, ".md") || wl_path_ends_in(word, ".json"))
		return wl_skill_read(word, &s->arena, &s->skill, reterr);
	return wl_skill_find(word, s->dir, &s->arena, &s->skill, reterr);
}

static int show(struct skilled *s, const char *word, struct wl_err *reterr)
{
	int r = find(s, word, reterr);

	if (r < 0)
		return r;
	if (s->inv->given[WL_OPT_FORMAT] || s->inv->opt.output)
		return wl_fail(reterr, WL_E_USAGE,
			       "skill show prints the skill as its file is; leave -f and -o out, "
			       "or ask \"warplens skill list -f json\"");
	wl_skill_show(stdout, &s->skill);
	return wl_check_stdout(reterr);
}

static int need_folder(const struct skilled *s, struct wl_err *reterr)
{
	return s->dir ? WL_OK
		      : wl_fail(reterr, WL_E_USAGE,
				"there is no place for your skills: set HOME or XDG_CONFIG_HOME");
}

static int print_done(const char *what, const char *path, struct wl_err *reterr)
{
	(void)printf("%s ", what);
	wl_put_clean(stdout, path);
	(void)putchar('\n');
	return wl_check_stdout(reterr);
}

static int add(struct skilled *s, const char *path, struct wl_err *reterr)
{
	int r = need_folder(s, reterr);

	(void)wl_signals_catch(); /* a file that is begun is ended */
	if (r == WL_OK)
		r = wl_skill_add(path, s->dir, &s->arena, &s->skill, reterr);
	wl_signals_release();
	return r < 0 ? r : print_done("added", s->skill.path, reterr);
}

static int remove_own(struct skilled *s, const char *name, struct wl_err *reterr)
{
	const char *path = NULL;
	int r = need_folder(s, reterr);

	if (r == WL_OK)
		r = wl_skill_remove(name, s->dir, &s->arena, &path, reterr);
	return r < 0 ? r : print_done("removed", path, reterr);
}

static int validate(struct skilled *s, struct wl_err *reterr)
{
	(void)printf("%s is valid; \"warplens skill test %s TRACE\" holds its %zu expectation%s "
		     "against a trace\n",
		     s->skill.name, s->skill.name, s->skill.n_expectations,
		     s->skill.n_expectations == 1 ? "" : "s");
	return wl_check_stdout(reterr);
}

/* ---- With one ---- */

static int take_values(struct skilled *s, struct wl_err *reterr)
{
	int r = WL_OK;

	wl_skill_values_init(&s->values, &s->skill, &s->arena);
	for (size_t i = 0; r == WL_OK && i < s->inv->n_many; i++)
		r = wl_skill_values_pair(&s->values, s->inv->many[i].text, reterr);
	return r < 0 ? r : wl_skill_values_end(&s->values, reterr);
}

static int open_trace(struct skilled *s, const char *trace, const atomic_int *cancel,
		      struct wl_skill_asked *ret, struct wl_err *reterr)
{
	struct wl_costs costs = { .on = false };
	const struct wl_opening how = { s->inv, s->pool, &s->budget, &costs };
	int64_t time_ns = s->args.value[TIMEOUT].i64;
	int r = wl_opened_open(&s->opened, trace, &how, cancel, reterr);

	*ret = (struct wl_skill_asked){
		.session = s->opened.session,
		.database = s->opened.database,
		.label = trace,
		.selection = wl_opened_request(s->inv, &s->docs, s->pool),
		.budget = &s->budget,
		.limits = { .time_ns = time_ns > 0 ? time_ns : 0, .cancel = cancel },
	};
	return r;
}

static int answer(struct skilled *s, const char *trace, const atomic_int *cancel,
		  struct wl_err *reterr)
{
	struct wl_skill_answer got = { .sql = NULL };
	struct wl_skill_asked asked;
	int r = open_trace(s, trace, cancel, &asked, reterr);

	asked.view = wl_printing_view(&s->print);
	asked.limit_given = s->inv->given[WL_OPT_LIMIT] != NULL;
	asked.section = s->inv->opt.section;
	asked.for_people = s->print.format->for_people;
	if (r == WL_OK)
		r = wl_skill_run(&s->skill, &s->values, &asked, &s->arena, &got, reterr);
	if (r == WL_OK) {
		wl_opened_note_index(&s->opened);
		r = wl_print(&s->print, &got.document, reterr);
	}
	wl_skill_answer_release(&got);
	return r;
}

static int test(struct skilled *s, const char *trace, const atomic_int *cancel,
		struct wl_err *reterr)
{
	struct wl_skill_asked asked;
	struct wl_table table;
	size_t n_failed = 0;
	int r = open_trace(s, trace, cancel, &asked, reterr);

	wl_table_init(&table, &s->arena, wl_skill_test_cols, wl_skill_n_test_cols);
	if (r == WL_OK)
		r = wl_skill_test(&s->skill, &asked, &s->arena, &table, &n_failed, reterr);
	if (r == WL_OK)
		r = print_table(s, "test", &table, reterr);
	s->has_failed = n_failed > 0;
	if (r == WL_OK && n_failed)
		(void)fprintf(stderr, "warplens: %s: %zu of %zu expectations failed\n",
			      s->skill.name, n_failed, table.n_rows);
	return r;
}

static int with_trace(struct skilled *s, const char *trace, bool is_test, struct wl_err *reterr)
{
	struct wl_request request;
	const atomic_int *cancel;
	int r = is_test ? WL_OK : take_values(s, reterr);

	if (r == WL_OK)
		r = wl_docs_init(&s->docs, s->inv, s->inv->param, reterr);
	if (r == WL_OK)
		r = wl_printing_spares(&s->print, trace, reterr);
	if (r < 0)
		return r;
	s->pool = wl_pool_option(s->inv);
	request = wl_opened_request(s->inv, &s->docs, s->pool);
	r = wl_opened_check(s->inv, &request, reterr);
	if (r < 0)
		return r;
	cancel = wl_signals_catch();
	r = is_test ? test(s, trace, cancel, reterr) : answer(s, trace, cancel, reterr);
	wl_opened_release(&s->opened);
	wl_signals_release();
	return r;
}

static int run_skill(struct skilled *s, const char *name, const char *trace, struct wl_err *reterr)
{
	int r = find(s, name, reterr);

	return r < 0 ? r : with_trace(s, trace, false, reterr);
}

static int test_skill(struct skilled *s, const char *name, const char *trace, struct wl_err *reterr)
{
	int r = find(s, name, reterr);

	if (r < 0)
		return r;
	return trace ? with_trace(s, trace, true, reterr) : validate(s, reterr);
}

/* ---- The command ---- */

#define OF_TRACES (WL_OPT_BITS_OF_TRACES | WL_OPT_BIT(SEPARATE) | WL_OPT_BIT(TRACES))
#define OF_ROWS                                                                                    \
	(WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(SECTION) | WL_OPT_BIT(LIMIT) | WL_OPT_BIT(WHERE) |      \
	 WL_OPT_BIT(SORT) | WL_OPT_BIT(COLUMNS))
#define OF_ANSWERS (OF_TRACES | OF_ROWS | WL_OPT_BIT(FORMAT) | WL_OPT_BIT(OUTPUT))

enum { OF_SKILL = 1U << PARAM, OF_SQL = 1U << TIMEOUT };

/* Which options would be ignored by what the operands say; "run" takes all. */
static const struct {
	const char *word;
	size_t n; /* operands */
	const char *shown;
	uint64_t options; /* bits of enum wl_option_id */
	unsigned params;  /* bits of params[] */
} ignoring[] = {
	{ "list", 1, "list", OF_TRACES | WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(SECTION),
	  OF_SKILL | OF_SQL },
	/* These two say of -f and -o what to ask instead. */
	{ "show", 2, "show", OF_TRACES | OF_ROWS, OF_SKILL | OF_SQL },
	{ "info", 2, "info", OF_TRACES | OF_ROWS, OF_SKILL | OF_SQL },
	{ "add", 2, "add", OF_ANSWERS, OF_SKILL | OF_SQL },
	{ "remove", 2, "remove", OF_ANSWERS, OF_SKILL | OF_SQL },
	{ "test", 2, "test without a trace", OF_ANSWERS, OF_SKILL | OF_SQL },
	{ "test", 3, "test", WL_OPT_BIT(TIMEUNIT) | WL_OPT_BIT(SECTION), OF_SKILL },
};

/* The first of the options given that is ignored; NULL for none. */
static const char *find_ignored(const struct wl_invocation *inv, uint64_t options, unsigned own)
{
	for (enum wl_option_id i = 0; i < WL_N_OPTIONS; i++) {
		if (inv->given[i] && options >> i & 1)
			return wl_options[i].long_name;
	}
	for (size_t i = 0; i < N_PARAMS; i++) {
		if (inv->param[i] && own >> i & 1)
			return params[i].key;
	}
	return NULL;
}

static int check_options(const struct wl_invocation *inv, struct wl_err *reterr)
{
	for (size_t i = 0; i < WL_COUNT(ignoring); i++) {
		const char *ignored;

		if (inv->n_operands != ignoring[i].n ||
		    strcmp(inv->operand[0], ignoring[i].word) != 0)
			continue;
		ignored = find_ignored(inv, ignoring[i].options, ignoring[i].params);
		if (ignored)
			return wl_fail(reterr, WL_E_USAGE, "skill %s: --%s does not apply",
				       ignoring[i].shown, ignored);
	}
	return WL_OK;
}

static int dispatch(struct skilled *s, struct wl_err *reterr)
{
	const char *const *word = s->inv->operand;
	size_t n = s->inv->n_operands;
	const char *what = n ? word[0] : "";

	if (n == 1 && strcmp(what, "list") == 0)
		return list(s, reterr);
	if (n == 2 && (strcmp(what, "show") == 0 || strcmp(what, "info") == 0))
		return show(s, word[1], reterr);
	if (n == 2 && strcmp(what, "add") == 0)
		return add(s, word[1], reterr);
	if (n == 2 && strcmp(what, "remove") == 0)
		return remove_own(s, word[1], reterr);
	if (n == 3 && strcmp(what, "run") == 0)
		return run_skill(s, word[1], word[2], reterr);
	if ((n == 2 || n == 3) && strcmp(what, "test") == 0)
		return test_skill(s, word[1], n == 3 ? word[2] : NULL, reterr);
	return wl_fail(reterr, WL_E_USAGE,
		       "usage: warplens skill list, show NAME, run NAME TRACE, test NAME [TRACE], "
		       "add FILE or remove NAME");
}

static int run(const struct wl_invocation *inv)
{
	struct skilled s = { .inv = inv, .budget = { .limit = inv->opt.memory } };
	struct wl_err err = { .code = WL_OK };
	int r;

	wl_arena_init_on(&s.arena, &s.budget);
	s.dir = wl_config_folder("skills", s.folder) ? s.folder : NULL;
	r = wl_printing_init(&s.print, inv, &err);
	if (r == WL_OK)
		r = wl_command_args(&s.args, inv, NULL, &err);
	if (r == WL_OK)
		r = check_options(inv, &err);
	if (r == WL_OK)
		r = dispatch(&s, &err);
	wl_arena_release(&s.arena);
	wl_pool_free(s.pool);
	wl_docs_release(&s.docs);
	wl_args_release(&s.args);
	if (r < 0)
		return wl_report_failure(&err);
	return s.has_failed ? FAILED : 0;
}

static const struct wl_example examples[] = {
	{ "warplens skill list", "All skills: built-in, your own, and the verbs." },
	{ "warplens skill run nccl_anomaly run.sqlite -p threshold=2",
	  "Run one, with a parameter." },
	{ "warplens skill show nccl_anomaly", "Its file, as a pattern for your own." },
	{ NULL, NULL },
};

static const char *word_at(size_t i)
{
	static const char *const words[] = { "list", "show", "run", "test", "add", "remove" };

	return i < WL_COUNT(words) ? words[i] : NULL;
}

const struct wl_command wl_command_skill = {
	.name = "skill",
	.topic = WL_TOPIC_OTHER,
	.listed = { .level = WL_LEVEL_NAMED },
	.help = "Run saved queries, built in or your own",
	.about =
		"A skill is a Markdown file with a name, parameters, SQL or calls of verbs, "
		"thresholds that become findings, and conditions on which it abstains. All verbs "
		"are skills, too, with their options as parameters. \"add FILE\" checks a file and "
		"copies it to $XDG_CONFIG_HOME/warplens/skills, below ~/.config by default; a file "
		"that is put there works at once. \"test NAME TRACE\" holds the expectations of "
		"the file against a trace, with exit status 1 if one fails; without a trace it "
		"checks the file. A skill that abstains says why, with exit status 5. NAME may be "
		"the path of a file.",
	.operands = "list|show|run|test|add|remove [NAME] [TRACE]",
	.word = word_at,
	.examples = examples,
	.params = params,
	.n_params = N_PARAMS,
	.common = true,
	.without = WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(JOB) | WL_OPT_BIT(STATS),
	.tables = tables,
	.several = WL_SEVERAL_JOB,
	.n_own = 2,
	.run = run,
};
