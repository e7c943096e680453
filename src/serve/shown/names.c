/* SPDX-License-Identifier: MIT */
#include "serve/shown/names.h"

#include <string.h>

#include "base/memory/texts.h"
#include "derive/nvtx/range_names.h"
#include "known/kernels/labels.h"
#include "serve/shown/redact.h"

/*
 * Events with one key have one name. Texts belong to the trace, so that equal pointers are
 * equal texts; the other way round they are compared once per key. No padding.
 */
struct name_key {
	const char *text, *detail; /* detail of a gap, or NULL */
	uint16_t cat;              /* of the event */
	uint16_t word;             /* of an operation; else WL_NO_WORD */
	uint16_t kind;             /* of the row: enum wl_track_kind */
	uint16_t is_kernel;
};

/* Whether an operation gives the name: a segment of the critical path may have that of its class.
 */
static bool is_named_by_op(const struct wl_track_event *event, const char *text)
{
	return wl_is_op(event->family) && text != event->detail;
}

static struct name_key key_of(const struct wl_scene *scene, size_t track, uint32_t ref, uint8_t cat)
{
	const struct wl_tracks *tracks = &scene->tracks;
	const struct wl_row_kind *kind = wl_row_kind(&tracks->at[track]);
	const struct wl_track_event event = wl_track_event_of(tracks, track, ref);
	const char *text = wl_track_event_name(tracks, track, ref, cat);
	bool is_op = is_named_by_op(&event, text);

	return (struct name_key){
		.text = text,
		.detail = kind->holds == WL_HOLDS_GAPS ? event.detail : NULL,
		.cat = cat,
		.word = is_op ? wl_track_op_category(tracks, wl_track_ref(event.family, event.row))
			      : WL_NO_WORD,
		.kind = (uint16_t)kind->id,
		.is_kernel = is_op && event.family == WL_F_KERNELS,
	};
}

/* ---- Texts of keys ---- */

static const char *gap_text(const char *cause, const char *detail, struct wl_arena *arena)
{
	char *text;

	if (!detail)
		return cause;
	text = WL_NEW(arena, char, strlen(cause) + strlen(detail) + 3);
	if (text)
		(void)stpcpy(stpcpy(stpcpy(text, cause), ": "), detail);
	return text;
}

/* Names of CUDA's and the system's calls are no secret, nor are our own words. */
static const char *redacted(const struct name_key *key, const char *text, struct wl_arena *arena)
{
	switch (wl_row_kinds[key->kind].holds) {
	case WL_HOLDS_OPS:
	case WL_HOLDS_PATH:
		return key->is_kernel ? wl_redact_kernel(text, arena) : text;
	case WL_HOLDS_RANGES:
	case WL_HOLDS_PROJECTIONS:
		return wl_redact_range(text, arena);
	case WL_HOLDS_ITERATIONS:
		return "iteration";
	case WL_HOLDS_GPU_TIME:
	case WL_HOLDS_GAPS:
	case WL_HOLDS_LEVELS:
	case WL_HOLDS_THREADS:
	case WL_HOLDS_CALLS:
		break;
	}
	return text;
}

/* Host code is named by a range, all other causes by calls and words of ours. */
static const char *detail_of(const struct name_key *key, enum wl_naming how, struct wl_arena *arena)
{
	const char *detail = key->detail;

	if (!detail || how == WL_NAMES_AS_THEY_ARE || key->cat != WL_GAP_OF_CAUSE + WL_CAUSE_HOST)
		return detail;
	return wl_redact_range(detail, arena);
}

/* NULL without memory. A detail that could not be hashed is then left out, which is no harm. */
static const char *text_of(const struct name_key *key, enum wl_naming how, struct wl_arena *arena)
{
	const char *text = key->text;

	if (wl_row_kinds[key->kind].holds == WL_HOLDS_GAPS)
		return gap_text(text, detail_of(key, how, arena), arena);
	return how == WL_NAMES_REDACTED ? redacted(key, text, arena) : text;
}

/* Set the label of a range's name; hashed names have none. False without memory. */
static bool add_label(struct wl_web_name *name, const struct name_key *key, enum wl_naming how,
		      struct wl_arena *arena)
{
	char *label;

	if (name->label || how == WL_NAMES_REDACTED || wl_row_kinds[key->kind].family != WL_F_NVTX)
		return true;
	label = WL_NEW(arena, char, strlen(name->text) + 1);
	if (!label)
		return false;
	wl_label_write(name->text, label);
	name->label = strcmp(label, name->text) == 0 ? NULL : label;
	return true;
}

/* Kernels of all traces get labels together, so that those of a page differ. */
static bool label_kernels(const struct wl_names *names, struct wl_web_name *at,
			  const uint32_t *of_key, struct wl_arena *arena)
{
	const struct name_key *key = names->keys.items.data;
	size_t n_keys = names->keys.items.n, n = 0, next = 0;
	const char **label = WL_NEW(arena, const char *, n_keys + 1);

	for (size_t i = 0; label && i < n_keys; i++) {
		if (key[i].is_kernel)
			label[n++] = at[of_key[i]].text;
	}
	if (!label || !wl_kernel_labels(label, n, arena, label))
		return false;
	for (size_t i = 0; i < n_keys; i++) {
		struct wl_web_name *name = &at[of_key[i]];
		const char *own = key[i].is_kernel ? label[next++] : NULL;

		if (own && strcmp(own, name->text) != 0)
			name->label = own;
	}
	return true;
}

/* ---- Numbering ---- */

static bool put_lane(struct wl_names *names, size_t scene, size_t track, const struct wl_lane *lane)
{
	size_t row = wl_show_first_row(names->show, scene) + track;
	const struct wl_shown_events events = wl_show_events(names->show, scene, lane);

	for (size_t i = events.lo; i < events.hi; i++) {
		struct name_key key;

		if (!wl_show_has(names->show, row, lane, i))
			continue;
		key = key_of(names->show->scene[scene], track, lane->ref[i], lane->cat[i]);
		if (wl_intern_put(&names->keys, &key) == WL_NONE)
			return false;
	}
	return true;
}

static bool put_keys(struct wl_names *names)
{
	for (size_t s = 0; s < names->show->n; s++) {
		const struct wl_scene *scene = names->show->scene[s];

		for (size_t t = 0; t < scene->tracks.n; t++) {
			for (size_t l = 0; l < scene->lanes[t].n; l++) {
				if (!put_lane(names, s, t, &scene->lanes[t].lane[l]))
					return false;
			}
		}
	}
	return true;
}

/*
 * Equal texts share the number of the first, by category. There are few categories, so the
 * names of each text are a list that is walked.
 */
static uint32_t merge(struct wl_web_name *at, size_t *n, uint32_t *last, uint32_t *before,
		      const struct wl_web_name *name)
{
	for (uint32_t i = *last; i != WL_NONE; i = before[i]) {
		if (at[i].category == name->category && at[i].word == name->word)
			return i;
	}
	at[*n] = *name;
	before[*n] = *last;
	*last = (uint32_t)*n;
	return (uint32_t)(*n)++;
}

static bool number_names(struct wl_names *names, enum wl_naming how, struct wl_arena *arena)
{
	const struct name_key *key = names->keys.items.data;
	size_t n = names->keys.items.n;
	const char **text = WL_NEW(arena, const char *, n + 1);
	struct wl_web_name *at = WL_NEW(arena, struct wl_web_name, n + 1);
	uint32_t *of_key = WL_NEW(arena, uint32_t, n + 1);
	uint32_t *last = WL_NEW(arena, uint32_t, 2 * (n + 1)), *first;

	if (!text || !at || !of_key || !last)
		return false;
	for (size_t i = 0; i < n; i++) {
		text[i] = text_of(&key[i], how, arena);
		if (!text[i])
			return false;
	}
	first = wl_texts_merge(text, n, arena);
	if (!first)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (first[i] == i)
			last[i] = WL_NONE;
		of_key[i] = merge(at, &names->n, &last[first[i]], last + n + 1,
				  &(struct wl_web_name){ .text = text[i],
							 .category = (uint8_t)key[i].cat,
							 .word = (uint8_t)key[i].word });
		if (!add_label(&at[of_key[i]], &key[i], how, arena))
			return false;
	}
	names->at = at;
	names->of_key = of_key;
	return how == WL_NAMES_REDACTED || label_kernels(names, at, of_key, arena);
}

bool wl_names_find(struct wl_names *names, const struct wl_show *show, enum wl_naming how,
		   struct wl_arena *arena)
{
	*names = (struct wl_names){ .show = show };
	wl_intern_init(&names->keys, sizeof(struct name_key), wl_arena_budget(arena));
	return put_keys(names) && number_names(names, how, arena);
}

void wl_names_release(struct wl_names *names)
{
	wl_intern_release(&names->keys);
	*names = (struct wl_names){ .n = 0 };
}

uint32_t wl_names_of(const struct wl_names *names, size_t row, uint32_t ref, uint8_t cat)
{
	size_t track, scene = wl_show_find(names->show, row, &track);
	const struct name_key key = key_of(names->show->scene[scene], track, ref, cat);
	uint32_t number = wl_intern_find(&names->keys, &key);

	return number == WL_NONE ? WL_NONE : names->of_key[number];
}
