"""A headless Chromium that opens a page in a window of any width, light or dark."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

REQUIRED = "RINGSIM_REQUIRE_CHROMIUM"
"""With this variable set, a missing Chromium is a failure and no reason to skip."""

SERIOUS = ("SEVERE", "WARNING")


class Browser:
    """A window of Chromium."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, *, width: int, scheme: str) -> None:
        """Open a file and draw all its pictures."""
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        self.driver.get("about:blank")
        self.scheme(scheme)
        self.driver.get_log("browser")
        self.driver.get(page.as_uri())
        self.draw()

    def scheme(self, scheme: str) -> None:
        """Ask for light or dark colours, as the reader's system would."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def draw(self) -> None:
        """Draw all pictures that are not hidden, as they would be when they are scrolled to."""
        failed = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            # On a busy machine the page may be there before its scripts have run.
            "const draw = () => window.drawAll ? drawAll().then(() => setTimeout(done, 50), (e) => done(String(e)))"
            "  : setTimeout(draw, 20);"
            "draw()"
        )
        assert failed is None, failed

    def ask(self, script: str) -> Any:
        """Return what a script returns."""
        return self.driver.execute_script(script)

    def complaints(self) -> list[str]:
        """Return the errors and warnings of the console, and of the network, since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in SERIOUS]

    def picture(self) -> bytes:
        """Return the whole page as a PNG."""
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16_000), "scale": 1}
        found = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        return base64.b64decode(found["data"])


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a Chromium; skip the test where none is installed, unless REQUIRED is set."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if path is None]
    if missing:
        reason = f"no {' and '.join(missing)} here (Debian: chromium, chromium-driver): pages were not opened in a browser"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{reason}, and {REQUIRED} is set")
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"] or ""
    # Tests run as root in containers, where the sandbox and /dev/shm are of no use.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(programs["chromedriver"]))
    driver.set_script_timeout(120)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
