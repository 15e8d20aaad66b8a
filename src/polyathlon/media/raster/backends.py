"""Which kernels draw: numba's, compiled on first use, or numpy's where numba is missing."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Literal, Protocol, TypeAlias, cast

from polyathlon.core.extras import missing
from polyathlon.media.raster.camera import Floats
from polyathlon.media.raster.geometry import Triangles
from polyathlon.media.raster.look import Pixels
from polyathlon.media.raster.mesh import Ints
from polyathlon.media.raster.shading import Shading, Singles

Backend: TypeAlias = Literal["numba", "numpy"]


class Kernels(Protocol):
    """What a back end does; see `numpy_kernels` for the meaning."""

    def find_owners(
        self, triangles: Triangles, top: int, end: int, nearness: Singles, owners: Ints
    ) -> None: ...
    def shade(
        self,
        triangles: Triangles,
        shading: Shading,
        top: int,
        end: int,
        owners: Ints,
        colour: Pixels,
    ) -> None: ...
    def smooth(
        self,
        triangles: Triangles,
        offsets: Floats,
        top: int,
        end: int,
        owners: Ints,
        sharp: Pixels,
        colour: Pixels,
    ) -> None: ...
    def renumber(self, numbers: Ints, background: int, owners: Ints) -> None: ...


@cache
def default_backend() -> Backend:
    """The back end of this machine: numba where it is installed. Imports neither."""
    return "numba" if find_spec("numba") else "numpy"


def kernels(backend: Backend | None = None) -> Kernels:
    """The kernels of a back end, by default this machine's; UserError if numba is missing."""
    if (backend or default_backend()) == "numpy":
        from polyathlon.media.raster import numpy_kernels

        return cast(Kernels, numpy_kernels)
    if not find_spec("numba"):
        raise missing("drawing with numba needs it", "raster")
    from polyathlon.media.raster import numba_kernels

    return cast(Kernels, numba_kernels)
