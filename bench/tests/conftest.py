"""Settings of every test: those of the library's tests."""

from suite import ctrl_c_counts, pytest_configure, use_simd_level

__all__ = ["ctrl_c_counts", "pytest_configure", "use_simd_level"]
