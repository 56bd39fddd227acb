"""A slow, obvious referee of recorded games, written apart from the engine; it knows `scenarios`' data and nothing of `sim`."""
