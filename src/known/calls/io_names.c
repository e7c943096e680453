/* SPDX-License-Identifier: MIT */
#include "known/calls/io_names.h"

#include <string.h>

#include "base/attr.h"
#include "known/kernels/words.h"

enum { MAX_NAME = 512 };

/* The first that fits counts. Words that also name GPU work, such as store, are left out. */
static const struct {
	const char *word;
	enum wl_io io;
} words_of[] = {
	{ "mpi*", WL_IO_MPI },
	{ "write*", WL_IO_OUTPUT },
	{ "save*", WL_IO_OUTPUT },
	{ "output", WL_IO_OUTPUT },
	{ "dump", WL_IO_OUTPUT },
	{ "checkpoint*", WL_IO_OUTPUT },
	{ "export", WL_IO_OUTPUT },
	{ "logging", WL_IO_OUTPUT },
	{ "print", WL_IO_OUTPUT },
	{ "read", WL_IO_INPUT },
	{ "load*", WL_IO_INPUT },
	{ "input", WL_IO_INPUT },
	{ "dataloader*", WL_IO_INPUT },
	{ "fetch*", WL_IO_INPUT },
	{ "io", WL_IO_ANY },
	{ "i/o", WL_IO_ANY },
};

enum wl_io wl_io_named(const char *range)
{
	char text[MAX_NAME];
	struct wl_words words;

	wl_words_of(range, strlen(range), text, sizeof(text), &words);
	for (size_t i = 0; i < WL_COUNT(words_of); i++) {
		if (wl_words_match(&words, words_of[i].word))
			return words_of[i].io;
	}
	return WL_IO_NONE;
}
