"""Takes the pictures of the live page for its document: tools/screenshots.py CHROMIUM FOLDER."""

import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[1]
#: Rows learned when the picture is taken, and rows a second until then.
AT, RATE = 25_000, 1000


def main(chromium, folder):
    """One light, one dark, of the same moment."""
    rows = subprocess.Popen([sys.executable, ROOT / "examples" / "live_stream.py"], stdout=subprocess.PIPE)
    command = [sys.executable, "-m", "phida.cli", "serve", "--from", "-", "--port", "0", "--rate", str(RATE)]
    server = subprocess.Popen(command, stdin=rows.stdout, stderr=subprocess.PIPE, text=True)
    try:
        address = re.match(r"(\S+) shows", server.stderr.readline())[1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            first = browser.new_page()
            first.goto(address)
            reached = f"() => Number(document.querySelector('#samples').textContent.replace(/,/g, '')) >= {AT}"
            first.wait_for_function(reached, timeout=300_000)
            first.get_by_role("button", name="Pause learning").click()
            expect(first.locator("#state")).to_have_text("paused")
            first.close()
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
                page.goto(address)
                page.locator("#clusters button").last.click()
                expect(page.locator("#detail")).to_contain_text("Profile")
                page.mouse.move(5, 5)
                page.wait_for_timeout(800)
                page.screenshot(path=Path(folder) / f"{scheme}.png")
            browser.close()
    finally:
        server.terminate()
        rows.terminate()
        server.wait()
        rows.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
