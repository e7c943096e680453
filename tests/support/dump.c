/* SPDX-License-Identifier: MIT */
#include "support/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void dump_place(FILE *out, const struct wl_trace *t, uint32_t i)
{
	const struct wl_place *p = &t->places[i];

	(void)fprintf(out, "%" PRIx64 "/%" PRId64 "/%u/%u/%u", t->processes[p->process].key,
		      p->device == WL_NONE ? -1 : (int64_t)p->device, p->ordinal, p->context,
		      p->stream);
}

static void dump_kernel_name(FILE *out, const struct wl_trace *t, uint32_t i)
{
	const struct wl_kernel_name *k = &t->kernel_names[i];

	(void)fprintf(out, "%s|%s|%s", wl_str(t, k->demangled), wl_str(t, k->brief),
		      wl_str(t, k->mangled));
}

static void dump_config(FILE *out, const struct wl_trace *t, uint32_t i)
{
	const uint32_t *v = (const uint32_t *)&t->configs[i];

	for (size_t k = 0; k < sizeof(t->configs[i]) / sizeof(*v); k++)
		(void)fprintf(out, "%s%u", k ? "," : "", v[k]);
}

static void dump_number(FILE *out, const void *data, size_t size, size_t i)
{
	uint64_t v = 0;

	memcpy(&v, (const char *)data + i * size, size); /* little endian */
	(void)fprintf(out, "%" PRIu64, v);
}

static void dump_cell(FILE *out, const struct wl_trace *t, size_t c, size_t i)
{
	const struct wl_column_info *info = &wl_column_infos[c];
	uint32_t v = info->size == sizeof(uint32_t) ? ((const uint32_t *)t->column[c])[i] : 0;
	bool is_thread = strstr(info->name, "thread") != NULL;

	if (strcmp(info->name, "place") == 0)
		dump_place(out, t, v);
	else if (c == WL_KERNELS_NAME)
		dump_kernel_name(out, t, v);
	else if (c == WL_KERNELS_CONFIG)
		dump_config(out, t, v);
	else if (strcmp(info->name, "name") == 0 || strcmp(info->name, "text") == 0)
		(void)fprintf(out, "%s", wl_str(t, v));
	else if (is_thread && v != WL_NONE)
		(void)fprintf(out, "%" PRIx64, t->threads[v].global);
	else if (strcmp(info->name, "dur") == 0)
		(void)fprintf(out, "%" PRId64, wl_dur(&t->family[info->family], t->column[c], i));
	else
		dump_number(out, t->column[c], info->size, i);
}

static void dump_family(FILE *out, const struct wl_trace *t, enum wl_family_id f)
{
	(void)fprintf(out, "%s: %zu rows, %zu dropped, %zu long\n", wl_family_infos[f].name,
		      t->family[f].n, t->family[f].n_dropped, t->family[f].n_long);
	for (size_t i = 0; i < t->family[f].n; i++) {
		for (size_t c = wl_family_infos[f].first_column; c < wl_family_end(f); c++) {
			if (!t->column[c])
				continue;
			(void)fprintf(out, " %s=", wl_column_infos[c].name);
			dump_cell(out, t, c, i);
		}
		(void)fputc('\n', out);
	}
}

static int by_global(const void *va, const void *vb)
{
	const struct wl_thread *a = va, *b = vb;

	return (a->global > b->global) - (a->global < b->global);
}

static bool dump_threads(FILE *out, const struct wl_trace *t)
{
	struct wl_thread *sorted = malloc((t->n_threads + 1) * sizeof(*sorted));

	if (!sorted)
		return false;
	if (t->n_threads)
		memcpy(sorted, t->threads, t->n_threads * sizeof(*sorted));
	qsort(sorted, t->n_threads, sizeof(*sorted), by_global);
	for (size_t i = 0; i < t->n_threads; i++)
		(void)fprintf(out, "thread %" PRIx64 " %s\n", sorted[i].global,
			      wl_str(t, sorted[i].name));
	free(sorted);
	return true;
}

static void dump_catalogue(FILE *out, const struct wl_trace *t)
{
	for (size_t i = 0; i < t->n_processes; i++)
		(void)fprintf(out, "process %" PRIx64 " %s rank %" PRId64 " source %d gpu %d\n",
			      t->processes[i].key, wl_str(t, t->processes[i].name),
			      t->processes[i].rank, (int)t->processes[i].rank_source,
			      t->processes[i].on_gpu);
	for (size_t i = 0; i < t->n_devices; i++)
		(void)fprintf(out, "device %d %u %u %s %s %" PRId64 "\n", t->devices[i].proven,
			      t->devices[i].ordinal, t->devices[i].gpu,
			      wl_str(t, t->devices[i].uuid), wl_str(t, t->devices[i].name),
			      t->devices[i].gpu_id);
	for (size_t i = 0; i < t->n_meta; i++)
		(void)fprintf(out, "meta %s=%s\n", wl_str(t, t->meta[i].name),
			      wl_str(t, t->meta[i].value));
	(void)fprintf(out, "duration %" PRId64 " start %" PRId64 " host %s\n", t->duration,
		      t->utc_start, wl_str(t, t->host));
	(void)fprintf(out, "repaired %zu mistyped %zu\n", t->n_repaired, t->n_mistyped);
}

char *dump_trace(const struct wl_trace *t)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool ok;

	if (!out)
		return NULL;
	dump_catalogue(out, t);
	ok = dump_threads(out, t);
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		if (f != WL_F_TABLES)
			dump_family(out, t, (enum wl_family_id)f);
	}
	if (fclose(out) == 0 && ok)
		return text;
	free(text);
	return NULL;
}
