"""The works that the laws come from: BibTeX, and a short name for tables."""

from dataclasses import dataclass

__all__ = ["BIBLIOGRAPHY", "Work"]


@dataclass(frozen=True)
class Work:
    """One work: how a table names it, and its BibTeX entry."""

    short: str
    bibtex: str


BIBLIOGRAPHY: dict[str, Work] = {
    "cabannes2024": Work(
        short="Cabannes, Dohmatob, Bietti 2024",
        bibtex="""@inproceedings{cabannes2024,
  title     = {Scaling Laws for Associative Memories},
  author    = {Cabannes, Vivien and Dohmatob, Elvis and Bietti, Alberto},
  booktitle = {International Conference on Learning Representations},
  year      = {2024},
  note      = {arXiv:2310.02984}
}""",
    ),
    "bietti2025": Work(
        short="Bietti, talk, CUNY 2025",
        bibtex="""@misc{bietti2025,
  title        = {Associative Memories as a Building Block in Transformers},
  author       = {Bietti, Alberto},
  howpublished = {Talk, AI + Physics Workshop, CUNY},
  year         = {2025}
}""",
    ),
    "bietti2024": Work(
        short="Bietti, talk, Simons Institute 2024",
        bibtex="""@misc{bietti2024,
  title        = {Associative Memories as a Tractable Building Block in Transformers},
  author       = {Bietti, Alberto},
  howpublished = {Talk, Transformers as a Computational Model, Simons Institute},
  year         = {2024}
}""",
    ),
    "hutter2021": Work(
        short="Hutter 2021",
        bibtex="""@misc{hutter2021,
  title  = {Learning Curve Theory},
  author = {Hutter, Marcus},
  year   = {2021},
  note   = {arXiv:2102.04074}
}""",
    ),
    "asymp": Work(
        short="asymp",
        bibtex="""@software{asymp,
  title  = {asymp: unit tests for scaling-law theory},
  author = {{The asymp developers}},
  year   = {2026}
}""",
    ),
}
