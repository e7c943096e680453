/* SPDX-License-Identifier: MIT */
/* secrets.h - masks the secrets in a command line. */
#ifndef WL_KNOWN_SECRETS_H
#define WL_KNOWN_SECRETS_H

#include <stddef.h>

/*
 * Write the line with each secret replaced by "***": the value of an argument or a variable that
 * is called token, key, secret, password, credential or auth (--hf-token X, WANDB_API_KEY=X), the
 * password of a URL, and words that begin like the keys of well-known services. White space
 * becomes one blank. Needs room for WL_MASKED_SIZE(strlen(line)) bytes.
 */
void wl_secrets_mask(const char *line, char *to);

/* A word of one byte may become three. */
#define WL_MASKED_SIZE(length) (3 * (length) + 1)

#endif
