"""Models in files of skops and MLflow, with the real packages."""

import io
import json
import zipfile

import numpy as np
import pytest
from data import drifting
from kinds import MAKERS
from states import assert_same_state

from phida import PHIDA, PHIDAPlus

skops = pytest.importorskip("skops.io", reason="make test-integrations installs skops")
X, MORE = np.split(drifting(400), [230])
TYPES = {PHIDA: ["phida.estimators.PHIDA"], PHIDAPlus: ["phida.estimators.PHIDAPlus"]}


@pytest.mark.parametrize("make", [MAKERS["PHIDA"], MAKERS["PHIDAPlus"], MAKERS["few nodes"]])
def test_skops_file_gives_the_same_model(make, tmp_path):
    model = make().fit(X)
    skops.dump(model, tmp_path / "model.skops")
    assert skops.get_untrusted_types(file=tmp_path / "model.skops") == TYPES[type(model)]
    twin = skops.load(tmp_path / "model.skops", trusted=TYPES[type(model)])
    assert twin.get_params() == model.get_params()
    np.testing.assert_array_equal(twin.labels_, model.labels_)
    assert_same_state(twin, model)
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))


def test_skops_stores_a_pipeline(tmp_path):
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer

    pipeline = make_pipeline(Normalizer(), PHIDAPlus()).fit(X)
    content = skops.dumps(pipeline)
    twin = skops.loads(content, trusted=TYPES[PHIDAPlus])
    np.testing.assert_array_equal(twin.predict(MORE), pipeline.predict(MORE))


def test_changed_skops_file_is_refused():
    """The file may hold anything, so the learner checks all that it relies on."""
    content = skops.dumps(PHIDAPlus().fit(X))
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(changed, "w") as after:
        for name in before.namelist():
            part = before.read(name)
            if name == "schema.json":
                schema = json.loads(part)
                names = schema["content"]["content"]["_model"]["content"]["state"]["content"]
                names["cluster_id"] = names["margins"]  # another array in its place
                part = json.dumps(schema)
            after.writestr(name, part)
    with pytest.raises(ValueError, match="'cluster_id' has the wrong type"):
        skops.loads(changed.getvalue(), trusted=TYPES[PHIDAPlus])


@pytest.mark.filterwarnings("ignore")  # from MLflow
@pytest.mark.parametrize("kind", [PHIDA, PHIDAPlus])
def test_mlflow_model_predicts_the_same(kind, tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="make test-integrations installs MLflow")
    model = kind().fit(X)
    mlflow.sklearn.save_model(
        model, tmp_path / "model", skops_trusted_types=TYPES[kind], pip_requirements=["phida"], input_example=X[:5]
    )
    assert (tmp_path / "model" / "model.skops").is_file()  # not a pickle
    twin = mlflow.sklearn.load_model(str(tmp_path / "model"))
    np.testing.assert_array_equal(mlflow.pyfunc.load_model(str(tmp_path / "model")).predict(MORE), model.predict(MORE))
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))


@pytest.mark.filterwarnings("ignore")
def test_mlflow_error_names_the_trusted_type(tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="make test-integrations installs MLflow")
    with pytest.raises(mlflow.exceptions.MlflowException, match=r"skops_trusted_types.*phida\.estimators\.PHIDAPlus"):
        mlflow.sklearn.save_model(PHIDAPlus().fit(X), tmp_path / "model", pip_requirements=["phida"])
