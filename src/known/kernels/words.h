/* SPDX-License-Identifier: MIT */
/*
 * words.h - kernel names as words, and patterns over them.
 *
 * The words of "vllm::topkGatingSoftmax" are "vllm::topk_gating_softmax": small letters,
 * with camelCase taken apart. "RMSNorm" is "rms_norm", "moeA2ADispatch" "moe_a2a_dispatch".
 */
#ifndef WL_KNOWN_WORDS_H
#define WL_KNOWN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text to search, and which pairs of characters occur in it: most patterns need no more. */
struct wl_words {
	const char *text; /* the caller's buffer, with a NUL */
	size_t n;
	uint64_t pairs[64];
};

/* The words of n bytes of a name, as far as they fit into size > 0 bytes with the NUL. */
void wl_words_of(const char *name, size_t n, char *buf, size_t size, struct wl_words *ret);

/*
 * Whether the pattern occurs in the text. "*" is any text, "^" at its beginning and "$" at
 * its end are the ends of the text; an end of the pattern without one of them must be the end
 * of a word, which is a run of letters and digits.
 */
bool wl_words_match(const struct wl_words *words, const char *pattern);

#endif
