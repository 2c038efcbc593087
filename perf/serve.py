"""Learning rate of a served stream: without listeners, and with ten, one of which never reads.

The server is a separate process and is fed through a pipe at full speed; the listeners share another process. The two
settings alternate, since machines are noisy.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np

SECONDS, TURNS, LISTENERS = 8.0, 3, 10


def rows() -> bytes:
    """Return 20,000 rows of 8 features from 12 Gaussians, as CSV."""
    rng = np.random.default_rng(0)
    centers = 6 * rng.normal(size=(12, 8))
    X = centers[rng.integers(0, 12, 20_000)] + rng.normal(size=(20_000, 8))
    return "".join(",".join(f"{value:.5f}" for value in row) + "\n" for row in X.tolist()).encode()


class Serving:
    """A server with an endless input."""

    def __init__(self, block: bytes) -> None:
        command = [sys.executable, "-m", "phida", "serve", "--from", "-", "--port", "0"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.address = re.match(rb"(http://\S+)/ shows", self.process.stderr.readline())[1].decode()
        threading.Thread(target=self._feed, args=(block,), daemon=True).start()

    def _feed(self, block: bytes) -> None:
        try:
            while True:
                self.process.stdin.write(block)
        except (BrokenPipeError, ValueError):
            return

    def metrics(self) -> dict[str, float]:
        with urllib.request.urlopen(self.address + "/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    def rate(self) -> float:
        """Return rows per second over the next seconds."""
        began, before = time.perf_counter(), self._samples()
        time.sleep(SECONDS)
        return (self._samples() - before) / (time.perf_counter() - began)

    def _samples(self) -> int:
        with urllib.request.urlopen(self.address + "/state") as answer:
            return int(json.load(answer)["samples"])


async def look_on(port: int) -> None:
    """Run ten listeners, one of which never reads."""
    counts = [0] * LISTENERS

    async def listen(i: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=4096)
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        if i == 0:
            await asyncio.sleep(3600)
        while part := await reader.read(1 << 16):
            counts[i] += part.count(b"event: snapshot")

    tasks = [asyncio.create_task(listen(i)) for i in range(LISTENERS)]
    await asyncio.sleep(SECONDS + 2)
    print(json.dumps(counts))
    for task in tasks:
        task.cancel()


def main() -> None:
    serving = Serving(rows())
    time.sleep(6)
    alone, watched, seen = [], [], []
    for _ in range(TURNS):
        alone.append(serving.rate())
        port = serving.address.rsplit(":", 1)[1]
        watching = subprocess.Popen([sys.executable, __file__, "look-on", port], stdout=subprocess.PIPE)
        time.sleep(1)
        watched.append(serving.rate())
        counts = json.loads(watching.communicate()[0])
        seen += [count / (SECONDS + 2) for count in counts[1:]]
    final = serving.metrics()
    serving.process.terminate()
    serving.process.wait()
    print(f"nobody looks on: {statistics.median(alone):,.0f} rows a second ({_span(alone)})")
    print(f"{LISTENERS} pages, one stalled: {statistics.median(watched):,.0f} rows a second ({_span(watched)})")
    print(f"a page saw {statistics.median(seen):.1f} snapshots a second (the least: {min(seen):.1f})")
    print(
        f"at the end {final['phida_samples_total']:,.0f} rows, {final['phida_nodes']:.0f} nodes, "
        f"{final['phida_clusters']:.0f} clusters; a snapshot took {1000 * final['phida_snapshot_seconds']:.1f} ms"
    )


def _span(values: list[float]) -> str:
    return f"{min(values):,.0f} to {max(values):,.0f}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["look-on"]:
        asyncio.run(look_on(int(sys.argv[2])))
    else:
        main()
