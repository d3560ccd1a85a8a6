"""The description of the API is true: Schemathesis tries what it promises and what it forbids, and finds nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.web import app as application
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from crossbow.web.openapi import describe
from crossbow.web.reload import Watch
from crossbow.web.writes import Writer
from serving import call, open_site, running, small_engine
from training import corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


def test_schemathesis_finds_nothing(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No 5xx, every answer of the form that is described, what is forbidden is refused, what is allowed is not."""
    command = Path(sys.executable).with_name("schemathesis")
    if not command.exists():
        pytest.skip("THE API WAS NOT TRIED OUT: schemathesis is not installed")
    site = open_site(tmp_path, tmp_path_factory)
    # 422 is for what no schema can say: which fields the documents have, and what a condition on them means.
    (tmp_path / "schemathesis.toml").write_text(
        '[checks]\npositive_data_acceptance.expected-statuses = ["2xx", "404", "422", "429"]\n')
    with running(make_app(site.engine, Admission())) as port:
        call(port, "POST", "/search", {"query": "Haus"})
        done = subprocess.run(
            [command, "run", f"http://127.0.0.1:{port}/openapi.json", "--checks", "all", "--max-examples", "20",
             "--seed", "1", "--generation-database", "none", "--no-color", "--phases", "examples,coverage,fuzzing"],
            cwd=tmp_path, capture_output=True, text=True)
        metrics = call(port, "GET", "/metrics").body.decode()
    assert done.returncode == 0, done.stdout
    assert "Tested: 8" in done.stdout
    assert 'status="5' not in metrics
    assert 'path="/search",status="400"' in metrics


def test_schemathesis_follows_links_over_reads_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is put, found, explained, read and deleted, in orders that nobody thought of; never a 5xx."""
    command = Path(sys.executable).with_name("schemathesis")
    if not command.exists():
        pytest.skip("THE API WAS NOT TRIED OUT: schemathesis is not installed")
    monkeypatch.setattr(application, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(Served, "warm", lambda served: None)
    small_engine(tmp_path)
    watch = Watch(tmp_path / "model", tmp_path / "index")
    served = watch.news()
    assert served is not None
    # What was deleted may be found for a moment: searches follow a commit. Ids may be such that none is there.
    (tmp_path / "schemathesis.toml").write_text(
        '[checks]\npositive_data_acceptance.expected-statuses = ["2xx", "404", "409", "422", "429"]\n')
    app = make_app(Engine(served), Admission(seconds=300), watch=watch, writer=Writer(tmp_path / "index"))
    with running(app) as port:
        call(port, "POST", "/search", {"query": "Bank"})
        done = subprocess.run(
            [command, "run", f"http://127.0.0.1:{port}/openapi.json", "--checks", "all", "--exclude-checks",
             "use_after_free", "--max-examples", "8", "--seed", "1", "--generation-database", "none", "--no-color",
             "--phases", "fuzzing,stateful"], cwd=tmp_path, capture_output=True, text=True)
        metrics = call(port, "GET", "/metrics").body.decode()
    assert done.returncode == 0, done.stdout
    assert re.search(r"(?i)stateful", done.stdout)
    assert 'status="5' not in metrics
    for path in ("/documents", "/documents/{id:path}"):
        assert f'path="{path}",status="200"' in metrics  # links were followed with ids that are there
    assert Index.load(tmp_path / "index")["d2"].text  # and what nobody touched is as it was


def test_references_lead_somewhere(model: Model) -> None:
    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {part["$ref"]} if "$ref" in part else set()
            return own.union(*map(references, part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    description = describe(SearchConfig(), model)
    assert references(description) == {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}


def test_a_request_is_described_once_for_each_method(model: Model) -> None:
    kinds = describe(SearchConfig(method="psq"), model)["components"]["schemas"]["SearchRequest"]["oneOf"]
    assert [kind["properties"]["method"]["const"] for kind in kinds] == list(METHODS)
    for kind in kinds:
        method = kind["properties"]["method"]["const"]
        assert kind["required"] == ["query"] + ([] if method == "psq" else ["method"])  # the server's own goes without
        settings = kind["properties"]["settings"]["properties"]
        assert "translation.lm_scale" in settings
        assert "translation.nbest" not in settings  # this is no neural model
        assert ("v" in kind["properties"]) == (method == "bowfd")
        settings = kind["properties"]["settings"]["properties"]
        assert ("psq.nbest" in settings) == (method == "psq")
        assert settings["bm25.k1"]["exclusiveMinimum"] == 0
        assert settings["translation.pop_limit"]["type"] == ["integer", "null"]
        assert (settings["translation.pop_limit"]["minimum"], settings["translation.pop_limit"]["maximum"]) == (1, 500)
