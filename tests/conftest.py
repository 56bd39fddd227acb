"""What all tests share: property tests have no deadline, since a first call may compile."""

from hypothesis import settings

settings.register_profile("ringsim", deadline=None)
settings.load_profile("ringsim")
