#include "facts/calls.h"

#include <stddef.h>
#include <string.h>

#include "base/attr.h"

static bool has_any(const char *function, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strstr(function, part[i]))
			return true;
	}
	return false;
}

bool wl_call_synchronises(const char *function)
{
	return strstr(function, "Synchronize") != NULL;
}

bool wl_call_copies(const char *function)
{
	return strstr(function, "Memcpy") != NULL;
}

bool wl_call_copies_blocking(const char *function)
{
	return wl_call_copies(function) && !strstr(function, "Async");
}

bool wl_call_allocates(const char *function)
{
	static const char *const parts[] = { "Malloc",       "Free",
					     "HostAlloc",    "cuMemAlloc",
					     "MemPool",      "cuMemCreate",
					     "cuMemRelease", "cuMemAddressReserve" };

	return has_any(function, parts, WL_COUNT(parts));
}

bool wl_call_loads(const char *function)
{
	static const char *const parts[] = { "ModuleLoad", "LibraryLoad", "LinkCreate", "LinkAdd",
					     "LinkComplete" };

	return has_any(function, parts, WL_COUNT(parts));
}

bool wl_call_launches_graph(const char *function)
{
	return strncmp(function, "cudaGraphLaunch", strlen("cudaGraphLaunch")) == 0 ||
	       strncmp(function, "cuGraphLaunch", strlen("cuGraphLaunch")) == 0;
}
