"""What the numbers look like: Vega-Lite pictures of the reports' frames, each with one sentence that says what it shows."""

from reports.pictures.figure import Figure, Picture

__all__ = ["Figure", "Picture"]
