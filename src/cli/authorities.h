/* SPDX-License-Identifier: MIT */
/* authorities.h - the certificates that requests trust. */
#ifndef WL_CLI_AUTHORITIES_H
#define WL_CLI_AUTHORITIES_H

/* A file that SSL_CERT_FILE or CURL_CA_BUNDLE name, as other programs do; NULL: the system's. */
const char *wl_find_authorities(void);

#endif
