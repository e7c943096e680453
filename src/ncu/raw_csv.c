/* SPDX-License-Identifier: MIT */
#include "ncu/raw_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "ncu/metric_units.h"

enum { NUMBER_CAP = 64 };

/* The role of a column. */
enum role { IGNORED, METRIC, ID, PID, KERNEL, CONTEXT, STREAM, BLOCK, GRID, DEVICE, CC, DETAILS };

static const struct {
	const char *title;
	enum role role;
} titles[] = {
	{ "ID", ID },           { "Process ID", PID },      { "Kernel Name", KERNEL },
	{ "Context", CONTEXT }, { "Stream", STREAM },       { "Block Size", BLOCK },
	{ "Grid Size", GRID },  { "Metric Name", DETAILS }, { "Device", DEVICE },
	{ "CC", CC },
};

struct column {
	enum role role;
	uint32_t metric; /* number of its name */
	double scale;    /* to base units */
};

/* The contents of a cell; doubled quotes are still doubled. */
struct cell {
	const char *text;
	size_t n;
};

struct reading {
	const char *name;
	const char *at, *end;
	size_t row; /* from 1, not counting messages */
	struct wl_arena *arena;
	struct wl_ncu *ncu;
	struct wl_vec columns; /* struct column */
	struct wl_err *reterr;
};

static int fail_memory(const struct reading *r)
{
	return wl_fail(r->reterr, WL_E_NOMEM, "%.200s: no memory for its metrics", r->name);
}

/* The next line break, or the end of the bytes. */
static const char *line_end(const struct reading *r, const char *at)
{
	const char *newline = at < r->end ? memchr(at, '\n', (size_t)(r->end - at)) : NULL;

	return newline ? newline : r->end;
}

/* Advance to the next row; false at the end. */
static bool next_row(struct reading *r)
{
	while (r->at < r->end) {
		const char *end = line_end(r, r->at);
		bool is_message = end - r->at >= 2 && r->at[0] == '=' && r->at[1] == '=';
		bool is_empty = end == r->at || (end - r->at == 1 && *r->at == '\r');

		if (!is_message && !is_empty) {
			r->row++;
			return true;
		}
		r->at = end < r->end ? end + 1 : end;
	}
	return false;
}

/* The position after the closing quote of the cell that begins at `at`. */
static const char *quoted_end(const struct reading *r, const char *at)
{
	while (at < r->end) {
		const char *quote = memchr(at, '"', (size_t)(r->end - at));

		if (!quote)
			return NULL;
		if (quote + 1 == r->end || quote[1] != '"')
			return quote;
		at = quote + 2;
	}
	return NULL;
}

/* Take a cell; *ret_last is set if it is the row's last. False if a quote is not closed. */
static bool take_cell(struct reading *r, struct cell *ret, bool *ret_last)
{
	const char *end;

	if (r->at < r->end && *r->at == '"') {
		end = quoted_end(r, r->at + 1);
		if (!end)
			return false;
		*ret = (struct cell){ r->at + 1, (size_t)(end - r->at - 1) };
		r->at = end + 1;
	} else {
		for (end = r->at; end < r->end && *end != ',' && *end != '\n';)
			end++;
		*ret = (struct cell){ r->at, (size_t)(end - r->at) };
		r->at = end;
		while (ret->n > 0 && ret->text[ret->n - 1] == '\r')
			ret->n--;
	}
	if (r->at < r->end && *r->at == '\r')
		r->at++;
	*ret_last = r->at == r->end || *r->at == '\n';
	if (r->at < r->end && *r->at != ',' && *r->at != '\n')
		return false;
	r->at += r->at < r->end;
	return true;
}

/* The text of a cell, repaired, with doubled quotes made single. */
static const char *copy(struct reading *r, struct cell c)
{
	size_t n = 0, n_replaced;
	char *text = wl_utf8_clean_dup(r->arena, c.text, c.n, &n_replaced);

	for (size_t i = 0; text && text[i] != '\0'; i++) {
		text[n++] = text[i];
		if (text[i] == '"' && text[i + 1] == '"')
			i++;
	}
	if (text)
		text[n] = '\0';
	return text;
}

static bool is_text(struct cell c, const char *text)
{
	return strlen(text) == c.n && memcmp(c.text, text, c.n) == 0;
}

/* Metric names have no spaces; the columns of NVTX ranges and of the launch have spaces or are
 * known by name. */
static enum role role_of(struct cell c)
{
	for (size_t i = 0; i < WL_COUNT(titles); i++) {
		if (is_text(c, titles[i].title))
			return titles[i].role;
	}
	return c.n == 0 || memchr(c.text, ' ', c.n) || memchr(c.text, '/', c.n) ? IGNORED : METRIC;
}

static int add_column(struct reading *r, struct cell c)
{
	struct column column = { .role = role_of(c), .scale = 1 };
	const char *text;

	if (column.role == METRIC) {
		text = copy(r, c);
		if (!text)
			return fail_memory(r);
		column.metric = (uint32_t)r->ncu->metrics.n;
		wl_vec_push(&r->ncu->metrics, &text);
	}
	wl_vec_push(&r->columns, &column);
	return r->columns.failed || r->ncu->metrics.failed ? fail_memory(r) : WL_OK;
}

static bool has_role(const struct reading *r, enum role role)
{
	const struct column *column = r->columns.data;

	for (size_t i = 0; i < r->columns.n; i++) {
		if (column[i].role == role)
			return true;
	}
	return false;
}

static int fail_header(const struct reading *r)
{
	if (has_role(r, DETAILS))
		return wl_fail(r->reterr, WL_E_FORMAT,
			       "%.200s: this is the details page of ncu; make the raw page with "
			       "`ncu --import FILE --page raw --csv`",
			       r->name);
	return wl_fail(
		r->reterr, WL_E_FORMAT,
		"%.200s: neither an Nsight Compute report (.ncu-rep) nor its raw page as CSV "
		"(`ncu --import FILE --page raw --csv`)",
		r->name);
}

static int read_header(struct reading *r)
{
	bool is_last = false;
	struct cell c;
	int rc = WL_OK;

	if (!next_row(r))
		return fail_header(r);
	while (rc == WL_OK && !is_last) {
		if (r->columns.n == WL_RAW_CSV_COLUMNS || !take_cell(r, &c, &is_last))
			return fail_header(r);
		rc = add_column(r, c);
	}
	return rc == WL_OK && (!has_role(r, KERNEL) || has_role(r, DETAILS)) ? fail_header(r) : rc;
}

/* Parses "1234.5" or "1,234.5"; false for text, infinities and NaN. */
static bool parse_number(struct cell c, double *ret)
{
	char buf[NUMBER_CAP], *end;
	size_t n = 0;

	for (size_t i = 0; i < c.n; i++) {
		if (c.text[i] == ',')
			continue;
		if (n + 1 == sizeof(buf) || !strchr("0123456789+-.eE", c.text[i]) || !c.text[i])
			return false;
		buf[n++] = c.text[i];
	}
	buf[n] = '\0';
	*ret = strtod(buf, &end);
	return n > 0 && *end == '\0' && isfinite(*ret);
}

static int64_t parse_id(struct cell c)
{
	double v;

	return parse_number(c, &v) && v >= 0 && v < 9e15 ? (int64_t)v : -1;
}

/* "(256, 1, 1)" */
static void parse_dims(struct cell c, uint32_t ret[3])
{
	size_t dim = 0;

	for (size_t i = 0; i < c.n && dim < 3; i++) {
		if (c.text[i] >= '0' && c.text[i] <= '9' && ret[dim] < UINT32_MAX / 16)
			ret[dim] = 10 * ret[dim] + (uint32_t)(c.text[i] - '0');
		else if (c.text[i] == ',')
			dim++;
	}
}

/* "8.9" is 89. */
static uint32_t parse_cc(struct cell c)
{
	double v;

	return parse_number(c, &v) && v > 0 && v < 1000 ? (uint32_t)(10 * v + 0.5) : 0;
}

static int add_value(struct reading *r, const struct column *column, struct cell c)
{
	struct wl_ncu_value v = { .metric = column->metric };

	if (c.n == 0 || is_text(c, "no data"))
		return WL_OK;
	if (parse_number(c, &v.number)) {
		v.number *= column->scale;
	} else {
		v.text = copy(r, c);
		if (!v.text)
			return fail_memory(r);
	}
	wl_vec_push(&r->ncu->values, &v);
	return r->ncu->values.failed ? fail_memory(r) : WL_OK;
}

static int take_value(struct reading *r, const struct column *column, struct cell c,
		      struct wl_ncu_launch *l)
{
	switch (column->role) {
	case METRIC:
		return add_value(r, column, c);
	case ID:
		l->id = parse_id(c);
		break;
	case PID:
		l->pid = parse_id(c);
		break;
	case KERNEL:
		l->kernel = copy(r, c);
		return l->kernel ? WL_OK : fail_memory(r);
	case CONTEXT:
		l->context = parse_id(c);
		break;
	case STREAM:
		l->stream = parse_id(c);
		break;
	case BLOCK:
		parse_dims(c, l->block);
		break;
	case GRID:
		parse_dims(c, l->grid);
		break;
	case DEVICE:
		l->device = parse_id(c);
		break;
	case CC:
		l->cc = parse_cc(c);
		break;
	case IGNORED:
	case DETAILS:
		break;
	}
	return WL_OK;
}

static int fail_row(const struct reading *r)
{
	return wl_fail(r->reterr, WL_E_FORMAT,
		       "%.200s: row %zu does not have the %zu cells of the first; the file is cut "
		       "or damaged",
		       r->name, r->row, r->columns.n);
}

/* The second row has units instead of a launch. */
static int read_units(struct reading *r)
{
	struct column *column = r->columns.data;
	bool is_last = false;
	struct cell c;

	for (size_t i = 0; i < r->columns.n; i++) {
		if (is_last || !take_cell(r, &c, &is_last))
			return fail_row(r);
		column[i].scale = wl_metric_unit_scale(c.text, c.n);
	}
	return is_last ? WL_OK : fail_row(r);
}

static int read_launch(struct reading *r)
{
	const struct column *column = r->columns.data;
	struct wl_ncu_launch l = { .id = (int64_t)r->ncu->launches.n,
				   .pid = -1,
				   .context = -1,
				   .stream = -1,
				   .device = -1,
				   .first = r->ncu->values.n };
	bool is_last = false;
	struct cell c;
	int rc = WL_OK;

	for (size_t i = 0; rc == WL_OK && i < r->columns.n; i++) {
		if (is_last || !take_cell(r, &c, &is_last))
			return fail_row(r);
		rc = take_value(r, &column[i], c, &l);
	}
	if (rc < 0)
		return rc;
	l.n = r->ncu->values.n - l.first;
	wl_vec_push(&r->ncu->launches, &l);
	return is_last ? WL_OK : fail_row(r);
}

/* A launch has an ID in its first column; the row of units does not. */
static bool is_units(const struct reading *r)
{
	return r->end - r->at >= 2 && ((r->at[0] == '"' && r->at[1] == '"') || r->at[0] == ',');
}

int wl_raw_csv_parse(const char *name, const unsigned char *bytes, size_t n, struct wl_arena *arena,
		     struct wl_ncu *ret, struct wl_err *reterr)
{
	struct reading r = { .name = name,
			     .at = (const char *)bytes,
			     .end = (const char *)bytes + n,
			     .arena = arena,
			     .ncu = ret,
			     .reterr = reterr };
	int rc;

	wl_vec_init(&r.columns, sizeof(struct column), wl_arena_budget(arena));
	rc = read_header(&r);
	while (rc == WL_OK && next_row(&r))
		rc = r.row == 2 && is_units(&r) ? read_units(&r) : read_launch(&r);
	wl_vec_release(&r.columns);
	return rc;
}
