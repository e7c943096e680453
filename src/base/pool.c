#include "base/pool.h"

bool wl_pool_map(struct wl_pool *pool, size_t n, wl_task *task, void *ctx, struct wl_arena *arena)
{
	(void)pool;
	for (size_t i = 0; i < n; i++) {
		if (!task(ctx, i, arena))
			return false;
	}
	return true;
}
