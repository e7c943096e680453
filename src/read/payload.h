/* SPDX-License-Identifier: MIT */
/*
 * payload.h - reads what NCCL records about a call in the payload of its NVTX range.
 *
 * Layouts differ between versions of NCCL, so a field is found by its entry's name in
 * NVTX_PAYLOAD_SCHEMA_ENTRIES. A payload in NVTX_EVENTS.binaryData is text or a blob, raw or as
 * hexadecimal digits: domain, layout, size and a number of unknown use, 64 bits each, then the
 * payload up to the end of the cell. In JSON payloads the keys are the names of the entries.
 */
#ifndef WL_READ_PAYLOAD_H
#define WL_READ_PAYLOAD_H

#include "model/build.h"

enum wl_payload_what {
	WL_PAYLOAD_COMM,
	WL_PAYLOAD_BYTES,
	WL_PAYLOAD_RANKS,
	WL_PAYLOAD_RANK,
	WL_PAYLOAD_PEER,
	WL_N_PAYLOAD /* something else */
};

/*
 * Remember where a field is: an entry of a layout. Entries repeat per process; if two disagree, the
 * field is not used. At most a few hundred fields are kept.
 */
struct wl_payload_entry {
	int64_t domain, schema, type, offset;
	const char *name; /* not terminated */
	size_t len;
};

void wl_payload_learn(struct wl_build *build, const struct wl_payload_entry *entry);

enum { WL_PAYLOAD_TEXT = 512 }; /* most bytes of a payload as text */

/*
 * Remember a field of any name, to write payloads as text: an entry of a layout, whose flags and
 * detail say whether it is an array, a text or stored elsewhere. At most a few thousand are kept;
 * if two disagree, neither is read.
 */
void wl_payload_list(struct wl_build *build, const struct wl_payload_item *item);

/* Remember what a number means: a scope, or a name of a set. */
void wl_payload_call(struct wl_build *build, const struct wl_payload_name *name);

/*
 * The fields of binary data in order, "batch=3, where=node 0/GPU 1", with "?" for a value that is
 * not read: an address or an unknown type. Returns the length in bytes, without a NUL; 0 if the
 * layout is unknown or the data are invalid. Controls in texts become "?".
 */
size_t wl_payload_text(const struct wl_build *build, const char *cell, size_t len,
		       char ret[WL_PAYLOAD_TEXT]);

/* Whether the cell's layout is known and every field has a value. */
bool wl_payload_is_read(const struct wl_build *build, const char *cell, size_t len);

/* Copies JSON unchanged, cut to the room at a whole character. */
size_t wl_payload_cut(const char *text, size_t len, char ret[WL_PAYLOAD_TEXT]);

/* A field of a binary or JSON payload; WL_NO_U64 if it is absent. */
uint64_t wl_payload_binary(const struct wl_build *build, const char *cell, size_t len,
			   enum wl_payload_what what);
uint64_t wl_payload_json(const char *text, size_t len, enum wl_payload_what what);

#endif
