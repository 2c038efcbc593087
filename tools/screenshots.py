"""Take the pictures of the live page for its document: tools/screenshots.py CHROMIUM FOLDER."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[1]
#: The picture is taken after this many rows, which arrive at this rate per second.
AT, RATE = 25_000, 1000


def main(chromium, folder):
    """Take a light picture during learning, and a dark one with an explained cluster."""
    rows = subprocess.Popen([sys.executable, ROOT / "examples" / "live_stream.py"], stdout=subprocess.PIPE)
    command = [sys.executable, "-m", "phida", "serve", "--from", "-", "--port", "0", "--rate", str(RATE)]
    server = subprocess.Popen(command, stdin=rows.stdout, stderr=subprocess.PIPE, text=True)
    try:
        address = re.match(r"(\S+) shows", server.stderr.readline())[1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            pages = {
                scheme: browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
                for scheme in ("light", "dark")
            }
            for page in pages.values():
                page.goto(address)
            reached = f"() => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) >= {AT}"
            pages["light"].wait_for_function(reached, timeout=300_000)
            pages["light"].screenshot(path=Path(folder) / "light.png")
            pages["dark"].locator("#clusters button").last.click()
            expect(pages["dark"].locator("#detail")).to_contain_text("Profile")
            pages["dark"].mouse.move(5, 5)
            pages["dark"].screenshot(path=Path(folder) / "dark.png")
            browser.close()
    finally:
        server.terminate()
        rows.terminate()
        server.wait()
        rows.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
