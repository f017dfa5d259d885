"""One run of an experiment: what is fitted to what, and the key that names its result.

Made by experiments; carried out by ``execution``; kept by ``results``.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Run:
    """One fit of one method to one split.

    Attributes
    ----------
    suite : str
        Suite that it belongs to.
    dataset : str
        Name in the data registry.
    method : str
        Name in the catalogue of methods.
    protocol : str
        Name of the protocol that splits and scores.
    seed : int
        Seed of the method; some protocols split by it too.
    settings, case : mapping
        What differs from the method's and from the protocol's defaults.
    recipe : str or None
        Fingerprint of what "default" means for our own method today: results of other
        defaults are other results.
    label : str
        Name in tables; not part of the key.
    keep_errors : bool
        Whether the error of every test row is kept beside the result; not part of the key.
    """

    suite: str
    dataset: str
    method: str
    protocol: str
    seed: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    case: Mapping[str, Any] = field(default_factory=dict)
    recipe: str | None = None
    label: str = ""
    keep_errors: bool = False

    def identity(self) -> dict[str, Any]:
        """Everything that the key is made of."""
        return {
            "suite": self.suite,
            "dataset": self.dataset,
            "method": self.method,
            "settings": dict(self.settings),
            "protocol": self.protocol,
            "case": dict(self.case),
            "seed": self.seed,
            **({"recipe": self.recipe} if self.recipe else {}),
        }

    @property
    def key(self) -> str:
        """Hash of the identity.

        >>> a, b = (Run("s", "iris", "lasso", "hold_out", case={"x": 1}, label=x) for x in "ab")
        >>> a.key == b.key, len(a.key)
        (True, 16)
        """
        return digest(self.identity())[:16]

    @property
    def file_name(self) -> str:
        """Name of its result file; the words are for readers, the key alone counts.

        >>> Run("s", "CH", "lasso", "hold_out", label="a w/ b: c").file_name
        'CH.a_w_b_c.61b558eb1ba3b731.json'
        """
        words = re.sub(r"[^\w.,+=-]+", "_", f"{self.dataset}.{self.label or self.method}")
        return f"{words}.{self.key}.json"


def digest(value: Any) -> str:
    """Hash of a JSON value that does not depend on the order of its keys.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
