/* SPDX-License-Identifier: MIT */
#include "session/document/verb_call.h"

#include <string.h>

#include "support/unit.h"

static size_t by_of(const struct wl_verb_call *call)
{
	const struct wl_analysis *a = call->is.analysis;
	size_t i = wl_param_named(a->params, a->n_params, "by");

	assert_in_range(i, 0, a->n_params - 1);
	return i;
}

TEST(a_text_belongs_to_the_verb_or_to_the_request)
{
	struct wl_verb_call call = { .is = { .selection = { .gpu = "2" } } };

	wl_verb_call_begin(&call, wl_analysis_get("kernels"), NULL);
	assert_ptr_equal(wl_verb_call_place(&call, "by"), &call.args[by_of(&call)]);
	assert_ptr_equal(wl_verb_call_place(&call, "window"), &call.is.selection.window);
	assert_ptr_equal(wl_verb_call_place(&call, "sort"), &call.is.view.sort);
	assert_null(wl_verb_call_place(&call, "out-dir"));
	assert_null(wl_request_place(&call.is, "by"));
	/* What is selected before stays. */
	assert_string_equal(*wl_verb_call_place(&call, "gpu"), "2");
	*wl_verb_call_place(&call, "by") = "device";
	assert_string_equal(call.is.args[by_of(&call)], "device");
}

TEST(a_document_has_no_arguments)
{
	struct wl_verb_call call = { .is = { .analysis = NULL } };

	wl_verb_call_begin(&call, NULL, wl_document_find("summary"));
	assert_non_null(call.is.document);
	assert_null(call.is.args);
	assert_null(wl_verb_call_place(&call, "by"));
	assert_ptr_equal(wl_verb_call_place(&call, "section"), &call.is.section);
}

/* Every key has a place of its own, and the first select. */
TEST(common_keys_have_places)
{
	struct wl_request request = { .analysis = NULL };
	size_t n = 0;

	for (; wl_common_keys[n]; n++) {
		const char **place = wl_request_place(&request, wl_common_keys[n]);

		assert_non_null(place);
		assert_null(*place);
		*place = wl_common_keys[n];
	}
	assert_int_equal(n, 10);
	assert_string_equal(request.selection.stream, "stream");
	assert_string_equal(request.marker, wl_common_keys[WL_N_SELECTING - 1]);
	assert_string_equal(request.view.where, wl_common_keys[WL_N_SELECTING]);
}

TEST(what_is_said_goes_before_what_a_name_implies)
{
	static const struct wl_alias alias = { "name",
					       { { "by", "grid" },
						 { "window", "steady" },
						 { "columns", "name" },
						 { "limit", "0" } } };
	struct wl_verb_call call = { .is = { .analysis = NULL } };

	wl_verb_call_begin(&call, wl_analysis_get("kernels"), NULL);
	*wl_verb_call_place(&call, "window") = "1s..2s";
	wl_verb_call_imply(&call, &alias);
	assert_string_equal(call.args[by_of(&call)], "grid");
	assert_string_equal(call.is.selection.window, "1s..2s");
	/* For people only. */
	assert_null(call.is.view.columns);
	wl_verb_call_imply(&call, NULL);
}
