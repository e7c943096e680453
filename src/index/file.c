#include "index/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"

enum { ALIGN = 64 };

static const char magic[8] = "wlindex\n";
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

/* The first bytes of the file. All of it is plain numbers without padding. */
struct header {
	char magic[8];
	uint64_t byte_order;
	uint64_t layout;
	struct wl_trace_identity identity;
	uint64_t directory, n_sections, directory_checksum;
	uint64_t size;     /* of the file */
	uint64_t checksum; /* of all before */
};

static uint64_t header_checksum(const struct header *h)
{
	return wl_checksum(h, offsetof(struct header, checksum));
}

/* Whom a file may belong to whose numbers we take for true. */
static int check_owner(const char *path, struct wl_err *reterr)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "cannot be read: %s", strerror(errno));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return wl_fail(reterr, WL_E_FORMAT, "belongs to another user");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return wl_fail(reterr, WL_E_FORMAT, "can be written by others");
	return WL_OK;
}

static int check_header(const struct header *h, const struct wl_map *map, uint64_t layout,
			const struct wl_trace_identity *identity, struct wl_err *reterr)
{
	if (memcmp(h->magic, magic, sizeof(magic)) != 0)
		return wl_fail(reterr, WL_E_FORMAT, "is no index");
	if (h->byte_order != byte_order)
		return wl_fail(reterr, WL_E_FORMAT, "is of a machine of another kind");
	if (h->checksum != header_checksum(h))
		return wl_fail(reterr, WL_E_FORMAT, "is damaged");
	if (h->layout != layout)
		return wl_fail(reterr, WL_E_FORMAT, "is of another version of warplens");
	if (h->size != map->size)
		return wl_fail(reterr, WL_E_FORMAT, "is cut short");
	if (memcmp(&h->identity, identity, sizeof(*identity)) != 0)
		return wl_fail(reterr, WL_E_FORMAT,
			       "is of another trace, or of this one before it "
			       "changed");
	return WL_OK;
}

static bool lies_within(const struct wl_index_section *s, size_t size)
{
	return memchr(s->name, '\0', sizeof(s->name)) && s->offset % ALIGN == 0 &&
	       s->offset <= size && s->size > 0 && s->n <= (size - s->offset) / s->size;
}

static int check_directory(const struct header *h, const struct wl_map *map,
			   struct wl_index_file *ret, struct wl_err *reterr)
{
	const struct wl_index_section *s;
	bool ok = h->directory % ALIGN == 0 && h->directory <= map->size &&
		  h->n_sections <= (map->size - h->directory) / sizeof(*s);

	s = ok ? (const struct wl_index_section *)(const void *)(map->data + h->directory) : NULL;
	ok = ok && wl_checksum(s, (size_t)h->n_sections * sizeof(*s)) == h->directory_checksum;
	for (size_t i = 0; ok && i < h->n_sections; i++)
		ok = lies_within(&s[i], map->size);
	if (!ok)
		return wl_fail(reterr, WL_E_FORMAT, "is damaged");
	ret->sections = s;
	ret->n_sections = (size_t)h->n_sections;
	return WL_OK;
}

int wl_index_file_open(const char *path, uint64_t layout, const struct wl_trace_identity *identity,
		       struct wl_index_file *ret, struct wl_err *reterr)
{
	struct header h = { 0 };
	struct wl_err why;
	int r = check_owner(path, reterr);

	if (r < 0)
		return r;
	*ret = (struct wl_index_file){ .n_sections = 0 };
	r = wl_map_open(path, &ret->map, &why);
	if (r < 0) /* its message begins with the path */
		return wl_fail(reterr, (enum wl_status)r, "%s",
			       strncmp(why.msg, path, strlen(path)) == 0 ? "cannot be mapped"
									 : why.msg);
	if (ret->map.size < sizeof(h)) {
		r = wl_fail(reterr, WL_E_FORMAT, "is cut short");
	} else {
		memcpy(&h, ret->map.data, sizeof(h));
		r = check_header(&h, &ret->map, layout, identity, reterr);
	}
	if (r == WL_OK)
		r = check_directory(&h, &ret->map, ret, reterr);
	if (r < 0)
		wl_index_file_close(ret);
	return r;
}

void wl_index_file_close(struct wl_index_file *file)
{
	wl_map_close(&file->map);
	*file = (struct wl_index_file){ .n_sections = 0 };
}

static bool has_magic(int fd)
{
	char head[sizeof(magic)];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

int wl_index_file_spare(const char *path, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_index;

	if (fd < 0 && errno == ENOENT)
		return WL_OK;
	if (fd < 0 && errno == ELOOP)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s is a symbolic link; it is left alone",
			       path);
	if (fd < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s: %s", path, strerror(errno));
	is_index = has_magic(fd);
	(void)close(fd);
	if (!is_index)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s is no index; it is left alone", path);
	return WL_OK;
}

const struct wl_index_section *wl_index_section_find(const struct wl_index_file *file,
						     const char *name, size_t size)
{
	for (size_t i = 0; i < file->n_sections; i++) {
		if (strcmp(file->sections[i].name, name) == 0)
			return file->sections[i].size == size ? &file->sections[i] : NULL;
	}
	return NULL;
}

const void *wl_index_section_data(const struct wl_index_file *file,
				  const struct wl_index_section *section)
{
	return file->map.data + section->offset;
}

/* Bytes go through the descriptor, so that arrays of gigabytes are not copied once more. */
static void put_bytes(struct wl_index_writer *w, const void *data, size_t n)
{
	if (w->failure.code == WL_OK && wl_file_put(&w->file, data, n, &w->failure) == WL_OK)
		w->at += n;
}

static void align(struct wl_index_writer *w)
{
	static const char zeros[ALIGN];

	put_bytes(w, zeros, (ALIGN - w->at % ALIGN) % ALIGN);
}

int wl_index_writer_begin(struct wl_index_writer *w, const char *path, uint64_t layout,
			  const struct wl_trace_identity *identity, struct wl_err *reterr)
{
	const struct header none = { .size = 0 };
	struct stat st;
	int r;

	*w = (struct wl_index_writer){ .layout = layout, .identity = *identity };
	wl_vec_init(&w->sections, sizeof(struct wl_index_section), &w->budget);
	r = wl_index_file_spare(path, reterr);
	if (r == WL_OK)
		r = wl_file_begin_nofollow(path, &w->file, reterr);
	if (r < 0)
		return r;
	/* Whatever the umask says: a file that others may write is not opened. */
	if (fstat(fileno(w->file.stream), &st) == 0)
		(void)fchmod(fileno(w->file.stream), st.st_mode & 0755);
	put_bytes(w, &none, sizeof(none));
	return WL_OK;
}

void wl_index_put(struct wl_index_writer *w, const char *name, const void *data, size_t n,
		  size_t size)
{
	struct wl_index_section s = { .n = n, .size = size };

	assert(strlen(name) < sizeof(s.name));
	memcpy(s.name, name, strlen(name));
	align(w);
	s.offset = w->at;
	s.checksum = wl_checksum_rows(data, size, 0, n);
	put_bytes(w, data, n * size);
	wl_vec_push(&w->sections, &s);
}

/* The header is written last, in its place at the beginning. */
static int finish(struct wl_index_writer *w, struct wl_err *reterr)
{
	size_t bytes = w->sections.n * sizeof(struct wl_index_section);
	struct header h = { .byte_order = byte_order,
			    .layout = w->layout,
			    .identity = w->identity,
			    .n_sections = w->sections.n };

	memcpy(h.magic, magic, sizeof(magic));
	align(w);
	h.directory = w->at;
	h.directory_checksum = wl_checksum(w->sections.data, bytes);
	put_bytes(w, w->sections.data, bytes);
	h.size = w->at;
	h.checksum = header_checksum(&h);
	if (w->sections.failed)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory", w->file.path);
	if (w->failure.code != WL_OK)
		return wl_fail(reterr, w->failure.code, "%s", w->failure.msg);
	if (pwrite(fileno(w->file.stream), &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		return wl_fail(reterr, WL_E_OUTPUT, "%s: cannot be written", w->file.path);
	return WL_OK;
}

int wl_index_writer_commit(struct wl_index_writer *w, struct wl_err *reterr)
{
	int r = finish(w, reterr);

	if (r == WL_OK)
		r = wl_file_commit(&w->file, reterr);
	wl_index_writer_abort(w);
	return r;
}

void wl_index_writer_abort(struct wl_index_writer *w)
{
	wl_file_abort(&w->file);
	wl_vec_release(&w->sections);
}
