"""Makes the game of these tests importable here and, as sys.path is handed on, in the workers."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)
