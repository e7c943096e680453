/* SPDX-License-Identifier: MIT */
/*
 * question.h - splits a question into words and classifies each by its form, before its meaning is
 * known.
 */
#ifndef WL_AGENT_ROUTE_QUESTION_H
#define WL_AGENT_ROUTE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

enum wl_word_kind {
	WL_WORD_PLAIN,
	WL_WORD_NUMBER, /* "10", "39s", "1.5ms", "1s..1.2s" */
	WL_WORD_NAME,   /* in quotes, or after "named" or "called" */
	WL_WORD_KERNEL, /* "flash_fwd_kernel", "at::native::x" */
	WL_WORD_API,    /* "cudaMalloc", "cuMemAlloc" */
	WL_WORD_OS,     /* "pthread_cond_wait" */
	WL_WORD_NCCL,   /* "ncclAllReduce" */
	WL_WORD_TABLE,  /* table of an export: "CUPTI_ACTIVITY_KIND_KERNEL" */
};

struct wl_question_word {
	enum wl_word_kind kind;
	char *text; /* as it was written */
	char *key;  /* lookup key: the word in lower case, or the stand-in for its kind */
};

enum { WL_MAX_QUESTION = 1000, WL_MAX_WORDS = 120 };

/* Must not be copied: its words point into it. */
struct wl_question {
	struct wl_question_word word[WL_MAX_WORDS];
	size_t n;
	char buf[4 * WL_MAX_QUESTION];
	size_t used;
};

/* Split a question into words. Bytes past WL_MAX_QUESTION are cut off. */
void wl_question_read(struct wl_question *q, const char *text);

/* Whether the question has one of at most so many words; NULL ends a shorter list. */
bool wl_question_says(const struct wl_question *q, const char *const *words, size_t most);

#endif
