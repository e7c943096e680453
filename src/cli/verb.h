/* SPDX-License-Identifier: MIT */
/* verb.h - the list of verbs: analyses, documents and commands. */
#ifndef WL_CLI_VERB_H
#define WL_CLI_VERB_H

#include "analysis/analysis.h"
#include "session/document/document_info.h"

struct wl_invocation;

/* What a verb does with several files. */
enum wl_several {
	WL_SEVERAL_OWN,    /* what its operands say: two sides to compare, one file after another */
	WL_SEVERAL_JOB,    /* opens one trace: they must prove to be one job */
	WL_SEVERAL_PAIR,   /* one job where they prove to be one; else two are compared, and
			    * more are refused */
	WL_SEVERAL_BESIDE, /* one job where they prove to be one, else side by side */
};

/* An option of another program that a command takes as it is typed there, with its value. */
struct wl_foreign_option {
	const char *name; /* "--trace"; NULL ends a list */
	char letter;      /* 0 for none */
};

/* What to say of an option that the command has not, or refuses. */
struct wl_option_hint {
	const char *name; /* "sqlite"; "" for any that resembles none; NULL ends a list */
	const char *text; /* "warplens info REPORT --keep-export FILE keeps the database" */
};

/* A command of its own kind; most verbs are analyses or documents instead. */
struct wl_command {
	const char *name;
	enum wl_topic topic;
	struct wl_listed listed;
	const char *help;
	const char *about;
	const char *operands;
	/* What its first operand may be, in order, NULL past the last; NULL: files. */
	const char *(*word)(size_t i);
	const struct wl_example *examples;
	const struct wl_param *params; /* its own options, none an operand; parsed by itself */
	size_t n_params;
	bool compared;       /* other tools have its numbers, too */
	bool common;         /* takes the options of all verbs as well */
	uint64_t without;    /* bits of enum wl_option_id: of these it takes not */
	const char *instead; /* what to say who gives one of them; NULL for nothing */
	bool runs_program;   /* its first operand is one, and all that follows is its */
	const struct wl_foreign_option *foreign; /* NULL for none; they go before those of all
						    verbs, as values of foreign_param */
	size_t foreign_param;
	const struct wl_option_hint *hints;
	const struct wl_alias *aliases; /* name == NULL ends; NULL for none */
	const struct wl_form *forms;    /* NULL for none */
	const char *const *formats;     /* of -f, NULL ends; NULL: those of tables */
	bool in_lists;                  /* -f and -o are lists with commas between */
	enum wl_several several;
	bool has_sides; /* compares two; of an option that selects the first is that of the first */
	unsigned n_own; /* operands before its traces that may be files: "test ./mine.md TRACE" */
	const struct wl_table_info *tables;          /* name == NULL ends; NULL for none */
	int (*run)(const struct wl_invocation *inv); /* returns an exit status */
};

#define WL_COMMAND(name) extern const struct wl_command wl_command_##name;
#include "cli/cmds.def"
#undef WL_COMMAND

extern const struct wl_command *const wl_commands[];
extern const size_t wl_n_commands;

/* Exactly one of the first three is set. */
struct wl_verb {
	const struct wl_analysis *analysis;
	const struct wl_document_info *document;
	const struct wl_command *command;
	const struct wl_alias *alias; /* by which it was found; NULL for its own name */
};

/* The i-th verb in the order of help: documents, analyses, commands; false past the end. */
bool wl_verb_at(size_t i, struct wl_verb *ret);

/* By name or alias. */
bool wl_verb_find(const char *name, struct wl_verb *ret);

/* The verb or alias that is spelled most like name; NULL when none comes near. */
const char *wl_verb_nearest(const char *name);

const char *wl_verb_name(const struct wl_verb *verb);
const char *wl_verb_help(const struct wl_verb *verb);
const char *wl_verb_about(const struct wl_verb *verb);
const char *wl_verb_kind(const struct wl_verb *verb);
enum wl_topic wl_verb_topic(const struct wl_verb *verb);

/* How help lists it; name and lines are set. */
struct wl_listed wl_verb_listed(const struct wl_verb *verb);

/* "Break down the time" */
const char *wl_topic_title(enum wl_topic topic);

const struct wl_example *wl_verb_examples(const struct wl_verb *verb); /* may be NULL */

/* The parameters of an analysis, or the own options of a command. */
const struct wl_param *wl_verb_params(const struct wl_verb *verb, size_t *ret_n);

/* The first of them that is of this type, and its number in *ret_i; NULL when none is. */
const struct wl_param *wl_verb_param_of(const struct wl_verb *verb, enum wl_param_type type,
					size_t *ret_i);

/* It takes the options of options.def. */
bool wl_verb_is_common(const struct wl_verb *verb);

enum wl_several wl_verb_several(const struct wl_verb *verb);

/* What an alias implies for an option; NULL for nothing. */
const char *wl_alias_value(const struct wl_alias *alias, const char *key);

const struct wl_alias *wl_verb_aliases(const struct wl_verb *verb); /* name == NULL ends */

/* Of other verbs, with an option, that are this one; verb == NULL ends. */
const struct wl_form *wl_verb_forms(const struct wl_verb *verb);

/* Of a verb with figures that other tools name as it does: where theirs are compared; else NULL. */
const char *wl_verb_compared(const struct wl_verb *verb);

/*
 * The options that an alias implies, as one would write them: "--by stage", "--steady"; "" for
 * none. Columns are not among them: they change what people see, not the answer.
 */
void wl_alias_options(const struct wl_verb *verb, const struct wl_alias *alias, char *buf,
		      size_t size);

/* "TRACE", "TRACE..." where several are taken, "PATTERN TRACE...", "[VERB]" */
void wl_verb_operands(const struct wl_verb *verb, char *buf, size_t size);

#endif
