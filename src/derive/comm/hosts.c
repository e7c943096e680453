/* SPDX-License-Identifier: MIT */
#include "derive/comm/hosts.h"

#include <stdlib.h>

#include "base/memory/intern.h"
#include "derive/derived.h"

/* What two processes of one host have in common. */
struct host_key {
	uint64_t
		machine; /* upper bits of the process; of a job the name, or the file without one */
	int64_t booted;  /* ns since 1970; 0 if the file does not say */
};

/* From schema 3.23.3 on, the start of a session is the time since the host was booted. */
static bool has_boot_times(const struct wl_trace *t)
{
	const long since[] = { 3, 23, 3 };
	const char *at = wl_trace_meta(t, "EXPORT_SCHEMA_VERSION");

	for (size_t i = 0; at && *at && i < WL_COUNT(since); i++) {
		char *end;
		long v = strtol(at, &end, 10);

		if (v != since[i] || end == at)
			return v > since[i];
		at = *end ? end + 1 : end;
	}
	return at != NULL;
}

static struct host_key key_of(const struct wl_trace *t, uint32_t process, bool has_boot)
{
	const struct wl_process *p = &t->processes[process];
	const struct wl_trace_file *f = t->n_files ? &t->files[p->file] : NULL;

	if (!f)
		return (struct host_key){ .machine = p->key >> 24 };
	if (f->host == WL_NONE)
		return (struct host_key){ .machine = (uint64_t)1 << 32 | p->file };
	return (struct host_key){ .machine = f->host,
				  .booted = has_boot && f->utc > 0 && f->session > 0
						    ? f->utc - f->session
						    : 0 };
}

bool wl_hosts_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_hosts *ret)
{
	const struct wl_trace *t = derived->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->n_processes);
	uint32_t *clock = WL_NEW(arena, uint32_t, t->n_processes);
	uint32_t *process = WL_NEW(arena, uint32_t, t->n_processes);
	bool ok = of && clock && process, has_boot = has_boot_times(t);
	struct wl_intern hosts;

	*ret = (struct wl_hosts){ .of = of, .process = process, .clock = clock };
	wl_intern_init(&hosts, sizeof(struct host_key), wl_arena_budget(arena));
	for (uint32_t i = 0; ok && i < t->n_processes; i++) {
		struct host_key key = key_of(t, i, has_boot);
		bool is_fitted =
			t->n_files && t->files[t->processes[i].file].clock_state == WL_CLOCK_FITTED;

		of[i] = wl_intern_put(&hosts, &key);
		ok = of[i] != WL_NONE;
		clock[i] = is_fitted ? 0 : of[i] + 1;
		if (ok && of[i] == ret->n)
			process[ret->n++] = i;
	}
	wl_intern_release(&hosts);
	return ok;
}
