/* SPDX-License-Identifier: MIT */
/* opt.h - the command line, taken apart according to options.def and the verb's parameters. */
#ifndef WL_CLI_OPT_H
#define WL_CLI_OPT_H

#include "base/attr.h"
#include "base/err.h"
#include "cli/verb.h"

enum wl_option_id {
#define WL_OPTION(ID, short_, long_, argument, def, group, help) WL_OPT_##ID,
#include "cli/options.def"
#undef WL_OPTION
	WL_N_OPTIONS
};

struct wl_option {
	int short_name; /* 0 for none */
	const char *long_name;
	const char *argument; /* NULL for a switch */
	const char *def;      /* NULL for none */
	const char *group;
	const char *help;
};

extern const struct wl_option wl_options[WL_N_OPTIONS];

/* For wl_command.without. */
#define WL_OPT_BIT(ID) (UINT64_C(1) << WL_OPT_##ID)

/* The verb takes the option of all verbs. */
bool wl_verb_takes(const struct wl_verb *verb, enum wl_option_id option);

/* What help calls the argument of a verb's option; NULL for a switch. */
const char *wl_param_argument(const struct wl_param *p);

enum {
	WL_MAX_TRACES = 64,
	WL_MAX_OPERANDS = WL_MAX_TRACES + WL_MAX_PARAMS,
	WL_MAX_MANY = WL_MAX_TRACES
};

/* One of the values of an option that may be given several times. */
struct wl_many {
	size_t param; /* index of the parameter */
	const char *text;
};

/* A command line, parsed. Strings belong to argv or are constant. */
struct wl_invocation {
	struct wl_verb verb;
	bool has_verb;
	const char *value[WL_N_OPTIONS]; /* as given; a switch has "" ; NULL where not given */
	/*
	 * Of the analysis or the command, by parameter; a switch has "true"; NULL where not
	 * given. Of an option that may be given several times the last; all are in many.
	 */
	const char *param[WL_MAX_PARAMS];
	struct wl_many many[WL_MAX_MANY]; /* in the order of the command line */
	size_t n_many;
	const char *operand[WL_MAX_OPERANDS]; /* what is neither verb nor option */
	size_t n_operands;
};

/*
 * Parse. The first operand is the verb; where it is none but could be a file, the
 * verb is summary. An option that an alias implies counts as given. Unknown verbs and options are
 * WL_E_USAGE, with the nearest known one in the message.
 */
int wl_opt_parse(int argc, char *const *argv, struct wl_invocation *ret,
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
