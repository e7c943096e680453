/* SPDX-License-Identifier: MIT */
#include "base/memory/hash.h"

#include <string.h>
#include <sys/random.h>

#include "base/num.h"

void wl_hash_key_init(struct wl_hash_key *key)
{
	/* Where the system has no random numbers the constants do: tables still work. */
	*key = (struct wl_hash_key){ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93) };
	(void)!getrandom(key, sizeof(*key), GRND_NONBLOCK);
	key->multiplier |= 1;
}

/* Both halves of a product with a secret: no difference of inputs survives predictably. */
uint64_t wl_hash(const struct wl_hash_key *key, const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = key->seed ^ size, w;

	for (; size >= 8; size -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = wl_mul_fold(h ^ w, key->multiplier) + key->seed;
	}
	w = 0;
	if (size)
		memcpy(&w, p, size);
	return wl_mul_fold(wl_mul_fold(h ^ w, key->multiplier) ^ key->seed,
			   UINT64_C(0xd6e8feb86659fd93));
}
