"""The option switches of section 25 of the rules, as far as the referee has names for their options."""

from __future__ import annotations

from collections.abc import Mapping

OPTIONS: dict[str, tuple[str, ...]] = {
    # The first option is the default.
    "A1": ("each", "one", "none"),
    "A2": ("any", "gimli_or_legolas"),
    "A3": ("yes", "no"),
    "A4": ("yes", "none"),
    "A5": ("5", "10"),
    "A6": ("before", "after"),  # does not show in a record
    "A7": ("before", "after"),  # does not show in a record: `dealt` is what was played
    "A8": ("down", "up"),
    "A9": ("public", "private"),  # does not show in a record
    "A10": ("at_play", "after_trick"),  # does not show in a record
    "A11": ("no", "yes"),  # concerns the rounds of a long chapter, not one round
    "A12": ("compulsory", "optional"),
    "A13": ("holder", "left_of_holder"),
    "A14": ("out", "shuffled_back"),
    "A15": ("unusable", "saves_one"),
    "A16": ("same", "left"),
    "A17": ("humans_first", "together"),  # does not show in a record
    "A18": ("random", "choose"),  # does not show in a record
    "A19": ("yes", "no"),  # does not show in a record
    "A20": ("others", "owner_too"),  # does not show in a record
    # Beyond the rules' list: may solo characters be assigned freely, or starred ones first (section 4)?
    "A21": ("free", "required_first"),
    # Section 24.4: whether Aragorn is in chapter 13.
    "aragorn_in_13": ("yes", "no"),
    # Solo: whether Galadriel's swap with the lost card is the one exchange of the round (section 4 leaves it open).
    "galadriel_solo": ("exchange", "free"),
    # A pyramid that exchanges twice in the Long Dark: does a card take the place of the one given for it, or the n-th card
    # received that of the n-th card given (section 5 speaks of one exchange only)?
    "dark_places": ("own", "in_order"),
}
SPELLINGS: dict[tuple[str, str], str] = {
    # As the library and records made by it write them.
    ("A2", "gimli_legolas"): "gimli_or_legolas",
    ("A6", "before_lead"): "before",
    ("A6", "after_trick"): "after",
    ("A8", "face_down"): "down",
    ("A8", "face_up"): "up",
    ("A15", "no"): "unusable",
    ("A17", "last"): "humans_first",
    ("A17", "with_controller"): "together",
    ("A18", "chosen"): "choose",
}
DEFAULTS: dict[str, str] = {name: options[0] for name, options in OPTIONS.items()}


def chosen(*layers: Mapping[str, str]) -> dict[str, str]:
    """Return the options in force: the defaults, changed by each layer in turn. Names that are not ours are left out."""
    found = dict(DEFAULTS)
    for layer in layers:
        for written, spelt in layer.items():
            name = "aragorn_in_13" if written == "A22" else written
            option = SPELLINGS.get((name, spelt), spelt)
            if name not in OPTIONS:
                continue
            if name != "A5" and option not in OPTIONS[name]:
                raise ValueError(f"assumption {name}: {option}; the referee knows {', '.join(OPTIONS[name])}")
            found[name] = option
    return found
