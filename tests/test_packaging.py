"""What is released: the same bytes every time, licenses that we have looked at, and files that say true things."""

import gzip
import io
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

import crossbow
import licenses
from same_bytes import same_bytes

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]


def archive(path: Path, names: list[str], mtime: int) -> None:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as made:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.uid, member.uname = len(name), mtime, mtime, f"user{mtime}"
            member.mode = 0o775 if name.endswith("run") else 0o664
            made.addfile(member, io.BytesIO(name.encode()))
    path.write_bytes(gzip.compress(plain.getvalue(), mtime=mtime))


def test_an_archive_does_not_depend_on_when_and_by_whom_it_was_made(tmp_path: Path) -> None:
    archive(tmp_path / "one.tar.gz", ["p/b", "p/a", "p/run"], 1)
    archive(tmp_path / "two.tar.gz", ["p/run", "p/a", "p/b"], 2)
    for name in ("one.tar.gz", "two.tar.gz"):
        same_bytes(tmp_path / name, 1_700_000_000)
    assert (tmp_path / "one.tar.gz").read_bytes() == (tmp_path / "two.tar.gz").read_bytes()
    with tarfile.open(tmp_path / "one.tar.gz") as made:
        assert [(one.name, one.mode, one.mtime) for one in made.getmembers()] == [
            ("p/a", 0o644, 1_700_000_000), ("p/b", 0o644, 1_700_000_000), ("p/run", 0o755, 1_700_000_000)]
        inside = made.extractfile("p/a")
        assert inside is not None
        assert inside.read() == b"p/a"


def test_the_sdist_is_the_whole_project() -> None:
    """Its tests can be run and its documentation be built; setuptools alone would take only files named test_*.py."""
    rules = [line.split() for line in (ROOT / "MANIFEST.in").read_text("utf8").splitlines()]
    taken = {name for rule, *names in rules if rule in ("include", "graft") for name in names}
    usual = {"LICENSE", "README.md", "pyproject.toml", "src"}  # what setuptools takes without being told
    assert all((ROOT / name).exists() for name in taken)
    sources = {path.name for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".cff")
               or path.name == "Makefile" or (path.is_dir() and any(path.glob("*.py")))}
    assert sources - usual <= taken
    assert {"docs", "examples", "tests"} <= taken


def test_all_licenses_are_permissive() -> None:
    found = licenses.needed()
    assert len(found) > 30
    for name, said in found.items():
        assert any(word in said for word in licenses.ACCEPTED), f"{name}: {said}"
        assert not licenses.FORBIDDEN.search(said), f"{name}: {said}"


def test_the_page_of_licenses_lists_what_is_needed() -> None:
    """Versions may differ from machine to machine in what they need, so that the page may list more."""
    listed = dict(re.findall(r"^\| (\S+) \| (.+) \|$", (ROOT / "docs" / "licenses.md").read_text("utf8"), re.MULTILINE))
    direct = {name for name, extra in licenses._requirements(licenses.NAME) if extra not in licenses.DEVELOPMENT}
    assert direct <= listed.keys()
    for name in direct & licenses.needed().keys():
        assert listed[name] == licenses.license_of(name), name


def test_names_of_the_distribution() -> None:
    assert PROJECT["name"] == licenses.NAME
    hints = [path.name for path in (ROOT / "src").rglob("*.py")
             if re.search(r"crossbow\[(neural|plots|irds|ja|hub|pyterrier|measures|docs)\]", path.read_text("utf8"))]
    assert hints == []  # a remedy names the distribution


def test_the_module_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "crossbow", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"crossbow {crossbow.__version__}\n"


def test_the_wheel_with_kernels_is_the_only_one() -> None:
    """Two wheels of one version make `pip install dist/*.whl` fail, and the plain one is there after `make dist`."""
    recipe = (ROOT / "Makefile").read_text("utf8").partition("\nwheel:")[2].partition("\n\n")[0].splitlines()
    steps = [step for line in recipe for step in line.strip().split(" && ")]
    assert steps.index("rm -f dist/*.whl") < steps.index("mv build/wheel/*.whl dist")


def test_the_version_that_is_released_is_the_one_to_cite() -> None:
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf8"), re.MULTILINE)
    newest = re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text("utf8"), re.MULTILINE)
    assert cited is not None
    assert newest is not None
    assert cited[1] == newest[1] == crossbow.__version__


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_and_commands_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf8"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)`", text)) <= targets


def test_the_workflow_calls_make_only() -> None:
    workflow = (ROOT / ".github" / "workflows" / "check.yml").read_text("utf8")
    assert set(re.findall(r"run: (\w+)", workflow)) == {"make"}
