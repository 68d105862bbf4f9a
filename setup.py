"""The packages: `asymp/` is asymp itself, `theory/` is asymp.theory, and so on for every folder below."""

from setuptools import find_packages, setup

FOLDERS = ("theory", "models", "montecarlo", "reports")
BELOW = [f"asymp.{folder}.{package}" for folder in FOLDERS for package in find_packages(folder)]

setup(
    packages=["asymp", *(f"asymp.{folder}" for folder in FOLDERS), *BELOW],
    package_dir={"asymp": "asymp", **{f"asymp.{folder}": folder for folder in FOLDERS}},
)
