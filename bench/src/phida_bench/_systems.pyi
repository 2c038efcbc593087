"""The compared online systems. Private: use phida_bench.systems."""

from typing import Any

import numpy
from numpy.typing import NDArray

Matrix = NDArray[numpy.float64]


def simd_level() -> str:
    """The instruction set in use: baseline, avx2 or avx512."""

def simd_levels() -> list[str]:
    """The instruction sets that this processor and build have."""

def use_simd_level(level: str) -> None:
    """For tests: replace the instruction set in use."""

class GNG:
    """Growing Neural Gas."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

    def edges(self) -> NDArray[numpy.int64]:
        """Rows (a, b, age), ascending, with a < b."""

class SOINNPlus:
    """Self-Organizing Incremental Neural Network +."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

    def edges(self) -> NDArray[numpy.int64]:
        """Rows (a, b, age), ascending, with a < b."""

class DDVFA:
    """Distributed Dual Vigilance Fuzzy ART."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

class IDAT:
    """Inverse-distance ART with topology."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

    def edges(self) -> NDArray[numpy.int64]:
        """Rows (a, b, age), ascending, with a < b."""

    @property
    def n_active_nodes(self) -> int: ...

    @property
    def interval(self) -> int: ...

    @property
    def vigilance(self) -> float: ...

class CAE:
    """CIM-based ART with edges."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

    def edges(self) -> NDArray[numpy.int64]:
        """Rows (a, b, age), ascending, with a < b."""

    @property
    def interval(self) -> int: ...

    @property
    def vigilance(self) -> float: ...

class CAEA:
    """CIM-based ART with edges and ages."""

    def __init__(self, n_features: int, **settings: Any) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """Learn rows in order, as one call; returns how many."""

    def assign(self, samples: Matrix) -> NDArray[numpy.int64]:
        """Label per row."""

    def positions(self) -> NDArray[numpy.float64]:
        """Position per node."""

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_clusters(self) -> int: ...

    def edges(self) -> NDArray[numpy.int64]:
        """Rows (a, b, age), ascending, with a < b."""

    @property
    def vigilance(self) -> float: ...
