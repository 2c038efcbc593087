"""Prediction of Spark tables with categories, by a model that was saved with its encoder."""

import numpy as np
import pandas as pd

import phida
from phida import PHIDAPlus
from phida.preprocessing import TableEncoder


def test_loaded_model_encodes_the_columns_of_a_table(spark, tmp_path):
    from phida.spark import predict

    rng = np.random.default_rng(0)
    group = rng.integers(2, size=400)
    table = pd.DataFrame(
        {
            "id": np.arange(400),
            "plan": np.where(group, "pro", "basic"),
            "spend": np.where(group, 900, 300) + rng.normal(0, 60, 400),
        }
    )
    encoder = TableEncoder()
    model = PHIDAPlus(scale=None).fit(encoder.fit_transform(table.drop(columns="id")))
    model.save(tmp_path / "m.model", encoder=encoder)
    labelled = predict(spark.createDataFrame(table), phida.load(tmp_path / "m.model")).toPandas().sort_values("id")
    assert labelled.columns.tolist() == ["id", "plan", "spend", "prediction"]
    np.testing.assert_array_equal(labelled.prediction, model.labels_)
