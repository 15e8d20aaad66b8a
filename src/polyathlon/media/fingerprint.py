"""What decides the pixels and the sounds of this machine.

Digests of pictures compare only under an equal `render_fingerprint`, digests of sounds under an
equal `sound_fingerprint`.
"""

from __future__ import annotations

import hashlib
from functools import cache


@cache
def render_fingerprint() -> str:
    """Pillow's version and a hash of a test tile of text and rounded corners."""
    import PIL

    from polyathlon.media.drawing import composed, pixels, tile

    sprite = tile(96, 48, (40, 90, 160), (230, 230, 230), "Ag2048", radius_px=9)
    sample = composed(pixels(sprite), ())
    return f"pillow-{PIL.__version__}-{hashlib.sha256(sample.rgb).hexdigest()[:12]}"


@cache
def sound_fingerprint() -> str:
    """NumPy's version and a hash of test sounds: a tone, noise and, where it is there, speech."""
    import numpy as np

    from polyathlon.core.errors import UserError
    from polyathlon.media import sound, speech

    tested = sound.mixed([(0.0, sound.tone(440.0, 0.2, (1.0, 0.5))), (0.1, sound.noise(0.2))])
    pcm = sound.audio(sound.panned(tested, 0.3)).pcm
    try:
        spoken = speech.speak("north west, 7.6 metres").pcm
    except UserError:
        spoken = b""
    return f"numpy-{np.__version__}-{hashlib.sha256(pcm + spoken).hexdigest()[:12]}"


@cache
def raster_fingerprint() -> str:
    """The back end that draws 3-D pictures here and its version, found without importing it."""
    from importlib.metadata import version
    from importlib.util import find_spec

    backend = "numba" if find_spec("numba") else "numpy"
    return f"raster-{backend}-{version(backend)}"
