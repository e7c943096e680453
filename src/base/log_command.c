/* SPDX-License-Identifier: MIT */
#include "base/log_command.h"

#include <string.h>

bool wl_log_command_begins(const char *s)
{
	if (strncmp(s, "::", 2) != 0)
		return false;
	/* The runner ignores case. */
	return (s[2] >= 'a' && s[2] <= 'z') || (s[2] >= 'A' && s[2] <= 'Z');
}

bool wl_log_command_is_marked(const char *s)
{
	return strncmp(s, "##[", 3) == 0 || strncmp(s, "##vso[", 6) == 0;
}
