/* SPDX-License-Identifier: MIT */
/*
 * veil.h - replaces names by tokens before a text leaves this machine, and puts them back.
 *
 * A name has one token as long as the veil lives: name_1, name_2, in the order in which they were
 * met. Tokens say nothing about the names, not even to one who guesses them.
 */
#ifndef WL_AGENT_LLM_VEIL_H
#define WL_AGENT_LLM_VEIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct wl_llm_veil;

struct wl_llm_veil *wl_llm_veil_new(void) WL_MUST_CHECK; /* NULL without memory */
void wl_llm_veil_free(struct wl_llm_veil *veil);         /* accepts NULL */

/*
 * A name to hide. Names of fewer than 3 bytes and plain numbers are no secrets and are left out.
 * False without memory.
 */
bool wl_llm_veil_add(struct wl_llm_veil *veil, const char *name) WL_MUST_CHECK;

/*
 * The text with every name, where it stands as a whole word or words, and every absolute path,
 * which is then a name as well, replaced by its token: the longest name first. The caller's to
 * free(); NULL without memory.
 */
char *wl_llm_veil_hide(struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

/*
 * The same for a JSON document: texts in it are hidden, its keys, names of columns and words of
 * the protocol are not. A text that is no document is hidden as a text.
 */
char *wl_llm_veil_hide_json(struct wl_llm_veil *veil, const char *json) WL_MUST_CHECK;

/* The text with tokens replaced by names; unknown tokens stay. The caller's to free(). */
char *wl_llm_veil_reveal(const struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

/* The same for a JSON text: names are escaped. */
char *wl_llm_veil_reveal_json(const struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

#endif
