"""The open-hands solver: can a round, every card being known, still be won by everybody?"""
