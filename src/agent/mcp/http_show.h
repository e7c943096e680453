/* SPDX-License-Identifier: MIT */
/* http_show.h - moves the page of "warplens serve" on this machine to a window. */
#ifndef WL_AGENT_HTTP_SHOW_H
#define WL_AGENT_HTTP_SHOW_H

#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* WL_E_USAGE unless it is an address that serve prints, of this machine. */
int wl_page_address_check(const char *page, struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Ask the server of the page to show the trace of this path in [begin, end) ns of its clock; window
 * NULL: all of it. WL_E_IO where it does not answer in seconds, WL_E_USAGE with its reason where it
 * refuses.
 */
int wl_page_show(const char *page, const char *path, const int64_t window[2],
		 struct wl_err *reterr) WL_MUST_CHECK;

#endif
