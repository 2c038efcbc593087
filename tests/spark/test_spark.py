"""Spark gives the bits of the loop over arrays; a batch is learned once; labels are those of the estimator."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from states import assert_same_state

from phida import PHIDAPlus
from phida.distributed import fit_partitions, partial_fit_partitions

# A long session of the JVM leaves sockets to the collector, and pyspark uses names that pandas is about to drop.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
]

NAMES = list("abcd")


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, 4))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, 4))


def written(folder, parts, first=0):
    """A Parquet file for each partition, in an order that Spark keeps."""
    for number, rows in enumerate(parts, start=first):
        pd.DataFrame(rows, columns=NAMES).to_parquet(folder / f"{number:04}.parquet")


def table(spark, parts):
    """A table with these partitions."""
    rows = [[(number, row.tolist()) for row in part] for number, part in enumerate(parts)]
    pairs = spark.sparkContext.parallelize([pair for part in rows for pair in part], 1)
    placed = pairs.partitionBy(len(parts), lambda number: number)
    return placed.map(lambda pair: (pair[1],)).toDF("features array<double>")


def test_fit_gives_the_bits_of_the_loop(spark):
    from phida.spark import fit

    parts = np.array_split(blobs(3000), 3)
    model = fit(table(spark, parts), "features", random_state=4)
    assert_same_state(model, fit_partitions(parts, random_state=4))


def test_labels_are_those_of_the_estimator(spark):
    from phida.spark import predict

    frame = pd.DataFrame(blobs(1000), columns=NAMES)
    model = PHIDAPlus().fit(frame)
    labelled = predict(spark.createDataFrame(frame), model, output="cluster").toPandas()
    assert labelled.columns.tolist() == [*NAMES, "cluster"]
    np.testing.assert_array_equal(labelled["cluster"], model.predict(labelled[NAMES]))


def test_labels_of_an_array_column(spark):
    from phida.spark import predict

    rows = blobs(700)
    model = PHIDAPlus().fit(rows)
    df = table(spark, np.array_split(rows, 2))
    labelled = predict(df, model, "features").collect()
    np.testing.assert_array_equal([row["prediction"] for row in labelled], model.predict(rows))
    uneven = spark.createDataFrame([([1.0] * 4,), ([1.0] * 3,)], "f array<double>").coalesce(1)
    with pytest.raises(Exception, match="different lengths"):
        predict(uneven, model, "f").collect()


def stream(spark, folder):
    schema = ", ".join(f"{name} double" for name in NAMES)
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def test_a_stream_is_learned_once_also_after_a_restart(spark, tmp_path):
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    batches = np.array_split(blobs(2400), 3)

    def learned():
        fit_stream(stream(spark, source), str(kept), trigger={"availableNow": True}).awaitTermination()
        return PHIDAPlus.load(kept / "model.safetensors")

    written(source, batches[:2])
    first = learned()
    assert first.n_samples_seen_ == 1600
    assert_same_state(learned(), first)  # nothing is new
    written(source, batches[2:], first=2)
    expected = PHIDAPlus(compute_labels=False)
    for batch in batches:
        partial_fit_partitions(expected, [batch])
    found = learned()
    assert found.feature_names_in_.tolist() == NAMES
    assert_same_state(found, expected)


def test_a_stream_goes_on_with_the_same_columns_alone(spark, tmp_path):
    from phida.spark import fit_stream
    from phida.spark.streaming import StreamLearner

    kept = tmp_path / "kept"
    kept.mkdir()
    frame = pd.DataFrame(blobs(300), columns=NAMES)
    learner = StreamLearner(kept / "model.safetensors", PHIDAPlus(compute_labels=False), None, 0, None)
    learner(spark.createDataFrame(frame), 0)
    with pytest.raises(ValueError, match=r"learned the columns \['a', 'b', 'c', 'd'\], in this order"):
        learner(spark.createDataFrame(frame[list("bacd")]), 1)
    assert learner.last == 0 and learner.model.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match=r"these are \['b', 'a', 'c', 'd'\]"):
        fit_stream(stream(spark, tmp_path), str(kept), list("bacd"))


def test_a_stream_is_not_taken_up_with_half_of_its_checkpoint(spark, tmp_path):
    from phida import StateFileError
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    written(source, [blobs(200)])

    def learned():
        fit_stream(stream(spark, source), str(kept), trigger={"availableNow": True}).awaitTermination()

    learned()
    (kept / "spark").rename(kept / "elsewhere")
    with pytest.raises(StateFileError, match=r"as of batch 0 of a stream, but .*spark is missing"):
        learned()
    (kept / "elsewhere").rename(kept / "spark")
    (kept / "model.safetensors").rename(kept / "away.safetensors")
    with pytest.raises(StateFileError, match=r"done batch 0 .*model.safetensors is missing"):
        learned()
    (kept / "away.safetensors").rename(kept / "model.safetensors")
    learned()


def test_a_stream_may_begin_with_batches_without_rows(spark, tmp_path):
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    written(source, [blobs(200)])

    def learned(condition):
        chosen = stream(spark, source).where(condition)
        fit_stream(chosen, str(kept), trigger={"availableNow": True}).awaitTermination()

    learned("a > 1e9")
    assert not (kept / "model.safetensors").exists()
    written(source, [blobs(100)], first=1)
    learned("true")
    assert PHIDAPlus.load(kept / "model.safetensors").n_samples_seen_ == 100


def test_a_batch_handed_in_again_changes_nothing(spark, tmp_path):
    from phida.spark.streaming import StreamLearner

    path = tmp_path / "model.safetensors"
    batch = spark.createDataFrame(pd.DataFrame(blobs(500), columns=NAMES))
    StreamLearner(path, PHIDAPlus(compute_labels=False), None, 0, None)(batch, 0)
    before = path.read_bytes()
    again = StreamLearner(path, PHIDAPlus(compute_labels=False), None, 0, None)  # as after the driver was killed
    again(batch, 0)
    assert path.read_bytes() == before
    again(batch, 1)
    assert PHIDAPlus.load(path).n_samples_seen_ == 1000


def test_a_batch_that_fails_leaves_the_model_as_it_was(spark, tmp_path):
    from phida.spark.streaming import StreamLearner

    learner = StreamLearner(tmp_path / "model.safetensors", PHIDAPlus(compute_labels=False), None, 0, None)
    learner(spark.createDataFrame(pd.DataFrame(blobs(500), columns=NAMES)), 0)
    before = learner.model
    bad = blobs(500)
    bad[-1, 0] = np.nan
    with pytest.raises(Exception, match="NaN"):
        learner(spark.createDataFrame(pd.DataFrame(bad, columns=NAMES)), 1)
    assert learner.model is before and learner.last == 0
    assert_same_state(PHIDAPlus.load(learner.path), before)


def test_a_pipeline_fits_labels_saves_and_loads(spark, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler

    import phida.spark

    df = spark.createDataFrame(pd.DataFrame(blobs(800), columns=NAMES))
    stages = [
        VectorAssembler(inputCols=NAMES, outputCol="features"),
        phida.spark.PHIDA(predictionCol="cluster", seed=1),
    ]
    fitted = Pipeline(stages=stages).fit(df)
    labelled = fitted.transform(df).toPandas()
    np.testing.assert_array_equal(labelled["cluster"], fitted.stages[1].model.predict(labelled[NAMES].to_numpy()))
    fitted.write().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert_same_state(loaded.stages[1].model, fitted.stages[1].model)
    assert loaded.transform(df).toPandas()["cluster"].tolist() == labelled["cluster"].tolist()


def test_tables_that_cannot_be_learned_are_refused(spark):
    from phida.spark import fit

    with pytest.raises(ValueError, match="no numeric column"):
        fit(spark.createDataFrame([("x",)], "name string"))
    with pytest.raises(ValueError, match="'name' is not numeric"):
        fit(spark.createDataFrame([("x",)], "name string"), ["name"])
    with pytest.raises(ValueError, match="no row"):
        fit(spark.createDataFrame([], "a double"))


def test_the_example_learns_a_directory_that_grows(spark, tmp_path, capsys, monkeypatch):
    example = Path(__file__).parents[2] / "examples" / "spark_growing_directory.py"
    monkeypatch.setattr(sys, "argv", [str(example), str(tmp_path)])
    monkeypatch.setattr(type(spark), "stop", lambda self: None)  # others need it too
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out
    assert " 12,000 rows: " in printed and "|prediction|" in printed
    assert PHIDAPlus.load(tmp_path / "checkpoint" / "model.safetensors").n_clusters_ >= 4
