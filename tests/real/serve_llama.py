"""The llama.cpp server on a free loopback port, until its standard input ends.

Run in an environment with ``xllamacpp``: ``python serve_llama.py MODEL PORT KEY``. Two answers at
once, each with half of a context of 512 tokens; says ``LISTEN`` when it can be asked.
"""

from __future__ import annotations

import sys

import xllamacpp


def main(model: str, port: str, key: str) -> None:
    """Serve."""
    wanted = xllamacpp.CommonParams()
    wanted.model.path = model
    wanted.n_ctx = 512
    wanted.n_predict = 64
    wanted.n_parallel = 2
    wanted.cpuparams.n_threads = 1
    wanted.cpuparams_batch.n_threads = 1
    wanted.hostnames = ["127.0.0.1"]
    wanted.port = int(port)
    wanted.api_keys = [key]
    server = xllamacpp.Server(wanted)
    print("LISTEN", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:4])
