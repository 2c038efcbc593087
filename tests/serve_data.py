"""A stream, its page, and a client, for the tests of ``phida serve``."""

import contextlib
import io
import re
import signal
import subprocess
import sys
import threading

import httpx
from data import drifting
from states import stream_model
from waiting import PATIENCE, until

from phida import PHIDAPlus
from phida._pipeline import BadRows
from phida._serve.learning import Learning
from phida._serve.live import Live
from phida._serve.server import LiveServer, listen
from phida._streams.opening import Source

NAMES = ("a", "b", "c")
X = drifting(600)


def as_csv(rows=X):
    return ",".join(NAMES) + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def live_stream(path, *, token=None, rate=None, on_bad_row="fail", follow=False, model=None, posted=None):
    """Return a stream before its start; ``posted``: features of rows for POST /learn."""
    model = model or stream_model(PHIDAPlus(compute_labels=False))
    source = None if path is None else Source(str(path), follow=follow)
    learning = Learning(model, source, BadRows(on_bad_row), selection=posted, rate=rate)
    return Live(learning, "rows.csv", token)


def shows(live, state):
    """Return whether the latest snapshot has a state."""
    return lambda: live.feed.latest is not None and live.feed.latest.facts["state"] == state


@contextlib.contextmanager
def learned(path, **options):
    """Return a client of a stream learned to its end."""
    live = live_stream(path, **options)
    with served(live) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        until(shows(live, "ended"))
        yield client, live


@contextlib.contextmanager
def served(live, *, begun=True):
    """Run a real server in a thread; yield its address."""
    with listen("127.0.0.1", 0) as socket:
        server = LiveServer(live.app, live.feed, lambda: False)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        if begun:
            live.start()
        thread.start()
        try:
            until(lambda: server.started)
            yield f"http://127.0.0.1:{socket.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            if begun:
                live.stop()


class Serving:
    """The command in a process of its own, and its printed address."""

    def __init__(self, *words, port=0, **options):
        command = [sys.executable, "-m", "phida", "serve", "--port", str(port), *map(str, words)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)
        self.address = re.match(r"(http://\S+)/ shows", self.process.stderr.readline())[1]
        self.port = int(self.address.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def state(self):
        answer = httpx.get(self.address + "/state", timeout=PATIENCE)
        return answer.json() if answer.status_code == 200 else {"state": "", "samples": 0}

    def end(self, number=signal.SIGTERM):
        """Send a signal; return the exit code and the messages."""
        self.process.send_signal(number)
        messages = self.process.communicate(timeout=PATIENCE)[1]
        return self.process.returncode, messages


class Events:
    """Server-sent events, in order of arrival, by name."""

    def __init__(self, response):
        self._lines = response.iter_lines()

    def __iter__(self):
        return self

    def __next__(self):
        name, data = "", io.StringIO()
        for line in self._lines:
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                data.write(line[6:])
            elif line == "" and name:
                return name, data.getvalue()
        raise StopIteration


@contextlib.contextmanager
def listening(address):
    """Yield the events of a real server."""
    with httpx.Client(timeout=PATIENCE) as client, client.stream("GET", address + "/events") as response:
        yield response, Events(response)
