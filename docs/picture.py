"""The picture of all claims, for the README: the reference run, from a report in headless Chromium, light and dark.

python docs/picture.py asymp-report
"""

import shutil
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

HERE = Path(__file__).parent


def main(report: str) -> None:
    """Write claims.png and claims-dark.png.

    `report`: the folder of a report of all claims.
    """
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,6000"):
        options.add_argument(argument)
    options.add_argument("--force-device-scale-factor=1.5")
    options.binary_location = shutil.which("chromium") or ""
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        for scheme, name in (("light", "claims.png"), ("dark", "claims-dark.png")):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
            browser.get(Path(report, "index.html").absolute().as_uri() + "#run=reference")
            browser.refresh()
            browser.find_element(By.CSS_SELECTOR, "svg.picture").screenshot(str(HERE / name))
    finally:
        browser.quit()


if __name__ == "__main__":
    main(sys.argv[1])
