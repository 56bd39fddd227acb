"""A slow, obvious referee of recorded games, written apart from the engine: it imports nothing of `sim` and `scenarios`.

Chapters 1 to 18 and their characters stand here in tables of our own (`chapters`, `roles`, `assumptions`), with the sections
of the rules as source. Chapters that a test makes up are read from the declared data by their field names (`declared`, `goals`).
"""
