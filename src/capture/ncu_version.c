/* SPDX-License-Identifier: MIT */
#include "capture/ncu_version.h"

#include <string.h>

#include "base/process/proc.h"

#define VERSION_LIMIT_NS INT64_C(10000000000)

bool wl_ncu_version_find(const char *text, char ret_version[WL_REPORT_VERSION_CAP])
{
	static const char word[] = "Version ";
	const char *at = strstr(text, word);
	size_t n = at ? strspn(at + strlen(word), "0123456789.") : 0;

	if (n == 0 || n >= WL_REPORT_VERSION_CAP || !memchr(at + strlen(word), '.', n))
		return false;
	memcpy(ret_version, at + strlen(word), n);
	ret_version[n] = '\0';
	return true;
}

void wl_ncu_version(const char *ncu, char ret_version[WL_REPORT_VERSION_CAP])
{
	const char *const argv[] = { ncu, "--version", NULL };
	struct wl_proc_result r;
	struct wl_err err;

	ret_version[0] = '\0';
	if (wl_proc_run(&(struct wl_proc){ .argv = argv, .limit_ns = VERSION_LIMIT_NS }, &r, &err) <
	    0)
		return;
	if (r.end != WL_PROC_EXITED || r.code || !wl_ncu_version_find(r.tail, ret_version))
		ret_version[0] = '\0';
}
