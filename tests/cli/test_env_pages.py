"""The documentation pages generated from envs."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts import env_pages

from polyathlon import registry


@pytest.mark.slow
def test_every_env_has_a_page(tmp_path: Path) -> None:
    env_pages.write(tmp_path)
    index = (tmp_path / "index.md").read_text()
    for spec in registry.built_in_env_specs().values():
        name = env_pages.slug(spec)
        page = (tmp_path / f"{name}.md").read_text()
        assert f"[{spec.id}]({name}.md)" in index
        assert page.startswith(f"# {spec.title}\n")
        assert spec.doc in page
        for item in (*spec.channels, *spec.metrics, *spec.options):
            assert f"| {item.name} |" in page
        pictured = any(channel.modality in ("image", "video") for channel in spec.channels)
        assert (f"({name}.png)" in page) == pictured
        if pictured:
            assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
