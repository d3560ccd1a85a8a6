"""The pictures of the page, made by the page itself: `make screenshot`, or

    python docs/screenshot.py [--out docs]

Serves the demo (in crossbow-demo, which is made if need be), asks it one query in Debian's Chromium, and writes
page.png and page-dark.png. The fonts are those of the machine; the page looks best with Inter.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

QUERY = "braune Flecken an der Zimmerdecke durch Wasser"
WIDTH, HEIGHT, SCALE = 1080, 900, 1.5


def shoot(browser: Browser, address: str, out: Path, scheme: str) -> None:
    """The results, with the alternatives for the word that the best translation gets wrong."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE, color_scheme=scheme)
    for _ in range(2):  # the first time everything is cold, the times shown too
        page.goto(f"{address}?{urlencode({'q': QUERY})}")
        page.locator(".hit").first.wait_for()
    page.get_by_role("button", name=re.compile("^decke: ceiling")).first.hover()
    page.get_by_role("tooltip").wait_for()
    page.wait_for_timeout(300)  # until nothing moves any more
    page.screenshot(path=out)
    page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of the page.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    out = parser.parse_args().out
    server = subprocess.Popen([Path(sys.executable).with_name("crossbow"), "serve", "--port", "0"], text=True,
                              stdout=subprocess.PIPE)
    try:
        assert server.stdout
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address, "the server did not start"
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=os.environ.get("CHROMIUM") or shutil.which("chromium"),
                                              args=["--no-sandbox"])
            for name, scheme in (("page.png", "light"), ("page-dark.png", "dark")):
                shoot(browser, address[0], out / name, scheme)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
