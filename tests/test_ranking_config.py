"""Search configurations: files, changes by path, signatures, and where they belong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError, InputError
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import Decided, Forced, SearchConfig
from crossbow.ranking.expected import Expected
from crossbow.ranking.methods import METHODS, Method, WeightedTerms
from crossbow.ranking.repeats import Repeats
from crossbow.ranking.structured.tables import PsqConfig
from crossbow.settings import Settings, described, setting
from crossbow.weights import Learned, TermWeights

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"

FULL = SearchConfig(
    "psq", 7, Bm25(0.4, 0.9, "lucene"), Repeats(k3=2.0), Translation(False, 0.5, 30),
    TermWeights(2.5, 1.0, Learned({"hous": 1.5}, {"LEX:I:the": -1.0})), PsqConfig(10, 0.1, 0.2, 0.3, True),
    Expected(0.5, PsqConfig(mix=1.0)), Forced(True, 5, False, True), decided=Decided("m", "i", "by hand"))


@dataclass(frozen=True)
class ToySettings(Settings):
    power: float = setting(2.0, "A power.", above=0)


class Toy(Method):
    name, label, help, reads, settings = "toy", "Toy", "For tests.", ("bm25.k1",), ToySettings

    def prepare(self, *arguments: Any) -> WeightedTerms:
        raise NotImplementedError


@pytest.fixture
def toy() -> Iterator[None]:
    METHODS.add("toy", Toy())
    yield
    METHODS.remove("toy")


@pytest.mark.parametrize("config", [SearchConfig(), FULL, replace(FULL, method="dt")], ids=["default", "full", "dt"])
def test_files(tmp_path: Path, config: SearchConfig) -> None:
    config.save(tmp_path / "c.json")
    again = SearchConfig.load(str(tmp_path / "c.json"))
    assert (again, again.decided, again.signature) == (config, config.decided, config.signature)
    data = json.loads((tmp_path / "c.json").read_text())
    assert data["signature"] == config.signature
    assert data["kind"] == "search configuration"


def test_every_setting_is_in_the_signature() -> None:
    """But not where it was decided, nor what feedback would be if there were any."""
    plain = SearchConfig().set("feedback.documents", 10)
    seen = {plain.signature}
    for one in described(plain):
        value = one.default
        other: Any = {"method": "dt", "bm25.idf": "lucene"}.get(one.path) or (
            not value if isinstance(value, bool) else 0.125 if isinstance(value, float) or one.kind == "number" else 3)
        seen.add(plain.set(one.path, other).signature)
    assert len(seen) == 1 + len(list(described(plain)))
    assert replace(plain, decided=Decided("m", "i")).signature == plain.signature
    assert replace(plain, decided=Decided("m", "i")) == plain
    assert SearchConfig().set("feedback.terms", 3).signature == SearchConfig().signature not in seen


def test_a_signature_copies_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server needs one for every answer, and there may be millions of learned weights."""
    monkeypatch.setattr(Learned, "to_json", lambda own: own.reference or pytest.fail("copied"))
    assert replace(FULL, k=8).signature != FULL.signature


def test_tables_and_their_reference_have_the_same_signature() -> None:
    referring = replace(FULL, weights=replace(FULL.weights, learned=FULL.weights.learned.referred()))
    assert referring.signature == FULL.signature
    model: Any = SimpleNamespace(learned=FULL.weights.learned, signature="m", search={})
    assert referring.resolved(model) == FULL
    with pytest.raises(CrossbowError, match="uses the learned weights"):
        referring.resolved(None)


def test_what_people_type() -> None:
    config = SearchConfig().set_text("bm25.k1", "0.4").set_text("bowfd.beam", "none").set_text("method", "dt")
    assert config == SearchConfig("dt", bm25=Bm25(k1=0.4))
    for path, text, message in (("bm25.k", "1", "no setting 'bm25.k'; did you mean 'k1'"),
                                ("bm25.k1", "-1", "bm25.k1 is -1.0; it must be above 0"),
                                ("methods", "dt", "no setting 'methods'; did you mean 'method'"),
                                ("method", "bowdf", "did you mean 'bowfd'"), ("bm25", "1", "a group of settings")):
        with pytest.raises(CrossbowError, match=message):
            SearchConfig().set_text(path, text)


def test_settings_of_a_method_that_was_added(tmp_path: Path, toy: None) -> None:
    config = SearchConfig("toy").set_text("toy.power", "3")
    assert config.settings_of("toy") == ToySettings(3.0)
    assert SearchConfig("toy").settings_of("toy") == ToySettings()
    assert config.signature != SearchConfig("toy").signature
    config.save(tmp_path / "c.json")
    assert SearchConfig.load(tmp_path / "c.json") == config
    assert [one.path for one in config.described()] == [
        "k", "bm25.k1", "feedback.documents", "feedback.terms", "feedback.weight", "feedback.sharpness",
        "toy.power"]
    config.check_read(["toy.power", "bm25.k1"])
    with pytest.raises(CrossbowError, match=r"toy.power is -1|power is -1"):
        config.set("toy.power", -1)
    with pytest.raises(CrossbowError, match="no setting"):
        config.set_text("toy.size", "3")


def test_what_a_method_ignores_is_refused() -> None:
    SearchConfig("dt").check_read(["bm25.k1", "k", "method", "translation.lm_scale", "repeats.power"])
    with pytest.raises(CrossbowError, match=r"'dt' does not look at weights\.v; leave it out, or use bowfd"):
        SearchConfig("dt").check_read(["weights.v"])
    with pytest.raises(CrossbowError, match=r"does not look at psq\.mix; leave it out, or use psq"):
        SearchConfig().check_read(["psq.mix"])


def test_every_method_describes_its_settings() -> None:
    for name, method in METHODS.items():
        found = SearchConfig(name).described()
        assert all(one.help.endswith(".") and one.help[0].isupper() for one in found)
        groups = {one.path.partition(".")[0] for one in found}
        assert groups == {"k", "feedback", *(path.partition(".")[0] for path in method.reads)}
        assert method.help.endswith(".")
        assert method.label


def test_where_it_was_decided() -> None:
    model: Any = SimpleNamespace(learned=FULL.weights.learned, signature="m1", search={})
    index: Any = SimpleNamespace(signature="i1")
    decided = replace(FULL, decided=Decided()).decided_for(model, index, "AP on dev")
    assert decided.decided == Decided("m1", "i1", "AP on dev")
    assert decided.weights.learned.reference == FULL.weights.learned.signature
    assert decided.differences(model, index) == []
    other: Any = SimpleNamespace(signature="i2")
    (sentence,) = decided.differences(model, other)
    assert sentence == "the configuration was decided on the index i1, this one is i2"
    assert len(decided.differences(SimpleNamespace(signature="m2"), other)) == 2  # type: ignore[arg-type]
    assert SearchConfig().differences(model, index) == []
    by_hand = FULL.decided_for(SimpleNamespace(learned=Learned(), signature="m"), index, "")  # type: ignore[arg-type]
    assert by_hand.weights.learned == FULL.weights.learned  # nobody else has these tables


@pytest.mark.parametrize(("text", "message"), [
    ("", "no search configuration"), ("[]", '"kind"'), ("{}", '"kind"'), ('{"kind": "model"}', '"kind"'),
    ('{"kind": "search configuration"}', "config"), ('{"kind": "search configuration", "config": 5}', "by name"),
    ('{"kind": "search configuration", "config": {"metod": "dt"}}', "did you mean 'method'"),
    ('{"kind": "search configuration", "config": {"k": 0}}', "k is 0; it must be at least 1"),
    ('{"kind": "search configuration", "config": {"bm25": {"k1": NaN}}}', "k1 is nan"),
    ('{"kind": "search configuration", "config": {}, "decided": {"where": 1}}', "where"),
    ("[" * 100_000, "no search configuration"),
])  # fmt: skip
def test_damaged_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        SearchConfig.load(tmp_path / "c.json")
    assert str(tmp_path / "c.json") in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        SearchConfig.load(tmp_path / "c.json")
    (tmp_path / "c.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no search configuration"):
        SearchConfig.load(tmp_path / "c.json")


@pytest.mark.parametrize("collection", sorted(path.parent.name for path in RESULTS.glob("*/configs")))
def test_published_configurations(collection: str) -> None:
    """Every file of a report is the configuration of one of its systems, decided with the system's model."""
    report = json.loads((RESULTS / collection / "report.json").read_text(encoding="utf8"))
    files = list((RESULTS / collection / "configs").iterdir())
    if "systems" in report:
        models = {Path(system["config"]).name: system["model"] for system in report["systems"].values()}
    else:  # reports of version 0.1 have files for systems of one model only
        models = {file.name: report["model"] for file in files}
    assert {file.name for file in files} == set(models)
    for file in files:
        config = SearchConfig.load(file)
        assert json.loads(file.read_text(encoding="utf8"))["signature"] == config.signature
        assert config.decided.model == models[file.name]


def test_readme_names_published_configurations() -> None:
    rows = [line.split("|") for line in (ROOT / "README.md").read_text(encoding="utf8").splitlines() if line[:1] == "|"]
    named = {cell.strip("` ") for row in rows for cell in row if cell.strip().startswith("`")}
    assert {name for name in named if "ltr" not in name} <= {file.stem for file in RESULTS.glob("*/configs/*.json")}
