"""What training leaves, as one value.

Made by the trainer; read by the estimators.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lassoflexnet.nn import Trained
from lassoflexnet.training.endings import Team, Unseen
from lassoflexnet.training.points import LambdaPath, PathPoint
from lassoflexnet.training.screening import ScreeningReport
from lassoflexnet.training.stage import Snapshot


class FitResult(NamedTuple):
    """What training leaves: the network of the kept features, its point, the path.

    ``validated`` is the network that was kept, before the ending; ``validation_loss`` the error
    of what the ending made of it; ``dense`` the dense stage with its network, and whether it may
    be kept by the rule of choice. ``team`` has networks of the kept features that were trained as
    those that predict are, if sparser supports might challenge them. ``unseen`` has the networks
    that importances are read from, each with rows that it was not trained on.
    """

    network: Trained
    point: PathPoint
    path: LambdaPath
    validated: Snapshot
    validation_loss: float
    dense: PathPoint
    dense_may_stay: bool
    team: Team | None = None
    unseen: Unseen = ()
    screening: ScreeningReport | None = None

    def renumbered(self, numbers: np.ndarray, n: int, screening: ScreeningReport) -> "FitResult":
        """The same in the numbering of the table before screening."""
        point, dense = LambdaPath((self.point, self.dense), n).renumbered(numbers, n).points
        dense = replace(dense, snapshot=self.dense.snapshot)
        path = self.path.renumbered(numbers, n)
        return self._replace(point=point, path=path, dense=dense, screening=screening)
