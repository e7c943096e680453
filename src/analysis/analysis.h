/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - the descriptor of an analysis. To add one, read transfers.c and copy its shape.
 *
 * An analysis is a pure function from a sealed trace, a scope and a few arguments
 * to one table. It does not open, print, format, lock, spawn or keep state, and a run
 * has no part that changes but its arena, so any number of them may run at once over the
 * same trace, each with an arena of its own.
 *
 * It describes its parameters and columns as constant data. The formats, the
 * options and their help, the manual, the completions, the tool schemas and the
 * diff of two runs are derived from that description.
 */
#ifndef WL_ANALYSIS_ANALYSIS_H
#define WL_ANALYSIS_ANALYSIS_H

#include <stddef.h> /* IWYU pragma: export */
#include <stdint.h> /* IWYU pragma: export */

#include "base/attr.h"         /* IWYU pragma: export */
#include "base/err.h"          /* IWYU pragma: export */
#include "base/memory/arena.h" /* IWYU pragma: export */
#include "derive/derived.h"    /* IWYU pragma: export */
#include "derive/rows/scope.h" /* IWYU pragma: export */
#include "model/trace.h"       /* IWYU pragma: export */
#include "table/table.h"       /* IWYU pragma: export */

struct wl_axis_rule;
struct wl_chart;
struct wl_json;
struct wl_pool;
struct wl_regex;

/* What a verb is for; help lists verbs by it, in this order. */
enum wl_topic {
	WL_TOPIC_OTHER, /* comes last */
	WL_TOPIC_FIX,
	WL_TOPIC_TIME,
	WL_TOPIC_LOOK,
	WL_TOPIC_SHARE,
	WL_N_TOPICS
};

/* How far a reader of help must go to see a verb. */
enum wl_level {
	WL_LEVEL_FORM,   /* it is a form of another verb, which says so */
	WL_LEVEL_NAMED,  /* "help all" names it */
	WL_LEVEL_SECOND, /* "help all" has a line for it */
	WL_LEVEL_FIRST,  /* "help" has, too */
};

/* A verb in the lists of help. */
struct wl_listed {
	enum wl_level level;
	const char *name; /* an alias that says more than its name; NULL: its name */
	const char *line; /* at most 66 characters; NULL: its help */
	const char *all;  /* the line of "help all"; NULL: the same */
};

/* The type carries the unit, as in a column: front-ends accept "10us" and pass 10000. */
enum wl_param_type {
	WL_P_COUNT,   /* i64 >= 0: "100", "1.5M" */
	WL_P_NS,      /* i64 >= 0: "10us", "1.5ms" */
	WL_P_SECONDS, /* the same, in ns; a plain number is seconds: "120", "80ms" */
	WL_P_BYTES,   /* i64 >= 0: "64Ki", "1MB" */
	WL_P_RATIO,   /* f64 in [0, 1]: "0.7", "70%" */
	WL_P_BOOL,    /* flag; a switch on the command line, "true" or "false" as text */
	WL_P_ENUM,    /* i64: the index of one of choices */
	WL_P_STR,     /* str, any text */
	WL_P_REGEX,   /* regex, compiled; ignores case unless it has a capital */
	WL_P_DOC,     /* doc: a JSON file, which the front-end has read and parsed */
	/* What a command line does by itself; an analysis does not look at it. */
	WL_P_TRACE, /* a trace with arguments of its own, commas between */
	WL_P_DIR,   /* where the answer goes, as the files of wl_analysis.results */
	WL_P_TITLE, /* what the answer is headed */
	WL_P_PAGE,  /* the file that gets the answer as a page of its own kind */
	WL_P_BEGIN, /* where the window begins: a plain number is nanoseconds of the trace */
	WL_P_END,   /* where it ends, as BEGIN */
};

/*
 * What has no default and is an operand must be given. An option without one may
 * be absent: its argument is then -1, false or NULL, which no given one is. A
 * switch has no default.
 */
struct wl_param {
	const char *key; /* --key on the command line, property in a tool's schema */
	enum wl_param_type type;
	bool operand; /* stands before the trace, without --key; its alias is an option, too */
	/*
	 * An option that may be given several times, without a default: STR, of which an analysis
	 * gets the values as lines of one text, at most one such option; or TRACE. Of that, further
	 * values may follow the first.
	 */
	bool many;
	const char *def;            /* as a user would write it, or NULL */
	const char *people_def;     /* instead, in formats for people; NULL: the same */
	const char *const *choices; /* of an ENUM, all; of a STR, words among others; NULL ends */
	const char *help;           /* one sentence */
	const char *alias;          /* another spelling of an option's key; NULL for none */
	const char *takes;          /* of a TRACE: what a value is made of, "FILE,ENGINE,MODEL": a
				       file, and the parameters of which it has its own */
	const char *stands_for;     /* the option of all verbs that is meant; NULL as a rule */
	bool is_ncu;                /* of a DOC: a report of ncu, as the document of measured.h */
	const char *folder;         /* of a DOC: all files of a directory, of this name where the
				       configuration is unless another is given; else NULL */
	const char *named_by;       /* of a folder: the option that names one of its files, which
				       may lie beside the trace instead; NULL for none */
	const char *only_as;        /* the alias of the verb that takes it; NULL: every name does */
};

/* The window as the name name of the verb takes it: two numbers of nanoseconds. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the name is a literal that joins its neighbours */
#define WL_PARAM_BEGIN(name)                                                                       \
	{                                                                                          \
		.key = "start", .type = WL_P_BEGIN, .only_as = name,                               \
		.help = "Of " name ": the window from NS nanoseconds on."                          \
	}
#define WL_PARAM_END(name)                                                                         \
	{                                                                                          \
		.key = "end", .type = WL_P_END, .only_as = name,                                   \
		.help = "Of " name ": the window up to NS nanoseconds."                            \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

enum { WL_MAX_PARAMS = 24 };

/* Which member is set, the parameter's type says. Texts and pointers are borrowed. */
union wl_arg {
	int64_t i64;
	double f64;
	bool flag;
	const char *str;
	const struct wl_regex *regex;
	const struct wl_json *doc;
};

/* What a run may touch. The trace is sealed, so any number of runs may share it across threads. */
struct wl_run {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const union wl_arg *arg;          /* in the order of wl_analysis.params */
	const struct wl_derived *derived; /* what the analysis declares, and nothing else */
	struct wl_arena *arena;           /* scratch and results; owned by the caller */
	/* What rows will be filtered by (table/filter.h), for an analysis that picks rows; or NULL.
	 */
	const char *where;
	struct wl_pool *pool; /* for parts that are independent; NULL runs them in line */
};

enum { WL_MAX_IMPLIED = 6 };

/* An option as one would write it: --key value; a switch has the value "true". */
struct wl_implied {
	const char *key, *value;
};

/*
 * A name users know from another tool, and the options that it implies unless they are given: the
 * verb's own or those of all verbs. Columns are implied for people only; data keeps all.
 */
struct wl_alias {
	const char *name;
	struct wl_implied implies[WL_MAX_IMPLIED]; /* key == NULL ends */
};

/*
 * Another verb with an option or a first operand, which is this one: "idle --list" is gaps, and
 * "capture list" runs. So people learn few verbs, and each keeps its name, its table and its
 * options.
 */
struct wl_form {
	const char *verb;   /* the other one, by name or alias; NULL ends a list */
	const char *option; /* without dashes; NULL: the first operand is value */
	/*
	 * Of the option: NULL: it is a switch; "*": any, which is an operand here; "*.html": one
	 * that ends so, of the same option. Of an operand, "TRACE" is a file or a directory of
	 * traces.
	 */
	const char *value;
	const char *beside;  /* "option" or "option=value", which may stand there as well; NULL */
	const char *operand; /* put before those of the line, unless these name it; NULL for none */
	const char *takes;   /* the option here that the first operand of the line is of; NULL */
	struct wl_alias as;  /* what messages call it, and what it implies */
};

/* Its first members; others stand behind it in the braces. */
#define WL_FORM(verb_, option_)    .verb = (verb_), .option = (option_), .as.name = verb_ " --" option_
#define WL_FORM_WORD(verb_, word_) .verb = (verb_), .value = (word_), .as.name = verb_ " " word_

/* An example for help and manual; the tests run it with a trace called run.sqlite. */
struct wl_example {
	const char *command, *help;
};

/* A file that an option of type DIR makes, and the option that its answer is asked with. */
struct wl_result {
	const char *file;
	struct wl_implied option; /* key == NULL: none */
};

/* How facts of several traces answer: they have results, such as accounts and matches, and no rows.
 */
enum wl_facts_way {
	WL_FACTS_NO_WAY, /* they do not */
	WL_FACTS_RUN,    /* it reads results alone, or has run_on_facts */
	WL_FACTS_FIND,   /* answers of each trace are merged */
	WL_FACTS_FOLLOW, /* some of the traces are opened */
};

struct wl_analysis {
	const char *name;    /* verb, tool name and, with _ for -, name of the source file */
	enum wl_topic topic; /* of a verb, as the next */
	struct wl_listed listed;
	const char *help;  /* imperative, no full stop; the line in --help */
	const char *about; /* a paragraph: definition and limits */
	enum wl_look look; /* how people see its table */
	const char *sort;  /* how people see its rows sorted, as --sort; NULL: as the table is */
	/* What a page draws of its table, and of that of several traces; NULL for nothing. */
	const struct wl_chart *chart, *joined_chart;
	bool compared; /* other tools have such numbers, though it has no name of theirs */
	bool is_tree;  /* its table is a tree */
	/*
	 * Lists only the best rows that the filter keeps, not all. --where is then part of the
	 * question: run gets it, no index keeps answers. Of several traces the best of each are
	 * picked first and filtered once joined. SQL has a table of all rows by its name
	 * (sql/rows/rows.h).
	 */
	bool picks_rows;
	const struct wl_result *results; /* file == NULL ends; NULL where no option is a DIR */
	bool on_host;      /* speaks of host rows or of the whole trace, not of devices */
	bool of_file;      /* says what the file holds, whatever part of it is selected: a verb
			      that says nothing else takes no selection */
	bool whole_run;    /* a window cuts it, and what GPUs, processes, ranks or streams are
			      selected changes nothing: these options are refused */
	bool across_ranks; /* compares ranks: says which of a job are missing, and what clocks leave
			      open */
	bool shows_idle;   /* has idle time of GPUs: says where counters contradict it */
	bool on_reading;   /* reports what the reader met, which depends on the columns it read */
	/*
	 * Columns without which there is no answer, columns of which one family must
	 * have rows, and columns that make the answer better and that no derivation
	 * reads. WL_N_COLUMNS ends a list; NULL: no list.
	 */
	const enum wl_column_id *needs, *needs_any, *uses;
	uint64_t from; /* what it shares with others: WL_FROM(LINKS) | ... */
	enum wl_facts_way facts;
	bool facts_of_steps; /* facts of one trace keep its answer to each step */
	/*
	 * Add what only these arguments want, or what is worth no note where it is absent; NULL
	 * for nothing.
	 */
	void (*want)(const union wl_arg *arg, struct wl_wanted *wanted);
	/* WL_E_USAGE when no trace could be asked with these arguments; NULL where all will do. */
	int (*check)(const union wl_arg *arg, struct wl_err *reterr);
	/* Bits of the columns that a run with these arguments does not fill; NULL for none. */
	uint64_t (*hidden)(const union wl_arg *arg);
	/* A better reason and remedy than the default one why needs are not met, or NULL. */
	const char *(*why_empty)(const struct wl_trace *trace);
	/*
	 * Of a trace that meets the needs: why it holds no data for the question all the same, and
	 * what to do; NULL where it does. It judges the whole trace, never a selection: an answer
	 * without rows about data that were recorded is one. NULL where needs say all.
	 */
	const char *(*lacks)(const struct wl_run *run);
	const struct wl_param *params;
	size_t n_params;
	const struct wl_col *cols;
	size_t n_cols;
	const struct wl_axis_rule *axes;   /* its answers by coordinates of ranks; NULL for none */
	const struct wl_alias *aliases;    /* name == NULL ends; NULL for none */
	const struct wl_form *forms;       /* the one that says most first; NULL for none */
	const struct wl_example *examples; /* command == NULL ends */
	/*
	 * Fill *out, which is empty and has the columns above. Return WL_OK or what
	 * wl_fail() returned. No need to check *out: the runner does, once.
	 */
	int (*run)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
	/* The same from facts of several traces, where run reads rows; NULL: run does all. */
	int (*run_on_facts)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
};

/*
 * One analysis, for the file that defines it: above the descriptor. To have them all, include
 * analysis/registered.h, so that a new line of analyses.def does not rebuild everything.
 */
#define WL_DECLARE_ANALYSIS(name) extern const struct wl_analysis wl_analysis_##name

/* The verbs, in the order of analyses.def. Parts are reached through the documents they are in. */
extern const struct wl_analysis *const wl_analyses[];
extern const size_t wl_n_analyses;

/* Tables that only documents show. */
extern const struct wl_analysis *const wl_sections[];
extern const size_t wl_n_sections;

/* A verb or part by its name, which must exist. */
const struct wl_analysis *wl_analysis_get(const char *name);

/* A verb by name or alias; NULL when there is no such one. */
const struct wl_analysis *wl_analysis_find(const char *name);

/* Add what the analysis needs and uses with these arguments. */
void wl_analysis_want(const struct wl_analysis *a, const union wl_arg *arg,
		      struct wl_wanted *wanted);

/* The same as far as it does not depend on them: what notes and descriptions speak of. */
struct wl_columns wl_analysis_columns(const struct wl_analysis *a);

/*
 * Check that the needed columns have rows, run, check the table, and note what
 * is used but absent. *out is only valid on success, and lives as long as
 * run->arena and run->trace.
 */
int wl_analysis_run(const struct wl_analysis *a, const struct wl_run *run, struct wl_table *out,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Make *out an empty table of the columns that a run with these arguments fills. */
void wl_analysis_table(const struct wl_analysis *a, const union wl_arg *arg, struct wl_arena *arena,
		       struct wl_table *out);

/* What analyses say when their arena is exhausted. */
static inline int wl_no_memory(const struct wl_analysis *a, struct wl_err *reterr)
{
	return wl_fail(
		reterr, WL_E_NOMEM,
		"%s: not enough memory for the answer; raise --memory, or use a machine with "
		"more",
		a->name);
}

#endif
