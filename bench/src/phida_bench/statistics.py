"""Ranks over data sets and tests on them, as far as SciPy does not have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

#: Significance level of the diagrams.
ALPHA = 0.05


def ranks(values: pd.DataFrame, better: str = "higher") -> pd.DataFrame:
    """Rank of each method (column) per data set (row): 1 is best, ties averaged.

    A method without a result gets the rank that equals the number of methods, whatever the others have.

    Parameters
    ----------
    values : DataFrame
        One row a data set, one column a method; NaN where a method has no result.
    better : {"higher", "lower"}, default="higher"

    Returns
    -------
    ranks : DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> from phida_bench.statistics import ranks
    >>> ranks(pd.DataFrame({"a": [0.9, 0.8], "b": [0.5, None]})).to_dict("list")
    {'a': [1.0, 1.0], 'b': [2.0, 2.0]}
    """
    ranked = values.rank(axis=1, ascending=better == "lower", method="average")
    return ranked.fillna(len(values.columns)).astype(float)


@dataclass(frozen=True)
class Comparison:
    """Several methods over several data sets."""

    ranks: pd.Series
    """Average rank per method, the best first."""
    friedman: float
    """p-value of Friedman's test that all methods rank alike."""
    nemenyi: pd.DataFrame
    """p-value of Nemenyi's comparison for each pair of methods."""
    critical_difference: float
    """Average ranks that differ by less are not significantly different at the level of 0.05."""
    datasets: int
    """Number of data sets."""


def compare(values: pd.DataFrame, better: str = "higher") -> Comparison:
    """Friedman's test and Nemenyi's comparisons on the ranks.

    Parameters
    ----------
    values : DataFrame
        One row a data set, one column a method; NaN where a method has no result.
    better : {"higher", "lower"}, default="higher"

    Returns
    -------
    comparison : Comparison

    Examples
    --------
    >>> import pandas as pd
    >>> from phida_bench.statistics import compare
    >>> compare(pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.4]})).ranks.to_dict()
    {'a': 1.0, 'b': 2.0}
    """
    ranked = ranks(values, better)
    n, k = ranked.shape
    average = ranked.mean().sort_values()
    return Comparison(average, friedman(ranked), nemenyi(average, n), critical_difference(k, n), n)


def friedman(ranked: pd.DataFrame) -> float:
    """p-value from a table of ranks, corrected for ties.

    From the ranks, not by ``scipy.stats.friedmanchisquare``, which would rank the methods without a result anew.
    """
    n, k = ranked.shape
    between = n * ((ranked.mean() - ranked.to_numpy().mean()) ** 2).sum()
    within = ((ranked.to_numpy() - ranked.to_numpy().mean(axis=1, keepdims=True)) ** 2).sum() / (n * (k - 1))
    return 1.0 if within == 0 else float(stats.chi2.sf(between / within, k - 1))


def nemenyi(average: pd.Series, n: int) -> pd.DataFrame:
    """p-value per pair of average ranks over n data sets."""
    k = len(average)
    r = average.to_numpy()
    q = np.abs(r[:, None] - r) / np.sqrt(k * (k + 1) / (6 * n))
    p = stats.studentized_range.sf(q * np.sqrt(2), k, np.inf)
    np.fill_diagonal(p, 1.0)
    return pd.DataFrame(p, average.index, average.index)


def critical_difference(k: int, n: int) -> float:
    """Nemenyi's critical difference of average ranks, of k methods over n data sets."""
    quantile = stats.studentized_range.ppf(1 - ALPHA, k, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(k * (k + 1) / (6 * n)))


def wilcoxon(values: pd.DataFrame, a: str, b: str) -> float:
    """Two-sided p-value of the signed-rank test over the data sets on which both have a result.

    Parameters
    ----------
    values : DataFrame
        One row a data set, one column a method; NaN where a method has no result.
    a, b : str
        The two methods.

    Returns
    -------
    p : float

    Examples
    --------
    >>> import pandas as pd
    >>> from phida_bench.statistics import wilcoxon
    >>> wilcoxon(pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.4]}), "a", "b")
    0.25
    """
    pairs = values[[a, b]].dropna()
    if (pairs[a] == pairs[b]).all():
        return 1.0
    return float(stats.wilcoxon(pairs[a], pairs[b]).pvalue)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjust p-values for their number, step by step from the smallest.

    Parameters
    ----------
    p_values : mapping of str to float

    Returns
    -------
    adjusted : dict of str to float

    Examples
    --------
    >>> from phida_bench.statistics import holm
    >>> holm({"a": 0.01, "b": 0.04})
    {'a': 0.02, 'b': 0.04}
    """
    adjusted: dict[str, float] = {}
    largest = 0.0
    for place, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}


def best_count(values: pd.DataFrame, method: str) -> int:
    """Return the number of data sets on which no other method has a higher value."""
    return int((values[method] >= values.max(axis=1)).sum())


def wins(values: pd.DataFrame, a: str, b: str) -> int:
    """Return the number of data sets on which a has a higher value than b."""
    return int((values[a] > values[b]).sum())
