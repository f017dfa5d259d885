"""``LassoFlexNetRegressor``: the flat door to regression.

Arguments only; what they do is in ``flat``, what ``fit`` does in ``_base``.
"""

from typing import Any, ClassVar

from lassoflexnet.estimators._base import SHARED_CONSTRAINTS, TabularEstimator
from lassoflexnet.estimators.documentation import (
    FITTED_ATTRIBUTES,
    FLAT_ARGUMENTS,
    REGRESSION_METRICS,
    SHARED_ARGUMENTS,
    documented,
)
from lassoflexnet.estimators.faces import RegressionFace
from lassoflexnet.estimators.flat import FLAT_CONSTRAINTS, flat_recipe
from lassoflexnet.estimators.presets import FromPreset
from lassoflexnet.estimators.sizes import ruled
from lassoflexnet.recipe import Recipe


@documented(
    flat=FLAT_ARGUMENTS,
    shared=SHARED_ARGUMENTS,
    fitted=FITTED_ATTRIBUTES,
    metrics=REGRESSION_METRICS,
)
class LassoFlexNetRegressor(FromPreset, RegressionFace, TabularEstimator):
    """Sparse neural regressor for tables.

    Every column has its own encoding and small network; one skip weight per column decides
    whether it lives; a backbone capped by those weights learns interactions. Training is a
    dense stage, then a path of growing lambda that removes columns exactly, one after
    another. A rule chooses the point to keep, and four new networks are trained on its columns
    and averaged.

    Parameters
    ----------
    {flat}{shared}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from lassoflexnet import LassoFlexNetRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = LassoFlexNetRegressor(max_epochs=20, n_lambdas=5, random_state=0).fit(X, y)
    >>> model.predict(X).shape
    (442,)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FLAT_CONSTRAINTS,
        **SHARED_CONSTRAINTS,
    }

    def __init__(
        self,
        *,
        n_bins: int | str = "auto",
        binning: str = "quantile",
        d_embedding: int = 24,
        n_embedding_layers: int = 1,
        d_embedding_layer: int = 24,
        embedding_dropout: float | str = "auto",
        backbone: str = "mlp",
        n_blocks: int = 2,
        d_hidden: int | str = "auto",
        dropout: float | str = "auto",
        tau: float = 1.0,
        M: float = 10.0,
        lambda_start: float | None = None,
        lambda_end: float | None = None,
        lambda_multiplier: float | None = None,
        n_lambdas: int = 20,
        lambda_power: float = 8.0,
        lambda_bar: float = 0.0,
        lambda_weights: str = "adaptive",
        ema_decay: float = 0.9,
        model_ema_decay: float = 0.99,
        optimizer: str = "muon",
        learning_rate: float = 4e-3,
        path_learning_rate: float | str = "auto",
        schedule: str = "cosine",
        weight_decay: float = 1e-2,
        batch_size: int | str = "auto",
        max_epochs: int | str = "auto",
        max_epochs_per_lambda: int | str = "auto",
        patience: int = 10,
        selection: str | int = "one_standard_error",
        challenge: bool = True,
        refit: bool = True,
        n_members: int | str = "auto",
        screening: str | bool | int = "auto",
        precision: str = "float32",
        validation_fraction: float = 0.15,
        eval_metric: str | None = None,
        categorical_features: Any = "auto",
        random_state: Any = None,
        device: str = "auto",
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_bins = n_bins
        self.binning = binning
        self.d_embedding = d_embedding
        self.n_embedding_layers = n_embedding_layers
        self.d_embedding_layer = d_embedding_layer
        self.embedding_dropout = embedding_dropout
        self.backbone = backbone
        self.n_blocks = n_blocks
        self.d_hidden = d_hidden
        self.dropout = dropout
        self.tau = tau
        self.M = M
        self.lambda_start = lambda_start
        self.lambda_end = lambda_end
        self.lambda_multiplier = lambda_multiplier
        self.n_lambdas = n_lambdas
        self.lambda_power = lambda_power
        self.lambda_bar = lambda_bar
        self.lambda_weights = lambda_weights
        self.ema_decay = ema_decay
        self.model_ema_decay = model_ema_decay
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.path_learning_rate = path_learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.batch_size = batch_size
        self.max_epochs = max_epochs
        self.max_epochs_per_lambda = max_epochs_per_lambda
        self.patience = patience
        self.selection = selection
        self.challenge = challenge
        self.refit = refit
        self.n_members = n_members
        self.screening = screening
        self.precision = precision
        self.validation_fraction = validation_fraction
        self.eval_metric = eval_metric
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.device = device
        self.n_threads = n_threads
        self.verbose = verbose

    def _recipe(self, n_rows: int) -> Recipe:
        return flat_recipe(self.get_params(deep=False), n_rows)

    def _sizes(self, n_rows: int) -> dict[str, float]:
        return ruled(self.get_params(deep=False), n_rows)
