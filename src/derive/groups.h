/*
 * groups.h - rows grouped by a key, with the statistics of a value, ranked by sum.
 *
 * What most rankings are: an analysis says what a row's key and value are and how
 * ties break, and writes the groups down in order.
 */
#ifndef WL_DERIVE_GROUPS_H
#define WL_DERIVE_GROUPS_H

#include "base/arena.h"
#include "base/attr.h"
#include "derive/stats.h"

struct wl_group_spec {
	size_t n_rows;
	size_t key_size; /* of a plain struct without padding, compared by its bytes */
	/* Fill in all of the key, and the value >= 0. Answers the same on two visits. */
	enum wl_visit (*visit)(void *ctx, size_t row, void *key, int64_t *ret_value);
	/* Which of two groups with equal sums comes first: < 0 for a. */
	int (*compare)(void *ctx, const void *key_a, const void *key_b);
};

struct wl_groups {
	size_t n;
	const unsigned char *keys;    /* by group, in order of first sight */
	const struct wl_stats *stats; /* by group */
	const uint32_t *order;        /* groups, the largest sum first */
	size_t key_size;
	int64_t total; /* of all sums; stops at INT64_MAX */
};

/* Owned by the arena; false when that is exhausted. Two passes over the rows, a hash each. */
bool wl_groups_make(const struct wl_group_spec *spec, void *ctx, struct wl_arena *arena,
		    struct wl_groups *ret) WL_MUST_CHECK;

static inline const void *wl_group_key(const struct wl_groups *groups, uint32_t group)
{
	return groups->keys + groups->key_size * group;
}

#endif
