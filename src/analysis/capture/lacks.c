/* SPDX-License-Identifier: MIT */
/* lacks.c - what a trace may lack, and the nsys options that record it. */
#include <stdio.h>
#include <string.h>

#include "analysis/capture/coach.h"

/* The family says how to record it. */
static const struct {
	const char *key;
	enum wl_family_id family; /* WL_N_FAMILIES: remedy says how */
	const char *remedy;
} lacks[WL_N_LACKS] = {
	[WL_LACK_CUDA] = { "cuda", WL_F_KERNELS, NULL },
	[WL_LACK_NVTX] = { "nvtx", WL_F_NVTX, NULL },
	[WL_LACK_OSRT] = { "osrt", WL_F_OSRT, NULL },
	[WL_LACK_SCHED] = { "sched", WL_F_SCHED, NULL },
	[WL_LACK_NODES] = { "graph_nodes", WL_F_NODES, NULL },
	[WL_LACK_EVENTS] = { "events", WL_F_EVENTS, NULL },
	[WL_LACK_SAMPLES] = { "samples", WL_N_FAMILIES, "nsys profile --sample=process-tree" },
	[WL_LACK_MEMORY] = { "memory", WL_F_MEM_EVENTS, NULL },
	[WL_LACK_RANKS] = { "ranks", WL_N_FAMILIES, "profile every rank" },
	[WL_LACK_LAUNCHES] = { "launches", WL_N_FAMILIES, "start the capture earlier" },
	[WL_LACK_RANGES] = { "ranges", WL_N_FAMILIES, "add NVTX ranges to the program" },
	[WL_LACK_STEPS] = { "steps", WL_N_FAMILIES, "record more steps" },
	[WL_LACK_EVERY] = { "lost_events", WL_N_FAMILIES, "record a shorter range" },
	[WL_LACK_PAYLOADS] = { "payloads", WL_F_NCCL_CALLS, NULL },
	[WL_LACK_METRICS] = { "metrics", WL_F_METRICS, NULL },
	[WL_LACK_COUNTERS] = { "counters", WL_N_FAMILIES, "ncu, after nsys" },
};

const char *wl_lack_key(enum wl_lack lack)
{
	return lacks[lack].key;
}

const char *wl_lack_remedy(enum wl_lack lack)
{
	return lacks[lack].remedy ? lacks[lack].remedy
				  : wl_family_infos[lacks[lack].family].capture;
}

uint32_t wl_lacks_parse(const char *keys)
{
	uint32_t set = 0;

	while (keys && *keys) {
		size_t n = strcspn(keys, ",");

		for (size_t i = 0; i < WL_N_LACKS; i++) {
			if (strlen(lacks[i].key) == n && strncmp(lacks[i].key, keys, n) == 0)
				set |= UINT32_C(1) << i;
		}
		keys += n + (keys[n] == ',');
	}
	return set;
}

/* Text that is appended to a buffer of fixed size. */
struct text {
	char buf[400];
	size_t used;
};

static void add(struct text *t, const char *before, const char *word)
{
	if (t->used < sizeof(t->buf))
		t->used += (size_t)snprintf(t->buf + t->used, sizeof(t->buf) - t->used, "%s%s",
					    t->used ? before : "", word);
}

const char *wl_lacks_change(uint32_t set, struct wl_arena *arena)
{
	static const char nsys[] = "nsys profile ", trace[] = "--trace=";
	struct text all = { .used = 0 }, traces = { .used = 0 }, rest = { .used = 0 };

	for (size_t i = 0; i < WL_N_LACKS; i++) {
		const char *word = wl_lack_remedy((enum wl_lack)i);

		if (!(set >> i & 1))
			continue;
		if (strncmp(word, nsys, sizeof(nsys) - 1) != 0) {
			add(&rest, "; ", word);
			continue;
		}
		word += sizeof(nsys) - 1;
		if (strncmp(word, trace, sizeof(trace) - 1) == 0)
			add(&traces, ",", word + sizeof(trace) - 1);
		else
			add(&all, " ", word);
	}
	if (traces.used) {
		struct text options = all;

		all.used = 0;
		/* --trace replaces its default: on their own these words would record no CUDA */
		add(&all, "", "add ");
		add(&all, "", traces.buf);
		add(&all, "", " to --trace");
		if (options.used)
			add(&all, "; ", options.buf);
	}
	if (rest.used)
		add(&all, "; ", rest.buf);
	return wl_arena_strdup(arena, all.used ? all.buf : "");
}
