/* SPDX-License-Identifier: MIT */
#include "known/calls/frames.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <string.h>

#include "base/attr.h"
#include "known/kernels/names.h"

enum { MAX_NAME = 512 };

static const struct {
	enum wl_frame_role role;
	const char *pattern;
} names[] = {
#define WL_FRAME(role, pattern) { WL_FRAME_IS_##role, pattern },
#include "known/calls/frames.def"
#undef WL_FRAME
};

bool wl_module_is_shared(const char *module)
{
	const char *so = strstr(module, ".so");

	return module[0] != '[' && so && (so[3] == '\0' || so[3] == '.');
}

/* "libc.so.6", "x.cpython-311-x86_64-linux-gnu.so", "[kernel.kallsyms]", "python3.11" */
static bool is_library(const char *module)
{
	return !module || module[0] == '[' || wl_module_is_shared(module) ||
	       (strncmp(module, "python", 6) == 0 && !strstr(module, ".py"));
}

enum wl_frame_role wl_frame_role(const char *symbol, const char *module)
{
	char base[MAX_NAME];

	(void)wl_name_base(symbol, base, sizeof(base));
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		if (fnmatch(names[i].pattern, base, 0) == 0)
			return names[i].role;
	}
	return is_library(module) ? WL_FRAME_IS_LIBRARY : WL_FRAME_IS_OWN;
}
