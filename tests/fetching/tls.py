"""A throwaway certificate for the name localhost, and a server that shows it."""

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.exchange import HangUp, Reply, read_request, send


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for a DNS name that signs itself; return its file and its key's."""
    made, key = folder / f"{name}.pem", folder / f"{name}.key"
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command = ["openssl", "req", "-x509", *curve, *subject, "-keyout", str(key), "-out", str(made)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("openssl, which makes the throwaway certificates, is not installed")
    return made, key


class SecureServer:
    """A server that gives one reply to each request over TLS.

    Attributes:
        port: Its port on the loopback address.
        names: The host names that clients asked for while they connected (SNI).
        hosts: The `Host` headers of the requests.
    """

    def __init__(self, files: tuple[Path, Path], reply: Reply) -> None:
        self.names: list[str | None] = []
        self.hosts: list[str] = []
        self._reply = reply
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*files)
        self._context.sni_callback = lambda _, name, __: self.names.append(name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._stopping = False
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()

    def _answer(self) -> None:
        while True:
            accepted, _ = self._listener.accept()
            with accepted, contextlib.suppress(OSError, HangUp):  # a client that does not trust us hangs up
                if self._stopping:
                    return
                with self._context.wrap_socket(accepted, server_side=True) as secure, secure.makefile("rb") as stream:
                    request = read_request(stream, 0)
                    if request is not None:
                        self.hosts.append(request.headers["host"])
                        send(secure, stream, self._reply)

    def stop(self) -> None:
        """Stop accepting."""
        self._stopping = True
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            pass  # wakes the thread, which waits in accept()
        self._thread.join()
        self._listener.close()


@contextlib.contextmanager
def serve_securely(files: tuple[Path, Path], reply: Reply) -> Iterator[SecureServer]:
    """Run such a server for the length of a ``with`` block."""
    server = SecureServer(files, reply)
    try:
        yield server
    finally:
        server.stop()
