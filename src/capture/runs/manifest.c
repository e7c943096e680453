/* SPDX-License-Identifier: MIT */
#include "capture/runs/manifest.h"

#include <string.h>
#include <time.h>

#include "base/file/file.h"
#include "base/text/json_write.h"

void wl_manifest_init(struct wl_manifest *m)
{
	*m = (struct wl_manifest){ .begin_ms = -1,
				   .end_ms = -1,
				   .wall_ns = -1,
				   .bare_ns = -1,
				   .step_ns = -1,
				   .exit_status = -1 };
}

bool wl_run_is_id(const char *text)
{
	static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-";
	size_t n = strlen(text);

	return n > 0 && n < WL_RUN_ID_CAP && strspn(text, chars) == n && !strchr(".-", text[0]);
}

bool wl_manifest_is_compressed(const struct wl_manifest *m)
{
	for (size_t i = 0; i < m->n_outputs; i++)
		if (m->output[i].gz_sha256[0])
			return true;
	return false;
}

static void put_text(struct wl_jsonw *w, const char *key, const char *text)
{
	wl_jsonw_newline(w);
	wl_jsonw_put_str(w, key, text);
}

static void put_texts(struct wl_jsonw *w, const char *key, const char *const *text, size_t n)
{
	wl_jsonw_newline(w);
	wl_jsonw_put_strs(w, key, text, n);
}

static void put_pairs(struct wl_jsonw *w, const char *key, const struct wl_run_pair *pair, size_t n)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, key);
	for (size_t i = 0; i < n; i++)
		wl_jsonw_put_str(w, pair[i].name, pair[i].value);
	wl_jsonw_end_object(w);
}

static void put_sum(struct wl_jsonw *w, int64_t bytes, const char *sha256)
{
	wl_jsonw_put_i64_if(w, "bytes", bytes >= 0, bytes);
	wl_jsonw_put_str(w, "sha256", sha256[0] ? sha256 : NULL);
}

static void put_files(struct wl_jsonw *w, const char *key, const struct wl_run_file *file, size_t n)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_array(w, key);
	for (size_t i = 0; i < n; i++) {
		wl_jsonw_newline(w);
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "path", file[i].path);
		put_sum(w, file[i].bytes, file[i].sha256);
		if (file[i].gz_sha256[0]) {
			wl_jsonw_open_object(w, "gz");
			put_sum(w, file[i].gz_bytes, file[i].gz_sha256);
			wl_jsonw_end_object(w);
		}
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
}

/* For people; programs take begin_ms. */
static void put_date(struct wl_jsonw *w, int64_t utc_ms)
{
	time_t seconds = (time_t)(utc_ms / 1000);
	char text[40];
	struct tm tm;

	wl_jsonw_key(w, "begin");
	if (utc_ms < 0 || !gmtime_r(&seconds, &tm) ||
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		wl_jsonw_null(w);
	else
		wl_jsonw_str(w, text);
}

static void put_timing(struct wl_jsonw *w, const struct wl_manifest *m)
{
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, "timing");
	put_date(w, m->begin_ms);
	wl_jsonw_put_i64_if(w, "begin_ms", m->begin_ms >= 0, m->begin_ms);
	wl_jsonw_put_i64_if(w, "end_ms", m->end_ms >= 0, m->end_ms);
	wl_jsonw_put_i64_if(w, "wall_ns", m->wall_ns >= 0, m->wall_ns);
	wl_jsonw_put_i64_if(w, "without_profiler_ns", m->bare_ns >= 0, m->bare_ns);
	wl_jsonw_put_i64_if(w, "step_ns", m->step_ns >= 0, m->step_ns);
	wl_jsonw_open_array(w, "stages");
	for (size_t i = 0; i < m->n_stages; i++) {
		wl_jsonw_begin_object(w);
		wl_jsonw_put_str(w, "name", m->stage[i].name);
		wl_jsonw_put_i64_if(w, "wall_ns", m->stage[i].wall_ns >= 0, m->stage[i].wall_ns);
		wl_jsonw_end_object(w);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_end_object(w);
}

static void put_machine(struct wl_jsonw *w, const struct wl_manifest *m)
{
	put_text(w, "host", m->host);
	put_text(w, "system", m->system);
	put_texts(w, "gpus", m->gpu, m->n_gpus);
	put_text(w, "driver", m->driver);
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, "versions");
	wl_jsonw_put_str(w, "warplens", m->warplens);
	wl_jsonw_put_str(w, "nsys", m->nsys);
	wl_jsonw_put_str(w, "ncu", m->ncu);
	wl_jsonw_end_object(w);
	wl_jsonw_newline(w);
	wl_jsonw_open_object(w, "git");
	wl_jsonw_put_str(w, "revision", m->revision);
	wl_jsonw_key(w, "dirty");
	if (m->dirty == WL_RUN_DIRTY_UNKNOWN)
		wl_jsonw_null(w);
	else
		wl_jsonw_bool(w, m->dirty == WL_RUN_DIRTY);
	wl_jsonw_end_object(w);
}

void wl_manifest_put(const struct wl_manifest *m, FILE *out)
{
	struct wl_jsonw w;

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	put_text(&w, "format", "warplens run");
	wl_jsonw_put_i64(&w, "version", 1);
	put_text(&w, "id", m->id);
	put_texts(&w, "argv", m->argv, m->n_argv);
	put_pairs(&w, "sweep", m->sweep, m->n_sweep);
	put_text(&w, "directory", m->directory);
	put_pairs(&w, "environment", m->env, m->n_env);
	put_texts(&w, "secrets_allowed", m->allowed, m->n_allowed);
	put_machine(&w, m);
	put_timing(&w, m);
	wl_jsonw_newline(&w);
	wl_jsonw_open_object(&w, "exit");
	wl_jsonw_put_i64_if(&w, "status", m->exit_status >= 0, m->exit_status);
	wl_jsonw_put_i64_if(&w, "signal", m->exit_signal > 0, m->exit_signal);
	wl_jsonw_end_object(&w);
	put_text(&w, "failure", m->failure);
	put_files(&w, "inputs", m->input, m->n_inputs);
	put_files(&w, "outputs", m->output, m->n_outputs);
	wl_jsonw_newline(&w);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}

int wl_manifest_write(const struct wl_manifest *m, const char *dir, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_file file;
	int n = snprintf(path, sizeof(path), "%s/" WL_MANIFEST_NAME, dir), r;

	if (n < 0 || n >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_OUTPUT, "path too long: %.80s...", dir);
	r = wl_file_begin_nofollow(path, &file, reterr);
	if (r < 0)
		return r;
	wl_manifest_put(m, file.stream);
	return wl_file_commit(&file, reterr);
}

bool wl_run_is_report(const char *path)
{
	return strncmp(path, WL_RUN_REPORT "/", sizeof(WL_RUN_REPORT)) == 0;
}
