"""Real sentences, and embeddings of them without a download: the docstrings of Python's library.

The embeddings are from wordllama, whose wheel contains its weights.
"""

import inspect
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

SUBJECTS = ("decimal", "asyncio", "unittest", "tarfile")


@cache
def documents():
    """Return sentences and the subject of each."""
    found = [(text, subject) for subject in SUBJECTS for text in _docstrings(subject)]
    texts, subjects = zip(*found, strict=True)
    return list(texts), np.array(subjects)


@cache
def embeddings():
    """Return the mean token vector of each sentence, scaled to length 1."""
    tokenizers = pytest.importorskip("tokenizers", reason="make test-integrations installs it, with wordllama")
    package = find_spec("wordllama")
    if package is None:
        pytest.skip("make test-integrations installs wordllama")
    from safetensors.numpy import load_file

    folder = Path(package.origin).parent
    vectors = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"].astype(np.float64)
    tokens = tokenizers.Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    encoded = tokens.encode_batch(documents()[0], add_special_tokens=False)
    means = np.array([vectors[one.ids].mean(axis=0) for one in encoded])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def _docstrings(name):
    """Return the first words of the docstring of each public function, class and method of a module."""
    things = [thing for key, thing in vars(import_module(name)).items() if not key.startswith("_") and callable(thing)]
    things = [thing for thing in things if str(getattr(thing, "__module__", "")).split(".")[0].strip("_") == name]
    methods = [vars(thing) for thing in things if inspect.isclass(thing)]
    things += [method for space in methods for key, method in space.items() if not key.startswith("_")]
    texts = [" ".join((inspect.getdoc(thing) or "").split()[:60]) for thing in things]
    return [text for text in dict.fromkeys(texts) if len(text.split()) >= 5]
