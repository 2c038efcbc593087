"""Spark gives the bits of one machine, or of merges in memory; each batch is learned once."""

import gc
import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data import five_groups
from states import assert_same_state

from phida import PHIDA, PHIDAPlus
from phida.distributed import learn_part, merge_parts, merge_tree

# A long session of the JVM leaves open sockets, and pyspark uses names that pandas has deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"),
]

F = pytest.importorskip("pyspark.sql.functions", reason="belongs to the extra phida[spark]: make test-spark")

NAMES = list("abcd")


def written(folder, parts, first=0):
    """Write a Parquet file per partition, in an order that Spark keeps."""
    for number, rows in enumerate(parts, start=first):
        pd.DataFrame(rows, columns=NAMES).to_parquet(folder / f"{number:04}.parquet")


def table(spark, parts):
    """Return a table with these partitions."""
    rows = [[(number, row.tolist()) for row in part] for number, part in enumerate(parts)]
    pairs = spark.sparkContext.parallelize([pair for part in rows for pair in part], 1)
    placed = pairs.partitionBy(len(parts), lambda number: number)
    return placed.map(lambda pair: (pair[1],)).toDF("features array<double>")


def merged(parts, **parameters):
    """Return the merged model of partitions in memory."""
    models = (PHIDAPlus(compute_labels=False, **parameters) for _ in parts)
    learned = [learn_part(m, rows) if len(rows) else m for m, rows in zip(models, parts, strict=True)]
    return merge_tree(learned, merge_parts)


@pytest.mark.parametrize("parameters", [{}, {"max_nodes": 40, "scale": "standard"}], ids=str)
@pytest.mark.parametrize("n_parts", [1, 2, 5, 40])
def test_fit_gives_the_bits_of_merging_in_memory(spark, n_parts, parameters):
    from phida.spark import fit

    parts = np.array_split(five_groups(3000), n_parts)
    found = fit(table(spark, parts), "features", **parameters)
    assert_same_state(found, merged(parts, **parameters).refresh())
    assert found.get_params() == PHIDAPlus(compute_labels=False, **parameters).get_params()
    assert len(spark.sparkContext._jsc.getPersistentRDDs()) == 0, "models of partitions are still cached"


@pytest.mark.parametrize(("estimator", "parameters"), [(PHIDA, {}), (PHIDAPlus, {"half_life": 700.0})])
def test_ordered_fit_gives_the_bits_of_one_machine(spark, estimator, parameters):
    from phida.spark import fit

    rows = five_groups(3000)
    found = fit(table(spark, np.array_split(rows, [1200])), "features", estimator=estimator, **parameters)
    assert_same_state(found, estimator(compute_labels=False, **parameters).fit(rows))


def test_rows_are_learned_in_the_stated_order(spark, tmp_path):
    from phida.spark import fit

    numbered = pd.DataFrame(five_groups(2000), columns=NAMES).assign(**{"the.time": np.arange(2000)})
    plain = PHIDA(compute_labels=False)
    # Spark starts with the largest file, for any names.
    for number, rows in enumerate([numbered[:500], numbered[500:]]):
        rows.sample(frac=1.0, random_state=number, ignore_index=True).to_parquet(tmp_path / f"{number}.parquet")
    df = spark.read.parquet(str(tmp_path))
    collected = df.toPandas()
    assert collected["the.time"].iloc[0] >= 500
    assert_same_state(fit(df, NAMES, estimator=PHIDA), plain.fit(collected[NAMES]))
    model = fit(df, order="the.time", estimator=PHIDA)
    assert model.feature_names_in_.tolist() == NAMES, "the column of the order is no feature"
    assert_same_state(model, plain.fit(numbered[NAMES]))
    model = fit(df, order=["the.time"])
    assert model.feature_names_in_.tolist() == NAMES
    assert_same_state(model, merged([rows[NAMES] for rows in (numbered[500:], numbered[:500])]).refresh())


def test_empty_partitions_are_ignored(spark):
    from phida.spark import fit

    rows = five_groups(700)
    for parts in ([rows[:0], rows], [rows, rows[:0]], [*([rows[:0]] * 17), rows[:300], rows[300:]]):
        assert_same_state(fit(table(spark, parts), "features"), merged(parts).refresh())
    for estimator in (PHIDA, PHIDAPlus):
        with pytest.raises(ValueError, match="no row"):
            fit(table(spark, [rows[:0], rows[:0]]), "features", estimator=estimator)


@pytest.mark.parametrize("estimator", [PHIDA, PHIDAPlus])
@pytest.mark.parametrize("n_parts", [2, 20])
def test_invalid_rows_raise_value_error(spark, estimator, n_parts):
    from phida.spark import fit

    bad = five_groups(900)
    bad[-1, 0] = np.nan
    where = "" if estimator is PHIDA else f"partition {n_parts - 1}: "
    with pytest.raises(ValueError, match=f"^{where}.*is NaN"):
        fit(table(spark, np.array_split(bad, n_parts)), "features", estimator=estimator)
    narrow = table(spark, [*np.array_split(five_groups(500), n_parts - 1), five_groups(500)[:, :3]])
    with pytest.raises(ValueError, match="features"):
        fit(narrow, "features", estimator=estimator)
    assert len(spark.sparkContext._jsc.getPersistentRDDs()) == 0


def test_labels_equal_the_estimators(spark):
    from phida.spark import predict

    frame = pd.DataFrame(five_groups(1000), columns=NAMES)
    model = PHIDAPlus().fit(frame)
    labelled = predict(spark.createDataFrame(frame), model, output="cluster").toPandas()
    assert labelled.columns.tolist() == [*NAMES, "cluster"]
    np.testing.assert_array_equal(labelled["cluster"], model.predict(labelled[NAMES]))


def test_array_column_is_labelled(spark):
    from phida.spark import predict

    rows = five_groups(700)
    model = PHIDAPlus().fit(rows)
    df = table(spark, np.array_split(rows, 2))
    labelled = predict(df, model, "features").collect()
    np.testing.assert_array_equal([row["prediction"] for row in labelled], model.predict(rows))
    uneven = spark.createDataFrame([([1.0] * 4,), ([1.0] * 3,)], "f array<double>").coalesce(1)
    with pytest.raises(Exception, match="different numbers of features"):
        predict(uneven, model, "f").collect()


def stream(spark, folder):
    schema = ", ".join(f"{name} double" for name in NAMES)
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def test_stream_is_learned_once_also_after_a_restart(spark, tmp_path):
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    batches = np.array_split(five_groups(2400), 3)

    def learned():
        fit_stream(stream(spark, source), str(kept), trigger={"availableNow": True}).awaitTermination()
        return PHIDAPlus.load(kept / "model.safetensors")

    written(source, batches[:2])
    first = learned()
    assert first.n_samples_seen_ == 1600
    assert_same_state(learned(), first)  # no new rows
    written(source, batches[2:], first=2)
    expected, *others = (learn_part(PHIDAPlus(compute_labels=False), batch) for batch in batches)
    expected.refresh()
    for batch in others:
        expected.merge(batch)
    found = learned()
    assert found.feature_names_in_.tolist() == NAMES
    assert_same_state(found, expected)


def test_rows_of_a_batch_are_learned_in_the_stated_order(spark):
    from phida.spark.tables import learned

    rows = five_groups(2000)
    df = table(spark, np.array_split(rows, [700, 700])).withColumn("n", F.monotonically_increasing_id())
    model = learned(PHIDA(compute_labels=False), df, "features")
    assert_same_state(model, PHIDA(compute_labels=False).partial_fit(rows))
    backwards = df.withColumn("n", -F.col("n"))
    again = learned(model, backwards, "features", "n")
    assert_same_state(again, PHIDA(compute_labels=False).partial_fit(rows).partial_fit(rows[::-1].copy()))
    assert model.n_samples_seen_ == 2000


def test_batch_is_merged_into_the_model(spark):
    from phida.spark.tables import learned

    first, second = (np.array_split(five_groups(2000, seed), [700, 700]) for seed in range(2))
    model = learned(PHIDAPlus(compute_labels=False), table(spark, first), "features")
    again = learned(model, table(spark, second), "features")
    assert_same_state(model, merged(first).refresh())
    assert_same_state(again, merged(first).refresh().merge(merged(second)))


def test_no_rows_stay_in_memory(spark):
    from phida.spark.tables import learned

    jvm, model = spark._jvm, PHIDAPlus(compute_labels=False)
    df = spark.range(100_000).select(*((F.rand(seed) + F.col("id") % 5).alias(f"f{seed}") for seed in range(10)))

    def used():
        gc.collect()
        jvm.System.gc()
        runtime = jvm.java.lang.Runtime.getRuntime()
        return runtime.totalMemory() - runtime.freeMemory()

    model = learned(model, df)
    before = used()
    for _ in range(4):
        model = learned(model, df)
    assert model.n_samples_seen_ == 500_000
    assert used() - before < 24_000_000, "three of the four batches have as much"


def test_stream_resumes_only_with_the_same_columns(spark, tmp_path):
    from phida.spark import fit_stream
    from phida.spark.streaming import StreamLearner
    from phida.spark.tables import learned

    kept = tmp_path / "kept"
    kept.mkdir()
    frame = pd.DataFrame(five_groups(300), columns=NAMES)
    learner = StreamLearner(kept / "model.safetensors", PHIDAPlus(compute_labels=False), learned, None)
    learner(spark.createDataFrame(frame), 0)
    with pytest.raises(ValueError, match=r"trained on the columns \['a', 'b', 'c', 'd'\], in this order"):
        learner(spark.createDataFrame(frame[list("bacd")]), 1)
    assert learner.last == 0 and learner.model.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match=r"not on \['b', 'a', 'c', 'd'\]"):
        fit_stream(stream(spark, tmp_path), str(kept), list("bacd"))


def test_stream_with_half_of_its_checkpoint_is_refused(spark, tmp_path):
    from phida import StateFileError
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    written(source, [five_groups(200)])

    def learned():
        fit_stream(stream(spark, source), str(kept), trigger={"availableNow": True}).awaitTermination()

    learned()
    (kept / "spark").rename(kept / "elsewhere")
    with pytest.raises(StateFileError, match=r"belongs to batch 0 of a stream, but .*spark is missing"):
        learned()
    (kept / "elsewhere").rename(kept / "spark")
    (kept / "model.safetensors").rename(kept / "away.safetensors")
    with pytest.raises(StateFileError, match=r"finished batch 0 .*model.safetensors is missing"):
        learned()
    (kept / "away.safetensors").rename(kept / "model.safetensors")
    learned()


def test_stream_may_start_with_empty_batches(spark, tmp_path):
    from phida.spark import fit_stream

    source, kept = tmp_path / "rows", tmp_path / "kept"
    source.mkdir()
    written(source, [five_groups(200)])

    def learned(condition):
        chosen = stream(spark, source).where(condition)
        fit_stream(chosen, str(kept), trigger={"availableNow": True}).awaitTermination()

    learned("a > 1e9")
    assert not (kept / "model.safetensors").exists()
    written(source, [five_groups(100)], first=1)
    learned("true")
    assert PHIDAPlus.load(kept / "model.safetensors").n_samples_seen_ == 100


def test_repeated_batch_changes_nothing(spark, tmp_path):
    from phida.spark.streaming import StreamLearner
    from phida.spark.tables import learned

    path = tmp_path / "model.safetensors"
    batch = spark.createDataFrame(pd.DataFrame(five_groups(500), columns=NAMES))
    StreamLearner(path, PHIDAPlus(compute_labels=False), learned, None)(batch, 0)
    before = path.read_bytes()
    again = StreamLearner(path, PHIDAPlus(compute_labels=False), learned, None)  # the driver was killed
    again(batch, 0)
    assert path.read_bytes() == before
    again(batch, 1)
    assert PHIDAPlus.load(path).n_samples_seen_ == 1000


def test_failing_batch_leaves_the_model_unchanged(spark, tmp_path):
    from phida.spark.streaming import StreamLearner
    from phida.spark.tables import learned

    learner = StreamLearner(tmp_path / "model.safetensors", PHIDAPlus(compute_labels=False), learned, None)
    learner(spark.createDataFrame(pd.DataFrame(five_groups(500), columns=NAMES)), 0)
    before = learner.model
    bad = five_groups(500)
    bad[-1, 0] = np.nan
    with pytest.raises(Exception, match="NaN"):
        learner(spark.createDataFrame(pd.DataFrame(bad, columns=NAMES)), 1)
    assert learner.model is before and learner.last == 0
    assert_same_state(PHIDAPlus.load(learner.path), before)


def test_spark_pipeline_fits_labels_saves_and_loads(spark, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler

    import phida.spark

    frame = pd.DataFrame(five_groups(800), columns=NAMES)
    df = spark.createDataFrame(frame)
    stages = [VectorAssembler(inputCols=NAMES, outputCol="features"), phida.spark.PHIDA(predictionCol="cluster")]
    fitted = Pipeline(stages=stages).fit(df)
    assert_same_state(fitted.stages[1].model, PHIDA(compute_labels=False).fit(frame.to_numpy()))
    labelled = fitted.transform(df).toPandas()
    np.testing.assert_array_equal(labelled["cluster"], fitted.stages[1].model.predict(labelled[NAMES].to_numpy()))
    fitted.write().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert_same_state(loaded.stages[1].model, fitted.stages[1].model)
    assert loaded.transform(df).toPandas()["cluster"].tolist() == labelled["cluster"].tolist()


def test_estimators_of_spark_take_all_parameters(spark, tmp_path):
    import phida.spark

    parts = np.array_split(five_groups(900), 2)
    df = table(spark, parts).withColumn("n", F.monotonically_increasing_id())
    chosen = phida.spark.PHIDAPlus(orderCols=["n"], maxNodes=30, halfLife=400.0, scale="standard")
    chosen.write().save(str(tmp_path / "estimator"))
    loaded = phida.spark.PHIDAPlus.load(str(tmp_path / "estimator"))
    assert (loaded.getMaxNodes(), loaded.getHalfLife(), loaded.getScale()) == (30, 400.0, "standard")
    assert loaded.getOrderCols() == ["n"]
    expected = PHIDAPlus(max_nodes=30, half_life=400.0, scale="standard", compute_labels=False)
    found = loaded.fit(df).model
    assert_same_state(found, expected.fit(np.concatenate(parts)))
    assert found.get_params() == expected.get_params()
    plain = chosen.setMaxNodes(2048).setHalfLife(None).setScale(None).setOrderCols(None)
    assert_same_state(plain.fit(df).model, merged(parts, scale=None).refresh())
    for ours, theirs in ((phida.spark.PHIDA, PHIDA), (phida.spark.PHIDAPlus, PHIDAPlus)):
        names = {param.name.lower() for param in ours().params}
        expected = {name.replace("_", "") for name in theirs().get_params()} - {"computelabels"}
        assert expected <= names, "a parameter of the estimator is missing"


def test_invalid_tables_are_refused(spark):
    from phida.spark import fit

    with pytest.raises(ValueError, match="no numeric column"):
        fit(spark.createDataFrame([("x",)], "name string"))
    with pytest.raises(ValueError, match="'name' is not numeric"):
        fit(spark.createDataFrame([("x",)], "name string"), ["name"])
    with pytest.raises(ValueError, match="no row"):
        fit(spark.createDataFrame([], "a double"))


def test_example_learns_a_growing_directory(spark, tmp_path, capsys, monkeypatch):
    example = Path(__file__).parents[2] / "examples" / "spark_growing_directory.py"
    monkeypatch.setattr(sys, "argv", [str(example), str(tmp_path)])
    monkeypatch.setattr(type(spark), "stop", lambda self: None)  # other tests use this session
    runpy.run_path(str(example), run_name="__main__")
    printed = capsys.readouterr().out
    assert " 12,000 rows: " in printed and "|prediction|" in printed
    assert PHIDAPlus.load(tmp_path / "checkpoint" / "model.safetensors").n_clusters_ >= 4
