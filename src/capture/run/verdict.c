/* SPDX-License-Identifier: MIT */
#include "capture/run/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/units.h"

enum { SMALL_BYTES = 1 << 20 };

bool wl_capture_is_mishap(const struct wl_watched *w, size_t n_reports)
{
	static const char *const said[] = { "Local Endpoint is not available",
					    "Agent launcher failed", "Failed to start agent" };

	if (n_reports || w->has_program || w->signal || w->is_killed ||
	    wl_child_status(&w->tool) == 0)
		return false;
	for (size_t i = 0; i < WL_COUNT(said); i++) {
		if (strstr(w->tail, said[i]))
			return true;
	}
	return false;
}

static void warn(struct wl_capture_verdict *v, const char *fmt, ...) WL_PRINTF(2, 3);
static void warn(struct wl_capture_verdict *v, const char *fmt, ...)
{
	va_list ap;

	if (v->n_warnings == WL_VERDICT_WARNINGS)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(v->warning[v->n_warnings++], WL_VERDICT_LINE, fmt, ap);
	va_end(ap);
}

/* The last line that is no progress bar; control characters become blanks. */
void wl_capture_quote(const struct wl_watched *w, char ret[WL_CAPTURE_QUOTE])
{
	size_t end = w->n_tail, n = 0;

	while (end > 0) {
		size_t begin;

		while (end > 0 && (unsigned char)w->tail[end - 1] <= ' ')
			end--;
		begin = end;
		while (begin > 0 && w->tail[begin - 1] != '\n' && w->tail[begin - 1] != '\r')
			begin--;
		if (end > begin && !memchr(w->tail + begin, '%', end - begin) &&
		    strncmp(w->tail + begin, "Generated:", 10) != 0) {
			for (size_t i = begin; i < end && n + 1 < WL_CAPTURE_QUOTE; i++, n++)
				ret[n] = (char)((unsigned char)w->tail[i] < ' ' ? ' ' : w->tail[i]);
			break;
		}
		end = begin;
	}
	ret[n] = '\0';
}

static bool is_full(const struct wl_capture_evidence *e)
{
	return strstr(e->watched->tail, "No space left on device") ||
	       strstr(e->watched->tail, "disk is full") ||
	       (e->free_bytes >= 0 && e->free_bytes < SMALL_BYTES);
}

/*
 * Why reports are missing where a rank failed: mpirun and torchrun end the other ranks then, with
 * the nsys that is writing. "" if that is not it.
 */
static const char *lost_ranks(const struct wl_capture_evidence *e)
{
	const struct wl_watched *w = e->watched;

	if (w->signal || w->is_limited || wl_child_status(&w->program) == 0)
		return "";
	if (e->wishes->launcher == WL_LAUNCHER_MPIRUN)
		return "; a rank failed, and mpirun then ends the others before nsys has written "
		       "their reports (Open MPI 4 lets them end by themselves with --mca "
		       "orte_abort_on_non_zero_status 0)";
	if (e->wishes->launcher == WL_LAUNCHER_TORCHRUN && e->wishes->ranks)
		return "; a rank failed, and torchrun then ends the others before nsys has "
		       "written their reports";
	return "";
}

static int fail_gate(const struct wl_capture_evidence *e, struct wl_err *reterr)
{
	const struct wl_capture_gate *g = &e->wishes->gate;
	const char *at = g->range ? strrchr(g->range, '@') : NULL;
	char took[WL_UNITS_BUF] = "some time";

	if (e->watched->program_ns >= 0)
		(void)wl_fmt_ns(took, e->watched->program_ns, WL_UNIT_AUTO);
	switch (g->kind) {
	case WL_GATE_NVTX:
		return wl_fail(reterr, WL_E_NODATA,
			       "the gate never opened: the program ran for %s and began no NVTX "
			       "range \"%.*s\" in %s%.60s; check name and domain in a capture "
			       "without --gate, with \"warplens nvtx\"",
			       took, at ? (int)(at - g->range) : 100, g->range,
			       at ? "domain " : "the default domain", at ? at + 1 : "");
	case WL_GATE_CUDA_API:
		return wl_fail(reterr, WL_E_NODATA,
			       "the gate never opened: the program ran for %s and did not call "
			       "cudaProfilerStart (in PyTorch torch.cuda.profiler.start)",
			       took);
	case WL_GATE_TIME:
		return wl_fail(reterr, WL_E_NODATA,
			       "the gate never opened: the program ended after %s, recording "
			       "begins after %" PRId64 " s; choose a shorter delay",
			       took, g->delay_s);
	case WL_GATE_STEPS:
		return wl_fail(reterr, WL_E_NODATA,
			       "the program ended after %s, before window 1 began; choose a "
			       "shorter delay",
			       took);
	case WL_GATE_NONE:
		break;
	}
	return WL_OK;
}

static int fail_without_report(const struct wl_capture_evidence *e, struct wl_err *reterr)
{
	const struct wl_watched *w = e->watched;
	char words[WL_CAPTURE_QUOTE], limit[WL_UNITS_BUF];

	wl_capture_quote(w, words);
	if (is_full(e))
		return wl_fail(reterr, WL_E_OUTPUT,
			       "no report: the disk is full; make room in the directory of "
			       "reports and in TMPDIR, or record less with --light or --gate");
	if (w->is_killed && !w->has_program)
		return wl_fail(reterr, WL_E_TIMEOUT,
			       "nsys did not start the program and was stopped: %s",
			       words[0] ? words : "it says nothing");
	if (w->is_killed)
		return wl_fail(reterr, WL_E_TIMEOUT,
			       "nsys was stopped before the report was whole; give it more than "
			       "%s with --patience",
			       wl_fmt_ns(limit, e->patience_ns, WL_UNIT_AUTO));
	if (e->collection->stream)
		return wl_fail(reterr, WL_E_FORMAT,
			       "nsys left a recording that is no report yet: %.200s; this nsys "
			       "has no importer, or it was stopped",
			       e->collection->stream);
	if (w->signal)
		return wl_fail(reterr, WL_E_CANCELED, "stopped before there was a report");
	if (!w->has_program && wl_child_status(&w->tool) != 0)
		return wl_fail(reterr, WL_E_IO, "nsys did not start the program: %s",
			       words[0] ? words : "it says nothing");
	if (lost_ranks(e)[0])
		return wl_fail(reterr, WL_E_NODATA, "no report%s", lost_ranks(e));
	if (e->wishes->gate.kind != WL_GATE_NONE)
		return fail_gate(e, reterr);
	return wl_fail(reterr, WL_E_IO, "nsys wrote no report: %s",
		       words[0] ? words : "it says nothing");
}

/* How many reports there should be; 0: not known. */
static size_t expected(const struct wl_capture_evidence *e, char ret_why[WL_VERDICT_LINE])
{
	const struct wl_wishes *w = e->wishes;
	size_t n = 0;

	if (w->gate.kind == WL_GATE_STEPS) {
		(void)snprintf(ret_why, WL_VERDICT_LINE, "windows");
		return (size_t)w->gate.windows;
	}
	if (w->ranks) {
		n = 1;
		for (const char *c = w->ranks; *c; c++)
			n += *c == ',';
	} else if (w->launcher == WL_LAUNCHER_MPIRUN) {
		for (size_t i = 1; w->program[i] && w->program[i + 1]; i++) {
			if (strcmp(w->program[i], "-np") == 0 || strcmp(w->program[i], "-n") == 0)
				n = (size_t)strtoul(w->program[i + 1], NULL, 10);
			if (w->program[i][0] != '-' && w->program[i - 1][0] != '-')
				break;
		}
	}
	(void)snprintf(ret_why, WL_VERDICT_LINE, "ranks");
	return n;
}

static int check_number(const struct wl_capture_evidence *e, struct wl_err *reterr)
{
	char what[WL_VERDICT_LINE];
	const size_t want = expected(e, what), n = e->collection->n;

	if (want == 0 || n >= want)
		return WL_OK;
	return wl_fail(reterr, WL_E_NODATA, "%zu of %zu %s have a report%s", n, want, what,
		       e->watched->signal || e->watched->is_limited ? "; the program was stopped"
								    : lost_ranks(e));
}

static const char *name_of(const struct wl_collected *c)
{
	return wl_path_name(c->report);
}

static int check_facts(const struct wl_capture_evidence *e, const struct wl_collected *c,
		       struct wl_capture_verdict *v, struct wl_err *reterr)
{
	const struct wl_report_facts *f = &c->facts;
	const bool is_gated = e->wishes->gate.kind != WL_GATE_NONE;
	const bool uses_cuda = e->watched->has_cuda || f->n_cuda > 0;

	if (f->n_events == 0 && is_gated)
		return wl_fail(reterr, WL_E_NODATA,
			       "%.100s is empty: while the gate was open nothing was recorded; "
			       "open it later or for longer",
			       name_of(c));
	if (f->n_kernels > 0)
		return WL_OK;
	if (e->plan->traces_cuda && uses_cuda)
		return wl_fail(reterr, WL_E_NODATA,
			       "%.100s has no kernels although the program uses CUDA: %s",
			       name_of(c),
			       is_gated ? "none ran while the gate was open, or the driver is "
					  "newer than this nsys supports"
					: "the driver may be newer than this nsys supports, or "
					  "another profiler holds the GPU");
	warn(v, "%.100s has no kernels: the program did not load libcuda.so%s", name_of(c),
	     f->n_events == 0 ? ", and nothing else was recorded" : "");
	return WL_OK;
}

/* Its database is several times as large, and each question reads it. */
static void check_size(const struct wl_collected *c, struct wl_capture_verdict *v)
{
	char size[WL_UNITS_BUF];

	if (c->bytes > WL_REPORT_LARGE)
		warn(v,
		     "%.100s has %s: stay below 2 GB by recording less, with --gate (a few dozen "
		     "steps) or --light; --keep compresses older runs",
		     name_of(c), wl_fmt_bytes(size, c->bytes));
}

int wl_capture_judge(const struct wl_capture_evidence *e, struct wl_capture_verdict *ret,
		     struct wl_err *reterr)
{
	int r;

	*ret = (struct wl_capture_verdict){ .n_warnings = 0 };
	if (e->collection->n == 0)
		return fail_without_report(e, reterr);
	if (e->watched->is_killed)
		return wl_fail(reterr, WL_E_TIMEOUT,
			       "nsys did not end by itself and was killed: the report may lack "
			       "its end");
	r = check_number(e, reterr);
	for (size_t i = 0; r == WL_OK && i < e->collection->n; i++)
		r = check_facts(e, &e->collection->report[i], ret, reterr);
	for (size_t i = 0; r == WL_OK && i < e->collection->n; i++)
		check_size(&e->collection->report[i], ret);
	if (r == WL_OK && e->watched->signal)
		warn(ret, "the program was stopped by signal %d: the trace ends there",
		     e->watched->signal);
	if (r == WL_OK && e->watched->is_limited)
		warn(ret, "the program was stopped at its time limit: the trace ends there");
	return r;
}
