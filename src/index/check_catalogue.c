/* SPDX-License-Identifier: MIT */
/* check_catalogue.c - strings, processes, devices and the like: linear in them, and they are few.
 */
#include <string.h>

#include "base/text/utf8.h"
#include "index/check.h"
#include "index/texts.h"

static bool take(struct wl_index_file *file, const char *name, size_t size)
{
	const struct wl_index_section *s = wl_index_section_find(file, name, size);

	return s && wl_index_section_take(file, s);
}

static bool take_all(struct wl_index_file *file)
{
	return take(file, "strings.blob", 1) && take(file, "strings.offset", sizeof(uint64_t))
#define WL_CATALOGUE(name, type) &&take(file, #name, sizeof(type))
#include "index/catalogue.def"
#undef WL_CATALOGUE
		;
}

/* Strings follow each other to the end of the blob, so that no byte is looked at twice. */
static bool strings_ok(const struct wl_index_file *file, const struct wl_strings *strings)
{
	const struct wl_index_section *s = wl_index_section_find(file, "strings.blob", 1);
	size_t size = s ? (size_t)s->n : 0, at = 0;

	if (strings->n >= WL_NONE || (size > 0 && strings->blob[size - 1] != '\0'))
		return false;
	for (size_t i = 0; i < strings->n; i++) {
		size_t n;

		if (at >= size || strings->offset[i] != at)
			return false;
		n = strlen(strings->blob + at);
		if (!wl_utf8_is_valid(strings->blob + at, n))
			return false;
		at += n + 1;
	}
	return at == size;
}

static bool is_text(void *ctx, uint32_t text)
{
	const struct wl_strings *strings = ctx;

	return text == WL_NONE || text < strings->n;
}

/* A bool that holds neither 0 nor 1 must not even be read as one. */
static bool is_bool(const bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, 1);
	return byte <= 1;
}

static bool processes_ok(const struct wl_trace *t)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_processes; i++) {
		const struct wl_process *p = &t->processes[i];

		/* Sorted and distinct, because processes are searched by key. */
		ok = (i == 0 || p->key > p[-1].key) && p->file == 0 &&
		     (unsigned)p->rank_source < WL_N_RANK_SOURCES && is_bool(&p->on_gpu) &&
		     (p->rank_source == WL_RANK_NONE) == (p->rank < 0);
	}
	for (size_t i = 0; ok && i < t->n_threads; i++) {
		const struct wl_thread *h = &t->threads[i];

		ok = h->process < t->n_processes && t->processes[h->process].key == h->global >> 24;
	}
	return ok;
}

static bool devices_ok(const struct wl_trace *t)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_devices; i++) {
		const struct wl_device *d = &t->devices[i];

		ok = is_bool(&d->proven) &&
		     (d->proven ? d->process == WL_NONE : d->process < t->n_processes) &&
		     (d->gpu == WL_NONE || d->gpu < t->n_gpus);
	}
	for (size_t i = 0; ok && i < t->n_places; i++) {
		const struct wl_place *p = &t->places[i];

		ok = p->process < t->n_processes &&
		     (p->device == WL_NONE || p->device < t->n_devices);
	}
	return ok;
}

/* A caller stands before what it calls, so that walks to the outermost frame end. */
static bool stacks_ok(const struct wl_trace *t)
{
	bool ok = t->n_stacks < WL_NONE && t->n_frames < WL_NONE;

	for (size_t i = 0; ok && i < t->n_frames; i++)
		ok = t->frames[i].kind < WL_N_FRAME_KINDS;
	for (size_t i = 0; ok && i < t->n_stacks; i++) {
		const struct wl_stack *s = &t->stacks[i];

		ok = (s->caller == WL_NONE || s->caller < i) && s->frame < t->n_frames;
	}
	return ok;
}

static bool series_ok(const struct wl_trace *t)
{
	bool ok = true;

	for (size_t i = 0; ok && i < t->n_series; i++) {
		const struct wl_counter_series *s = &t->series[i];

		ok = (s->gpu == WL_NONE || s->gpu < t->n_gpus) && s->of < WL_N_COUNTER_OF &&
		     s->file == 0;
	}
	return ok;
}

static bool rest_ok(const struct wl_trace *t)
{
	bool ok = (t->duration == WL_NO_TIME || (t->duration >= 0 && t->duration <= WL_TIME_MAX));

	for (size_t i = 0; ok && i < t->n_source_columns; i++)
		ok = t->source_columns[i].table < t->family[WL_F_TABLES].n;
	return ok;
}

bool wl_check_catalogue(struct wl_index_file *file, const struct wl_trace *all)
{
	struct wl_strings strings = all->strings;

	return take_all(file) && strings_ok(file, &strings) &&
	       wl_catalogue_texts(all, is_text, &strings) && processes_ok(all) && devices_ok(all) &&
	       stacks_ok(all) && series_ok(all) && rest_ok(all);
}
