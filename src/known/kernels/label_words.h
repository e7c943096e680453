/* SPDX-License-Identifier: MIT */
/*
 * label_words.h - a kernel's name as a head and words, of which its label shows some.
 *
 * The head is what the label begins with. Names with equal heads are distinguished by their
 * words. Words that say what data type or tile a kernel has are kept from the start.
 */
#ifndef WL_KNOWN_LABEL_WORDS_H
#define WL_KNOWN_LABEL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/memory/arena.h"

/* An identifier, a number, or one character of punctuation. */
struct wl_word {
	uint16_t at, length; /* in the name */
	bool keep;           /* in the label */
	bool is_hdim;        /* the size of an attention head: "hdim128" */
};

struct wl_worded {
	const char *name;
	const char *base; /* the qualified base of the name (known/kernels/names.h) */
	const char *head;
	struct wl_word *word; /* of the beginning of the name, as far as it is looked at */
	size_t n;
	uint32_t number; /* the caller's */
	bool is_spaced;  /* words are set off by spaces, not as template arguments */
	bool is_flat;    /* a name without arguments, of words between _ */
};

/* Owned by the arena; false without memory. Linear in the length of the name. */
bool wl_words_split(struct wl_worded *ret, const char *name, struct wl_arena *arena) WL_MUST_CHECK;

/* Negative, 0 or positive, and how many words at the beginning are equal. */
int wl_words_compare(const struct wl_worded *a, const struct wl_worded *b, uint32_t *ret_shared);

/* Whether a word is no punctuation; whether it is in front of "::". */
bool wl_word_is_text(const struct wl_worded *name, size_t i);
bool wl_word_is_qualifier(const struct wl_worded *name, size_t i);

/* The head and the words that are kept, or the base and these with qualifiers; NULL without memory.
 */
const char *wl_words_join(const struct wl_worded *name, bool qualified,
			  struct wl_arena *arena) WL_MUST_CHECK;

#endif
