"""The works that the laws come from: BibTeX, and a short name for tables."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """One work: how a table names it, and its BibTeX entry."""

    short: str
    bibtex: str

    @property
    def sentence(self) -> str:
        """The work as a sentence: authors, title, where, year."""
        fields = dict(re.findall(r"(\w+)\s*=\s*\{(.*?)\}\s*,?\s*\n", self.bibtex + "\n"))
        fields["author"] = fields.get("author", "").replace(" and ", "; ")
        named = ("author", "title", "booktitle", "journal", "howpublished", "note", "year")
        return ". ".join(fields[name] for name in named if fields.get(name)) + "."


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
    "bietti2023": Work(
        short="Bietti, Cabannes, Bouchacourt, Jegou, Bottou 2023",
        bibtex="""@inproceedings{bietti2023,
  title     = {Birth of a Transformer: A Memory Viewpoint},
  author    = {Bietti, Alberto and Cabannes, Vivien and Bouchacourt, Diane and Jegou, Herve and Bottou, Leon},
  booktitle = {Advances in Neural Information Processing Systems},
  year      = {2023}
}""",
    ),
    "nichani2025": Work(
        short="Nichani, Lee, Bietti 2025",
        bibtex="""@inproceedings{nichani2025,
  title     = {Understanding Factual Recall in Transformers via Associative Memories},
  author    = {Nichani, Eshaan and Lee, Jason D. and Bietti, Alberto},
  booktitle = {International Conference on Learning Representations},
  year      = {2025}
}""",
    ),
    "arxiv2605.05189": Work(
        short="arXiv:2605.05189",
        bibtex="""@misc{arxiv2605.05189,
  note = {arXiv:2605.05189},
  year = {2026}
}""",
    ),
    "arxiv2605.10795": Work(
        short="arXiv:2605.10795",
        bibtex="""@misc{arxiv2605.10795,
  note = {arXiv:2605.10795},
  year = {2026}
}""",
    ),
    "hopfield1982": Work(
        short="Hopfield 1982",
        bibtex="""@article{hopfield1982,
  title   = {Neural networks and physical systems with emergent collective computational abilities},
  author  = {Hopfield, John J.},
  journal = {Proceedings of the National Academy of Sciences},
  volume  = {79},
  year    = {1982}
}""",
    ),
    "cover1965": Work(
        short="Cover 1965",
        bibtex="""@article{cover1965,
  title   = {Geometrical and Statistical Properties of Systems of Linear Inequalities with Applications in Pattern Recognition},
  author  = {Cover, Thomas M.},
  journal = {IEEE Transactions on Electronic Computers},
  year    = {1965}
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


def spell_source(source: str) -> str:
    """A source, such as "cabannes2024, Theorem 1", with the keys of the bibliography spelt out."""
    for key, work in BIBLIOGRAPHY.items():
        if key != "asymp":
            source = source.replace(key, work.short)
    return source.replace("asymp, ", "derived here: ")
