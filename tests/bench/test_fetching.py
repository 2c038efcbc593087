"""``phida-bench data get``: conversions, digests, interrupted downloads, and what cannot be fetched.

Nothing is downloaded here. A local server has files in the formats of the sources. Those in ``sources`` and those
written by the tests come from the benchmark's copies of the data, not from the sources.
"""

import http.server
import io
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from phida_bench.datasets import DatasetError, entries, entry, fetching, load
from phida_bench.datasets.conversions import CONVERSIONS, columns, members

SOURCES = Path(__file__).parent / "sources"
COPIES = Path(__file__).parents[3] / "shared" / "datasets"


class Files(http.server.BaseHTTPRequestHandler):
    """Serves what the server has, with ranges; ``cut`` ends the first answer early."""

    def do_GET(self):
        self.server.asked.append(self.headers.get("Range"))
        content = self.server.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        begin = int(self.headers["Range"][6:-1]) if self.headers.get("Range") else 0
        if begin >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        end, self.server.cut = self.server.cut, None
        self.wfile.write(content[begin:end])

    def log_message(self, *words):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        server.files, server.asked, server.cut = {}, [], None
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def seeds():
    return zipped(**{"seeds_dataset.txt": (SOURCES / "seeds_dataset.txt").read_bytes()})


def quiet(done, total):
    pass


def test_each_data_set_has_a_source_or_says_what_to_do():
    for e in entries().values():
        assert e.sklearn or e.keel or e.missing or (e.url.startswith("https://") and e.name in CONVERSIONS), e.name
        assert not e.url or e.digest


@pytest.mark.parametrize(("name", "file"), [("seeds", "seeds_dataset.txt"), ("dermatology", "dermatology.data")])
def test_a_fetched_data_set_has_the_digest_of_the_benchmark(server, tmp_path, name, file):
    server.files[f"{name}.zip"] = zipped(**{file: (SOURCES / file).read_bytes()})
    seen = []
    found = fetching.get(entry(name), tmp_path, lambda done, total: seen.append((done, total)), server.url)
    assert found.digest == entry(name).digest
    assert seen[-1] == (len(server.files[f"{name}.zip"]),) * 2
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.npz"]
    again = fetching.get(entry(name), tmp_path, quiet, server.url)
    assert again.digest == found.digest and len(server.asked) == 1


def test_an_interrupted_download_continues_where_it_stopped(server, tmp_path):
    server.files["seeds.zip"], server.cut = seeds(), 1000
    with pytest.raises(DatasetError, match=r"Run the command again to continue"):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)
    assert load(entry("seeds"), _after(server, tmp_path)).digest == entry("seeds").digest
    assert server.asked == [None, "bytes=1000-"]


def _after(server, folder):
    assert (folder / ".seeds.part").stat().st_size == 1000
    fetching.get(entry("seeds"), folder, quiet, server.url)
    return folder


def test_a_complete_part_is_not_downloaded_again(server, tmp_path):
    server.files["seeds.zip"] = seeds()
    (tmp_path / ".seeds.part").write_bytes(seeds())
    assert fetching.get(entry("seeds"), tmp_path, quiet, server.url).source == entry("seeds").url
    assert server.asked == [f"bytes={len(seeds())}-"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "answered 404 .* login or be gone"),
        (b"<html>", "not a zip archive"),
        (zipped(other="1 2"), "no file seeds_dataset.txt"),
        (zipped(**{"seeds_dataset.txt": "1 2 3\n4 5 6\n"}), r"X is \(2, 2\)"),
        (zipped(**{"seeds_dataset.txt": "1 2 3 4 5 6 7 1\n" * 209 + "1 2 3 4 5 6 7 2\n"}), "2 classes, but 3"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(server, tmp_path, content, words):
    if content is not None:
        server.files["seeds.zip"] = content
    with pytest.raises(DatasetError, match=words):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)
    assert not list(tmp_path.iterdir())


def test_changed_values_do_not_have_the_digest(server, tmp_path):
    text = (SOURCES / "seeds_dataset.txt").read_text().replace("15.26", "15.27", 1)
    server.files["seeds.zip"] = zipped(**{"seeds_dataset.txt": text})
    with pytest.raises(DatasetError, match="the digest does not match"):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)


def test_data_sets_without_a_source_say_what_to_do(tmp_path):
    with pytest.raises(DatasetError, match="withdrawn"):
        fetching.get(entry("pima"), tmp_path, quiet)
    assert fetching.get(entry("iris"), tmp_path, quiet).source == "scikit-learn"


def test_a_file_of_compress_is_unpacked():
    # "compress" of the text "1 1\\n" as the program writes it: header, then codes of 9 bits.
    codes = [ord(character) for character in "1 1\n"]
    bits = sum(code << (9 * place) for place, code in enumerate(codes))
    content = b"\x1f\x9d\x90" + bits.to_bytes(5, "little")
    assert members(zipped(**{"a.Z": content}), ["a.Z"]) == [b"1 1\n"]


def number(value):
    return repr(float(value)).removesuffix(".0")


def text(X, last, separator=",", first=None, header=""):
    rows = ([*([first] if first else []), *map(number, row), *label] for row, label in zip(X, last, strict=True))
    return header + "\n".join(separator.join(row) for row in rows) + "\n"


WRITTEN = {
    "yeast": lambda X, y: {"yeast.data": text(X, [["ABCDEFGHIJ"[c]] for c in y], "  ", first="NAME_YEAST")},
    "semeion": lambda X, y: {"semeion.data": text(X, [["1" if c == k else "0" for k in range(10)] for c in y], " ")},
    "rice": lambda X, y: {
        "Rice_Cammeo_Osmancik.arff": text(
            X, [["Cammeo" if c == 0 else "Osmancik"] for c in y], header="@relation Rice\n@DATA\n"
        )
    },
    "tuandromd": lambda X, y: {
        "TUANDROMD.csv": text(
            X,
            [["malware" if c else "goodware"] for c in y],
            header=",".join(["f"] * 241) + ",Label\n" + "," * 241 + "\n",
        )
    },
    "anuran_calls": lambda X, y: {
        "Frogs_MFCCs.csv": text(X, [["ABCD"[c], "g", "s", "1"] for c in y], header="M," * 22 + "Family,Genus,S,R\n")
    },
    "statlog": lambda X, y: {
        "sat.trn": text(X[:4435], [[str(c + 1)] for c in y[:4435]], " "),
        "sat.tst": text(X[4435:], [[str(c + 1)] for c in y[4435:]], " "),
    },
}


@pytest.mark.skipif(not COPIES.is_dir(), reason="needs the benchmark's copies of the data sets")
@pytest.mark.parametrize("name", WRITTEN)
def test_a_copy_in_the_format_of_its_source_is_converted_to_the_benchmarks_rows(server, tmp_path, name):
    copy = load(entry(name), COPIES)
    server.files[entry(name).url.rsplit("/", 1)[-1]] = zipped(**WRITTEN[name](copy.X, copy.y))
    assert fetching.get(entry(name), tmp_path, quiet, server.url).digest == entry(name).digest


def test_text_with_header_and_missing_values_becomes_rows_and_classes():
    X, y = columns(missing="0", drop=(0,))([b"id,a,class\n1,2.5,x\n2,?,y\n\n"])
    assert X.tolist() == [[2.5], [0.0]] and y.tolist() == ["x", "y"]
    assert np.array_equal(columns()([b"1,10.\n2,9.\n"])[1], [10.0, 9.0])
