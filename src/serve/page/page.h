/* SPDX-License-Identifier: MIT */
/*
 * page.h - the page as one file: its markup, style and script, which are built in, with the
 * head and the data of traces in it, or with the word that a server has them.
 *
 * The same traces and options give the same bytes. Order of calls: make, which packs all and
 * knows the size; write; release.
 */
#ifndef WL_SERVE_PAGE_H
#define WL_SERVE_PAGE_H

#include <stdio.h>

#include "serve/page/head.h"
#include "serve/page/pack.h"

struct wl_page_opts {
	struct wl_show show;
	const char *program; /* "warplens 0.1.0" */
	const char *serve;   /* the command that shows all of it, where the file cannot */
	enum wl_naming naming;
	uint64_t max_size; /* bytes of the file */
	struct wl_budget *budget;
	const atomic_int *stop; /* not 0: give up */
};

struct wl_page {
	struct wl_show show;
	struct wl_names names;
	struct wl_pack pack;
	char *head; /* JSON */
	size_t head_size;
	char title[256];
	char banner[512];  /* empty: all is in the file */
	uint64_t size;     /* bytes of the file */
	uint64_t n_events; /* that are shown, of which the pack may have fewer */
	struct wl_arena arena;
	const struct wl_compared *compared; /* while it is made; NULL of one trace */
};

/*
 * Pack the traces. Where all events take more than max_size, only a picture of each row and its
 * longest events, and the banner says so. Takes memory of that size. WL_E_USAGE where even
 * that does not fit, WL_E_NOMEM, WL_E_CANCELED. Two traces are compared, for which their
 * sessions are asked. Release also after a failure.
 */
int wl_page_make(struct wl_page *page, const struct wl_page_opts *opts,
		 struct wl_err *reterr) WL_MUST_CHECK;
void wl_page_release(struct wl_page *page); /* accepts a zeroed one */

/* Write errors stay in the stream. */
void wl_page_write(const struct wl_page *page, FILE *out);

/* The page that asks the server which sent it. */
void wl_page_write_server(FILE *out);

enum { WL_SCRIPT_SOURCE = 64 };

/*
 * "sha256-...", the name of the page's only script in a policy: no other text in the page is run.
 * page is NULL for the page of a server.
 */
void wl_page_script_source(const struct wl_page *page, char ret[WL_SCRIPT_SOURCE]);

#endif
