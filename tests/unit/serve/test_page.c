/* SPDX-License-Identifier: MIT */
#include "serve/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "support/shown.h"
#include "support/unit.h"

enum { CALLS = 12000 };

struct made {
	struct viewed v;
	struct wl_budget budget;
	struct wl_page page;
	struct wl_page_opts opts;
	char *text;
	size_t n;
};

static int make(void **state)
{
	struct made *m = test_calloc(1, sizeof(*m));

	shown_make(&m->v, 1, CALLS);
	m->v.scene.path = "a <b> & @SCRIPT@";
	m->opts = (struct wl_page_opts){ .show = { .scene = { &m->v.scene }, .n = 1 },
					 .program = "warplens",
					 .serve = "warplens serve TRACE",
					 .max_size = 100 << 20,
					 .budget = &m->budget };
	*state = m;
	return 0;
}

static int drop(void **state)
{
	struct made *m = *state;

	wl_page_release(&m->page);
	assert_int_equal(m->budget.used, 0);
	free(m->text);
	viewed_release(&m->v);
	test_free(m);
	return 0;
}

static void write_page(struct made *m)
{
	FILE *out;

	free(m->text);
	out = open_memstream(&m->text, &m->n);
	assert_non_null(out);
	wl_page_write(&m->page, out);
	assert_int_equal(fclose(out), 0);
}

TEST_WITH(the_size_is_known_before, make, drop)
{
	struct made *m = *state;
	struct wl_err err;

	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_OK);
	write_page(m);
	assert_int_equal(m->page.size, m->n);
	assert_int_equal(m->page.n_events, m->v.scene.n_events);
	assert_int_equal(m->page.pack.n_events, m->v.scene.n_events);
	assert_string_equal(m->page.banner, "");
}

TEST_WITH(what_is_too_large_becomes_pictures_and_says_so, make, drop)
{
	struct made *m = *state;
	struct wl_err err;

	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_OK);
	m->opts.max_size = m->page.size - m->page.pack.data.n / 3;
	wl_page_release(&m->page);
	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_OK);
	write_page(m);
	assert_int_equal(m->page.size, m->n);
	assert_true(m->n <= m->opts.max_size);
	assert_int_equal(m->page.pack.n_columns, 1 << 14);
	assert_in_range(m->page.pack.n_events, 1, m->v.scene.n_events - 1);
	assert_non_null(strstr(m->page.banner, "warplens serve TRACE"));
	assert_non_null(strstr(m->text, "warplens serve TRACE"));
}

TEST_WITH(what_never_fits_is_refused, make, drop)
{
	struct made *m = *state;
	struct wl_err err;

	m->opts.max_size = 1000;
	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "--max-size"));
}

TEST_WITH(who_stops_gets_nothing, make, drop)
{
	struct made *m = *state;
	const atomic_int stop = 1;
	struct wl_err err;

	m->opts.stop = &stop;
	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_E_CANCELED);
}

TEST_WITH(too_little_memory_is_told, make, drop)
{
	struct made *m = *state;
	struct wl_err err;

	for (size_t bytes = 1000; bytes < 4000000; bytes *= 3) {
		m->budget = (struct wl_budget){ .limit = bytes };
		if (wl_page_make(&m->page, &m->opts, &err) != WL_OK)
			assert_int_equal(err.code, WL_E_NOMEM);
		wl_page_release(&m->page);
		assert_int_equal(m->budget.used, 0);
	}
}

TEST_WITH(a_path_is_text_and_no_marker, make, drop)
{
	struct made *m = *state;
	struct wl_err err;

	assert_int_equal(wl_page_make(&m->page, &m->opts, &err), WL_OK);
	write_page(m);
	assert_non_null(strstr(m->text, "<title>a &lt;b> &amp; @SCRIPT@ - warplens</title>"));
}

TEST_WITH(a_server_sends_the_page_without_data, make, drop)
{
	struct made *m = *state;
	FILE *out = open_memstream(&m->text, &m->n);

	assert_non_null(out);
	wl_page_write_server(out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(m->text, "<meta name=\"source\" content=\"server\">"));
	assert_non_null(strstr(m->text, "connect-src 'self'"));
	assert_null(strstr(m->text, "<script type=\"application/x-b64\">"));
	assert_null(strstr(m->text, "@SCRIPT@"));
}
