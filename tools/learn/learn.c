/* SPDX-License-Identifier: MIT */
/*
 * learn.c - learn QUESTIONS OUT: writes the source of the weights by which `ask` finds a verb.
 *
 * Part of the build. All weights are learned, the small ones are left out, and the others are
 * learned on: that was within a point of keeping all of them, on questions that were held out.
 */
#include <stdlib.h>

#include "lesson.h"

/* BYTES of the table, at most; docs/ask.md names them. Rounds and rates are by cross-validation. */
enum { BYTES = 512 << 10, ROUNDS = 3, ROUNDS_AFTER = 3 };
static const float rate = 0.5F, rate_after = 0.3F;

int main(int argc, char **argv)
{
	static struct lesson l; /* what it points to is in use to the end */
	FILE *out;
	int bad;

	if (argc != 3) {
		(void)fputs("usage: learn QUESTIONS OUT\n", stderr);
		return EXIT_FAILURE;
	}
	lesson_read(&l, argv[1]);
	lesson_train(&l, ROUNDS, rate);
	lesson_prune(&l, BYTES);
	lesson_train(&l, ROUNDS_AFTER, rate_after);
	out = fopen(argv[2], "we");
	if (!out) {
		perror(argv[2]);
		return EXIT_FAILURE;
	}
	lesson_write(&l, out);
	bad = ferror(out);
	return fclose(out) != 0 || bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
