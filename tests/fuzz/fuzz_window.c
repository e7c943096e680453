/* SPDX-License-Identifier: MIT */
/*
 * fuzz_window.c - the bytes are a SPEC of --window, and a number with a unit.
 *
 * A SPEC is refused with a message, or means times of a trace, or there is nothing that it
 * means. A number that was read is the same one when it is written out and read again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"
#include "fuzz/fuzz.h"
#include "session/select/window.h"
#include "support/mem.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

typedef int parse_i64(const char *s, int64_t *ret, struct wl_err *reterr);
typedef int parse_f64(const char *s, double *ret, struct wl_err *reterr);

static void try_i64(parse_i64 *parse, parse_i64 *back, const char *text)
{
	struct wl_err err = { .code = WL_OK };
	char buf[WL_UNITS_BUF];
	int64_t v, again;
	int r = parse(text, &v, &err);

	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	if (r < 0)
		return;
	need(back(wl_fmt_i64(buf, v), &again, &err) == WL_OK && again == v);
	need(strlen(wl_fmt_ns(buf, v, WL_UNIT_AUTO)) < sizeof(buf));
	need(strlen(wl_fmt_time(buf, v, WL_UNIT_AUTO)) < sizeof(buf));
	need(strlen(wl_fmt_bytes(buf, v)) < sizeof(buf));
}

static void try_f64(parse_f64 *parse, const char *text)
{
	struct wl_err err = { .code = WL_OK };
	char buf[WL_UNITS_BUF];
	double v;
	int r = parse(text, &v, &err);

	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	if (r < 0)
		return;
	need(isfinite(v));
	need(strtod(wl_fmt_f64(buf, v), NULL) == v);
	need(strlen(wl_fmt_real(buf, v)) < sizeof(buf));
	need(strlen(wl_fmt_rate(buf, v)) < sizeof(buf));
	need(strlen(wl_fmt_ratio(buf, v)) < sizeof(buf));
}

static void try_units(const char *text)
{
	enum wl_timeunit unit;

	try_i64(wl_parse_ns, wl_parse_ns, text);
	try_i64(wl_parse_ns_with_unit, wl_parse_ns, text);
	try_i64(wl_parse_seconds, wl_parse_ns, text);
	try_i64(wl_parse_bytes, wl_parse_bytes, text);
	try_i64(wl_parse_count, wl_parse_count, text);
	try_i64(wl_parse_i64, wl_parse_i64, text);
	try_f64(wl_parse_ratio, text);
	try_f64(wl_parse_real, text);
	try_f64(wl_parse_rate, text);
	need(wl_parse_timeunit(text, &unit, NULL) != WL_OK || unit <= WL_UNIT_S);
}

/* Four steps of one kernel each, and a name with a # in it. */
static void make(struct mem *m)
{
	mem_init(m);
	for (unsigned i = 0; i < 4; i++) {
		wl_ns at = 1000 * (wl_ns)(i + 1);

		mem_nvtx(m, &(struct mem_range){ .start = at, .end = at + 900, .name = "step" });
		mem_api(m, &(struct mem_call){ .start = at + 10, .end = at + 20, .corr = i + 1 });
		mem_op(m, WL_F_KERNELS,
		       &(struct mem_op){ .start = at + 100, .end = at + 300, .corr = i + 1 });
	}
	mem_nvtx(m, &(struct mem_range){ .start = 1500, .end = 2500, .tid = 7, .name = "a#1" });
	(void)mem_seal(m);
}

static void try_window(struct mem *m, const char *text)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_scope_notes notes = { .n = 0 };
	const struct wl_trace *trace = m->derived.trace;
	struct mem_scope scope;
	struct wl_arena arena;
	struct wl_window w;
	int r = wl_window_parse(text, &w, &err);

	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	if (r < 0)
		return;
	need(w.kind <= WL_WINDOW_MIDDLE);
	need(memchr(w.name, '\0', sizeof(w.name)) && memchr(w.whole, '\0', sizeof(w.whole)));
	(void)wl_window_is_within(&w, trace);
	mem_scope_window(&scope, trace, 0, 0);
	wl_arena_init(&arena, 1 << 20);
	r = wl_window_apply(&w,
			    &(struct wl_windowing){ &m->derived, &scope.scope, scope.device,
						    scope.process, &notes, &arena },
			    &err);
	need(r == WL_OK || (err.code == r && *err.msg));
	for (size_t i = 0; r == WL_OK && i < trace->n_devices; i++)
		need(scope.device[i].begin <= scope.device[i].end);
	wl_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mem mem;
	static bool made;
	char *text = malloc(size + 1);

	need(text != NULL);
	if (!made)
		make(&mem);
	made = true;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	try_units(text);
	try_window(&mem, text);
	free(text);
	return 0;
}
