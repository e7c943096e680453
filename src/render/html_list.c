#include "render/html_list.h"

#include <string.h>

#include "render/human.h"
#include "render/markup.h"

/* The text of a cell by the key of its column; NULL where there is none. buf is for numbers. */
static const char *text_of(const struct wl_view *v, size_t row, const char *key,
			   enum wl_timeunit unit, char buf[WL_UNITS_BUF])
{
	size_t col;
	const struct wl_col *c = wl_table_find_col(v->table, key, &col);
	struct wl_cell cell;

	if (!c)
		return NULL;
	cell = wl_table_at(v->table, v->rows[row], col);
	return cell.set ? wl_human_cell(c, cell, unit, buf) : NULL;
}

bool wl_html_list_fits(const struct wl_view *v)
{
	size_t col;

	return wl_table_find_col(v->table, "finding", &col) != NULL;
}

/* A sign beside the word, for who looks over the page; nothing is told by it alone. */
static const char *sign_of(const char *severity)
{
	static const char *const signs[][2] = {
		{ "high", "\u25b2\u25b2" },
		{ "medium", "\u25b2" },
		{ "low", "\u25b3" },
	};

	for (size_t i = 0; i < WL_COUNT(signs); i++) {
		if (strcmp(signs[i][0], severity) == 0)
			return signs[i][1];
	}
	return "\u25cf";
}

static void put_term(FILE *out, const char *term, const char *text)
{
	if (!text)
		return;
	(void)fprintf(out, "<dt>%s</dt>", term);
	wl_put_element(out, "<dd>", text, "</dd>\n");
}

/* "saves at most 4.6 ms per step, 12.7% of it, GPU 2" */
static void put_saving(FILE *out, const struct wl_view *v, size_t row, enum wl_timeunit unit)
{
	char saving_buf[WL_UNITS_BUF], share_buf[WL_UNITS_BUF], buf[WL_UNITS_BUF];
	const char *saving = text_of(v, row, "saving", unit, saving_buf);
	const char *share = text_of(v, row, "share", unit, share_buf);
	const char *device = text_of(v, row, "device", unit, buf);
	const char *per = text_of(v, row, "per", unit, NULL);

	if (!saving && !share && !device)
		return;
	per = per ? per : "window";
	(void)fputs("<p class=\"saving\">", out);
	if (saving)
		(void)fprintf(out, "saves at most %s per %s", saving, per);
	if (share && saving)
		(void)fprintf(out, ", %s of it", share);
	else if (share)
		(void)fprintf(out, "%s of the %s", share, per);
	if (device)
		(void)fprintf(out, "%sGPU %s", saving || share ? ", " : "", device);
	(void)fputs("</p>\n", out);
}

static void put_finding(FILE *out, const struct wl_view *v, size_t row, enum wl_timeunit unit)
{
	char buf[WL_UNITS_BUF];
	const char *severity = text_of(v, row, "severity", unit, buf);
	const char *advice = text_of(v, row, "advice", unit, buf);
	const char *finding = text_of(v, row, "finding", unit, buf);

	(void)fprintf(out, "<li><article>\n<h3>%zu ", row + 1);
	if (severity) {
		(void)fprintf(out, "%s ", sign_of(severity));
		wl_put_element(out, "", severity, ": ");
	}
	wl_put_element(out, "", finding ? finding : "", "</h3>\n");
	put_saving(out, v, row, unit);
	if (advice)
		wl_put_element(out, "<p>", advice, "</p>\n");
	(void)fputs("<details><summary>Evidence and limits</summary>\n<dl>\n", out);
	put_term(out, "Evidence", text_of(v, row, "evidence", unit, buf));
	put_term(out, "What it cannot know", text_of(v, row, "limits", unit, buf));
	put_term(out, "Code", text_of(v, row, "code", unit, buf));
	(void)fputs("</dl>\n</details>\n</article></li>\n", out);
}

void wl_html_list_put(FILE *out, const struct wl_view *v, enum wl_timeunit unit)
{
	if (v->n_rows == 0) {
		(void)fputs("<p>Nothing: no finding is above 1% of the time.</p>\n", out);
		return;
	}
	(void)fputs("<ol class=\"findings\">\n", out);
	for (size_t row = 0; row < v->n_rows; row++)
		put_finding(out, v, row, unit);
	(void)fputs("</ol>\n", out);
}
