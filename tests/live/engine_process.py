"""The engine's own process: llama.cpp's HTTP server, run inside the engine's environment.

Started by `tests.live.engine`, never imported by it: `xllamacpp` lives in an environment of its own. It reads one line
of JSON (the order), writes one line of JSON (its address), then serves until its standard input closes or its time is
up.
"""

import importlib
import json
import os
import sys
import threading
from typing import Any


def main() -> None:
    """Serve the model that the order on standard input names.

    The order is an object with `model_path`, `alias`, `port` (0 lets the system choose), `context_tokens`,
    `chat_template` (or null), `api_key` and `lifetime_seconds`. The process ends with its parent (standard input
    closes) and in any case after its lifetime.
    """
    order = json.loads(sys.stdin.readline())
    watchdog = threading.Timer(order["lifetime_seconds"], os._exit, args=(1,))
    watchdog.daemon = True
    watchdog.start()
    server = start(order)
    print(json.dumps({"url": server.listening_address}), flush=True)
    while sys.stdin.readline():  # readline gives "" when the parent has closed the pipe or is gone
        pass
    # The C++ server has threads that outlive the interpreter's tear-down; nothing here needs an orderly end.
    os._exit(0)


def start(order: dict[str, Any]) -> Any:
    """Return an `xllamacpp.Server` that listens on the loopback address.

    One thread: with two, on a small machine that does other work, the tokens a second drop by a factor of twenty.
    One slot: requests are answered in turn, so none shares a batch with another and its answer is repeatable.
    """
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = order["model_path"]
    params.model_alias = {order["alias"]}  # a set: a bare str would be taken apart into its letters
    params.hostnames = ["127.0.0.1"]
    params.port = order["port"]
    params.api_keys = [order["api_key"]]
    params.n_ctx = order["context_tokens"]
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    if order["chat_template"] is not None:
        params.chat_template = order["chat_template"]
    params.ui = False
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
