/* SPDX-License-Identifier: MIT */
/* socket.h - socket calls: listening, and the address of the peer. */
#ifndef WL_BASE_SOCKET_H
#define WL_BASE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* Listen on an address in digits; port 0 is any. WL_E_USAGE for what cannot be had. */
int wl_socket_listen(const char *address, uint16_t port, int *ret_fd,
		     struct wl_err *reterr) WL_MUST_CHECK;

uint16_t wl_socket_port(int fd); /* its own; 0 where it has none */

/* It listens on the loopback alone, where all clients have one address. */
bool wl_socket_is_local(int fd);

/* The other end is not on the loopback: bytes to it go over a network, as far as we know. */
bool wl_socket_is_remote(int fd);

/* The other end sends nothing any more: it has left, as browsers do. Does not wait. */
bool wl_socket_has_left(int fd);

/* Nothing more comes or goes; threads that wait for it wake up. */
void wl_socket_end(int fd);

#endif
