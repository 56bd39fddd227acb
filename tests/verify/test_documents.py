"""What the documents show works: the worked example is a chapter that can be played, the Python example runs."""

import re
import subprocess
import sys
from pathlib import Path

import scenarios
from scenarios.starting import write_start
from sim.tricks.replay import Replay, record

ROOT = Path(__file__).parents[2]


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_scenario_of_the_worked_example(tmp_path):
    example, _, _, sizes, _ = blocks("docs/scenarios.md", "toml")
    path = tmp_path / "gaffer.toml"
    path.write_text(example, encoding="utf-8")
    for players in (1, 2, 3, 4):
        played = record(Replay(scenarios.load(path), players, "script", 7, 0))
        gaffer = next(seat for seat in played["seats"] if seat["character"] == "gaffer")
        assert gaffer["threat"] in (2, 3, 4, 5, 6)
    path.write_text(example + sizes, encoding="utf-8")
    assert sorted(scenarios.load(path).deals) == [3, 4]


def test_the_drawn_chapter_of_the_documents(tmp_path):
    *_, draw = blocks("docs/scenarios.md", "toml")
    path = tmp_path / "drawn.toml"
    top = 'schema = 1\ntitle = "Drawn"\nlength = "long"\nthreats = [1, 2, 3, 4, 5, 6, 7]\nnever_lost = ["R1"]\n'
    path.write_text(top + '[[roster]]\ncharacter = "frodo"\nrequired = true\n' + draw, encoding="utf-8")
    for players, size in ((1, 4), (2, 3), (3, 3), (4, 4)):
        assert len(scenarios.drawn(scenarios.load(path), players, 7, 0).roster) == size


def test_the_changed_chapter_of_the_documents(tmp_path):
    _, threats, character, *_ = blocks("docs/scenarios.md", "toml")
    path = tmp_path / "shire.toml"
    write_start(path, "2")
    text, number = re.subn(r"^threats = .*\n", threats, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text, other = re.subn(r'(character = "merry"\n)required = true\n', r"\1", text)
    assert number == other == 1
    path.write_text(text + character, encoding="utf-8")
    for players in (1, 2, 3, 4):
        played = record(Replay(scenarios.load(path), players, "script", 7, 0))
        seats = {seat["character"]: seat for seat in played["seats"]}
        assert "rosie" in seats
        assert seats["sam"]["threat"] in (2, 4, 6, 8)


def test_every_key_and_word_of_a_scenario_is_documented():
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    model = scenarios.model
    words = {
        name
        for kind in (
            model.Chapter,
            model.Character,
            model.Term,
            model.DealSize,
            model.HouseRules,
            model.Event,
            model.Reveal,
            model.Pile,
            model.Change,
            model.RoundKind,
        )
        for name in kind.__struct_fields__
    }
    words |= set(model.Measure.__args__) | set(model.Action.__args__)
    assert sorted(word for word in words if f"`{word}" not in text and f"{word} =" not in text) == []


def test_every_field_of_a_record_is_documented():
    text = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    cells = [("4", 2), ("4", 1), ("5", 3), ("6", 3), ("8", 4), ("9", 3), ("10", 3), ("11", 4), ("12", 4), ("14-long_dark", 4)]
    cells += [("14-bridge_of_khazad_dum", 2), ("16", 3), ("18-first_group", 4), ("18-second_group", 4)]
    names: set[str] = set()
    for chapter, players in cells:
        for deal in range(3):
            played = record(Replay(scenarios.load(chapter), players, "random", 7, deal))
            names |= set(played) | {name for seat in played["seats"] for name in seat}
            names |= {name for trick in played["tricks"] for name in trick} | {step["action"] for step in played["setup"]}
    assert sorted(name for name in names if f"`{name}`" not in text and f"seats[].{name}" not in text) == []
    assert {"barrow", "untuck", "pass_lead", "preplayed", "event_failed_at"} <= names


def test_the_python_example_of_the_readme():
    (example,) = blocks("README.md", "python")
    script = example.replace("100_000", "200")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "frodo" in done.stdout
