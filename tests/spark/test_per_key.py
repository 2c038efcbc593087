"""One model per key: equal to plain PHIDA to the bit, and kept by Spark."""

import numpy as np
import pandas as pd
import pytest
from states import assert_same_state

from phida import PHIDAPlus

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
]

N_KEYS = 120
SCHEMA = "machine string, time long, x double, y double, `the z` double"


def readings(first, last, seed):
    """Return mixed rows of all machines; some machines have many rows and some have one."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"machine": [f"m{k}" for k in range(N_KEYS) for _ in range(1 + (k * 7 + seed) % 23)]})
    frame = frame.sample(frac=1.0, random_state=seed, ignore_index=True)
    frame["time"] = np.arange(first, first + len(frame))
    frame[["x", "y", "the z"]] = 8 * rng.integers(3, size=(len(frame), 1)) + rng.normal(size=(len(frame), 3))
    assert len(frame) < last - first
    return frame


def test_models_per_key_equal_plain_learning_across_batches(spark, tmp_path):
    from phida.spark import fit_per_key, models_per_key

    source, checkpoint = tmp_path / "rows", str(tmp_path / "kept")
    source.mkdir()
    batches = [readings(k * 10_000, (k + 1) * 10_000, seed=k) for k in range(2)]
    labelled = []

    def learned():
        stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(source))
        result = fit_per_key(stream, "machine", ["x", "y", "the z"], order="time")
        writer = result.writeStream.outputMode("append").option("checkpointLocation", checkpoint)
        keep = writer.foreachBatch(lambda df, number: labelled.append(df.toPandas()))
        keep.trigger(availableNow=True).start().awaitTermination()

    for number, batch in enumerate(batches):  # a new process for each batch
        batch.sample(frac=1.0, random_state=9).to_parquet(source / f"{number}.parquet")
        learned()
    found = {row["machine"]: bytes(row["model"]) for row in models_per_key(spark, checkpoint).collect()}
    everything = pd.concat(batches)
    assert len(found) == N_KEYS == everything["machine"].nunique()
    last = labelled[-1].set_index("time")
    for machine, rows in everything.groupby("machine"):
        expected = PHIDAPlus(compute_labels=False)
        for batch in batches:  # split in another way
            expected.partial_fit(batch.loc[batch["machine"] == machine, ["x", "y", "the z"]])
        model = PHIDAPlus.from_bytes(found[machine])
        assert_same_state(model, expected)
        assert model.feature_names_in_.tolist() == ["x", "y", "the z"]
        rows = rows[rows["time"] >= 10_000]
        labels = expected.predict(rows[["x", "y", "the z"]])
        np.testing.assert_array_equal(last.loc[rows["time"], "prediction"], labels)
        np.testing.assert_array_equal(last.loc[rows["time"], "cluster_id"], expected.cluster_ids_[labels])
        assert set(last.loc[rows["time"], "n_seen"]) == {expected.n_samples_seen_}


def test_existing_output_column_is_refused(spark):
    from phida.spark import fit_per_key

    df = spark.createDataFrame([("a", 1.0, 2)], "k string, x double, n_seen int")
    with pytest.raises(ValueError, match="already has a column 'n_seen'"):
        fit_per_key(df, "k")
