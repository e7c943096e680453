/* SPDX-License-Identifier: MIT */
/*
 * veil.h - replaces names by tokens before a text leaves this machine, and restores them.
 *
 * A name keeps its token as long as the veil lives: name_1, name_2, in order of first use. Tokens
 * reveal nothing about the names, not even to someone who guesses them.
 */
#ifndef WL_AGENT_LLM_VEIL_H
#define WL_AGENT_LLM_VEIL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct wl_llm_veil;

struct wl_llm_veil *wl_llm_veil_new(void) WL_MUST_CHECK; /* NULL if memory runs out */
void wl_llm_veil_free(struct wl_llm_veil *veil);         /* accepts NULL */

/*
 * Add a name to hide. Names of fewer than 3 bytes and plain numbers are not secret and are skipped.
 * False if memory runs out.
 */
bool wl_llm_veil_add(struct wl_llm_veil *veil, const char *name) WL_MUST_CHECK;

/*
 * Replace every name that occurs as a whole word or words by its token, the longest name first;
 * absolute paths are replaced as well and become names. For the caller to free(); NULL if memory
 * runs out.
 */
char *wl_llm_veil_hide(struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

/*
 * The same for a JSON document: names in its texts are hidden; keys, column names and protocol
 * words are not. A text that is not a JSON document is treated as plain text.
 */
char *wl_llm_veil_hide_json(struct wl_llm_veil *veil, const char *json) WL_MUST_CHECK;

/* Replace tokens by names; unknown tokens stay. For the caller to free(). */
char *wl_llm_veil_reveal(const struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

/* The same for a JSON text: names are escaped. */
char *wl_llm_veil_reveal_json(const struct wl_llm_veil *veil, const char *text) WL_MUST_CHECK;

#endif
