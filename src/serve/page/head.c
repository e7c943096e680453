/* SPDX-License-Identifier: MIT */
#include "serve/page/head.h"

#include <stdio.h>

#include "derive/use/stack_names.h"
#include "known/glyphs.h"
#include "known/palette.h"
#include "serve/page/head_parts.h"
#include "serve/page/pack.h"
#include "serve/shown/bare_names.h"
#include "serve/shown/categories.h"
#include "serve/shown/redact.h"

enum { FORMAT = 1 }; /* the page refuses another */

/* ---- Colours ---- */

static void put_colour(struct wl_jsonw *out, const char *key, uint32_t rgb)
{
	char text[8];

	(void)snprintf(text, sizeof(text), "#%06X", (unsigned)rgb & 0xFFFFFF);
	wl_jsonw_put_str(out, key, text);
}

static void put_heats(struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "heats");
	for (unsigned i = 0; i < WL_N_HEATS; i++) {
		wl_jsonw_begin_object(out);
		put_colour(out, "light", wl_heat_rgb(i, false));
		put_colour(out, "dark", wl_heat_rgb(i, true));
		wl_jsonw_end_object(out);
	}
	wl_jsonw_end_array(out);
}

static void put_categories(struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "categories");
	for (unsigned i = 0; i < WL_N_COLOURS; i++) {
		wl_jsonw_begin_object(out);
		wl_jsonw_put_str(out, "key", wl_colour_key((enum wl_colour)i));
		put_colour(out, "light", wl_colour_rgb((enum wl_colour)i, false));
		put_colour(out, "dark", wl_colour_rgb((enum wl_colour)i, true));
		wl_jsonw_end_object(out);
	}
	wl_jsonw_end_array(out);
}

/* Categories of operations, which are the same of all traces; several have one colour. */
static void put_words(const struct wl_show *show, struct wl_jsonw *out)
{
	const struct wl_tracks *tracks = &show->scene[0]->tracks;

	wl_jsonw_open_array(out, "words");
	for (size_t i = 0; i < tracks->n_category_words; i++) {
		wl_jsonw_begin_object(out);
		wl_jsonw_put_str(out, "key", tracks->category_word[i]);
		wl_jsonw_put_i64(out, "colour", wl_swatch_of(tracks->category_word[i], 0).colour);
		wl_jsonw_end_object(out);
	}
	wl_jsonw_end_array(out);
}

static void put_word(struct wl_jsonw *out, const char *word)
{
	wl_jsonw_begin_object(out);
	wl_jsonw_put_str(out, "key", word);
	wl_jsonw_put_str(out, "glyph", wl_glyph_of(word)->text);
	wl_jsonw_put_i64(out, "colour", wl_swatch_of(word, 0).colour);
	wl_jsonw_end_object(out);
}

static void put_causes(struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "causes");
	for (unsigned i = 0; i < WL_N_GAP_CATS; i++)
		put_word(out, wl_category_key(WL_HOLDS_GAPS, (uint8_t)i));
	wl_jsonw_end_array(out);
	wl_jsonw_open_array(out, "classes");
	for (unsigned i = 0; i < WL_N_CLASSES; i++)
		put_word(out, wl_category_key(WL_HOLDS_GPU_TIME, (uint8_t)i));
	wl_jsonw_end_array(out);
}

/* ---- What a file has packed ---- */

static void put_lanes(const struct wl_pack *pack, struct wl_jsonw *out)
{
	const struct wl_pack_lane *lane = pack->lane.data;

	wl_jsonw_open_array(out, "lanes");
	for (size_t i = 0; i < pack->lane.n; i++) {
		wl_jsonw_begin_array(out);
		wl_jsonw_i64(out, lane[i].row);
		wl_jsonw_i64(out, (int64_t)lane[i].n);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

/* On a server the lanes of a row are counted only. */
static void put_shown_lanes(const struct wl_show *show, struct wl_jsonw *out)
{
	wl_jsonw_open_array(out, "lanes");
	for (size_t s = 0; s < show->n; s++) {
		const struct wl_scene *scene = show->scene[s];

		for (size_t t = 0; t < scene->tracks.n; t++) {
			for (size_t l = 0; l < scene->lanes[t].n; l++) {
				wl_jsonw_begin_array(out);
				wl_jsonw_i64(out, (int64_t)(wl_show_first_row(show, s) + t));
				wl_jsonw_i64(out, (int64_t)scene->lanes[t].lane[l].n);
				wl_jsonw_end_array(out);
			}
		}
	}
	wl_jsonw_end_array(out);
}

static void put_configs(const struct wl_pack *pack, struct wl_jsonw *out)
{
	const struct wl_launch_config *config = pack ? pack->config.data : NULL;

	wl_jsonw_open_array(out, "configs");
	for (size_t i = 0; pack && i < pack->config.n; i++) {
		const struct wl_launch_config *c = &config[i];
		const uint32_t value[] = { c->grid[0],   c->grid[1],       c->grid[2],
					   c->block[0],  c->block[1],      c->block[2],
					   c->registers, c->static_shared, c->dynamic_shared };

		wl_jsonw_begin_array(out);
		for (size_t k = 0; k < WL_COUNT(value); k++)
			wl_jsonw_i64(out, value[k] == WL_NONE ? -1 : (int64_t)value[k]);
		wl_jsonw_end_array(out);
	}
	wl_jsonw_end_array(out);
}

/* As call stacks have it: stack_json.c. */
static const char *hash_of(const struct wl_trace *t, uint32_t frame, struct wl_arena *arena)
{
	const char *name = wl_frame_name(t, &t->frames[frame], arena);

	return name ? wl_redact_word("function", name, arena) : NULL;
}

static bool put_function(const struct wl_head *head, const struct wl_pack_function *f,
			 struct wl_jsonw *out, struct wl_arena *arena)
{
	const struct wl_trace *t = head->show->scene[f->scene]->trace;
	const struct wl_top_function top = { .function = f->function, .under = f->under };
	const char *name, *under;

	if (!wl_top_labels(t, &top, arena, &name, &under))
		return false;
	if (head->naming == WL_NAMES_REDACTED) {
		name = hash_of(t, f->function, arena);
		under = under ? hash_of(t, f->under, arena) : "";
		if (!name || !under)
			return false;
	}
	wl_jsonw_begin_array(out);
	wl_jsonw_str(out, name);
	wl_jsonw_str(out, under ? under : "");
	wl_jsonw_end_array(out);
	return true;
}

static bool put_functions(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	const struct wl_vec *functions = head->pack ? &head->pack->function.items : NULL;
	bool ok = true;

	wl_jsonw_open_array(out, "functions");
	for (size_t i = 0; ok && functions && i < functions->n; i++)
		ok = put_function(head, (const struct wl_pack_function *)functions->data + i, out,
				  arena);
	wl_jsonw_end_array(out);
	return ok;
}

static void put_templates(const struct wl_pack *pack, struct wl_jsonw *out)
{
	wl_jsonw_put_strs(out, "templates", pack ? pack->templates.text : NULL,
			  pack ? pack->templates.n : 0);
	wl_jsonw_put_strs(out, "labels", pack ? pack->labels.text : NULL,
			  pack ? pack->labels.n : 0);
}

static void put_column(const struct wl_pack_column *c, struct wl_jsonw *out)
{
	wl_jsonw_begin_array(out);
	wl_jsonw_str(out, c->key);
	wl_jsonw_i64(out, c->of);
	wl_jsonw_i64(out, (int64_t)c->n);
	wl_jsonw_i64(out, (int64_t)c->offset);
	wl_jsonw_i64(out, (int64_t)c->bytes);
	wl_jsonw_end_array(out);
}

static void put_data(const struct wl_pack *pack, struct wl_jsonw *out)
{
	const struct wl_pack_column *column = pack ? pack->column.data : NULL;

	wl_jsonw_key(out, "data");
	if (!pack) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "bytes", (int64_t)pack->bytes);
	wl_jsonw_put_i64(out, "pieces", (int64_t)wl_pack_pieces(pack));
	wl_jsonw_open_array(out, "columns");
	for (size_t i = 0; i < pack->column.n; i++)
		put_column(&column[i], out);
	wl_jsonw_end_array(out);
	wl_jsonw_end_object(out);
}

static void put_pyramid(const struct wl_pack *pack, struct wl_jsonw *out)
{
	wl_jsonw_key(out, "pyramid");
	if (!pack || pack->n_columns == 0) {
		wl_jsonw_null(out);
		return;
	}
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "columns", pack->n_columns);
	wl_jsonw_end_object(out);
}

/* ---- All ---- */

static void put_limits(const struct wl_head *head, struct wl_jsonw *out)
{
	wl_jsonw_open_object(out, "limits");
	wl_jsonw_put_str(out, "banner", head->banner);
	wl_jsonw_end_object(out);
	wl_jsonw_put_bool(out, "redacted", head->naming == WL_NAMES_REDACTED);
}

/* Of names that are hashed nothing can be told apart. */
static bool put_domains(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	struct wl_bare_names domains;

	if (!wl_bare_names_find(head->show, arena, &domains))
		return false;
	wl_jsonw_open_array(out, "domains");
	for (size_t i = 0; head->naming != WL_NAMES_REDACTED && i < domains.n; i++)
		wl_jsonw_str(out, domains.at[i]);
	wl_jsonw_end_array(out);
	return true;
}

bool wl_head_write(const struct wl_head *head, struct wl_jsonw *out, struct wl_arena *arena)
{
	wl_jsonw_begin_object(out);
	wl_jsonw_put_i64(out, "format", FORMAT);
	wl_jsonw_put_str(out, "program", head->program);
	if (!wl_head_traces(head, out, arena))
		return false;
	put_categories(out);
	put_heats(out);
	put_words(head->show, out);
	put_causes(out);
	if (!wl_head_rows(head, out, arena))
		return false;
	if (head->pack)
		put_lanes(head->pack, out);
	else
		put_shown_lanes(head->show, out);
	wl_head_processes(head, out);
	wl_head_devices(head, out);
	wl_head_findings(head, out);
	if (!put_domains(head, out, arena))
		return false;
	put_templates(head->pack, out);
	put_configs(head->pack, out);
	if (!put_functions(head, out, arena))
		return false;
	put_data(head->pack, out);
	put_pyramid(head->pack, out);
	put_limits(head, out);
	if (!wl_head_compare(head, out, arena))
		return false;
	wl_jsonw_end_object(out);
	wl_jsonw_finish(out);
	return true;
}
