/* managed_memory.c - migrations of managed memory that the GPU waits for. */
#include "facts/codes.h"
#include "findings/rule.h"

static bool wants(const struct wl_atom *atom)
{
	return atom->loss == WL_LOSS_EXPOSED_COPY && wl_copy_is_managed(atom->copy);
}

static const char *tell(struct wl_docket *d, const struct wl_claim *c)
{
	const char *claim = wl_say_claim(d, c), *parts = wl_say_parts(d, c, "", "unnamed");

	return claim && parts ? wl_say(d, "Managed memory migrates while the GPU waits: %s%s",
				       claim, parts)
			      : NULL;
}

const struct wl_rule wl_rule_managed_memory = {
	.code = "managed-memory",
	.action = "Move the pages before they are used, with cudaMemPrefetchAsync",
	.advice = "Set cudaMemAdvise (read-mostly, preferred location) for data that both sides "
		  "read; keep what the host touches in a buffer of its own.",
	.limits = "Migrations during a kernel may also slow it down; that is not counted.",
	.sight.losses = 1U << WL_LOSS_EXPOSED_COPY,
	.wants = wants,
	.tell = tell,
	.evidence = "transfers TRACE --where 'kind ~ managed'",
};
