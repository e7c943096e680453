/* SPDX-License-Identifier: MIT */
#include "agent/llm/talk.h"

#include <stdio.h>

struct wl_llm_message *wl_llm_talk_add(struct wl_llm_talk *talk, bool is_model)
{
	struct wl_llm_message *m = wl_arena_calloc(talk->arena, 1, sizeof(*m));

	if (!m)
		return NULL;
	m->is_model = is_model;
	if (talk->last)
		talk->last->next = m;
	else
		talk->first = m;
	talk->last = m;
	return m;
}

static bool copy(struct wl_arena *arena, const char **text)
{
	if (*text)
		*text = wl_arena_strdup(arena, *text);
	else
		return true;
	return *text != NULL;
}

struct wl_llm_block *wl_llm_message_add(struct wl_llm_talk *talk, struct wl_llm_message *m,
					const struct wl_llm_block *block)
{
	struct wl_llm_block *b = wl_arena_calloc(talk->arena, 1, sizeof(*b));

	if (!b)
		return NULL;
	*b = *block;
	b->next = NULL;
	if (!copy(talk->arena, &b->id) || !copy(talk->arena, &b->name) ||
	    !copy(talk->arena, &b->text))
		return NULL;
	if (m->last)
		m->last->next = b;
	else
		m->first = b;
	m->last = b;
	return b;
}

void wl_llm_make_id(struct wl_llm_talk *talk, char ret[WL_LLM_ID_SIZE])
{
	(void)snprintf(ret, WL_LLM_ID_SIZE, "wl%07u", ++talk->n_ids % 10000000);
}
