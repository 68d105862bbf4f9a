"""What is to be said of a claim in prose: the Markdown file next to the claim's own."""

from functools import cache
from pathlib import Path

from asymp.theory.laws import paragraphs as read

CLAIMS = Path(__file__).parent / "claims"


@cache
def paragraphs(id: str) -> dict[str, tuple[str, ...]]:
    """The paragraphs of `claims/<section>/<id>.md` by heading; none for a claim without such a file."""
    file = id.replace("-", "_")
    return read(next(CLAIMS.glob(f"*/{file}.md"), CLAIMS / f"{file}.md"))
