/* SPDX-License-Identifier: MIT */
#include "known/builtin.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/text/json_read.h"
#include "support/unit.h"

TEST(every_document_is_found)
{
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		size_t size = 0;

		assert_ptr_equal(wl_builtin_find(b->folder, b->name, &size), b->text);
		assert_int_equal(size, b->size);
		assert_int_equal(b->text[size], '\0');
	}
}

static bool is_of_page(const struct wl_builtin *b)
{
	return strcmp(b->folder, "web") == 0 || strcmp(b->folder, "pages") == 0;
}

/* Made when the program is built. */
static bool is_made(const struct wl_builtin *b)
{
	return strcmp(b->folder, "demo") == 0 || strcmp(b->name, "main.js") == 0;
}

/* Pages of docs, for people. */
static bool is_prose(const struct wl_builtin *b)
{
	return strcmp(b->folder, "findings") == 0 || strcmp(b->folder, "definitions") == 0 ||
	       strcmp(b->folder, "docs") == 0;
}

static bool is_skill(const struct wl_builtin *b)
{
	return strcmp(b->folder, "skills") == 0;
}

TEST(every_document_of_facts_is_json)
{
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		struct wl_json *doc = NULL;
		struct wl_err err;

		if (is_of_page(b) || is_made(b) || is_prose(b) || is_skill(b))
			continue;
		if (wl_json_parse(b->text, b->size, b->name, &doc, &err) < 0)
			fail_msg("%s: %s", b->folder, err.msg);
		wl_json_free(doc);
	}
}

TEST(documents_are_those_of_the_source)
{
	const char *source = getenv("WARPLENS_SOURCE");

	if (!source)
		skip();
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		char path[WL_PATH_CAP], *text = NULL;
		size_t n = 0;

		if (is_made(b))
			continue;
		if (is_of_page(b))
			(void)snprintf(path, sizeof(path), "%s/%s/%s", source,
				       strcmp(b->folder, "web") == 0 ? "web" : "src/render/pages",
				       b->name);
		else if (strcmp(b->folder, "docs") == 0)
			(void)snprintf(path, sizeof(path), "%s/docs/%s.md", source, b->name);
		else if (is_prose(b))
			(void)snprintf(path, sizeof(path), "%s/docs/%s/%s.md", source, b->folder,
				       b->name);
		else
			(void)snprintf(path, sizeof(path), "%s/src/known/%s/%s.%s", source,
				       b->folder, b->name, is_skill(b) ? "md" : "json");
		assert_int_equal(wl_file_read(path, SIZE_MAX, &text, &n, NULL), WL_OK);
		assert_int_equal(n, b->size);
		assert_memory_equal(text, b->text, n);
		free(text);
	}
}

TEST(names_of_a_folder_are_in_order)
{
	size_t n = 0, size;

	for (; wl_builtin_name("conventions", n); n++) {
		assert_non_null(
			wl_builtin_find("conventions", wl_builtin_name("conventions", n), &size));
		if (n)
			assert_true(strcmp(wl_builtin_name("conventions", n - 1),
					   wl_builtin_name("conventions", n)) < 0);
	}
	assert_true(n >= 1);
	assert_null(wl_builtin_name("conventions", n + 1));
}

TEST(the_page_is_there)
{
	static const char *const parts[] = { "main.js", "page.html", "style.css" };
	size_t size;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		assert_string_equal(wl_builtin_name("web", i), parts[i]);
		assert_non_null(wl_builtin_find("web", parts[i], &size));
	}
}

TEST(what_is_not_there_is_null)
{
	size_t size;

	assert_non_null(wl_builtin_find("conventions", "generic", &size));
	assert_null(wl_builtin_find("conventions", "nobody", &size));
	assert_null(wl_builtin_find("conventions", "", &size));
	assert_null(wl_builtin_find("nowhere", "generic", &size));
	assert_null(wl_builtin_name("nowhere", 0));
}
