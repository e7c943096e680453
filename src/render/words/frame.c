/* SPDX-License-Identifier: MIT */
#include "render/words/frame.h"

#include <inttypes.h>
#include <string.h>

#include "base/text/units.h"
#include "render/words/line.h"

const struct wl_table *wl_section_table(const struct wl_section *s)
{
	return s->missing ? NULL : s->view.table;
}

const struct wl_section *wl_first_section(const struct wl_document *doc)
{
	return doc->n_sections ? &doc->sections[0] : NULL;
}

size_t wl_frame_n_traces(const struct wl_document *doc)
{
	return doc->n_traces ? doc->n_traces : 1;
}

const struct wl_document *wl_frame_trace(const struct wl_document *doc, size_t i)
{
	return doc->n_traces ? &doc->traces[i] : doc;
}

int64_t wl_frame_length(struct wl_doc_window w)
{
	uint64_t length = w.end > w.begin ? (uint64_t)w.end - (uint64_t)w.begin : 0;

	return length < INT64_MAX ? (int64_t)length : INT64_MAX;
}

/* "window steady: 3 s (39 s to 42 s)"; where devices differ, the bounds of them all. */
static bool put_window(const struct wl_document *doc, enum wl_timeunit unit, char buf[WL_FRAME_BUF])
{
	char length[WL_UNITS_BUF], from[WL_UNITS_BUF], to[WL_UNITS_BUF];
	bool named = doc->window_spec && strcmp(doc->window_spec, "all") != 0;
	struct wl_doc_window all;

	if (!wl_document_bounds(doc, &all))
		return false;
	wl_fmt_times(from, to, (const int64_t[]){ all.begin, all.end }, unit);
	(void)snprintf(buf, WL_FRAME_BUF, "window%s%.80s%s %s (%s to %s)%s", named ? " " : "",
		       named ? doc->window_spec : "", named ? ":" : "",
		       wl_fmt_ns(length, wl_frame_length(all), unit), from, to,
		       doc->n_windows > 1 ? ", differs by GPU" : "");
	return true;
}

bool wl_frame_section_window(const struct wl_section *s, enum wl_timeunit unit,
			     char buf[WL_FRAME_BUF])
{
	const struct wl_document alone = { .windows = s->window, .n_windows = s->window != NULL };

	return put_window(&alone, unit, buf);
}

/* "only gpu 0, stream 7" */
static bool put_selection(const struct wl_document *doc, char buf[WL_FRAME_BUF])
{
	size_t n = 0;

	for (size_t i = 0; i < doc->n_selection && n < WL_FRAME_BUF; i++)
		n += (size_t)snprintf(buf + n, WL_FRAME_BUF - n, "%s%s %.60s", i ? ", " : "only ",
				      doc->selection[i].key, doc->selection[i].str);
	return n > 0;
}

void wl_frame_init(struct wl_frame *f, const struct wl_document *doc, enum wl_timeunit unit)
{
	f->n = 0;
	if (doc->n_trace && doc->trace[0].str)
		f->part[f->n++] = doc->trace[0].str;
	if (doc->n_devices >= 0) {
		(void)snprintf(f->devices, sizeof(f->devices), "%" PRId64 " GPU%s", doc->n_devices,
			       doc->n_devices == 1 ? "" : "s");
		f->part[f->n++] = f->devices;
	}
	if (put_selection(doc, f->selection))
		f->part[f->n++] = f->selection;
	if (put_window(doc, unit, f->window))
		f->part[f->n++] = f->window;
}

const char *wl_frame_coverage(const struct wl_coverage *c, char buf[WL_FRAME_BUF])
{
	enum { MAX_NAME = 80 }; /* that wl_coverage_text() shows of a name */
	char text[WL_COVERAGE_BUF];
	double percent;

	if (c->have >= c->of)
		return NULL;
	/* Rounded as everywhere, but never up to the 100% that it is not. */
	percent = (double)c->have / (double)c->of * 100;
	percent = percent > 99.9 ? 99.9 : percent;
	(void)wl_coverage_text(c, text);
	(void)snprintf(buf, WL_FRAME_BUF, "%.*s %.1f%% (%s)", (int)strnlen(c->name, MAX_NAME), text,
		       percent, text + strnlen(c->name, MAX_NAME) + 1);
	return buf;
}

/* The parts in as few lines as the width allows. */
static void put_trace(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	const char *dot = opts->ascii ? " | " : " \u00b7 ";
	size_t limit = wl_line_limit(opts);
	struct wl_frame f;
	size_t used = 0;

	wl_frame_init(&f, doc, opts->timeunit);
	for (size_t i = 0; i < f.n; i++) {
		size_t width = wl_line_width(f.part[i]);

		if (used && width + 3 > limit - used) {
			(void)fputc('\n', out);
			used = 0;
		} else if (used) {
			(void)fputs(dot, out);
			used += 3;
		}
		/* A path is a name and is cut; the others are words. */
		if (i > 0 && width > limit) {
			wl_line_put_wrapped(out, "", f.part[i], opts);
			used = 0;
			continue;
		}
		width = width < limit ? width : limit;
		used += wl_line_put_fitted(out, f.part[i], width, opts->ascii);
	}
	if (used)
		(void)fputc('\n', out);
}

/* "8 traces, 8 GPUs, windows of 1.066 s to 1.068 s" */
static void put_many(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	int64_t least = INT64_MAX, most = 0, n_devices = 0;
	char text[WL_FRAME_BUF], from[WL_UNITS_BUF], to[WL_UNITS_BUF];
	size_t used;

	for (size_t i = 0; i < doc->n_traces; i++) {
		struct wl_doc_window w;
		int64_t length = 0;

		n_devices += doc->traces[i].n_devices > 0 ? doc->traces[i].n_devices : 0;
		if (!wl_document_bounds(&doc->traces[i], &w))
			continue;
		length = wl_frame_length(w);
		least = length < least ? length : least;
		most = length > most ? length : most;
	}
	used = (size_t)snprintf(text, sizeof(text), "%zu traces", doc->n_traces);
	if (n_devices)
		used += (size_t)snprintf(text + used, sizeof(text) - used, ", %lld GPU%s",
					 (long long)n_devices, n_devices == 1 ? "" : "s");
	if (least <= most)
		(void)snprintf(text + used, sizeof(text) - used, ", windows of %s to %s",
			       wl_fmt_ns(from, least, opts->timeunit),
			       wl_fmt_ns(to, most, opts->timeunit));
	wl_line_put_wrapped(out, "", text, opts);
}

void wl_frame_put_head(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	enum { LISTED = 2 }; /* traces that have a line each */

	if (doc->n_traces > LISTED) {
		put_many(doc, opts, out);
		return;
	}
	for (size_t i = 0; i < wl_frame_n_traces(doc); i++)
		put_trace(wl_frame_trace(doc, i), opts, out);
}

void wl_frame_put_coverage(const struct wl_table *t, const struct wl_render_opts *opts, FILE *out)
{
	char buf[WL_FRAME_BUF];

	for (size_t i = 0; i < t->n_coverage; i++) {
		const char *text = wl_frame_coverage(&t->coverage[i], buf);

		if (text)
			wl_line_put_wrapped(out, "coverage: ", text, opts);
	}
}

void wl_frame_put_notes(const struct wl_table *t, const struct wl_render_opts *opts, FILE *out)
{
	for (const struct wl_note *n = t->notes; n; n = n->next)
		wl_line_put_wrapped(out, "note: ", n->text, opts);
}

void wl_render_frame(const struct wl_document *doc, const struct wl_render_opts *opts, FILE *out)
{
	const struct wl_section *s = wl_first_section(doc);
	const struct wl_table *t = s ? wl_section_table(s) : NULL;

	wl_frame_put_head(doc, opts, out);
	if (t) {
		wl_frame_put_coverage(t, opts, out);
		wl_frame_put_notes(t, opts, out);
	}
}
