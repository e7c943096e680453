/* SPDX-License-Identifier: MIT */
/*
 * question.h - the words of a question: what each is by its looks, before anything is known of
 * what it means.
 */
#ifndef WL_AGENT_ROUTE_QUESTION_H
#define WL_AGENT_ROUTE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

enum wl_word_kind {
	WL_WORD_PLAIN,
	WL_WORD_NUMBER, /* "10", "39s", "1.5ms", "1s..1.2s" */
	WL_WORD_NAME,   /* in quotes, or behind "named" and "called" */
	WL_WORD_KERNEL, /* "flash_fwd_kernel", "at::native::x" */
	WL_WORD_API,    /* "cudaMalloc", "cuMemAlloc" */
	WL_WORD_OS,     /* "pthread_cond_wait" */
	WL_WORD_NCCL,   /* "ncclAllReduce" */
	WL_WORD_TABLE,  /* of an export: "CUPTI_ACTIVITY_KIND_KERNEL" */
};

struct wl_question_word {
	enum wl_word_kind kind;
	char *text; /* as it was written */
	char *key;  /* what it is looked up by: in small letters, or what stands for its kind */
};

enum { WL_MAX_QUESTION = 1000, WL_MAX_WORDS = 120 };

/* Words point into it: not to be copied. */
struct wl_question {
	struct wl_question_word word[WL_MAX_WORDS];
	size_t n;
	char buf[4 * WL_MAX_QUESTION];
	size_t used;
};

/* Take a question apart. Bytes past WL_MAX_QUESTION are cut. */
void wl_question_read(struct wl_question *q, const char *text);

/* Whether one of at most so many words is in it; NULL ends a shorter list. */
bool wl_question_says(const struct wl_question *q, const char *const *words, size_t most);

#endif
