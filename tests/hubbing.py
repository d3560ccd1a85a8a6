"""A stand-in of the hub's HTTP API, as far as huggingface_hub needs it to push and pull; files are in memory."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


class Hub:
    """Repositories by name: a list of commits, each a dict of files. Large files go through the LFS protocol."""

    def __init__(self) -> None:
        self.repositories: dict[str, list[dict[str, bytes]]] = {}
        self.objects: dict[str, bytes] = {}  # of LFS, by digest
        self.downloads: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def files(self, name: str) -> dict[str, bytes]:
        return self.repositories[name][-1]

    def commit_id(self, name: str) -> str:
        return hashlib.sha1(f"{name} {len(self.repositories[name])}".encode()).hexdigest()

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        parts = path.strip("/").split("/")
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = "/".join(part for part in (asked.get("organization"), asked["name"]) if part)
            self.repositories.setdefault(name, [{}])
            return {"url": f"{self.address}/{name}", "id": name}
        if path.endswith("/info/lfs/objects/batch"):
            asked = json.loads(body)
            return {"transfer": "basic", "objects": [{**one, "actions": {"upload": {
                "href": f"{self.address}/lfs/{one['oid']}"}}} for one in asked["objects"]]}
        if path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        name = "/".join(parts[2:4])
        if parts[4] == "preupload":
            return {"files": [{"path": one["path"], "uploadMode": "lfs" if one["path"].endswith(".npy") else "regular",
                               "shouldIgnore": False} for one in json.loads(body)["files"]]}
        assert parts[4] == "commit", path
        files = dict(self.files(name))
        for line in body.splitlines():
            one = json.loads(line)
            value = one["value"]
            if one["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif one["key"] == "lfsFile":
                files[value["path"]] = self.objects[value["oid"]]
            elif one["key"] == "deletedFile":
                files.pop(value["path"], None)
        self.repositories[name].append(files)
        commit = self.commit_id(name)
        return {"success": True, "commitOid": commit, "commitUrl": f"{self.address}/{name}/commit/{commit}"}

    def info(self, name: str) -> dict[str, Any]:
        return {"id": name, "_id": "0", "modelId": name, "sha": self.commit_id(name), "private": False, "tags": [],
                "siblings": [{"rfilename": file} for file in self.files(name)], "downloads": 0, "likes": 0}

    def tree(self, name: str) -> list[dict[str, Any]]:
        return [{"type": "file", "path": file, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for file, data in self.files(name).items()]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self._answer(json.dumps(hub.post(urlsplit(self.path).path, self._body())).encode())

            def do_PUT(self) -> None:
                hub.objects[self.path.rpartition("/")[2].partition("?")[0]] = self._body()
                self._answer(b"{}")

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_GET(self) -> None:
                parts = unquote(urlsplit(self.path).path).strip("/").split("/")
                if parts[:2] == ["api", "models"] and "/".join(parts[2:4]) in hub.repositories:
                    name = "/".join(parts[2:4])
                    self._answer(json.dumps(hub.tree(name) if parts[4:5] == ["tree"] else hub.info(name)).encode())
                elif len(parts) > 4 and parts[2] == "resolve" and "/".join(parts[4:]) in hub.files("/".join(parts[:2])):
                    name, file = "/".join(parts[:2]), "/".join(parts[4:])
                    data = hub.files(name)[file]
                    if self.command == "GET":
                        hub.downloads.append(file)
                    digest = hashlib.sha256(data).hexdigest()
                    self._answer(data, {"ETag": f'"{digest}"', "X-Repo-Commit": hub.commit_id(name)})
                else:
                    self._answer(b'{"error": "Repository not found"}', {"X-Error-Code": "RepoNotFound"}, 404)

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") == "chunked":
                    found = b""
                    while size := int(self.rfile.readline(), 16):
                        found += self.rfile.read(size)
                        self.rfile.readline()
                    self.rfile.readline()
                    return found
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))

            def _answer(self, data: bytes, headers: dict[str, str] | None = None, status: int = 200) -> None:
                self.send_response(status)
                for key, value in {"Content-Type": "application/json", "Content-Length": str(len(data)),
                                   **(headers or {})}.items():
                    self.send_header(key, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
