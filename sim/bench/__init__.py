"""How fast this machine plays: figures of one run, beside a bare loop measured between them."""

from sim.bench.figures import Figures, measure
from sim.bench.output import figures_text

__all__ = ["Figures", "measure", "figures_text"]
