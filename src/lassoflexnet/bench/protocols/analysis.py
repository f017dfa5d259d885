"""The protocol that an analysis goes by: it splits and scores by itself.

Experiments and tables make protocols by name and need nothing of this one but its headline.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from lassoflexnet.bench.protocols.base import SplitProtocol
from lassoflexnet.bench.protocols.scores import Headline
from lassoflexnet.bench.rows import Split, Table, Task
from lassoflexnet.exceptions import InvalidInput

LOSS = "loss"
"""How the name of a score ends if less of it is better."""


@dataclass(frozen=True)
class AnalysisProtocol(SplitProtocol):
    """No split of its own; the first score counts."""

    scores: ClassVar[Mapping[Task, Headline]] = {}

    def split(self, table: Table, seed: int) -> Split:  # noqa: ARG002
        """Raise, since there is nothing to split by."""
        raise InvalidInput(
            f"the protocol `analysis` cannot split `{table.name}`. Use it with the name of an "
            "analysis as method, or another protocol."
        )

    def headline(self, scores: Mapping[str, float]) -> Headline:
        """The first score.

        >>> AnalysisProtocol().headline({"path_loss": 0.2, "gain": 0.1})
        Headline(name='path_loss', higher_is_better=False)
        """
        name = next(iter(scores))
        return Headline(name, higher_is_better=not name.endswith(LOSS))
