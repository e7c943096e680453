/* SPDX-License-Identifier: MIT */
/* digest_roofs.c - kernels and their shares of their roofs: a line of a screen per roof. */
#include <string.h>

#include "render/text/digest.h"
#include "render/text/digest_parts.h"
#include "render/words/line.h"
#include "render/words/spelling.h"
#include "table/chart.h"

enum { ENTRY = 160, NAME = 34, ROOFS = 4 };

/* The columns of the chart that are printed. */
struct columns {
	size_t name, roof, share;
};

static bool find_columns(const struct wl_section *s, struct columns *ret)
{
	const struct wl_table *t = s->view.table;
	const struct wl_chart *c = s->chart;

	return c->label && c->group && c->also[1] && wl_table_find_col(t, c->label, &ret->name) &&
	       wl_table_find_col(t, c->group, &ret->roof) &&
	       wl_table_find_col(t, c->also[1], &ret->share);
}

/* The roofs of rows that have a share of one, in the order of rows. */
static size_t find_roofs(const struct wl_view *v, const struct columns *cols, size_t max,
			 const char *ret[ROOFS])
{
	size_t n = 0;

	max = max < ROOFS ? max : ROOFS;
	for (size_t i = 0; i < v->n_rows && n < max; i++) {
		const char *roof = wl_digest_text(v, i, cols->roof);
		bool is_new = *roof && wl_table_at(v->table, v->rows[i], cols->share).set;

		for (size_t k = 0; k < n && is_new; k++)
			is_new = strcmp(roof, ret[k]) != 0;
		if (is_new)
			ret[n++] = roof;
	}
	return n;
}

/* "sm90 gemm bf16 41.9%" */
static const char *make_entry(const struct wl_spelling *names, const struct columns *cols,
			      size_t row, char buf[ENTRY])
{
	const struct wl_view *v = names->view;
	char name[WL_UNITS_BUF], percent[WL_UNITS_BUF];

	(void)snprintf(buf, ENTRY, "%s %s", wl_spelling_cell(names, row, cols->name, name),
		       wl_fmt_ratio(percent, wl_table_at(v->table, v->rows[row], cols->share).f64));
	return buf;
}

/* "compute roof: sm90 gemm bf16 41.9%, flash_fwd 26.8%": whole entries, as many as fit. */
static void put_line(FILE *out, const struct wl_spelling *names, const struct columns *cols,
		     const char *roof, const struct wl_render_opts *opts)
{
	const struct wl_view *v = names->view;
	size_t limit = wl_line_limit(opts), used = strlen(roof) + strlen(" roof: ");
	const char *before = "";
	char text[ENTRY];

	(void)fprintf(out, "%s roof: ", roof);
	for (size_t i = 0; i < v->n_rows; i++) {
		size_t width;

		if (!wl_table_at(v->table, v->rows[i], cols->share).set ||
		    strcmp(wl_digest_text(v, i, cols->roof), roof) != 0)
			continue;
		width = strlen(before) + wl_line_width(make_entry(names, cols, i, text));
		if (*before && used + width > limit)
			break;
		(void)fputs(before, out);
		(void)wl_line_put_cut(out, text, limit > used ? limit - used : 1, opts->ascii);
		used += width;
		before = ", ";
	}
	(void)fputc('\n', out);
}

size_t wl_digest_roofs(FILE *out, const struct wl_section *section, size_t max,
		       const struct wl_render_opts *opts)
{
	const char *roof[ROOFS];
	struct wl_spelling names;
	struct columns cols;
	size_t n;

	if (!find_columns(section, &cols))
		return 0;
	n = find_roofs(&section->view, &cols, max, roof);
	if (!out || n == 0)
		return n;
	wl_spelling_init(&names, &section->view, opts->timeunit);
	wl_spelling_cut(&names, cols.name,
			&(struct wl_spelling_width){ .width = NAME, .ascii = opts->ascii });
	for (size_t i = 0; i < n; i++)
		put_line(out, &names, &cols, roof[i], opts);
	wl_spelling_release(&names);
	return n;
}
