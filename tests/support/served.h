/* SPDX-License-Identifier: MIT */
/*
 * served.h - a trace in memory as a server has it: no session, so tables of verbs are
 * not there. Order of calls: served_make; the questions; served_release.
 */
#ifndef WL_TESTS_SERVED_H
#define WL_TESTS_SERVED_H

#include "serve/http/routes.h"
#include "support/viewed.h"

struct served {
	struct viewed viewed;
	struct wl_served served;
};

/*
 * GPU 0: stream 7 with gemm 100-300 and 400-500 and "a # b" 600-600; stream 20 with a
 * collective 250-450. A thread launches each in a range "step 1" 0-700, of which "inner"
 * 20-60 holds the first call.
 */
void served_make(struct served *s);
void served_release(struct served *s);

/* Ask "view?a=0&b=1"; a path that there is not is status 404. Release the answer. */
struct wl_answer served_ask(struct served *s, const char *question);

#endif
