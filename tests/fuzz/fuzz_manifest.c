/* SPDX-License-Identifier: MIT */
/*
 * fuzz_manifest.c - the bytes are the manifest of a run.
 *
 * They are refused with a message, or what is read stays in the run and is the same when it is
 * written and read again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "capture/runs/manifest.h"
#include "fuzz/fuzz.h"

enum { BUDGET = 16 << 20 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void need_text(const char *text)
{
	need(text && wl_utf8_is_valid(text, strlen(text)));
}

static void check(const struct wl_manifest *m)
{
	need(strcmp(m->id, "r") == 0 && m->n_argv > 0 && m->begin_ms >= 0);
	for (size_t i = 0; i < m->n_argv; i++)
		need_text(m->argv[i]);
	for (size_t i = 0; i < m->n_env; i++) {
		need_text(m->env[i].name);
		need_text(m->env[i].value);
	}
	for (size_t i = 0; i < m->n_outputs; i++) {
		const struct wl_run_file *f = &m->output[i];

		need_text(f->path);
		need(f->path[0] != '/' && strcmp(f->path, "..") != 0 &&
		     strncmp(f->path, "../", 3) != 0 && !strstr(f->path, "/../") &&
		     f->path[strlen(f->path) - 1] != '/');
		need(f->bytes >= 0 && (!f->sha256[0] || wl_sha256_is_hex(f->sha256)));
		need(!f->gz_sha256[0] || (f->sha256[0] && f->gz_bytes >= 0));
		need(i == 0 || strcmp(m->output[i - 1].path, f->path) < 0);
	}
}

static char *text_of(const struct wl_manifest *m)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	need(out != NULL);
	wl_manifest_put(m, out);
	need(fclose(out) == 0);
	return text;
}

static void check_again(const struct wl_manifest *m, struct wl_arena *arena)
{
	struct wl_manifest again;
	char *text = text_of(m), *other;
	int r = wl_manifest_parse(text, strlen(text), "r", arena, &again, NULL);

	need(r == WL_OK || r == WL_E_NOMEM);
	if (r == WL_OK) {
		other = text_of(&again);
		need(strcmp(text, other) == 0);
		free(other);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_manifest m;
	struct wl_arena arena;
	int r;

	wl_arena_init(&arena, BUDGET);
	r = wl_manifest_parse((const char *)data, size, "r", &arena, &m, &err);
	need(r == WL_OK || ((r == WL_E_FORMAT || r == WL_E_NOMEM) && err.code == r && *err.msg));
	if (r == WL_OK) {
		check(&m);
		check_again(&m, &arena);
	}
	wl_arena_release(&arena);
	return 0;
}
