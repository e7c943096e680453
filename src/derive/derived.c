#include "derive/derived.h"

#include "derive/blocking.h"
#include "derive/classes.h"
#include "derive/collectives.h"
#include "derive/conventions.h"
#include "derive/explain.h"
#include "derive/forest.h"
#include "derive/iters.h"
#include "derive/launch.h"
#include "derive/matches.h"
#include "derive/named.h"
#include "derive/range_names.h"
#include "derive/ranks.h"
#include "derive/stages.h"

struct wl_derived_cache {
	struct wl_conventions *detected; /* owned; NULL until asked for */
#define WL_DERIVED(name, type) struct type name;
#include "derive/derived.def"
#undef WL_DERIVED
#define WL_DERIVED(name, type) bool has_##name;
#include "derive/derived.def"
#undef WL_DERIVED
};

void wl_derived_init(struct wl_derived *d, const struct wl_trace *trace,
		     const struct wl_derived_opts *opts, struct wl_budget *budget)
{
	*d = (struct wl_derived){ .trace = trace, .opts = *opts };
	wl_arena_init_on(&d->arena, budget);
}

void wl_derived_release(struct wl_derived *d)
{
	if (d->cache)
		wl_conventions_free(d->cache->detected);
	wl_arena_release(&d->arena);
	d->cache = NULL;
}

static struct wl_derived_cache *get_cache(struct wl_derived *d)
{
	if (!d->cache)
		d->cache = WL_NEW(&d->arena, struct wl_derived_cache, 1);
	return d->cache;
}

#define WL_DERIVED(name, type)                                                                     \
	const struct type *wl_derived_##name(struct wl_derived *d)                                 \
	{                                                                                          \
		struct wl_derived_cache *c = get_cache(d);                                         \
                                                                                                   \
		if (c && !c->has_##name)                                                           \
			c->has_##name = (d->opts.source && d->opts.source->name &&                 \
					 d->opts.source->name(d->opts.source->ctx, d, &d->arena,   \
							      &c->name)) ||                        \
					type##_find(d, &d->arena, &c->name);                       \
		return c && c->has_##name ? &c->name : NULL;                                       \
	}
#include "derive/derived.def"
#undef WL_DERIVED

bool wl_derived_has_iterations(const struct wl_derived *d)
{
	return d->cache && d->cache->has_iterations;
}

const struct wl_conventions *wl_derived_conventions(struct wl_derived *d)
{
	struct wl_derived_cache *c;

	if (d->opts.conventions)
		return d->opts.conventions;
	c = get_cache(d);
	if (c && !c->detected)
		c->detected = wl_conventions_detect(d);
	return c ? c->detected : NULL;
}
