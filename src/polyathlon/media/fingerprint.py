"""What decides the pixels and the sounds of this machine: versions, and hashes of samples.

Digests of pictures compare only under an equal `render_fingerprint`, of 3-D pictures under an equal
`raster_fingerprint` as well, and digests of sounds under an equal `sound_fingerprint`. NumPy counts
by what it computes here: its vectorised sines, exponentials and powers differ in their last bits
between instruction sets. Sounds round such bits away; a picture may cut between them.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@cache
def render_fingerprint() -> str:
    """Pillow's version and a hash of arithmetic and a test tile of text and rounded corners."""
    import PIL

    from polyathlon.media.drawing import composed, pixels, tile

    sprite = tile(96, 48, (40, 90, 160), (230, 230, 230), "Ag2048", radius_px=9)
    sample = composed(pixels(sprite), ())
    return f"pillow-{PIL.__version__}-{_hash(_arithmetic(), sample.rgb)}"


@cache
def sound_fingerprint() -> str:
    """A hash of test sounds: each instrument and animal, and speech where it is there."""
    from polyathlon.core.errors import UserError
    from polyathlon.media import animals, instruments, sound, speech

    heard = [sound.tone(440.0, 0.2, (1.0, 0.5)), sound.sweep(200.0, 900.0, 0.2), sound.noise(0.2)]
    heard += [instruments.note(name, 0.3) for name in instruments.INSTRUMENTS]
    heard += [animals.call(name, 0.3) for name in animals.ANIMALS]
    pcm = [sound.audio(sound.panned(samples, 0.3)).pcm for samples in heard]
    try:
        pcm.append(speech.speak("north west, 7.6 metres").pcm)
    except UserError:
        pcm.append(b"")
    return f"sound-{_hash(*pcm)}"


@cache
def raster_fingerprint() -> str:
    """The back end that draws 3-D pictures here, its version, and a hash of a test picture."""
    from importlib.metadata import version

    from polyathlon.media import raster

    textures = raster.Textures.of([raster.surfaces.brick(size_px=32)])
    box = raster.box((1, 1, 1), raster.Material(layer=0), 1)
    ball = raster.sphere(0.4, raster.Material((220, 60, 50)), 2).moved(-0.2, 0.7, 0.3)
    camera = raster.Camera.looking_at((2.0, 1.5, 1.2), (0, 0, 0), width_px=96, height_px=72)
    fog = raster.Fog((30, 40, 60), 0.2)
    frame = raster.render(raster.merged([box, ball]), camera, textures, fog=fog, samples=2)
    backend = raster.default_backend()
    sample = _hash(frame.image.rgb, frame.depth.tobytes())
    return f"raster-{backend}-{version(backend)}-{sample}"


def _arithmetic() -> bytes:
    """What NumPy's functions come to, in both precisions and to the last bit."""
    import numpy as np

    parts: list[bytes] = []
    for precision in (np.float32, np.float64):
        x: NDArray[Any] = np.linspace(0.01, 3.0, 4_096).astype(precision)
        results = (
            *(np.sin(x), np.cos(x), np.sqrt(x), np.exp(x), np.exp(-x), np.exp2(x)),
            *(np.hypot(x, x[::-1]), x**0.7, x**7, np.cumsum(x), np.fft.rfft(x)),
            x.reshape(16, 16, 16).mean(axis=(0, 2)),
        )
        parts += [result.tobytes() for result in results]
    return b"".join(parts)


def _hash(*samples: bytes) -> str:
    return hashlib.sha256(b"".join(samples)).hexdigest()[:12]
