/* SPDX-License-Identifier: MIT */
/* secrets.h - masks the secrets in a command line. */
#ifndef WL_KNOWN_SECRETS_H
#define WL_KNOWN_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write an argument with each secret replaced by "***": the value of an argument or a variable that
 * is called token, key, secret, password, credential or auth (--hf-token X, WANDB_API_KEY=X), the
 * password of a URL, and words that begin like the keys of well-known services. White space
 * becomes one blank. *is_next, false before the first argument: this one is the value of the one
 * before. Needs room for WL_MASKED_SIZE(strlen(argument)) bytes; returns where the text ends.
 */
char *wl_secrets_mask(const char *argument, char *to, bool *is_next);

/* A word of one byte may become three. */
#define WL_MASKED_SIZE(length) (3 * (length) + 1)

#endif
