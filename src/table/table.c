/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"

enum { MASK_BITS = 64 };

/* The cells of one column in WL_CHUNK_ROWS rows. A chunk without a put does not exist. */
struct wl_chunk {
	uint64_t set[WL_CHUNK_ROWS / MASK_BITS];
	int64_t value[WL_CHUNK_ROWS]; /* the bits of the cell's union, whatever it holds */
};

void wl_table_init(struct wl_table *t, struct wl_arena *arena, const struct wl_col *cols,
		   size_t n_cols)
{
	assert(n_cols <= WL_MAX_COLS);
	*t = (struct wl_table){ .arena = arena, .cols = cols, .n_cols = n_cols };
}

static bool grow_parents(struct wl_table *t, size_t cap)
{
	uint32_t **parents = WL_NEW(t->arena, uint32_t *, cap);

	if (!parents)
		return false;
	for (size_t i = 0; i < t->cap_chunks; i++)
		parents[i] = t->parents[i];
	t->parents = parents;
	return true;
}

/* Make room for more chunks. Only pointers are copied; the old ones stay in the arena. */
static bool grow(struct wl_table *t)
{
	/* Doubled, so that all old lists of pointers together are no larger than the last. */
	size_t cap = t->cap_chunks ? t->cap_chunks * 2 : 1;
	struct wl_chunk ***dirs = WL_NEW(t->arena, struct wl_chunk **, t->n_cols);

	if (!dirs || (t->is_tree && !grow_parents(t, cap)))
		return false;
	for (size_t col = 0; col < t->n_cols; col++) {
		dirs[col] = WL_NEW(t->arena, struct wl_chunk *, cap);
		if (!dirs[col])
			return false;
		for (size_t i = 0; i < t->cap_chunks; i++)
			dirs[col][i] = t->chunks[col][i];
	}
	t->chunks = dirs;
	t->cap_chunks = cap;
	return true;
}

void wl_table_row(struct wl_table *t)
{
	if (t->failed)
		return;
	/* Views index rows with 32 bits. */
	if (t->n_rows == UINT32_MAX || (t->n_rows / WL_CHUNK_ROWS == t->cap_chunks && !grow(t))) {
		t->failed = true;
		return;
	}
	t->n_rows++;
}

static void set_cell(struct wl_table *t, size_t col, struct wl_cell cell)
{
	size_t row = t->n_rows - 1;
	size_t at = row % WL_CHUNK_ROWS;
	uint64_t bit = UINT64_C(1) << at % MASK_BITS;
	struct wl_chunk **chunk;

	if (t->failed)
		return;
	assert(t->n_rows > 0);
	chunk = &t->chunks[col][row / WL_CHUNK_ROWS];
	if (!*chunk) {
		if (!cell.set)
			return;
		*chunk = WL_NEW(t->arena, struct wl_chunk, 1);
		if (!*chunk) {
			t->failed = true;
			return;
		}
	}
	(*chunk)->value[at] = cell.i64;
	if (cell.set)
		(*chunk)->set[at / MASK_BITS] |= bit;
	else
		(*chunk)->set[at / MASK_BITS] &= ~bit;
}

void wl_table_replace(struct wl_table *t, size_t row, size_t col, const char *s)
{
	struct wl_chunk *chunk = t->chunks[col][row / WL_CHUNK_ROWS];
	const struct wl_cell cell = { .set = true, .str = s };

	assert(row < t->n_rows && wl_type_is_text(t->cols[col].type));
	assert(wl_table_at(t, row, col).set);
	chunk->value[row % WL_CHUNK_ROWS] = cell.i64;
}

void wl_table_clear(struct wl_table *t, size_t row, size_t col)
{
	struct wl_chunk *chunk = t->chunks[col][row / WL_CHUNK_ROWS];

	assert(row < t->n_rows);
	if (chunk)
		chunk->set[row % WL_CHUNK_ROWS / MASK_BITS] &=
			~(UINT64_C(1) << row % WL_CHUNK_ROWS % MASK_BITS);
}

void wl_put_str(struct wl_table *t, size_t col, const char *s)
{
	assert(col < t->n_cols && wl_type_is_text(t->cols[col].type));
	set_cell(t, col, (struct wl_cell){ .set = s != NULL, .str = s });
}

void wl_put_copy(struct wl_table *t, size_t col, const char *s)
{
	char *copy = s && !t->failed ? wl_arena_strdup(t->arena, s) : NULL;

	if (s && !copy)
		t->failed = true;
	wl_put_str(t, col, copy);
}

void wl_put_command(struct wl_table *t, size_t col, const struct wl_cmdline *command)
{
	struct wl_shell_cell *shell;
	const char *text;

	assert(col < t->n_cols && (t->cols[col].flags & WL_SHELL));
	if (t->failed || !command->verb)
		return;
	shell = WL_NEW(t->arena, struct wl_shell_cell, 1);
	text = wl_cmdline_text(command, WL_CMDLINE_TRACE, t->arena);
	if (!shell || !text) {
		t->failed = true;
		return;
	}
	*shell = (struct wl_shell_cell){
		.row = t->n_rows - 1, .col = col, .command = *command, .next = t->shell_cells
	};
	t->shell_cells = shell;
	wl_put_str(t, col, text);
}

void wl_put_i64(struct wl_table *t, size_t col, int64_t v)
{
	assert(col < t->n_cols && !wl_type_is_text(t->cols[col].type) &&
	       !wl_type_is_real(t->cols[col].type));
	set_cell(t, col, (struct wl_cell){ .set = true, .i64 = v });
}

void wl_put_f64(struct wl_table *t, size_t col, double v)
{
	assert(col < t->n_cols && wl_type_is_real(t->cols[col].type));
	/* A rate over no time is no number. The cell stays unset, and callers need no test. */
	set_cell(t, col, (struct wl_cell){ .set = isfinite(v), .f64 = v });
}

void wl_put_ratio(struct wl_table *t, size_t col, int64_t have, int64_t of)
{
	assert(col < t->n_cols &&
	       (t->cols[col].type == WL_T_RATIO || t->cols[col].type == WL_T_REAL));
	set_cell(t, col,
		 (struct wl_cell){ .set = of != 0, .f64 = of ? (double)have / (double)of : 0 });
}

void wl_table_tree(struct wl_table *t)
{
	assert(t->n_rows == 0);
	for (size_t col = 0; col < t->n_cols; col++) {
		for (size_t i = 0; i < WL_N_TREE_COLS; i++)
			assert(strcmp(t->cols[col].key, wl_tree_cols[i].key) != 0);
	}
	t->is_tree = true;
}

void wl_put_parent(struct wl_table *t, size_t parent)
{
	size_t row = t->n_rows - 1;
	uint32_t **chunk;

	if (t->failed)
		return;
	assert(t->is_tree && t->n_rows > 0 && parent < row);
	chunk = &t->parents[row / WL_CHUNK_ROWS];
	if (!*chunk)
		*chunk = WL_NEW(t->arena, uint32_t, WL_CHUNK_ROWS);
	/* One more than the number of the row: a new chunk is all 0, which is no parent. */
	if (*chunk)
		(*chunk)[row % WL_CHUNK_ROWS] = (uint32_t)parent + 1;
	else
		t->failed = true;
}

void wl_table_hide(struct wl_table *t, size_t col)
{
	assert(col < t->n_cols);
	t->hidden |= UINT64_C(1) << col;
}

void wl_table_show_whole(struct wl_table *t, size_t col)
{
	t->whole |= UINT64_C(1) << col;
}

static void cover(struct wl_table *t, struct wl_coverage coverage)
{
	assert(t->n_coverage < WL_MAX_COVERAGE);
	t->coverage[t->n_coverage++] = coverage;
}

void wl_table_cover(struct wl_table *t, const char *name, int64_t have, int64_t of)
{
	cover(t, (struct wl_coverage){ name, have, of, WL_T_COUNT });
}

void wl_table_cover_ns(struct wl_table *t, const char *name, int64_t have, int64_t of)
{
	cover(t, (struct wl_coverage){ name, have, of, WL_T_NS });
}

const char *wl_coverage_text(const struct wl_coverage *c, char buf[WL_COVERAGE_BUF])
{
	bool is_time = c->type == WL_T_NS;
	char have[WL_UNITS_BUF], of[WL_UNITS_BUF];

	(void)snprintf(buf, WL_COVERAGE_BUF, "%.80s %s of %s", c->name,
		       is_time ? wl_fmt_ns(have, c->have, WL_UNIT_AUTO)
			       : wl_fmt_count(have, c->have),
		       is_time ? wl_fmt_ns(of, c->of, WL_UNIT_AUTO) : wl_fmt_count(of, c->of));
	for (char *s = strchr(buf, '_'); s; s = strchr(s, '_'))
		*s = ' ';
	return buf;
}

bool wl_table_ok(const struct wl_table *t)
{
	return !t->failed;
}

struct wl_cell wl_table_at(const struct wl_table *t, size_t row, size_t col)
{
	const struct wl_chunk *chunk;
	size_t at = row % WL_CHUNK_ROWS;

	assert(row < t->n_rows && col < t->n_cols);
	chunk = t->chunks[col][row / WL_CHUNK_ROWS];
	if (!chunk || !(chunk->set[at / MASK_BITS] >> at % MASK_BITS & 1))
		return (struct wl_cell){ .set = false };
	return (struct wl_cell){ .set = true, .i64 = chunk->value[at] };
}

uint32_t wl_table_parent(const struct wl_table *t, size_t row)
{
	const uint32_t *chunk;

	assert(row < t->n_rows);
	chunk = t->is_tree ? t->parents[row / WL_CHUNK_ROWS] : NULL;
	if (!chunk || chunk[row % WL_CHUNK_ROWS] == 0)
		return WL_NO_ROW;
	return chunk[row % WL_CHUNK_ROWS] - 1;
}

bool wl_table_is_nested(const struct wl_table *t)
{
	for (size_t row = 0; t->is_tree && row < t->n_rows; row++) {
		if (wl_table_parent(t, row) != WL_NO_ROW)
			return true;
	}
	return false;
}

const struct wl_col wl_tree_cols[] = {
	[WL_TREE_ID] = { "id", "ID", WL_T_COUNT, WL_PLAIN, "Number of the row in the tree." },
	[WL_TREE_PARENT] = { "parent", "Parent", WL_T_COUNT, WL_PLAIN,
			     "The id of the row above it; none for a root." },
};

struct wl_cell wl_tree_at(const struct wl_table *t, size_t row, size_t tree_col)
{
	uint32_t parent = wl_table_parent(t, row);

	assert(t->is_tree && tree_col < WL_N_TREE_COLS);
	if (tree_col == WL_TREE_ID)
		return (struct wl_cell){ .set = true, .i64 = (int64_t)row + 1 };
	return (struct wl_cell){ .set = parent != WL_NO_ROW, .i64 = (int64_t)parent + 1 };
}

const struct wl_col *wl_cols_find(const struct wl_table *t, const char *name, size_t n,
				  size_t *ret_index)
{
	for (size_t i = 0; i < t->n_cols; i++) {
		const char *key = t->cols[i].key;

		if (t->hidden >> i & 1 || strlen(key) != n || memcmp(key, name, n) != 0)
			continue;
		*ret_index = i;
		return &t->cols[i];
	}
	return NULL;
}

size_t wl_col_index(const struct wl_table *t, const char *key)
{
	size_t at = 0;

	(void)wl_cols_find(t, key, strlen(key), &at);
	return at;
}

const struct wl_col *wl_table_find_col(const struct wl_table *t, const char *key, size_t *ret_index)
{
	return wl_cols_find(t, key, strlen(key), ret_index);
}

bool wl_type_is_text(enum wl_type type)
{
	return type == WL_T_STR || type == WL_T_ENUM;
}

bool wl_type_is_real(enum wl_type type)
{
	return type == WL_T_RATIO || type == WL_T_RATE || type == WL_T_REAL;
}

static const struct {
	const char *name, *unit;
} types[] = {
	[WL_T_STR] = { "string", NULL },  [WL_T_ENUM] = { "enum", NULL },
	[WL_T_COUNT] = { "count", NULL }, [WL_T_TIME] = { "time", "ns" },
	[WL_T_NS] = { "duration", "ns" }, [WL_T_BYTES] = { "bytes", "B" },
	[WL_T_RATIO] = { "ratio", NULL }, [WL_T_RATE] = { "rate", "B/s" },
	[WL_T_REAL] = { "number", NULL }, [WL_T_ID] = { "id", NULL },
	[WL_T_BOOL] = { "bool", NULL },
};

const char *wl_type_name(enum wl_type type)
{
	return types[type].name;
}

const char *wl_type_unit(enum wl_type type)
{
	return types[type].unit;
}
