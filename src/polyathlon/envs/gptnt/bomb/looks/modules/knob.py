"""The needy knob: a dial, the mark that says what is up, twelve LEDs, a countdown."""

from __future__ import annotations

from functools import lru_cache

from polyathlon.envs.gptnt.bomb.looks import kit
from polyathlon.envs.gptnt.bomb.looks.modules import shapes
from polyathlon.envs.gptnt.bomb.looks.palette import PANEL, RUBBER
from polyathlon.envs.gptnt.bomb.modules.knob import LED_COLUMNS, LED_ROWS, TURN_US, KnobModule, Leds
from polyathlon.media.raster import Mesh, frustum, merged

PARTS = ("dial",)

_LEDS_X, _LEDS_Y, _LED_STEP, _LED = -0.2, 0.61, 0.2, 0.065
_DIAL_X, _DIAL_Y, _RADIUS, _DEPTH = -0.25, -0.4, 0.4, 0.22
_MARK_Y, _CLOCK_X, _CLOCK_Y, _GLASS = 0.17, 0.56, -0.62, 0.05


def mesh(module: KnobModule, time_us: int) -> Mesh:
    """The module in its own frame; LEDs and seconds are dark while it sleeps."""
    over = shapes.progress(module.turned_us, time_us, TURN_US)
    quarters = (module.quarters - 1 + over) % 4
    if module.leds is None:
        return _drawn((False,) * (LED_ROWS * LED_COLUMNS), quarters, "")
    return _drawn(module.leds, quarters, shapes.seconds_left(module.due_us, time_us))


@lru_cache(maxsize=128)
def _drawn(leds: Leds, quarters: float, seconds: str) -> Mesh:
    figures = kit.seven_segments(seconds, 0.3, "red").moved(
        _CLOCK_X, _CLOCK_Y, kit.SURFACE + _GLASS
    )
    return merged([_dial(quarters).labelled(1), _lamps(leds), figures, _housing()])


def _dial(quarters: float) -> Mesh:
    """The dial with its white pointer so many quarter turns clockwise from up."""
    pointer = kit.block(0.09, 0.34, 0.05, kit.matt("white")).moved(0.0, 0.2, _DEPTH)
    grip = kit.block(0.2, 0.68, 0.05, kit.matt(PANEL)).moved(z=_DEPTH - 0.01)
    body = frustum(_RADIUS, _RADIUS - 0.03, _DEPTH, kit.matt(RUBBER), sides=32)
    turned = merged([pointer, grip, body]).turned(pitch_deg=-90.0 * quarters)
    return turned.moved(_DIAL_X, _DIAL_Y, kit.SURFACE)


def _lamps(leds: Leds) -> Mesh:
    """Two rows of six lamps on a dark strip."""
    lamps = [
        shapes.disc(_LED, 0.03 + kit.LIFT, shapes.lamp_look("orange", lit), sides=12).moved(
            (index % LED_COLUMNS - (LED_COLUMNS - 1) / 2) * _LED_STEP,
            ((LED_ROWS - 1) / 2 - index // LED_COLUMNS) * _LED_STEP,
        )
        for index, lit in enumerate(leds)
    ]
    width, height = (count * _LED_STEP + 0.06 for count in (LED_COLUMNS, LED_ROWS))
    strip = kit.block(width, height, 0.03, kit.matt(PANEL), 0.01)
    return merged([*lamps, strip]).moved(_LEDS_X, _LEDS_Y, kit.SURFACE)


@lru_cache(maxsize=1)
def _housing() -> Mesh:
    """The mark above the dial and the screen of the countdown."""
    mark = shapes.tile("UP", 0.34, 0.26, 0.13, 0.06).moved(_DIAL_X, _MARK_Y, kit.SURFACE)
    screen = kit.screen(0.54, 0.42, _GLASS).moved(_CLOCK_X, _CLOCK_Y, kit.SURFACE)
    return merged([mark, screen])
