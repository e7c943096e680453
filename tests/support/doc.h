/* SPDX-License-Identifier: MIT */
/* doc.h - a document of one small table, and the bytes that a format makes of it. */
#ifndef WL_TESTS_DOC_H
#define WL_TESTS_DOC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "support/unit.h"

enum { DOC_ROWS = 16, DOC_LONG = 65536 };

/* Everything that a document needs, in one place; doc_init makes an empty table of it. */
struct doc {
	struct wl_arena arena;
	struct wl_table table;
	struct wl_view view;
	struct wl_section section;
	struct wl_fact fact;
	struct wl_doc_window window;
	struct wl_document document;
};

static inline void doc_init(struct doc *d, const struct wl_col *cols, size_t n_cols)
{
	memset(d, 0, sizeof(*d));
	wl_arena_init(&d->arena, (size_t)64 << 20);
	wl_table_init(&d->table, &d->arena, cols, n_cols);
	d->document = (struct wl_document){ .name = "test", .n_devices = -1, .single = true };
	d->section.analysis = "test";
}

static inline void doc_release(struct doc *d)
{
	wl_arena_release(&d->arena);
}

/* Give it a path and a window, as a real one has. */
static inline void doc_frame(struct doc *d, const char *path)
{
	d->fact = (struct wl_fact){ .key = "path", .str = path };
	d->window = (struct wl_doc_window){ .device = -1, .begin = 1000000, .end = 2500000000 };
	d->document.trace = &d->fact;
	d->document.n_trace = 1;
	d->document.window_spec = "all";
	d->document.windows = &d->window;
	d->document.n_windows = 1;
	d->document.n_devices = 2;
}

/* A row of a tree with a name and a duration, under an earlier row, or a root when parent < 0. */
struct doc_node {
	const char *name;
	int64_t took;
	int parent;
};

static const struct doc_node doc_nodes[] = {
	{ "train", 100000, -1 },  { "eval", 5000, -1 },      { "forward", 20000, 0 },
	{ "backward", 70000, 0 }, { "gemm<f16>", 60000, 3 }, { "loss", 1500, 0 },
};

/* Make the table a tree of doc_nodes, in the columns with these numbers. */
static inline void doc_tree(struct doc *d, size_t name_col, size_t took_col)
{
	wl_table_tree(&d->table);
	for (size_t i = 0; i < WL_COUNT(doc_nodes); i++) {
		wl_table_row(&d->table);
		if (doc_nodes[i].parent >= 0)
			wl_put_parent(&d->table, (size_t)doc_nodes[i].parent);
		wl_put_str(&d->table, name_col, doc_nodes[i].name);
		wl_put_i64(&d->table, took_col, doc_nodes[i].took);
	}
}

/* Make the table a tree of n rows with the same name, each the parent of the next. */
static inline void doc_chain(struct doc *d, size_t n, size_t name_col, const char *name)
{
	wl_table_tree(&d->table);
	for (size_t i = 0; i < n; i++) {
		wl_table_row(&d->table);
		if (i)
			wl_put_parent(&d->table, i - 1);
		wl_put_str(&d->table, name_col, name);
	}
}

/* What the format writes; free it. */
static inline char *doc_print(const struct wl_document *document, const char *format,
			      const struct wl_render_opts *opts)
{
	const struct wl_format *f = wl_format_find(format);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_non_null(f);
	f->render(document, opts, out);
	assert_int_equal(ferror(out), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

static inline char *doc_render_with(struct doc *d, const char *format,
				    const struct wl_view_opts *view,
				    const struct wl_render_opts *opts)
{
	struct wl_err err = { .code = WL_OK };

	assert_true(wl_table_ok(&d->table));
	if (wl_view_make(&d->table, view, &d->arena, &d->section.view, &err) < 0)
		fail_msg("%s", err.msg);
	d->document.sections = &d->section;
	d->document.n_sections = 1;
	return doc_print(&d->document, format, opts);
}

static inline char *doc_render(struct doc *d, const char *format)
{
	const struct wl_view_opts view = { .limit = 0 };
	const struct wl_render_opts opts = { .width = 80 };

	return doc_render_with(d, format, &view, &opts);
}

static inline void doc_expect(struct doc *d, const char *format, const char *want)
{
	char *text = doc_render(d, format);

	assert_string_equal(text, want);
	free(text);
}

/* Names that no kernel should ever have. */
static const char *const hostile_names[] = {
	"\033[31mred\033[0m",
	"\033]0;title\007",
	"line\nbreak\r\ttab",
	"del\x7f c1\xc2\x9b[2J",
	"<script>alert('x')</script>",
	"\" onmouseover=\"x",
	"</td></table><img src=x>",
	"a,b;\"c\"|d\\e`f*g_h[i](j)&amp;",
	"=1+1",
	"invalid \xff\xfe utf-8 \xc3",
	"\xed\xa0\x80 surrogate \xc0\xaf overlong \xf4\x90\x80\x80",
	"bidi \xe2\x80\xae override\xe2\x80\xac \xe2\x81\xa6 isolate\xe2\x81\xa9",
	"\xe2\x80\xa8 line separator",
	"",
	" ",
	"\xe4\xbd\xa0\xe5\xa5\xbd e\xcc\x81 \xf0\x9f\x98\x80",
};

static inline char *hostile_long_name(void)
{
	char *s = malloc(DOC_LONG + 1);

	assert_non_null(s);
	for (size_t i = 0; i < DOC_LONG; i++)
		s[i] = "long<name>|\n"[i % 12];
	s[DOC_LONG] = '\0';
	return s;
}

/* No control byte but the newlines and, if asked for, tabs that the format itself writes. */
static inline void expect_safe(const char *text, const char *allowed)
{
	for (const char *s = text; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < 0x20 && !strchr(allowed, c)) || c == 0x7f)
			fail_msg("control byte %02x in output", c);
		if (c == 0xc2 && (unsigned char)s[1] < 0xa0)
			fail_msg("C1 control in output");
	}
}

#endif
