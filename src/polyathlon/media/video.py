"""Silent video: clips out of frames, frames out of clips, and MP4 files (H.264, extra `video`).

Frames are uint8, height x width x 3. MP4 is lossy and equal byte for byte under equal versions of
PyAV; what keeps a clip losslessly, and without a codec, is `polyathlon.media.footage`.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable, Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyathlon.core.parts import Image, Video
from polyathlon.media import pyav
from polyathlon.media.limits import MOST_RAW_BYTES

MOST_FRAMES = 20_000
THREADS = 2
_X264 = {"preset": "veryfast", "crf": "23"}
_RATE_DENOMINATOR = 1_001
_BT601, _LIMITED_RANGE = 6, 1


def clip(frames: Iterable[NDArray[np.uint8]], fps: float) -> Video:
    """The frames, uint8 and all of one height x width x 3, as a video of `fps` a second.

    Raises ValueError when there is no frame or two differ in shape.
    """
    shapes: set[tuple[int, ...]] = set()
    raw: list[bytes] = []
    for array in frames:
        if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(
                f"a frame is uint8, height x width x 3, not {array.dtype}{array.shape}"
            )
        shapes.add(array.shape)
        raw.append(array.tobytes())
    if len(shapes) != 1:
        raise ValueError(f"a clip needs frames of one shape, not {sorted(shapes)}")
    height_px, width_px, _ = shapes.pop()
    return Video(width_px, height_px, fps, b"".join(raw))


def frame(video: Video, index: int) -> Image:
    """The frame at `index`, counted from 0. Raises IndexError beyond the last."""
    if not 0 <= index < video.frames:
        raise IndexError(f"frame {index} of a video of {video.frames}")
    size = video.width_px * video.height_px * 3
    return Image(video.width_px, video.height_px, video.rgb[index * size : (index + 1) * size])


def sampled(video: Video, count: int) -> list[Image]:
    """At most `count` frames: those of `telling`."""
    return [frame(video, index) for index in telling(video, count)]


def telling(video: Video, count: int) -> list[int]:
    """Indices of at most `count` frames that tell what happens, in the order of time.

    They are the video's key frames where it has any, else all frames, thinned out evenly with the
    first and the last kept.
    """
    indices = sorted(set(video.key_frames)) or range(video.frames)
    kept = min(count, len(indices))
    last = len(indices) - 1
    return [indices[round(i * last / max(1, kept - 1))] for i in range(kept)]


def arrays(video: Video) -> NDArray[np.uint8]:
    """All frames without a copy: frames x height x width x 3, uint8, read-only."""
    return np.frombuffer(video.rgb, np.uint8).reshape(-1, video.height_px, video.width_px, 3)


def has_codec() -> bool:
    """Whether MP4 files can be written and read here."""
    return importlib.util.find_spec("av") is not None


def mp4(video: Video) -> bytes:
    """The clip as an MP4 file: H.264, yuv420p, quality 23; equal bytes for equal clips.

    An odd width or height grows by one pixel that repeats its neighbour, since H.264 of this kind
    has even sizes. Raises ValueError for a video without frames, and UserError where PyAV is not
    installed.
    """
    av = pyav.library("MP4 files")
    if not video.frames:
        raise ValueError("a video without frames makes no MP4 file")
    target = io.BytesIO()
    rate = Fraction(video.fps).limit_denominator(_RATE_DENOMINATOR)
    with av.open(target, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        stream = container.add_stream("libx264", rate=rate, options=_X264)
        stream.width, stream.height = _even(video.width_px), _even(video.height_px)
        stream.pix_fmt = "yuv420p"
        context = stream.codec_context
        context.thread_count = THREADS
        context.flags |= av.codec.context.Flags.bitexact
        context.colorspace, context.color_range = _BT601, _LIMITED_RANGE
        for picture in _pictures(av, video):
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    return target.getvalue()


def read_mp4(
    data: bytes, most_frames: int = MOST_FRAMES, most_bytes: int = MOST_RAW_BYTES
) -> Video:
    """The pictures of an MP4 file, whoever made it; its sound is left out.

    Raises ValueError when it is none, is damaged, or has more than `most_frames` frames or
    `most_bytes` bytes of RGB; UserError where PyAV is not installed.
    """
    av = pyav.library("MP4 files")
    try:
        with pyav.opened(av, data, "mp4") as container:
            return _decoded(container, most_frames, most_bytes)
    except av.FFmpegError as error:
        raise ValueError(f"not a readable MP4 file: {error.strerror}") from error


def _decoded(container: Any, most_frames: int, most_bytes: int) -> Video:
    stream = next((s for s in container.streams.video if s.codec_context is not None), None)
    if stream is None:
        raise ValueError("not a readable MP4 file: it holds no known video")
    stream.codec_context.thread_count = THREADS
    stream.codec_context.options = {"max_pixels": str(most_bytes // 3)}
    if stream.width * stream.height * 3 > most_bytes:
        raise ValueError(f"pictures of {stream.width}x{stream.height} are too large to read")
    raw: list[bytes] = []
    shape: tuple[int, ...] = ()
    for picture in container.decode(stream):
        if (
            len(raw) == most_frames
            or (len(raw) + 1) * picture.width * picture.height * 3 > most_bytes
        ):
            raise ValueError(f"a video of more than {len(raw)} frames is too long to read")
        array = picture.to_ndarray(format="rgb24")
        if shape not in ((), array.shape):
            raise ValueError("not a readable MP4 file: its frames differ in size")
        shape = array.shape
        raw.append(array.tobytes())
    rate = stream.average_rate
    if not raw or not rate:
        raise ValueError("not a readable MP4 file: it holds no picture")
    return Video(shape[1], shape[0], float(rate), b"".join(raw))


def _pictures(av: ModuleType, video: Video) -> Iterator[Any]:
    """The frames as yuv420p, each with its time."""
    down, right = video.height_px % 2, video.width_px % 2
    for number, array in enumerate(arrays(video)):
        if down or right:
            array = np.pad(array, ((0, down), (0, right), (0, 0)), mode="edge")
        picture = av.VideoFrame.from_ndarray(array, format="rgb24")
        converted = picture.reformat(format="yuv420p", dst_colorspace="ITU601", threads=1)
        converted.pts = number
        yield converted


def _even(length: int) -> int:
    return length + length % 2
