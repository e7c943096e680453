/* SPDX-License-Identifier: MIT */
/*
 * payload.h - what NCCL says of a call, out of the payload of its NVTX range.
 *
 * Layouts change between versions of NCCL, so a field is found by the name that its entry has
 * in NVTX_PAYLOAD_SCHEMA_ENTRIES. A payload in NVTX_EVENTS.binaryData is text or a blob, raw or
 * as hexadecimal digits: domain, layout, size and a number of unknown use, 64 bits each, then
 * the payload, which ends with the cell. As JSON its keys are the names of the entries.
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
 * Remember where a field is: an entry of a layout. Entries repeat per process; where two
 * disagree, the field is not used. At most some hundred fields are kept.
 */
struct wl_payload_entry {
	int64_t domain, schema, type, offset;
	const char *name; /* not terminated */
	size_t len;
};

void wl_payload_learn(struct wl_build *build, const struct wl_payload_entry *entry);

enum { WL_PAYLOAD_TEXT = 512 }; /* bytes of a payload as text, at most */

/*
 * Remember a field of any name, to write payloads as text: an entry of a layout, whose flags and
 * detail say that it is an array, a text or lies elsewhere. At most some thousand are kept; of
 * two that disagree neither is read.
 */
void wl_payload_list(struct wl_build *build, const struct wl_payload_item *item);

/* Remember what a number means: a scope, or a name of a set. */
void wl_payload_call(struct wl_build *build, const struct wl_payload_name *name);

/*
 * The fields of binary data in their order, "batch=3, where=node 0/GPU 1", and "?" for a value that
 * is not read: an address, or of a type that is not known. Returns its bytes, without a NUL; 0
 * where the layout is not known or the data are not sound. Controls of texts become "?".
 */
size_t wl_payload_text(const struct wl_build *build, const char *cell, size_t len,
		       char ret[WL_PAYLOAD_TEXT]);

/* Whether that has a layout, with a value for each of its fields. */
bool wl_payload_is_read(const struct wl_build *build, const char *cell, size_t len);

/* JSON as it is, or as much of it as has room, in whole characters. */
size_t wl_payload_cut(const char *text, size_t len, char ret[WL_PAYLOAD_TEXT]);

/* A field of a payload, of binary data or of JSON; WL_NO_U64 where it is not there. */
uint64_t wl_payload_binary(const struct wl_build *build, const char *cell, size_t len,
			   enum wl_payload_what what);
uint64_t wl_payload_json(const char *text, size_t len, enum wl_payload_what what);

#endif
