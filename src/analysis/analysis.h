/* SPDX-License-Identifier: MIT */
/*
 * analysis.h - the descriptor of an analysis. To add one, read transfers.c and copy its shape.
 *
 * An analysis is a pure function from a sealed trace, a scope and a few arguments to one table. It
 * does not open, print, format, lock, spawn or keep state. The only part of a run that changes is
 * its arena: any number of runs may share a trace at once, each with its own arena.
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

/* The purpose of a verb; help groups verbs by it, in this order. */
enum wl_topic {
	WL_TOPIC_OTHER, /* comes last */
	WL_TOPIC_FIX,
	WL_TOPIC_TIME,
	WL_TOPIC_LOOK,
	WL_TOPIC_SHARE,
	WL_N_TOPICS
};

/* Where help first shows a verb. */
enum wl_level {
	WL_LEVEL_FORM,   /* a form of another verb, whose help mentions it */
	WL_LEVEL_NAMED,  /* "help all" names it */
	WL_LEVEL_SECOND, /* it has a line in "help all" */
	WL_LEVEL_FIRST,  /* it has a line in "help", too */
};

/* How help lists a verb. */
struct wl_listed {
	enum wl_level level;
	const char *name; /* an alias that is clearer than its name; NULL: its name */
	const char *line; /* at most 66 characters; NULL: the verb's help */
	const char *all;  /* the line of "help all"; NULL: the same */
};

/* The type carries the unit, as in a column: front-ends accept "10us" and pass 10000. */
enum wl_param_type {
	WL_P_COUNT,   /* i64 >= 0: "100", "1.5M" */
	WL_P_NS,      /* i64 >= 0: "10us", "1.5ms" */
	WL_P_SECONDS, /* i64 >= 0, in ns; a plain number is seconds: "120", "80ms" */
	WL_P_BYTES,   /* i64 >= 0: "64Ki", "1MB" */
	WL_P_RATIO,   /* f64 in [0, 1]: "0.7", "70%" */
	WL_P_BOOL,    /* flag; a switch on the command line, "true" or "false" as text */
	WL_P_ENUM,    /* i64: the index of one of choices */
	WL_P_STR,     /* str, any text */
	WL_P_REGEX,   /* regex, compiled; ignores case unless it has a capital */
	WL_P_DOC,     /* doc: a JSON file that the front-end has read and parsed */
	/* The types below are handled by the command line; analyses ignore them. */
	WL_P_TRACE, /* a trace with its own arguments, separated by commas */
	WL_P_DIR,   /* the directory for the answer, as the files of wl_analysis.results */
	WL_P_TITLE, /* the title of the answer */
	WL_P_PAGE,  /* the file that receives the answer as a page of its own kind */
	WL_P_BEGIN, /* where the window begins: a plain number is nanoseconds of the trace */
	WL_P_END,   /* where it ends, in the same form */
};

/*
 * An operand without a default is required. An option without a default may be absent: its argument
 * is then -1, false or NULL, which no given value can be. A switch has no default.
 */
struct wl_param {
	const char *key; /* --key on the command line, a property in a tool's schema */
	enum wl_param_type type;
	bool operand; /* precedes the trace, without --key; its alias is also an option */
	/*
	 * An option without a default that may be repeated: either STR, whose values an analysis
	 * gets as lines of one text (at most one such option), or TRACE, whose further values may
	 * also follow the first.
	 */
	bool many;
	const char *def;            /* as a user would write it, or NULL */
	const char *people_def;     /* the default in formats for people; NULL: def */
	const char *const *choices; /* all values of an ENUM, some words of a STR; ends with NULL */
	const char *help;           /* one sentence */
	const char *alias;          /* another spelling of an option's key; NULL for none */
	const char *takes; /* for a TRACE: the parts of a value, "FILE,ENGINE,MODEL": a file, and
			      the parameters it overrides */
	const char *stands_for; /* the option of all verbs that it stands for; usually NULL */
	bool is_ncu;            /* for a DOC: an ncu report, as the document of measured.h */
	const char *folder; /* for a DOC: all files of a directory, by default of this name next to
			       the configuration; else NULL */
	const char *named_by; /* for a folder: the option that names one of its files, which may be
				 beside the trace instead; NULL for none */
	const char *only_as;  /* the only alias that takes it; NULL: every name does */
};

/* The window for the verb under this name: two numbers, in nanoseconds. */
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

/* The parameter's type says which member is set. Strings and pointers are borrowed. */
union wl_arg {
	int64_t i64;
	double f64;
	bool flag;
	const char *str;
	const struct wl_regex *regex;
	const struct wl_json *doc;
};

/* Everything a run may touch. The trace is sealed: any number of runs may share it across
 * threads. */
struct wl_run {
	const struct wl_trace *trace;
	const struct wl_scope *scope;
	const union wl_arg *arg;          /* in the order of wl_analysis.params */
	const struct wl_derived *derived; /* what the analysis declares, and nothing else */
	struct wl_arena *arena;           /* scratch and results; owned by the caller */
	/* The filter that will be applied to the rows (table/filter.h), for an analysis that picks
	 * rows; or NULL. */
	const char *where;
	struct wl_pool *pool; /* for independent parts; NULL runs them on the calling thread */
};

enum { WL_MAX_IMPLIED = 6 };

/* An option as a user would write it: --key value; a switch has the value "true". */
struct wl_implied {
	const char *key, *value;
};

/*
 * A name that users know from another tool, and the options it implies unless they are given: the
 * verb's own or those of all verbs. It implies columns only in formats for people; data formats
 * keep all.
 */
struct wl_alias {
	const char *name;
	struct wl_implied implies[WL_MAX_IMPLIED]; /* ends with key == NULL */
};

/*
 * Another verb with an option or a first operand that means this one: "idle --list" is gaps, and
 * "capture list" is runs. People have fewer verbs to learn, and each verb keeps its name, table and
 * options.
 */
struct wl_form {
	const char *verb;   /* the other verb, by name or alias; NULL ends a list */
	const char *option; /* without dashes; NULL: value is the first operand */
	/*
	 * For an option: NULL for a switch; "*" for any value, which is an operand here; "*.html"
	 * for a value of the same option that ends so. For an operand, "TRACE" means a file or a
	 * directory of traces.
	 */
	const char *value;
	const char *beside;  /* "option" or "option=value" that may also be given; or NULL */
	const char *operand; /* put before the operands of the line, unless they name it; or NULL */
	const char *takes;   /* the option here that takes the first operand of the line; or NULL */
	struct wl_alias as;  /* its name in messages, and what it implies */
};

/* Initialises the first members of a form; others follow it in the braces. */
#define WL_FORM(verb_, option_)    .verb = (verb_), .option = (option_), .as.name = verb_ " --" option_
#define WL_FORM_WORD(verb_, word_) .verb = (verb_), .value = (word_), .as.name = verb_ " " word_

/* An example for help and manual; the tests run it with a trace called run.sqlite. */
struct wl_example {
	const char *command, *help;
};

/* A file that an option of type DIR produces, and the option that selects its contents. */
struct wl_result {
	const char *file;
	struct wl_implied option; /* none if key == NULL */
};

/* How to answer from facts of several traces, which hold results such as accounts and matches but
 * no rows. */
enum wl_facts_way {
	WL_FACTS_NO_WAY, /* they do not */
	WL_FACTS_RUN,    /* it reads only results, or has run_on_facts */
	WL_FACTS_FIND,   /* the answers of the traces are merged */
	WL_FACTS_FOLLOW, /* some of the traces are opened */
};

struct wl_analysis {
	const char *name;    /* verb, tool name and, with _ for -, name of the source file */
	enum wl_topic topic; /* verbs only, as is the next */
	struct wl_listed listed;
	const char *help;  /* imperative, no full stop; the line in --help */
	const char *about; /* a paragraph: definition and limits */
	enum wl_look look; /* how its table is shown to people */
	const char *sort;  /* the default --sort for people; NULL: table order */
	/* The charts a page draws of its table and of the joined table of several traces; NULL for
	 * none. */
	const struct wl_chart *chart, *joined_chart;
	bool compared; /* other tools report such numbers, though it has none of their names */
	bool is_tree;  /* its table is a tree */
	/*
	 * Lists only the best of the rows that the filter keeps. --where is then part of the
	 * question: run gets it, and no index keeps the answers. With several traces, the best of
	 * each are picked first and filtered after joining. In SQL, a table of the same name has
	 * all rows (sql/rows/rows.h).
	 */
	bool picks_rows;
	const struct wl_result *results; /* ends with file == NULL; NULL if no option is a DIR */
	bool on_host;                    /* is about host rows or the whole trace, not devices */
	bool of_file;   /* says what the file holds, regardless of the selection: a verb that says
			   nothing else takes no selection */
	bool whole_run; /* a window cuts it, but selecting GPUs, processes, ranks or streams changes
			   nothing: these options are refused */
	bool across_ranks; /* compares ranks: notes which ranks of a job are missing, and what the
			      clocks leave uncertain */
	bool shows_idle;   /* has GPU idle time: notes where counters contradict it */
	bool on_reading;   /* reports what the reader met, which depends on the columns read */
	/*
	 * Columns that the answer requires; columns of which at least one family must have rows;
	 * and columns that improve the answer and that no derivation reads. Lists end with
	 * WL_N_COLUMNS; NULL: no list.
	 */
	const enum wl_column_id *needs, *needs_any, *uses;
	uint64_t from; /* the derivations it uses: WL_FROM(LINKS) | ... */
	enum wl_facts_way facts;
	bool facts_of_steps; /* the facts of a trace hold its answer for each step */
	/*
	 * Add columns that only these arguments want, or whose absence needs no note; NULL for
	 * none.
	 */
	void (*want)(const union wl_arg *arg, struct wl_wanted *wanted);
	/* Returns WL_E_USAGE if the arguments are wrong for every trace; NULL if all arguments are
	 * valid. */
	int (*check)(const union wl_arg *arg, struct wl_err *reterr);
	/* Returns the bits of the columns that a run with these arguments leaves unfilled; NULL for
	 * none. */
	uint64_t (*hidden)(const union wl_arg *arg);
	/* Returns a better reason and remedy than the default when needs are not met, or NULL. */
	const char *(*why_empty)(const struct wl_trace *trace);
	/*
	 * For a trace that meets the needs: why it still has no data for the question, and what to
	 * do; returns NULL if it has. It judges the whole trace, never a selection: no rows about
	 * recorded data is a valid answer. NULL if needs are sufficient.
	 */
	const char *(*lacks)(const struct wl_run *run);
	const struct wl_param *params;
	size_t n_params;
	const struct wl_col *cols;
	size_t n_cols;
	const struct wl_axis_rule *axes;   /* its answers by rank coordinates; NULL for none */
	const struct wl_alias *aliases;    /* ends with name == NULL; NULL for none */
	const struct wl_form *forms;       /* the most telling one first; NULL for none */
	const struct wl_example *examples; /* ends with command == NULL */
	/*
	 * Fill *out, which is empty and has the columns above. Return WL_OK or the result of
	 * wl_fail(). The runner checks *out afterwards.
	 */
	int (*run)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
	/* The same from facts of several traces, if run reads rows; NULL: run handles both. */
	int (*run_on_facts)(const struct wl_run *run, struct wl_table *out, struct wl_err *reterr);
};

/*
 * Declares one analysis; belongs above the descriptor in the file that defines it. To declare all,
 * include analysis/registered.h: then a new line in analyses.def does not rebuild everything.
 */
#define WL_DECLARE_ANALYSIS(name) extern const struct wl_analysis wl_analysis_##name

/* The verbs, in the order of analyses.def. Sections are reached through the documents that contain
 * them. */
extern const struct wl_analysis *const wl_analyses[];
extern const size_t wl_n_analyses;

/* Tables that only documents show. */
extern const struct wl_analysis *const wl_sections[];
extern const size_t wl_n_sections;

/* A verb or section by its name, which must exist. */
const struct wl_analysis *wl_analysis_get(const char *name);

/* A verb by name or alias; NULL if there is none. */
const struct wl_analysis *wl_analysis_find(const char *name);

/* Add what the analysis needs and uses with these arguments. */
void wl_analysis_want(const struct wl_analysis *a, const union wl_arg *arg,
		      struct wl_wanted *wanted);

/* The columns that do not depend on the arguments, for notes and descriptions. */
struct wl_columns wl_analysis_columns(const struct wl_analysis *a);

/*
 * Check that the needed columns have rows, run, check the table, and note used columns that are
 * absent. *out is valid only on success, and lives as long as run->arena and run->trace.
 */
int wl_analysis_run(const struct wl_analysis *a, const struct wl_run *run, struct wl_table *out,
		    struct wl_err *reterr) WL_MUST_CHECK;

/* Make *out an empty table with the columns that a run with these arguments fills. */
void wl_analysis_table(const struct wl_analysis *a, const union wl_arg *arg, struct wl_arena *arena,
		       struct wl_table *out);

/* The error of an analysis whose arena is exhausted. */
static inline int wl_no_memory(const struct wl_analysis *a, struct wl_err *reterr)
{
	return wl_fail(
		reterr, WL_E_NOMEM,
		"%s: not enough memory for the answer; raise --memory, or use a machine with "
		"more",
		a->name);
}

#endif
