/* SPDX-License-Identifier: MIT */
#include "cli/costs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text/clean.h"

void wl_costs_begin(struct wl_costs *s)
{
	if (!s->on)
		return;
	s->begun_wall_ns = wl_clock_wall_ns();
	s->begun_cpu_ns = wl_clock_cpu_ns();
}

/* A line of /proc/self/status, in kB; -1 where the kernel has none. */
static int64_t status_kb(const char *key)
{
	FILE *status = fopen("/proc/self/status", "re");
	size_t n = strlen(key);
	int64_t kb = -1;
	char line[256];

	while (status && kb < 0 && fgets(line, sizeof(line), status)) {
		if (strncmp(line, key, n) == 0 && line[n] == ':')
			kb = strtoll(line + n + 1, NULL, 10);
	}
	if (status)
		(void)fclose(status);
	return kb;
}

void wl_costs_end(struct wl_costs *s, enum wl_costs_part part)
{
	if (!s->on)
		return;
	s->cpu_ns[part] += wl_clock_cpu_ns() - s->begun_cpu_ns;
	s->wall_ns[part] += wl_clock_wall_ns() - s->begun_wall_ns;
	s->anon_kb[part] = status_kb("RssAnon");
}

void wl_costs_loaded(struct wl_costs *s, const struct wl_trace *trace)
{
	s->reader = trace->reader;
	s->detours = trace->detours;
	for (size_t i = 0; i < WL_N_FAMILIES; i++)
		s->rows += (int64_t)trace->family[i].n;
}

static void put_time(FILE *out, const char *what, int64_t cpu_ns, int64_t wall_ns)
{
	(void)fprintf(out, "stats: %-24s %12.6f s CPU  %12.6f s wall\n", what, (double)cpu_ns / 1e9,
		      (double)wall_ns / 1e9);
}

/* One line for each table that the reader left to SQLite. */
static void put_detours(FILE *out, const char *lines)
{
	while (lines && *lines) {
		size_t n = strcspn(lines, "\n");
		char line[256];

		(void)snprintf(line, sizeof(line), "%.*s", (int)(n < 255 ? n : 255), lines);
		(void)fprintf(out, "stats: %-24s ", "read by sqlite");
		wl_put_clean(out, line);
		(void)fputc('\n', out);
		lines += n + (lines[n] == '\n');
	}
}

static void put_memory(FILE *out, const char *what, int64_t kb)
{
	if (kb >= 0)
		(void)fprintf(out, "stats: %-24s %12" PRId64 " kB\n", what, kb);
}

/* The kernel keeps no peak of anonymous memory: what was freed within a part is not seen. */
void wl_costs_print(const struct wl_costs *s, FILE *out)
{
	if (!s->on)
		return;
	(void)fprintf(out, "stats: %-24s %12s\n", "reader", s->reader);
	put_detours(out, s->detours);
	(void)fprintf(out, "stats: %-24s %12" PRId64 "\n", "rows loaded", s->rows);
	put_time(out, "open", s->cpu_ns[WL_COSTS_OPEN], s->wall_ns[WL_COSTS_OPEN]);
	put_time(out, "load", s->cpu_ns[WL_COSTS_LOAD], s->wall_ns[WL_COSTS_LOAD]);
	put_time(out, "compute", s->cpu_ns[WL_COSTS_COMPUTE], s->wall_ns[WL_COSTS_COMPUTE]);
	/* A pager waits for its reader, so the wall says nothing. */
	(void)fprintf(out, "stats: %-24s %12.6f s CPU\n", "print",
		      (double)s->cpu_ns[WL_COSTS_PRINT] / 1e9);
	put_memory(out, "anonymous after load", s->anon_kb[WL_COSTS_LOAD]);
	put_memory(out, "anonymous after compute", s->anon_kb[WL_COSTS_COMPUTE]);
	/*
	 * Has the pages of the mapped trace as well, which the system takes back when it needs
	 * room; that is why the lines above count anonymous memory.
	 */
	put_memory(out, "resident at most (VmHWM)", status_kb("VmHWM"));
}
