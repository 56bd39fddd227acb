"""The open-hands solver: can a round, every card being known, still be won by everybody?"""

VERSION = 2
"""Changes with anything that can change a verdict or a line at the same budget."""
