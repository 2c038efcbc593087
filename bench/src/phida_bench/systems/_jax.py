"""Import JAX, or raise an error with the extra to install."""

try:
    import jax
    from jax import numpy as jnp
except ModuleNotFoundError as error:
    raise ImportError('TableDC and GCEALS need JAX: pip install "./bench[deep]"') from error

__all__ = ["jax", "jnp"]
