/* SPDX-License-Identifier: MIT */
/*
 * range_names.h - names and normalised labels of NVTX ranges.
 *
 * A range's exact name is its text, or domain:text outside the default domain, or "(unnamed)". Its
 * label is the exact name in which # replaces what only counts: hexadecimal addresses, runs of
 * digits not adjacent to a letter, and runs of digits after a word that counts something (step12,
 * layer3). Digits that are part of a word stay (stage2_f, fp16). Letters are a-z, A-Z and
 * everything outside ASCII.
 */
#ifndef WL_DERIVE_RANGE_NAMES_H
#define WL_DERIVE_RANGE_NAMES_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_derived;

struct wl_range_name {
	const char *text;   /* as recorded, without the domain; NULL for unnamed */
	const char *domain; /* NULL for the default domain, or if the file does not say */
	const char *exact, *label_text;
	uint32_t same_exact; /* the first entry with this exact name: equal names are one group */
	uint32_t label;      /* the first name with this label */
	bool is_default;     /* in the default domain, as are ranges that name no domain */
	bool is_nccl;        /* in the domain NCCL, or named like an NCCL call */
};

struct wl_range_names {
	const uint32_t *of; /* by nvtx row: its name, WL_NONE for rows that are not ranges */
	const struct wl_range_name *name;
	size_t n;
};

/* False when the arena is exhausted. Hashes each range once, sorts the distinct names. */
bool wl_range_names_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_range_names *ret) WL_MUST_CHECK;

enum wl_label_part { WL_LABEL_TEXT, WL_LABEL_NUMBER, WL_LABEL_ADDRESS };

/*
 * The kind of the part that begins at byte i of a name, which is not NUL, and in *ret_end its end:
 * a decimal number or an address that only counts, or at least one byte that stays. i is 0 or the
 * end of the previous part.
 */
enum wl_label_part wl_label_part(const char *name, size_t i, size_t *ret_end);

/* Write the label of a name; the result is at most as long as the name. */
void wl_label_write(const char *name, char *buf);

static inline const struct wl_range_name *wl_range_name_of(const struct wl_range_names *names,
							   size_t nvtx_row)
{
	return &names->name[names->of[nvtx_row]];
}

#endif
