/* SPDX-License-Identifier: MIT */
/* http_show.h - moves the page of a local "warplens serve" to a window. */
#ifndef WL_AGENT_HTTP_SHOW_H
#define WL_AGENT_HTTP_SHOW_H

#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* WL_E_USAGE unless it is an address on this machine as serve prints it. */
int wl_page_address_check(const char *page, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Ask the page's server to show the trace of this path in [begin, end) ns of its clock; window
 * NULL: all of it. WL_E_IO if it does not answer within seconds, WL_E_USAGE with its reason if it
 * refuses.
 */
int wl_page_show(const char *page, const char *path, const int64_t window[2],
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
