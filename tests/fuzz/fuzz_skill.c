/* SPDX-License-Identifier: MIT */
/*
 * fuzz_skill.c - the bytes are a file of a skill.
 *
 * It is refused with a message that names it, or it is a skill whose parts are all there, and
 * whose parameters take their defaults.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/skills/values.h"
#include "fuzz/fuzz.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

/* The values as a user gives them, here the title of the skill: taken, or refused with a reason. */
static void give(const struct wl_skill *s, struct wl_arena *arena)
{
	struct wl_skill_values values;
	struct wl_err err = { .msg = "" };

	wl_skill_values_init(&values, s, arena);
	if (wl_skill_values_pair(&values, s->title, &err) < 0)
		need(*err.msg != '\0');
	if (wl_skill_values_list(&values, s->title, &err) < 0 ||
	    wl_skill_values_end(&values, &err) < 0)
		need(*err.msg != '\0');
}

static void look(const struct wl_skill *s, struct wl_arena *arena)
{
	struct wl_skill_values values;
	struct wl_sql_value bound[WL_MAX_PARAMS];
	char type[WL_SKILL_TYPE_BUF];
	struct wl_err err;

	need(s->name && wl_skill_is_name(s->name, strlen(s->name)) && s->title && *s->title);
	need(s->n_params <= WL_MAX_PARAMS && s->n_steps <= WL_SKILL_STEPS);
	for (size_t i = 0; i < s->n_steps; i++) {
		need(s->steps[i].sql || s->steps[i].verb);
		need(wl_skill_step_named(s, s->steps[i].name) == i);
	}
	for (size_t i = 0; i < s->n_params; i++)
		need(*wl_skill_type_text(&s->params[i], type));
	wl_skill_values_init(&values, s, arena);
	wl_skill_values_sample(&values);
	need(wl_skill_values_end(&values, &err) == WL_OK);
	need(wl_skill_values_bind(&values, bound, &err) == WL_OK);
	(void)wl_skill_word_named(&values, "trace", 5);
	give(s, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_arena arena;
	struct wl_skill s;
	int r;

	wl_arena_init(&arena, 16 << 20);
	r = wl_skill_parse((const char *)data, size, "x.md", &arena, &s, &err);
	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && strncmp(err.msg, "x.md", 4) == 0) ||
	     r == WL_E_NOMEM);
	if (r == WL_OK)
		look(&s, &arena);
	wl_arena_release(&arena);
	return 0;
}
