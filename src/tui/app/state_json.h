/* SPDX-License-Identifier: MIT */
/* state_json.h - single values of a state in JSON. */
#ifndef WL_TUI_STATE_JSON_H
#define WL_TUI_STATE_JSON_H

#include "model/trace.h"

struct wl_json;
struct wl_jsonw;

/* Times are texts in JSON, because a double does not hold them all. */
void wl_state_put_time(struct wl_jsonw *out, const char *key, wl_ns t);
/* False where there is none, or not a time; a number will do as well. */
bool wl_state_time(const struct wl_json *object, const char *key, wl_ns *ret);

/* A whole number in [min, max]; false where there is none. */
bool wl_state_int(const struct wl_json *object, const char *key, int min, int max, int *ret);

#endif
