/* SPDX-License-Identifier: MIT */
/*
 * refuse_secrets.h - refuses to record a program that is given secrets.
 *
 * A report of nsys holds the command line and the whole environment of the program, and reports
 * are handed on.
 */
#ifndef WL_CAPTURE_RUNS_REFUSE_SECRETS_H
#define WL_CAPTURE_RUNS_REFUSE_SECRETS_H

#include "base/attr.h"
#include "base/err.h"
#include "base/memory/arena.h"

/*
 * Look through the arguments and the environment; both end with NULL, and env may be NULL. allowed
 * (NULL ends; may be NULL) names what the user lets pass: HF_TOKEN, --hf-token, or the number of an
 * argument from 1, as messages name it. WL_E_USAGE: the message says where a secret is and what to
 * do, and has nothing of its value.
 */
int wl_refuse_secrets(const char *const *argv, const char *const *env, const char *const *allowed,
		      struct wl_err *reterr) WL_MUST_CHECK;

/*
 * The arguments as a manifest may have them: of a secret that was let pass "***" remains. A list in
 * the arena that ends with NULL; NULL without memory.
 */
const char *const *wl_mask_secrets(const char *const *argv, struct wl_arena *arena) WL_MUST_CHECK;

#endif
