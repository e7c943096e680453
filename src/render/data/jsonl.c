/* SPDX-License-Identifier: MIT */
/* jsonl.c - writes a table for programs: one JSON object per line and nothing else. */
#include "render/data/json_row.h"
#include "render/formats.h"
#include "render/words/frame.h"

void wl_render_jsonl(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	const struct wl_section *s = wl_first_section(doc);
	struct wl_jsonw w;

	(void)opts;
	if (!s || s->missing)
		return;
	wl_jsonw_init(&w, out);
	for (size_t i = 0; i < s->view.n_rows; i++) {
		wl_json_row(&w, &s->view, s->view.rows[i]);
		wl_jsonw_finish(&w);
	}
}
