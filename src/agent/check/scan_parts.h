/* SPDX-License-Identifier: MIT */
/* scan_parts.h - declarations shared by the sources of the scanner. */
#ifndef WL_AGENT_LLM_SCAN_PARTS_H
#define WL_AGENT_LLM_SCAN_PARTS_H

#include "agent/check/scan.h"

/* Whether it is a letter, digit, underscore, or any byte beyond ASCII. */
bool wl_scan_is_word(char c);

/* Whether it is a digit of another script, a one-character fraction or a circled numeral. */
bool wl_scan_is_odd(const char *text);

/* The noun of a word of n letters, in any case and number. */
enum wl_noun wl_scan_noun(const char *word, size_t n);

/* Bytes of blanks and markup between a number and its unit or a noun and its number. */
size_t wl_scan_gap(const char *text);

/*
 * Number words at text, which is at the start of a word: bytes and value; 0 for none. *ret_small: a
 * single word, at most twelve.
 */
size_t wl_scan_words(const char *text, double *ret_value, bool *ret_small);

/* The number at text, which begins with a digit or a point: value, decimals, length in bytes. */
size_t wl_scan_digits(const char *text, double *ret_value, int *ret_decimals);

/* Give units of headings to cells, and units and nouns to linked numbers. */
void wl_scan_tables(const char *text, struct wl_said_list *list, size_t from);
void wl_scan_link(const char *text, struct wl_said_list *list, size_t from);

#endif
