/* SPDX-License-Identifier: MIT */
#include "capture/ncu_version.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

TEST(a_version_is_found)
{
	char version[WL_REPORT_VERSION_CAP];

	assert_true(wl_ncu_version_find("NVIDIA (R) Nsight Compute Command Line Profiler\n"
					"Copyright (c) 2018-2024 NVIDIA Corporation\n"
					"Version 2024.1.1.0 (build 33998838) (public-release)\n",
					version));
	assert_string_equal(version, "2024.1.1.0");
}

TEST(other_texts_have_none)
{
	static const char *const texts[] = {
		"",
		"Version ",
		"Version 2024",
		"Version x.1",
		"version 2024.1",
		"==ERROR== The user does not have permission",
	};
	char version[WL_REPORT_VERSION_CAP], text[WL_REPORT_VERSION_CAP + 16] = "Version 1.";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(wl_ncu_version_find(texts[i], version));
	memset(text + strlen("Version 1."), '7', WL_REPORT_VERSION_CAP);
	assert_false(wl_ncu_version_find(text, version));
}

/* A program that is not there, fails or says something else is no error. */
TEST(what_does_not_answer_has_none)
{
	static const char *const programs[] = { "/no/such/ncu", "false", "true" };
	char version[WL_REPORT_VERSION_CAP];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		(void)snprintf(version, sizeof(version), "x");
		wl_ncu_version(programs[i], version);
		assert_string_equal(version, "");
	}
}
