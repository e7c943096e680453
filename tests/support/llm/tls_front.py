#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tls_front.py CERTIFICATE KEY PORT: TLS on a port of its own, which it prints, in front of a server on a loopback port."""
import socket
import ssl
import sys
import threading


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(plain, context, port):
    try:
        near = context.wrap_socket(plain, server_side=True)
    except OSError:  # the client does not trust us
        return
    with near, socket.create_connection(("127.0.0.1", port)) as far:
        threading.Thread(target=copy, args=(near, far), daemon=True).start()
        copy(far, near)


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        while True:
            plain, _ = listening.accept()
            threading.Thread(target=serve, args=(plain, context, int(sys.argv[3])), daemon=True).start()


main()
