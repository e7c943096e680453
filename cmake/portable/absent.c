/* SPDX-License-Identifier: MIT */
/* What the portable build leaves out: TLS and the loading of code at run time.
 *
 * Debian's libmicrohttpd.a refers to GnuTLS, which needs p11-kit, which has no static archive. It
 * calls GnuTLS for daemons started with MHD_USE_TLS only, and base/net/httpd.c starts none.
 * gnutls_global_init and gnutls_global_deinit are the exceptions: the library calls them for every
 * daemon. All others abort. A name that is missing here fails at the link. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

/* The signatures of the real functions do not matter to callees that never return. */
#define ABSENT(name)                                                                               \
	_Noreturn void name(void);                                                                 \
	_Noreturn void name(void)                                                                  \
	{                                                                                          \
		abort();                                                                           \
	}

int gnutls_global_init(void);
void gnutls_global_deinit(void);

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}

ABSENT(gnutls_alpn_set_protocols)
ABSENT(gnutls_bye)
ABSENT(gnutls_certificate_allocate_credentials)
ABSENT(gnutls_certificate_free_credentials)
ABSENT(gnutls_certificate_server_set_request)
ABSENT(gnutls_certificate_set_dh_params)
ABSENT(gnutls_certificate_set_retrieve_function2)
ABSENT(gnutls_certificate_set_retrieve_function3)
ABSENT(gnutls_certificate_set_x509_key_mem)
ABSENT(gnutls_certificate_set_x509_key_mem2)
ABSENT(gnutls_certificate_set_x509_trust_mem)
ABSENT(gnutls_cipher_get)
ABSENT(gnutls_credentials_set)
ABSENT(gnutls_deinit)
ABSENT(gnutls_dh_params_deinit)
ABSENT(gnutls_dh_params_import_pkcs3)
ABSENT(gnutls_dh_params_init)
ABSENT(gnutls_handshake)
ABSENT(gnutls_init)
ABSENT(gnutls_priority_deinit)
ABSENT(gnutls_priority_init)
ABSENT(gnutls_priority_set)
ABSENT(gnutls_protocol_get_version)
ABSENT(gnutls_psk_allocate_server_credentials)
ABSENT(gnutls_psk_free_server_credentials)
ABSENT(gnutls_psk_set_server_credentials_function)
ABSENT(gnutls_record_check_pending)
ABSENT(gnutls_record_get_direction)
ABSENT(gnutls_record_recv)
ABSENT(gnutls_record_send)
ABSENT(gnutls_session_get_ptr)
ABSENT(gnutls_session_set_ptr)
ABSENT(gnutls_strerror)
ABSENT(gnutls_transport_set_int2)

/* A variable of GnuTLS: the allocator of what it hands to its callers. */
extern void *(*gnutls_malloc)(size_t);
void *(*gnutls_malloc)(size_t) = malloc;

/* SQLite loads extensions and ncurses loads libgpm with these. A static program has another libc
 * than the libraries of its host, so that loading one can crash it. Both libraries go on without.
 */
void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

void *dlsym(void *restrict handle, const char *restrict name)
{
	(void)handle;
	(void)name;
	return NULL;
}

char *dlerror(void)
{
	static char text[] = "this program is linked statically and loads no libraries";

	return text;
}
