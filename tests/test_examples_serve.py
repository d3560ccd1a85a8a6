"""The examples of serving: their nginx before a running server; the unit and the others as far as one can here."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from serving import COMMAND, call, serving, small_engine

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "serve"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
TOKEN, OTHER = "token-of-the-first-program", "token-of-the-second-one"
MAIN = """daemon off; pid {place}/pid; error_log {place}/error.log;
events {{}}
http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;
  fastcgi_temp_path {place}/a; uwsgi_temp_path {place}/b; scgi_temp_path {place}/c; include {place}/site.conf; }}
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port of nginx, with the site as the example has it but for the ports, and the server behind it."""
    if not NGINX:
        pytest.skip("THE EXAMPLE FOR NGINX WAS NOT TESTED: no nginx; `make proxy`")
    small_engine(tmp_path)
    options = ("--allow-host", "search.example.org", "--trust-proxy", "127.0.0.1", "--log", "--token", TOKEN,
               "--token", OTHER)
    with serving(tmp_path, "model", "index", *options) as (server, behind):
        port = free_port()
        site = (EXAMPLES / "nginx.conf").read_text()
        changed = site.replace("listen 80;", f"listen 127.0.0.1:{port};").replace(":8000;", f":{behind};")
        assert changed.count(str(port)) == changed.count(f":{behind};") == 1
        (tmp_path / "site.conf").write_text(changed)
        (tmp_path / "nginx.conf").write_text(MAIN.format(place=tmp_path))
        started = subprocess.Popen([NGINX, "-c", tmp_path / "nginx.conf", "-p", tmp_path, "-e", tmp_path / "error.log"],
                                   stderr=subprocess.DEVNULL)
        try:
            while started.poll() is None:
                with socket.socket() as tried:
                    if tried.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)
            assert started.poll() is None, (tmp_path / "error.log").read_text()
            yield port, server
        finally:
            started.terminate()
            started.wait()


def test_behind_nginx(proxied: tuple[int, subprocess.Popen[str]]) -> None:
    port, server = proxied
    named = {"Host": "search.example.org", "X-Forwarded-For": "203.0.113.9"}
    assert b"<title>" in call(port, "GET", "/", None, **named).body
    assert call(port, "POST", "/search", {"query": "Bank"}, **named).status == 401
    reply = call(port, "POST", "/search", {"query": "Bank"}, authorization=f"Bearer {TOKEN}", **named)
    assert (reply.status, {hit["id"] for hit in reply.json["hits"]}) == (200, {"d1", "d3"})
    assert call(port, "GET", "/ready", None, **{"Host": "evil.example"}).status == 400
    server.terminate()
    assert server.stderr
    lines = [json.loads(line) for line in server.stderr.read().splitlines()]
    assert [line["status"] for line in lines] == [200, 401, 200, 400]
    assert lines[2]["client"] == "203.0.113.9"  # as the proxy passes it on
    assert lines[2]["id"] == reply.headers["x-request-id"]


def options_of(command: str) -> list[str]:
    """A command of an example, which must be one of ours with options that exist."""
    words = shlex.split(command)
    place = next(at for at, word in enumerate(words) if word.endswith("crossbow"))
    name, *rest = words[place + 1 :]
    known = subprocess.run([COMMAND, name, "--help"], capture_output=True, text=True, check=True).stdout
    assert {word for word in rest if word.startswith("--")} <= set(re.findall(r"--[a-z-]+", known))
    return rest


def started(rest: list[str], folders: str) -> list[str]:
    """The arguments of an example's `serve`, with the folders of a model and an index that are here."""
    assert rest[:2] == [f"{folders}/model", f"{folders}/index"]
    return ["model", "index", *rest[2:]]


def test_the_unit_starts(tmp_path: Path) -> None:
    """Its command, with the tokens that it gets from its file, as systemd would start and stop it."""
    text = (EXAMPLES / "crossbow.service").read_text()
    command = re.search(r"^ExecStart=((?:.*\\\n)*.*)$", text, re.M)
    assert command
    rest = options_of(command[1].replace("\\\n", " "))
    assert "--workers" in rest
    assert "StateDirectory=crossbow\n" in text  # what the unit may write is where the index is
    assert {*re.findall(r"CROSSBOW_\w*TOKEN", text)} == {"CROSSBOW_TOKEN", "CROSSBOW_WRITE_TOKEN"}
    tokens = {"CROSSBOW_TOKEN": TOKEN, "CROSSBOW_WRITE_TOKEN": OTHER}
    small_engine(tmp_path)
    with serving(tmp_path, *started(rest, "/var/lib/crossbow"), **tokens) as (server, port):
        named = {"Host": "search.example.org"}
        assert call(port, "POST", "/search", {"query": "Bank"}, **named).status == 401
        reading, writing = ({"authorization": f"Bearer {token}", **named} for token in (TOKEN, OTHER))
        assert call(port, "POST", "/search", {"query": "Bank"}, **reading).status == 200
        new = {"documents": [{"id": "new", "text": "A new bank"}]}
        assert call(port, "PUT", "/documents", new, **reading).status == 401
        assert call(port, "PUT", "/documents", new, **writing).status == 200
        server.terminate()
        assert server.wait(60) == 0
        assert server.stderr
        assert {json.loads(line)["status"] for line in server.stderr.read().splitlines()} == {200, 401}


def test_the_unit_is_one(tmp_path: Path) -> None:
    text = (EXAMPLES / "crossbow.service").read_text()
    verify = shutil.which("systemd-analyze")
    if not verify:
        pytest.skip("THE UNIT WAS NOT VERIFIED: no systemd-analyze")
    unit = tmp_path / "crossbow.service"
    unit.write_text(text.replace("/opt/crossbow/bin/crossbow", COMMAND)
                    .replace("User=crossbow\n", "").replace("EnvironmentFile=/", "EnvironmentFile=-/"))
    done = subprocess.run([verify, "verify", unit], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "crossbow.service" in line]) == (0, [])


def test_the_dockerfile(tmp_path: Path) -> None:
    """What it copies is enough for a package, which starts as the image would. Nothing is downloaded here."""
    steps = [line.partition(" ")[::2] for line in (EXAMPLES / "Dockerfile").read_text().splitlines()
             if line and not line.startswith("#")]
    for kind, rest in steps:
        if kind == "COPY":
            *sources, to = rest.split()
            for source in sources:
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, tmp_path / to)
                else:
                    shutil.copy(ROOT / source, tmp_path / to)
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
                           "--disable-pip-version-check", "-w", tmp_path / "wheel", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "wheel").glob("crossbow*.whl")
    (run,) = (json.loads(rest) for kind, rest in steps if kind == "CMD")
    assert run[0] == "crossbow"
    rest = started(options_of(shlex.join(run)), "/data")
    assert ("RUN", "crossbow warm") in steps
    ours = {path.relative_to(ROOT / "src").as_posix(): path.read_bytes()
            for path in (ROOT / "src" / "crossbow").rglob("*") if path.is_file() and path.suffix != ".pyc"}
    with ZipFile(wheel) as packed:  # so that it does what the sources do, which are started here: they are compiled
        assert {name: packed.read(name) for name in packed.namelist() if name.startswith("crossbow/")} == ours
    small_engine(tmp_path)
    host = rest.index("0.0.0.0")  # as only an image of its own should listen
    with serving(tmp_path, *rest[:host], "127.0.0.1", *rest[host + 1 :], CROSSBOW_TOKEN=TOKEN) as (_, port):
        assert b"<title>" in call(port, "GET", "/").body
        assert call(port, "POST", "/search", {"query": "Bank"}).status == 401
        reply = call(port, "POST", "/search", {"query": "Bank"}, authorization=f"Bearer {TOKEN}")
        assert (reply.status, reply.json["total"]) == (200, 2)
        (check,) = (json.loads(rest.removeprefix("CMD ")) for kind, rest in steps if kind == "HEALTHCHECK")
        alive = [sys.executable, *check[1:-1], check[-1].replace(":8000/", f":{port}/")]
        assert subprocess.run(alive).returncode == 0


def test_the_manifest_for_a_cluster() -> None:
    """As far as one can without Kubernetes: its form, its commands, and that only the server can be reached."""
    folder = ROOT / "examples" / "cluster"
    job, service, policy = yaml.safe_load_all((folder / "kuberay.yaml").read_text())
    assert [job["kind"], service["kind"], policy["kind"]] == ["RayJob", "Service", "NetworkPolicy"]
    options = options_of(job["spec"]["entrypoint"])
    port = int(options[options.index("--port") + 1])
    assert service["spec"]["ports"] == [{"port": 80, "targetPort": port}]
    open_to_all = [rule["ports"] for rule in policy["spec"]["ingress"] if "from" not in rule]
    assert open_to_all == [[{"port": port}]]
    index_job, index_policy = yaml.safe_load_all((folder / "kuberay-index.yaml").read_text())
    assert (index_job["kind"], index_policy) == ("RayJob", policy)
    built = options_of(index_job["spec"]["entrypoint"])
    shards = int(built[built.index("--shards") + 1])
    assert built[built.index("-o") + 1] == options[1]
    assert [mounted(index_job), mounted(job)] == [("/data", False), ("/data", True)]
    image = (folder / "Dockerfile").read_text()
    assert all(wanted in image for wanted in ("'/opt/crossbow[ray]'", "'ray[default]'", " wget "))
    assert "WORKDIR /opt/crossbow" in (ROOT / "examples" / "serve" / "Dockerfile").read_text()
    (head,) = job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["containers"]
    assert {"name": "RAY_USAGE_STATS_ENABLED", "value": "0"} in head["env"]
    (group,) = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    (container,) = group["template"]["spec"]["containers"]
    cpus = group["replicas"] * int(container["resources"]["limits"]["cpu"])
    assert cpus >= shards * int(options[options.index("--replicas") + 1])


def mounted(job: dict[str, Any]) -> tuple[str, bool]:
    """Where the pods of a job have the data, and whether they may only read it; all of them alike."""
    cluster = job["spec"]["rayClusterSpec"]
    found = set()
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        (container,), (volume,) = group["template"]["spec"]["containers"], group["template"]["spec"]["volumes"]
        (mount,) = container["volumeMounts"]
        assert mount.get("readOnly", False) == volume["persistentVolumeClaim"].get("readOnly", False)
        assert (container["image"], group["template"]["metadata"]["labels"]["app"]) == ("IMAGE", "crossbow")
        found.add((mount["mountPath"], mount.get("readOnly", False)))
    (same,) = found
    return same
