/* SPDX-License-Identifier: MIT */
/*
 * rows_strings.c - the texts that events are called by, and how often.
 *
 * Only texts that name an event: strings of a file also hold the environment and the output of the
 * program, which are not listed. Counters take four bytes per string, and one kind is counted at a
 * time.
 */
#include <string.h>

#include "known/exports/codes.h"
#include "sql/rows/row_source.h"

/* The columns that are counted, in this order; two of one kind are two rows of a text at most. */
static const struct {
	enum wl_column_id column;
	const char *kind;
} counted[] = {
	{ WL_KERNELS_NAME, "kernel" },     { WL_NVTX_NAME, "nvtx" },
	{ WL_API_NAME, "cuda call" },      { WL_OSRT_NAME, "os call" },
	{ WL_MPI_COLLS_NAME, "mpi call" }, { WL_MPI_OTHERS_NAME, "mpi call" },
	{ WL_MPI_P2P_NAME, "mpi call" },   { WL_MPI_WAITS_NAME, "mpi call" },
};

struct text_walk {
	uint32_t *uses; /* by string, of the kind */
	size_t kind;    /* index of counted */
	size_t at;      /* one more than the string's */
};

enum { VALUE, KIND, USES, LENGTH, N_COLS };

static const struct wl_col cols[N_COLS] = {
	[VALUE] = { "value", "Text", WL_T_STR, WL_KEY, "The text." },
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY,
		   "What it names: kernel, nvtx, cuda call, os call or mpi call." },
	[USES] = { "uses", "Uses", WL_T_COUNT, WL_PLAIN, "How many events it names." },
	[LENGTH] = { "length", "Length", WL_T_COUNT, WL_PLAIN, "Its length in bytes." },
};

static struct text_walk *walk_of(const struct wl_row_walk *w)
{
	return w->state;
}

static void use(const struct wl_row_walk *w, uint32_t string)
{
	struct text_walk *k = walk_of(w);

	if (string < w->trace->strings.n && k->uses[string] < UINT32_MAX)
		k->uses[string]++;
}

/* Rows of NVTX that are no events give names to domains, threads and categories. */
static bool is_event(const struct wl_row_walk *w, enum wl_column_id column, size_t row)
{
	uint8_t kind;

	if (column != WL_NVTX_NAME)
		return true;
	kind = wl_nvtx_kind(w->trace)[row];
	return kind == WL_NVTX_PUSH_POP || kind == WL_NVTX_START_END || kind == WL_NVTX_MARK ||
	       kind == WL_NVTX_PUSH_POP_IMPORTED || kind == WL_NVTX_START_END_IMPORTED;
}

static void count(struct wl_row_walk *w)
{
	struct text_walk *k = walk_of(w);
	enum wl_column_id column = counted[k->kind].column;
	const uint32_t *name = w->trace->column[column];
	size_t n = w->trace->family[wl_column_infos[column].family].n;

	memset(k->uses, 0, w->trace->strings.n * sizeof(*k->uses));
	for (size_t i = 0; name && i < n; i++) {
		if (column == WL_KERNELS_NAME)
			use(w, w->trace->kernel_names[name[i]].demangled);
		else if (is_event(w, column, i))
			use(w, name[i]);
	}
}

static bool prepare(struct wl_row_walk *w)
{
	walk_of(w)->uses = WL_NEW(&w->arena, uint32_t, w->trace->strings.n + 1);
	return walk_of(w)->uses != NULL;
}

static void begin(struct wl_row_walk *w)
{
	struct text_walk *k = walk_of(w);

	k->kind = 0;
	k->at = 0;
	count(w);
}

static bool next(struct wl_row_walk *w)
{
	struct text_walk *k = walk_of(w);

	while (k->kind < WL_COUNT(counted)) {
		while (k->at < w->trace->strings.n) {
			if (k->uses[k->at++])
				return true;
		}
		k->at = 0;
		if (++k->kind < WL_COUNT(counted))
			count(w);
	}
	return false;
}

WL_ROW_TEXT(put_value, wl_str(w->trace, (uint32_t)walk_of(w)->at - 1))
WL_ROW_TEXT(put_kind, counted[walk_of(w)->kind].kind)
WL_ROW_NUMBER(put_uses, walk_of(w)->uses[walk_of(w)->at - 1])

static void put_length(struct wl_row_walk *w, sqlite3_context *to)
{
	const char *text = wl_str(w->trace, (uint32_t)walk_of(w)->at - 1);

	sqlite3_result_int64(to, (sqlite3_int64)strlen(text));
}

static wl_row_cell *const cells[N_COLS] = {
	[VALUE] = put_value,
	[KIND] = put_kind,
	[USES] = put_uses,
	[LENGTH] = put_length,
};

const struct wl_row_source wl_row_source_strings = {
	.rows = { "strings", "Texts that name events, and how many", cols, N_COLS },
	.need = WL_SQL_TEXTS,
	.state_size = sizeof(struct text_walk),
	.start_col = -1,
	.is_whole = true,
	.prepare = prepare,
	.rewind = begin,
	.next = next,
	.cells = cells,
};
