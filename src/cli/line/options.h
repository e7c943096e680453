/* SPDX-License-Identifier: MIT */
/* options.h - the options of all verbs: options.def as a table, and their values, parsed. */
#ifndef WL_CLI_OPTIONS_H
#define WL_CLI_OPTIONS_H

#include "base/attr.h"
#include "base/err.h"
#include "base/text/units.h"
#include "cli/verb.h"

struct wl_export_format;
struct wl_format;
struct wl_reader_ops;

enum { WL_MAX_THREADS = 64 };

enum wl_option_id {
#define WL_OPTION(ID, member, type, short_, long_, argument, def, group, help, brief) WL_OPT_##ID,
#include "cli/line/options.def"
#undef WL_OPTION
	WL_N_OPTIONS
};

struct wl_option {
	int short_name; /* 0 for none */
	const char *long_name;
	const char *argument; /* NULL for a flag */
	const char *def;      /* NULL for none */
	const char *group;
	const char *help;
	const char *brief; /* in the list of options */
};

extern const struct wl_option wl_options[WL_N_OPTIONS];

/* For wl_command.without. */
#define WL_OPT_BIT(ID) (UINT64_C(1) << WL_OPT_##ID)

/* What only verbs that read traces take. */
#define WL_OPT_BITS_OF_TRACES                                                                      \
	(WL_OPT_BIT(VERBOSE) | WL_OPT_BIT(WINDOW) | WL_OPT_BIT(TRIM) | WL_OPT_BIT(GPU) |           \
	 WL_OPT_BIT(PID) | WL_OPT_BIT(RANK) | WL_OPT_BIT(STREAM) | WL_OPT_BIT(MARKER) |            \
	 WL_OPT_BIT(CONVENTIONS) | WL_OPT_BIT(JOB) | WL_OPT_BIT(NSYS) | WL_OPT_BIT(NSYS_TIMEOUT) | \
	 WL_OPT_BIT(KEEP_EXPORT) | WL_OPT_BIT(INDEX_DIR) | WL_OPT_BIT(NO_INDEX) |                  \
	 WL_OPT_BIT(READER) | WL_OPT_BIT(THREADS) | WL_OPT_BIT(STATS))

/* The verb takes the option of all verbs. */
bool wl_verb_takes(const struct wl_verb *verb, enum wl_option_id option);

/* -f of a verb: one of the two. */
struct wl_format_value {
	const struct wl_format *table;         /* of tables */
	const struct wl_export_format *export; /* of a verb with formats of its own */
};

enum wl_color_when { WL_COLOR_AUTO, WL_COLOR_ALWAYS, WL_COLOR_NEVER };

extern const char *const wl_color_names[]; /* by enum wl_color_when; NULL ends */

/*
 * Values by the types of options.def. A value not given has its default if it is a path or a
 * time, else it is false, NULL, 0 or auto.
 */
typedef bool wl_value_flag;
typedef const char *wl_value_text; /* as given: the session, or its reader, resolves it */
typedef const char *wl_value_path;
typedef const char *wl_value_dir; /* not empty */
typedef struct wl_format_value wl_value_format;
typedef enum wl_timeunit wl_value_unit;
typedef enum wl_color_when wl_value_color;
typedef size_t wl_value_rows;  /* 0 for all */
typedef int64_t wl_value_time; /* ns, above 0 */
typedef size_t wl_value_bytes; /* above 0 */
typedef const struct wl_reader_ops *wl_value_reader;
typedef unsigned wl_value_threads; /* 1 to 64 */

struct wl_values {
#define WL_OPTION(ID, member, type, ...) wl_value_##type member;
#include "cli/line/options.def"
#undef WL_OPTION
};

/*
 * Parse what is given, by option, NULL where it is not; texts are borrowed. WL_E_USAGE for the
 * first in the order of options.def that is malformed.
 */
int wl_values_parse(const char *const given[WL_N_OPTIONS], const struct wl_verb *verb,
		    struct wl_values *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
