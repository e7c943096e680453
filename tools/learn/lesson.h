/* SPDX-License-Identifier: MIT */
/*
 * lesson.h - questions with their traits, and the weights that are learned from them.
 *
 * Order of calls: read, train, prune, then train again, write. Memory is never released: the
 * program ends. What fails ends the program.
 */
#ifndef WL_LEARN_LESSON_H
#define WL_LEARN_LESSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agent/route/learned.h"

/*
 * VERBS of an example count, the best first. WIDTH: weights of a trait, those past the last verb
 * unused: a fixed number of them is added up several at a time. A verb's name has NAME bytes.
 */
enum { LESSON_VERBS = 4, LESSON_WIDTH = WL_LEARNED_MOST_VERBS, LESSON_NAME = 32 };

struct lesson_example {
	size_t first, n; /* of number */
	size_t verb[LESSON_VERBS];
	size_t n_verbs;
};

struct lesson {
	char verb[WL_LEARNED_MOST_VERBS][LESSON_NAME];
	size_t n_verbs;
	struct lesson_example *example;
	size_t n_examples;
	uint32_t *number; /* traits of all examples, one after the other */
	size_t n_numbers;
	/* By trait. */
	uint32_t *hash, *uses;
	bool *is_alone; /* a word, sense or rule: known even where it has no weight */
	size_t n_traits;
	float *weight; /* by trait and verb */
	float bias[LESSON_WIDTH];
	bool *is_kept; /* by weight; NULL: all are */
};

/* n items of zeros; never NULL. */
void *lesson_new(size_t n, size_t size);

/* Read data/questions.tsv. Traits of few questions are left out. */
void lesson_read(struct lesson *l, const char *path);

/* Find the weights that are kept, beginning with those that it has. */
void lesson_train(struct lesson *l, int rounds, float rate);

/* Keep the weights that matter most: with their traits they take this many bytes. */
void lesson_prune(struct lesson *l, size_t bytes);

/* Write the source of wl_learned. */
void lesson_write(const struct lesson *l, FILE *out);

#endif
