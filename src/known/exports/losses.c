/* SPDX-License-Identifier: MIT */
#include "known/exports/losses.h"

#include <string.h>

#include "base/attr.h"

bool wl_message_tells_loss(uint8_t severity, const char *text)
{
	enum { WARNING = 2, ERROR = 3 };
	static const char *const words[] = { "dropped",     "lost",          "truncat",
					     "buffer full", "not collected", "exceeded" };

	if (severity != WARNING && severity != ERROR)
		return false;
	for (size_t i = 0; i < WL_COUNT(words); i++) {
		if (strstr(text, words[i]))
			return true;
	}
	return false;
}

bool wl_message_doubts_cuda(uint8_t severity, const char *text)
{
	enum { WARNING = 2 };
	static const char *const texts[] = {
		"Not all CUDA events might have been collected.",
		"CUDA profiling might have not been started correctly.",
	};

	for (size_t i = 0; severity >= WARNING && i < WL_COUNT(texts); i++) {
		if (strcmp(text, texts[i]) == 0)
			return true;
	}
	return false;
}
