/* SPDX-License-Identifier: MIT */
/*
 * fuzz_fingerprint.c - the bytes are the file of a baseline.
 *
 * Bytes that begin with a comma get the head of a file of this version put before them, so
 * that a corpus outlives the next version. A file is refused with a message, or it is
 * sound, comes back the same when it is written, and can be compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/diff/diff_tables.h"
#include "compare/fingerprint/fingerprint_json.h"
#include "fuzz/fuzz.h"
#include "known/definitions.h"

enum { MEMORY = 64 << 20 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* Parse and read. WL_OK, or a code that has a message. */
static int get(const char *text, size_t n, struct wl_arena *arena, struct wl_fingerprint *ret)
{
	struct wl_json *doc = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_json_parse(text, n, "baseline", &doc, &err);

	need(r == WL_OK || r == WL_E_USAGE);
	if (r == WL_OK)
		r = wl_fp_read(doc, "baseline", arena, ret, &err);
	need(r == WL_OK || (err.code == r && *err.msg));
	wl_json_free(doc);
	return r;
}

static char *written(const struct wl_fingerprint *f, size_t *ret_n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_n);

	need(out != NULL);
	wl_fp_write(f, out);
	need(fclose(out) == 0);
	return text;
}

static void compare(const struct wl_fingerprint *f, const struct wl_fingerprint *back,
		    struct wl_arena *arena)
{
	const struct wl_diff_opts opts = { .threshold = 0.01 };
	struct wl_err err = { .code = WL_OK };
	struct wl_diff d;
	int r = wl_diff_make(f, back, &opts, arena, &d, &err);

	need(r == WL_OK || (err.code == r && *err.msg));
	for (unsigned s = 0; r == WL_OK && s < WL_N_DIFF_SECTIONS; s++) {
		struct wl_table table;

		wl_table_init(&table, arena, wl_diff_tables[s].cols, wl_diff_tables[s].n_cols);
		if (wl_diff_has(&d, (enum wl_diff_section)s))
			wl_diff_fill(&d, (enum wl_diff_section)s, &table);
		need(wl_table_ok(&table));
	}
}

static void check(const char *text, size_t n)
{
	struct wl_fingerprint f, back;
	struct wl_arena arena;
	char *once, *twice;
	size_t n_once, n_twice;

	wl_arena_init(&arena, MEMORY);
	if (get(text, n, &arena, &f) == WL_OK) {
		need(!wl_fp_problem(&f));
		once = written(&f, &n_once);
		need(get(once, n_once, &arena, &back) == WL_OK);
		twice = written(&back, &n_twice);
		need(n_once == n_twice && memcmp(once, twice, n_once) == 0);
		compare(&f, &back, &arena);
		free(once);
		free(twice);
	}
	wl_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char head[80] = "";
	size_t n_head = 0;
	char *text;

	if (size > 0 && data[0] == ',')
		n_head = (size_t)snprintf(head, sizeof(head),
					  "{\"schema\": \"%s\", \"definitions\": %d", WL_FP_SCHEMA,
					  WL_DEFINITIONS);
	text = malloc(n_head + size + 1);
	need(text != NULL);
	memcpy(text, head, n_head);
	if (size > 0)
		memcpy(text + n_head, data, size);
	check(text, n_head + size);
	free(text);
	return 0;
}
