/* SPDX-License-Identifier: MIT */
#include "known/calls/os_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

struct row {
	const char *name;
	enum wl_os_class class;
};

/* Sorted by name for bsearch(); a unit test holds it. */
static const struct row table[] = {
#define WL_OS_CALL(name, class) { name, WL_OS_##class },
#include "known/calls/os_calls.def"
#undef WL_OS_CALL
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct row *)row)->name);
}

enum wl_os_class wl_os_class_of(const char *function)
{
	const struct row *found =
		bsearch(function, table, WL_COUNT(table), sizeof(table[0]), compare);

	return found ? found->class : WL_OS_OTHER;
}
