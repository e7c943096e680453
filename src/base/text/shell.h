/* SPDX-License-Identifier: MIT */
/* shell.h - words of a POSIX shell's command line. */
#ifndef WL_BASE_SHELL_H
#define WL_BASE_SHELL_H

#include "base/memory/arena.h"

/*
 * The text as one word: as it is where that is safe, else in quotes. What a terminal or the log of
 * a CI job would obey is spelled in $'...', which bash, zsh and ksh read: the word stays the same
 * and is safe to print. NULL without memory.
 */
const char *wl_shell_word(const char *text, struct wl_arena *arena);

/* n such words, with blanks between. NULL without memory. */
const char *wl_shell_words(const char *const *word, size_t n, struct wl_arena *arena);

/* The length in bytes of the word that a command line begins with, its quotes included. */
size_t wl_shell_word_length(const char *line);

/* What a word of n bytes that does not begin with $' means: without its quotes. NULL without
 * memory.
 */
const char *wl_shell_plain(const char *word, size_t n, struct wl_arena *arena);

#endif
