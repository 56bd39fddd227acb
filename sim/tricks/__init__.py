"""The engine for cooperative trick-taking games: deal, setup, play, goals, rounds, policies."""
