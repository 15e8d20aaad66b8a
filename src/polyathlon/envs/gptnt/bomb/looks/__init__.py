"""What the bomb looks like, drawn by `media.raster`.

`frames` is the door: pictures, masks and what is at a point. It is made of `gaze` (how the bomb is
held and seen), `scene` (all there is to see), `stage` (the room), `casing`, `widgets` and `timer`,
and `modules` (one file a kind); all of them are built of `kit`, `lettering`, `atlas`, `palette`.
"""
