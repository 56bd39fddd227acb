"""Tests of the trick-taking engine: against the referee, recorded games, exhaustive endings and the rule book's examples."""
