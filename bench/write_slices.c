/* SPDX-License-Identifier: MIT */
/*
 * write_slices.c - slices through the emitter of Perfetto traces, into /dev/null.
 *
 * usage: write_slices SLICES [gz]
 *
 * Rows of 1 M slices that nest four deep, with 100 names, a category and 10 µs from
 * one event to the next; then as many kernels with eight arguments, flow and correlation.
 * Prints slices per second of CPU, bytes per slice, and the memory that was charged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "export/perfetto/perfetto.h"

enum { DEPTH = 4, N_NAMES = 100, STEP = 10000, PER_ROW = 1000000, N_ARGS = 8 };

static char names[N_NAMES][80];

/* Steps of 5 to 15 µs, the same in every run. */
static wl_ns step(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return STEP / 2 + (wl_ns)(*seed >> 33) % STEP;
}

static void nested(struct wl_emitter *e, uint32_t row, size_t n)
{
	struct wl_emit_slice s[DEPTH];
	uint64_t seed = row;
	wl_ns at = 0;

	for (size_t i = 0; i + DEPTH <= n; i += DEPTH) {
		for (size_t d = 0; d < DEPTH; d++) {
			s[d] = (struct wl_emit_slice){ .start = at, .category = "compute" };
			s[d].name = names[(i / 3 + d) % N_NAMES];
			at += step(&seed);
		}
		for (size_t d = DEPTH; d-- > 0; at += step(&seed))
			s[d].end = at;
		for (size_t d = 0; d < DEPTH; d++)
			e->ops->slice(e, row, &s[d]);
	}
}

static void kernels(struct wl_emitter *e, uint32_t row, size_t n)
{
	static const char *const key[N_ARGS] = { "grid",    "block",  "registers", "static shared",
						 "dynamic", "stream", "context",   "graph node" };
	struct wl_emit_arg args[N_ARGS];
	uint64_t seed = row;
	wl_ns at = 0;

	for (size_t i = 0; i < N_ARGS; i++)
		args[i] = (struct wl_emit_arg){ .key = key[i], .number = (int64_t)(i * 100) };
	args[0] = (struct wl_emit_arg){ "grid", WL_ARG_TEXT, 0, "1024 x 1 x 1" };
	args[1] = (struct wl_emit_arg){ "block", WL_ARG_KEPT_TEXT, 0, "256 x 1 x 1" };
	for (size_t i = 0; i < n; i++) {
		struct wl_emit_slice s = { .start = at, .end = at + step(&seed), .args = args };

		s.name = names[i % N_NAMES];
		s.category = "gemm";
		s.n_args = N_ARGS;
		s.has_correlation = true;
		s.correlation = (uint64_t)1 << 32 | i;
		s.flow_in = s.correlation;
		e->ops->slice(e, row, &s);
		at = s.end + step(&seed);
	}
}

typedef void write_fn(struct wl_emitter *e, uint32_t row, size_t n);

static void measure(const char *what, write_fn *write, size_t n, struct wl_sink *sink,
		    struct wl_emitter *e, uint32_t *rows)
{
	uint64_t bytes = sink->n_bytes;
	int64_t cpu = wl_clock_cpu_ns();

	for (size_t done = 0; done < n; done += PER_ROW) {
		const struct wl_emit_row row = {
			.kind = WL_EMIT_SLICES, .id = ++*rows, .order = *rows, .name = what
		};

		e->ops->row(e, &row);
		write(e, row.id, n - done < PER_ROW ? n - done : PER_ROW);
		e->ops->close(e, row.id);
	}
	cpu = wl_clock_cpu_ns() - cpu;
	(void)fprintf(stderr,
		      "stats: %-8s %5.1f ns per slice, %5.2f M slices per s, %5.2f B each\n", what,
		      (double)cpu / (double)n, (double)n * 1e3 / (double)cpu,
		      (double)(sink->n_bytes - bytes) / (double)n);
}

int main(int argc, char **argv)
{
	static struct wl_sink sink;
	struct wl_budget budget = { .limit = 0 };
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	FILE *out = fopen("/dev/null", "we");
	struct wl_emitter *e = NULL;
	uint32_t rows = 0;

	if (n == 0 || !out || !wl_sink_init(&sink, out, argc > 2))
		return (void)fprintf(stderr, "usage: write_slices SLICES [gz]\n"), 2;
	for (size_t i = 0; i < N_NAMES; i++)
		(void)snprintf(names[i], sizeof(names[i]), "void kernel_of_some_length_%zu(int)",
			       i);
	e = wl_perfetto_open(&sink, 0, &budget);
	if (!e)
		return 1;
	measure("nested", nested, n, &sink, e, &rows);
	measure("kernels", kernels, n, &sink, e, &rows);
	e->ops->finish(e);
	(void)fprintf(stderr, "stats: %zu bytes of memory at most\n", budget.peak);
	n = e->failed;
	wl_perfetto_close(e);
	(void)wl_sink_finish(&sink);
	return fclose(out) || n;
}
