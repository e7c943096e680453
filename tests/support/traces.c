/* SPDX-License-Identifier: MIT */
#include "support/traces.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/process/proc.h"
#include "read/input.h"
#include "read/reader.h"
#include "support/invariants.h"

struct walk {
	test_trace_fn *fn;
	void *ctx;
	struct wl_tmpdir scratch;
	struct test_traces *seen;
};

/* True where $TRACES_MOST_KB, of the packed file, leaves it to runs that have more time. */
static bool is_too_large(const char *packed)
{
	const char *most = getenv("TRACES_MOST_KB");
	struct stat st;

	return most && *most && stat(packed, &st) == 0 &&
	       st.st_size / 1024 > strtoll(most, NULL, 10);
}

static void try_packed(struct walk *w, const char *packed)
{
	char unpacked[WL_PATH_CAP + 64];
	const char *const argv[] = { "zstd", "-qdf", packed, "-o", unpacked, NULL };
	const struct wl_proc zstd = { .argv = argv };
	struct test_trace t = { .path = unpacked };
	struct wl_proc_result result;
	const char *name = packed + strlen(packed);

	for (int slashes = 0; name > packed && slashes < 2; slashes += name[-1] == '/')
		name--;
	name += *name == '/' ? 1 : 0;
	if (is_too_large(packed)) {
		(void)printf("left out: %s, which is larger than TRACES_MOST_KB\n", name);
		return;
	}
	(void)snprintf(t.name, sizeof(t.name), "%.*s", (int)(strstr(name, ".sqlite.zst") - name),
		       name);
	*strchr(t.name, '/') = '.';
	t.damaged = strstr(name, "damaged") != NULL;
	(void)snprintf(unpacked, sizeof(unpacked), "%s/trace.sqlite", w->scratch.path);
	if (wl_proc_run(&zstd, &result, NULL) < 0 || result.end != WL_PROC_EXITED || result.code) {
		(void)printf("%s: zstd cannot unpack it\n", packed);
		w->seen->n_failed++;
		return;
	}
	w->fn(w->ctx, &t);
	(void)unlink(unpacked);
}

static void try_fixture(struct walk *w, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	struct test_trace t = { .path = path };

	(void)snprintf(t.name, sizeof(t.name), "fixture.%.*s", (int)strcspn(name, "."), name);
	w->fn(w->ctx, &t);
}

/* Returns how many files there are. */
static size_t for_each(struct walk *w, const char *dir, const char *pattern,
		       void (*fn)(struct walk *w, const char *path))
{
	char all[WL_PATH_CAP];
	glob_t found;
	size_t n = 0;

	(void)snprintf(all, sizeof(all), "%s/%s", dir ? dir : "", pattern);
	if (!dir || glob(all, 0, NULL, &found) != 0)
		return 0;
	for (; n < found.gl_pathc; n++)
		fn(w, found.gl_pathv[n]);
	globfree(&found);
	return n;
}

struct test_traces for_each_fixture(test_trace_fn *fn, void *ctx)
{
	struct test_traces seen = { .n_real = 0 };
	struct walk w = { .fn = fn, .ctx = ctx, .seen = &seen };

	seen.n_fixtures = for_each(&w, getenv("WARPLENS_FIXTURES"), "*.sqlite", try_fixture);
	return seen;
}

struct test_traces for_each_trace(test_trace_fn *fn, void *ctx)
{
	const char *shared = getenv("WARPLENS_SHARED");
	struct test_traces seen = for_each_fixture(fn, ctx);
	struct walk w = { .fn = fn, .ctx = ctx, .seen = &seen };
	struct wl_err err = { .code = WL_OK };

	if (wl_tmpdir_open(getenv("TMPDIR"), &w.scratch, &err) < 0) {
		(void)printf("%s\n", err.msg);
		seen.n_failed++;
		return seen;
	}
	seen.n_real = for_each(&w, shared, "corpus/*/*.sqlite.zst", try_packed);
	wl_tmpdir_close(&w.scratch);
	if (seen.n_real == 0)
		(void)printf("skipped: no corpus at %s\n", shared ? shared : "$WARPLENS_SHARED");
	return seen;
}

struct loading {
	loaded_trace_fn *fn;
	void *ctx;
};

static void load(void *ctx, const struct test_trace *trace)
{
	const struct wl_input_opts opts = { .reader = &wl_reader_pages };
	const struct loading *l = ctx;
	struct wl_columns all = all_columns();
	struct wl_err err = { .code = WL_OK };
	struct wl_input *in = NULL;

	if (wl_input_open(trace->path, &opts, &in, &err) < 0)
		return;
	if (wl_input_load(in, &all, &err) >= 0)
		l->fn(l->ctx, trace->name, wl_input_trace(in));
	wl_input_close(in);
}

int for_each_loaded_trace(int argc, char **argv, loaded_trace_fn *fn, void *ctx)
{
	enum { SKIPPED = 77 };
	struct loading l = { fn, ctx };
	struct test_traces seen = { .n_real = 1 };

	for (int i = 1; i < argc; i++) {
		struct test_trace t = { .path = argv[i] };

		(void)snprintf(t.name, sizeof(t.name), "%.200s", argv[i]);
		(void)printf("%s\n", t.name);
		load(&l, &t);
	}
	if (argc == 1)
		seen = for_each_trace(load, &l);
	if (seen.n_failed)
		return 1;
	return seen.n_real ? 0 : SKIPPED;
}
