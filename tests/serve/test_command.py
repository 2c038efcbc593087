"""``phida serve`` as typed by users."""

import signal
import subprocess

import httpx
import numpy as np
import pytest
from serve_data import Serving, X, as_csv
from states import assert_same_state
from streams_data import invoke, said
from waiting import PATIENCE, until

from phida import PHIDA, PHIDAPlus, load


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_saves_the_model(rows_file, tmp_path, number):
    target = tmp_path / "model.safetensors"
    with Serving("--from", rows_file, "--save", target) as serving:
        until(lambda: serving.state()["state"] == "ended")
        code, messages = serving.end(number)
    assert code == 0 and messages == f"600 rows read; model: {target}\n"
    model = PHIDAPlus.load(target)
    assert_same_state(model, PHIDAPlus().partial_fit(X))
    assert list(model.feature_names_in_) == ["a", "b", "c"]


def test_stream_stopped_halfway_saves_the_learned_rows(rows_file, tmp_path):
    target = tmp_path / "model.safetensors"
    with Serving("--from", rows_file, "--save", target, "--rate", "200") as serving:
        until(lambda: serving.state()["samples"] > 20)
        assert serving.end()[0] == 0
    model = PHIDAPlus.load(target)
    assert 20 < model.n_samples_seen_ < 600
    assert_same_state(model, PHIDAPlus().partial_fit(X[: model.n_samples_seen_]))


def test_standard_input_continues_a_model(tmp_path):
    begun, target = tmp_path / "begun.safetensors", tmp_path / "model.safetensors"
    PHIDAPlus().partial_fit(X[:300]).save(begun)
    with Serving("--from", "-", "--model", begun, "--save", target, stdin=subprocess.PIPE) as serving:
        serving.process.stdin.write(as_csv(X[300:]))
        serving.process.stdin.flush()
        until(lambda: serving.state()["samples"] == 600)
        assert serving.state()["source"] == "standard input"
        assert serving.end()[0] == 0  # while more input is expected
    assert_same_state(PHIDAPlus.load(target), PHIDAPlus().partial_fit(X))


def test_model_of_either_method_continues_and_other_methods_are_refused(tmp_path, rows_file):
    begun, target = tmp_path / "begun.safetensors", tmp_path / "model.safetensors"
    PHIDA().partial_fit(X).save(begun)
    with Serving("--from", rows_file, "--model", begun, "--save", target) as serving:
        until(lambda: serving.state()["samples"] == 1200)
        assert serving.end()[0] == 0
    assert_same_state(load(target), PHIDA().partial_fit(X).partial_fit(X))
    found = invoke("serve", "--from", rows_file, "--port", "0", "--model", begun, "--method", "phida+")
    assert found.exit_code == 2 and "started with --method phida, which cannot change" in found.output


def test_failing_stream_exits_with_its_error(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,x\n")
    found = invoke("serve", "--from", path, "--port", "0")
    assert found.exit_code == 3 and "1 column is not numeric and 1 can be used. 'b' ('x')" in found.output
    assert "shows the stream" not in found.output  # refused before the address is printed
    # nothing was learned, so the command exits by itself
    with Serving("--from", "-", stdin=subprocess.PIPE) as serving:
        messages = serving.process.communicate("a,b\n1,x\n", timeout=PATIENCE)[1]
    assert serving.process.returncode == 3 and "'b' ('x')" in messages
    path.write_text(as_csv(X[:300]) + "1,2\n" + as_csv(X[300:]).partition("\n")[2])
    with Serving("--from", path) as serving:  # rows were learned, so the page stays
        until(lambda: serving.state()["state"] == "failed")
        assert serving.state()["samples"] == 300  # a bad row does not lose the good rows before it in the batch
        code, messages = serving.end()
    assert code == 3 and "300 rows read" in messages


def test_token_is_read_from_the_environment(rows_file, monkeypatch):
    monkeypatch.setenv("PHIDA_TOKEN", "s3cret")
    with Serving("--from", rows_file, "--host", "0.0.0.0") as serving:
        address = serving.address.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(address + "/state", timeout=PATIENCE).status_code == 401
        assert "s3cret" not in httpx.get(address + "/", headers={"accept": "text/html"}, timeout=PATIENCE).text
        headers = {"authorization": "Bearer s3cret"}
        until(lambda: httpx.get(address + "/state", headers=headers, timeout=PATIENCE).status_code == 200)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--host", "0.0.0.0"), 2, "set a --token"),
        (("--token", ""), 2, "printable ASCII"),
        (("--token", "a\nb"), 2, "printable ASCII"),
        (("--rate", "0"), 2, "--rate must be a positive number"),
        (("--rate", "nan"), 2, "--rate must be a positive number"),
        (("--port", "99999"), 2, "65535"),
        (("--method", "kmeans"), 2, "--method takes phida+ or phida, not 'kmeans'"),
        (("--method", "phida", "--half-life", "9"), 2, "--half-life is an option of PHIDA+"),
        (("--method", "phida", "--scale", "none"), 2, "--scale is an option of PHIDA+"),
        (("--scale", "wide"), 2, "--scale takes auto, standard or none, not 'wide'"),
        (("--on-bad-row", "hope"), 2, "fail, skip or log"),
        (("--save", "no/such/folder/model"), 1, "does not exist"),
        (("--model", "no_such_model"), 1, "no_such_model"),
        (("--host", "no.such.host.invalid", "--token", "t"), 1, "cannot listen on no.such.host.invalid"),
    ],
)
def test_mistakes_get_one_sentence(rows_file, words, code, message):
    found = invoke("serve", "--from", rows_file, "--port", "0", *words)
    assert found.exit_code == code and message in said(found), found.output


@pytest.mark.parametrize(
    "option",
    [
        "--rate 9", "--follow", "--format csv", "--delimiter ;", "--decimal ,", "--thousands .", "--encoding cp1252",
        "--convert day", "--impute median", "--label kind", "--on-bad-row skip", "--bad-row-log bad.txt",
    ],
)  # fmt: skip
def test_reading_options_without_a_source_are_refused(option):
    found = invoke("serve", "--learn", "--port", "0", *option.split())
    assert found.exit_code == 2
    assert f"{option.split()[0]}: only for input from --from; add --from FILE." in said(found)


def test_source_without_rows_is_refused():
    found = invoke("serve", "--port", "0")
    assert found.exit_code == 2 and "pass --from FILE, --learn, or both" in said(found)


def test_missing_files_are_named(tmp_path):
    found = invoke("serve", "--from", tmp_path / "nothing.csv", "--port", "0")
    assert found.exit_code == 1 and "does not exist" in found.output


def test_port_in_use_is_reported(rows_file):
    with Serving("--from", rows_file) as serving:
        port = str(serving.port)
        found = invoke("serve", "--from", rows_file, "--port", port)
    assert found.exit_code == 1 and f"cannot listen on 127.0.0.1 port {port}" in found.output


def test_matrix_files_are_learned(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    with Serving("--from", tmp_path / "rows.npy") as serving:
        until(lambda: serving.state()["state"] == "ended")
        assert serving.state()["clusters"][0]["telling"][0]["feature"].startswith("feature ")
