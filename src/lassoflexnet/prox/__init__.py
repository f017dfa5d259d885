"""What lambda does to the gate: proximal operators and threshold rules.

Imports nothing of the library but ``gate``.
"""

from lassoflexnet.prox.operators import (
    ConvexHierProx,
    JointHierProx,
    LiteralSequentialHierProx,
    NoProx,
    Prox,
    SequentialHierProx,
)
from lassoflexnet.prox.thresholding import group_shrink, soft_threshold
from lassoflexnet.prox.thresholds import (
    ByCoordinate,
    ByLearningRate,
    HybridThreshold,
    PlainThreshold,
    ThresholdRule,
)
from lassoflexnet.prox.weights import AdaptiveWeights, LambdaWeights, UniformWeights

__all__ = [
    "AdaptiveWeights",
    "ByCoordinate",
    "ByLearningRate",
    "ConvexHierProx",
    "HybridThreshold",
    "JointHierProx",
    "LambdaWeights",
    "LiteralSequentialHierProx",
    "NoProx",
    "PlainThreshold",
    "Prox",
    "SequentialHierProx",
    "ThresholdRule",
    "UniformWeights",
    "group_shrink",
    "soft_threshold",
]
