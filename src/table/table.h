/* SPDX-License-Identifier: MIT */
/*
 * table.h - the one result type. Every analysis fills it, every renderer reads it.
 *
 * Order of calls: init; then row and its puts, as often as needed; notes and
 * coverage at any time; then ok, once. Nothing is freed: the cells belong to the
 * arena, and strings stay with the caller that passed them in (usually the trace).
 *
 * Cells are stored by column in chunks of fixed size, so that growing never
 * copies a cell.
 *
 * A table may be a tree: then each row is a root or names an earlier row as its
 * parent.
 */
#ifndef WL_TABLE_TABLE_H
#define WL_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"
#include "table/cmdline.h"

/*
 * The type carries the unit: renderers decide between "1.5 ms" and 1500000,
 * analyses only name the unit. STR, ENUM hold strings; RATIO, RATE and REAL hold
 * doubles; the others hold 64-bit integers.
 */
enum wl_type {
	WL_T_STR,
	WL_T_ENUM,  /* a string out of a small fixed set */
	WL_T_COUNT, /* how many */
	WL_T_TIME,  /* a point on the trace clock, in nanoseconds */
	WL_T_NS,    /* a length of time, in nanoseconds */
	WL_T_BYTES,
	WL_T_RATIO, /* 1.0 is 100% */
	WL_T_RATE,  /* bytes per second */
	WL_T_REAL,  /* a plain number, such as a mean of counts */
	WL_T_ID,    /* an identifier: never summed, a string in JSON */
	WL_T_BOOL,
};

enum wl_col_flags {
	WL_PLAIN = 0,
	WL_KEY = 1 << 0, /* identifies the row: comparisons join on it, sorting breaks ties by it */
	WL_SUM = 1 << 1, /* adds up over tiles of a window, over devices and over ranks */
	WL_ANCHOR = 1 << 2,  /* a point on the trace clock that a viewer can jump to */
	WL_MINOR = 1 << 3,   /* text leaves it out first where the terminal is too narrow */
	WL_PROSE = 1 << 4,   /* text for reading, not a name: shortened at its end */
	WL_ORIGIN = 1 << 5,  /* which trace the row is of: not what names it in a tree */
	WL_AT_0 = 1 << 6,    /* of a minor column of integers: only where its cells are all 0 */
	WL_SHELL = 1 << 7,   /* prose that is a command line: cells are put as commands */
	WL_KERNEL = 1 << 8,  /* whole names of kernels, of which people see labels */
	WL_NUMBER = 1 << 9,  /* a COUNT that says which, not how many, and is no key: a PID */
	WL_CHANGE = 1 << 10, /* a difference: people see a + before what is above 0 */
	/* An ENUM: columns of kernels hold one only in rows where it is "kernel". */
	WL_KIND = 1 << 11,
	/* What the table is for: text leaves out others first, and cuts its words last. */
	WL_ANSWER = 1 << 12,
};

/* How people see a table; programs always get its rows. */
enum wl_look {
	WL_LOOK_TABLE,
	WL_LOOK_LIST,  /* a numbered paragraph per row: findings */
	WL_LOOK_BAR,   /* a bar of blocks above the table: parts of a step */
	WL_LOOK_LISTS, /* on a terminal a list per trace, else a table: findings of several */
	WL_LOOK_STRIP, /* a column per row, as high as the row's first share: busy over time */
};

enum { WL_MAX_COLS = 64, WL_CHUNK_ROWS = 256 };

struct wl_col {
	const char *key;   /* stable: JSON key, CSV header, --sort and --columns name */
	const char *title; /* for people */
	enum wl_type type;
	uint32_t flags;   /* enum wl_col_flags */
	const char *help; /* one sentence; ends up in the manual page and in the JSON schema */
};

/* A column in a macro of several: a bracket that begins a line would look like Objective-C. */
#define WL_COL_AT(at, ...) [at] = { __VA_ARGS__ }

/* A table that a document may have, for help and the manual. */
struct wl_table_info {
	const char *name;  /* --section NAME */
	const char *title; /* for people */
	const struct wl_col *cols;
	size_t n_cols;
};

/* One value. An unset cell is empty in text and CSV, and null in JSON. */
struct wl_cell {
	bool set;
	union {
		const char *str;
		int64_t i64;
		double f64;
	};
};

/* How much of a population an answer could use; printed whenever have < of. */
struct wl_coverage {
	const char *name; /* key in JSON, words separated by _ */
	int64_t have, of;
	enum wl_type type; /* of both: WL_T_COUNT or WL_T_NS */
};

struct wl_note {
	const char *text;  /* one sentence for people */
	size_t stop;       /* bytes after which it may end where there is no room; 0: nowhere */
	bool is_minor;     /* left out where a document must fit a screen */
	bool is_of_steps;  /* says what a step is: the answer speaks of steps */
	bool is_of_window; /* says what the window of this answer spans; not for a section of
			      several */
	bool is_of_limit;  /* says that rows were left out at a limit */
	bool is_verdict;   /* says what no row does: what the rows come to */
	/* The command that the text suggests, and the bytes of the text that it is; NULL: none. */
	const struct wl_cmdline *command;
	size_t at, n;
	struct wl_note *next;
};

/* A cell that is a command. */
struct wl_shell_cell {
	size_t row, col;
	struct wl_cmdline command;
	struct wl_shell_cell *next;
	struct wl_cmdline_given given; /* once the path is in its text; borrowed */
};

/*
 * A text in parts: a lead, which is left out where other words stand before it, and then parts of
 * which a screen shows as many as it has room for. A cell holds all of them.
 */
enum { WL_MAX_PARTS = 5 };

struct wl_parts {
	const char *part[WL_MAX_PARTS]; /* the lead may be ""; NULL ends */
};

/* Where the parts of a cell end. */
struct wl_parted_cell {
	size_t row, col;
	uint32_t end[WL_MAX_PARTS]; /* bytes from the beginning; the last repeats */
	struct wl_parted_cell *next;
};

struct wl_chunk;

enum { WL_MAX_COVERAGE = 8 };

/*
 * Errors are sticky: after the first failed put the table only remembers that
 * it failed, and wl_table_ok() reports it. Analyses stay free of per-cell checks.
 */
struct wl_table {
	const struct wl_col *cols;
	size_t n_cols;
	size_t n_rows;
	struct wl_chunk ***chunks; /* [column][row / WL_CHUNK_ROWS] */
	size_t cap_chunks;
	uint32_t **parents; /* [row / WL_CHUNK_ROWS]: parent + 1, 0 for a root; only of a tree */
	bool is_tree;
	uint64_t hidden; /* bit per column: not filled by this run, shown in no format */
	uint64_t whole;  /* bit per column: people see its names whole, too */
	uint64_t told;   /* bit per family that was not recorded: a note says so already */
	struct wl_coverage coverage[WL_MAX_COVERAGE];
	size_t n_coverage;
	struct wl_note *notes, *last_note;
	size_t n_notes;
	struct wl_shell_cell *shell_cells; /* in no order */
	struct wl_parted_cell *parted_cells;
	struct wl_arena *arena;
	bool failed;
};

/* Both cols and arena must outlive t. At most WL_MAX_COLS columns. */
void wl_table_init(struct wl_table *t, struct wl_arena *arena, const struct wl_col *cols,
		   size_t n_cols);

/* Start a row; the put calls below fill it. A cell without a put stays unset. */
void wl_table_row(struct wl_table *t);
void wl_put_str(struct wl_table *t, size_t col,
		const char *s); /* STR, ENUM; borrows s, NULL is unset */
void wl_put_copy(struct wl_table *t, size_t col,
		 const char *s); /* the same, but copies s into the arena */
void wl_put_i64(struct wl_table *t, size_t col, int64_t v); /* the integer types */
void wl_put_f64(struct wl_table *t, size_t col,
		double v); /* RATIO, RATE, REAL; not finite is unset */

/* A command, in a column with WL_SHELL; borrows its texts. One without a verb is unset. */
void wl_put_command(struct wl_table *t, size_t col, const struct wl_cmdline *command);

/* A text in parts; copies it. One without a lead is unset. */
void wl_put_parts(struct wl_table *t, size_t col, const struct wl_parts *text);

/*
 * A sentence whose writer marked where it may end early, as parts behind an empty lead; copies it.
 * Behind a mark stands a separator that ends with a blank: "GPU 2 is slow" WL_STOP ": all ...".
 * It has WL_MAX_PARTS - 1 parts at most: the last has the rest.
 */
#define WL_STOP "\x1f"
void wl_put_stops(struct wl_table *t, size_t col, const char *text);

/* Another text, borrowed, in a cell of an earlier row that is set. */
void wl_table_replace(struct wl_table *t, size_t row, size_t col, const char *s);

/* Leave a cell of an earlier row unset. */
void wl_table_clear(struct wl_table *t, size_t row, size_t col);

/* RATIO or REAL of two integers; unset when the denominator is 0. */
void wl_put_ratio(struct wl_table *t, size_t col, int64_t have, int64_t of);

/*
 * Make the table a tree, before its first row. That is said for the table and not
 * found out from the rows, because a tree has more columns in CSV and JSON, and the
 * columns must not depend on the data. No column may have a key of wl_tree_cols.
 */
void wl_table_tree(struct wl_table *t);

/*
 * The row is a child of an earlier one, which is given by its number from 0: its
 * t->n_rows - 1 at the time when it was the last. Without this it is a root.
 */
void wl_put_parent(struct wl_table *t, size_t parent);

/* This run does not fill the column: no format shows it. */
void wl_table_hide(struct wl_table *t, size_t col);

/* This run was asked for whole names: no format shortens those of the column. */
void wl_table_show_whole(struct wl_table *t, size_t col);

/*
 * Add a note for people, unless the table has the same one. The text is copied into the arena; it
 * may have one WL_STOP, which is defined above.
 */
void wl_table_note(struct wl_table *t, const char *fmt, ...) WL_PRINTF(2, 3);

/* The same for what a screen can do without: how a number was made, what another verb lists. */
void wl_table_remark(struct wl_table *t, const char *fmt, ...) WL_PRINTF(2, 3);

/* A note that says what the rows come to: people want it before the first of them. */
void wl_table_note_verdict(struct wl_table *t, const char *fmt, ...) WL_PRINTF(2, 3);

/* A note that rows were left out at a limit. */
void wl_table_note_limit(struct wl_table *t, const char *fmt, ...) WL_PRINTF(2, 3);

/* A note or a remark with a command between two texts. The texts of the command are borrowed. */
void wl_table_suggest(struct wl_table *t, bool is_minor, const char *before,
		      const struct wl_cmdline *command, const char *after);

/* A note with the command in place of the WL_COMMAND_MARK (base/text/marks.h) of its text. */
void wl_table_note_command(struct wl_table *t, const struct wl_cmdline *command, const char *fmt,
			   ...) WL_PRINTF(3, 4);

/* Notes or remarks that say what a step is; NULL ends the texts, which may be NULL themselves. */
void wl_table_say_steps(struct wl_table *t, bool is_minor, const char *const *texts);

/* The note of another table; everything is copied. */
void wl_table_copy_note(struct wl_table *t, const struct wl_note *from);

/* Another word for the trace in the command of a note that has one. False without memory. */
bool wl_note_respell(struct wl_note *note, const char *trace, struct wl_arena *arena) WL_MUST_CHECK;

/* Add a coverage; name must outlive t. At most WL_MAX_COVERAGE. */
void wl_table_cover(struct wl_table *t, const char *name, int64_t have, int64_t of);

/* The same of time, in nanoseconds. */
void wl_table_cover_ns(struct wl_table *t, const char *name, int64_t have, int64_t of);

enum { WL_COVERAGE_BUF = 192 };

/* "attributed kernels 972 of 1000", "idle with known cause 62.2 ms of 65.21 ms"; returns buf. */
const char *wl_coverage_text(const struct wl_coverage *c, char buf[WL_COVERAGE_BUF]);

bool wl_table_ok(const struct wl_table *t);

/* The cell. Both indexes must be in range. */
struct wl_cell wl_table_at(const struct wl_table *t, size_t row, size_t col);

/*
 * Of the text of a cell that is set: n parts behind the lead, as a number of bytes; all of the text
 * where it was not put in parts.
 */
const char *wl_table_parts(const struct wl_table *t, size_t row, size_t col, size_t n,
			   size_t *ret_bytes);

/* What is behind these n parts, without the separator before it; "" where they are all. */
const char *wl_table_beyond(const struct wl_table *t, size_t row, size_t col, size_t n);

#define WL_NO_ROW UINT32_MAX

/* The number of the row's parent; WL_NO_ROW for a root and where the table is no tree. */
uint32_t wl_table_parent(const struct wl_table *t, size_t row);

/* Whether a row has a parent. Linear in rows. */
bool wl_table_is_nested(const struct wl_table *t);

/*
 * What programs get of a tree before its own columns: a number of the row, which no
 * filter or order changes, and that of its parent, unset for a root. They count from
 * 1, so that no row is mistaken for an absent one.
 */
enum { WL_TREE_ID, WL_TREE_PARENT, WL_N_TREE_COLS };

extern const struct wl_col wl_tree_cols[WL_N_TREE_COLS];

/* The cell of one of these columns in a tree. */
struct wl_cell wl_tree_at(const struct wl_table *t, size_t row, size_t tree_col);

/* NULL when there is no such column or this run hid it. */
const struct wl_col *wl_table_find_col(const struct wl_table *t, const char *key,
				       size_t *ret_index);

/* True for the types whose cells hold strings, respectively doubles. */
bool wl_type_is_text(enum wl_type type);
bool wl_type_is_real(enum wl_type type);

/* How JSON and schemas name a type ("duration"), and its unit ("ns"), NULL where there is none. */
const char *wl_type_name(enum wl_type type);
const char *wl_type_unit(enum wl_type type);

/* The column with this name of n bytes, or NULL when there is none or this run hid it. */
const struct wl_col *wl_cols_find(const struct wl_table *t, const char *name, size_t n,
				  size_t *ret_index);

/* The index of the column of this key, which the table has. */
size_t wl_col_index(const struct wl_table *t, const char *key);

#endif
