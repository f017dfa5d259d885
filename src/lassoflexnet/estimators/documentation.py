"""Documentation of the arguments that several estimators share.

A class's docstring says where they go: ``{arguments}``.
"""

from collections.abc import Callable

FLAT_ARGUMENTS = """\
n_bins : int, "auto" or "fine", default="auto"
        Bins of the piecewise linear code of a numeric column, at most; equal edges merge.
        "auto" is one bin per 40 training rows, from 4 to 48, "fine" one bin per 40 training
        rows, from 4 to 96: the same up to 1,959 rows.
    binning : {"quantile", "tree"}, default="quantile"
        Where the bins lie: at quantiles, or at the splits of a decision tree on the target
        (the paper's).
    d_embedding : int, default=24
        Width of a column's token, the embedding's output.
    n_embedding_layers : int, default=1
        Residual layers of each column's embedding.
    d_embedding_layer : int, default=24
        Width of those layers.
    embedding_dropout : float or "auto", default="auto"
        Dropout inside them; "auto" falls by 0.3 per power of ten: 0.15 up to 1,000 training
        rows, none from 3,162.
    backbone : {"mlp", "mixer"}, default="mlp"
        What learns interactions: a ReLU network on all tokens, or the paper's MLP-Mixer.
        Both are capped by the skip weights at their first layer.
    n_blocks : int, default=2
        Hidden layers of the MLP, or blocks of the Mixer.
    d_hidden : int or "auto", default="auto"
        Their hidden width; "auto" is 32 units, and 32 more for every 320 training rows
        beyond 800, up to 256.
    dropout : float or "auto", default="auto"
        Dropout inside the backbone; "auto" falls by 0.2 per power of ten: 0.3 up to 1,000
        training rows, 0.1 from 10,000.
    tau : float, default=1.0
        Scale of the backbone beside the skip connection; 0 leaves an additive model.
    M : float, default=10.0
        A column's first-layer weights are at most M times its skip weight on the path.
    lambda_start : float or None, default=None
        First lambda of the path. None takes half the smallest lambda that would remove a
        column, found from the gradients of the dense stage.
    lambda_end : float or None, default=None
        Last lambda. None goes on until no column lives, unless ``lambda_multiplier`` is given.
        One below the start that would be found makes the path start there, too.
    lambda_multiplier : float or None, default=None
        Last lambda over the first one; used when ``lambda_end`` is None.
    n_lambdas : int, default=20
        Lambdas of the grid from start to end; 0 leaves out the path: all columns are
        kept. It is not the exact number visited: the path stops early once no column lives,
        and where neither ``lambda_end`` nor ``lambda_multiplier`` is given it goes on behind
        the grid by factors of 1.5 until then. ``path_`` has a row for each one visited.
    lambda_power : float, default=8.0
        Spacing: lambdas are equally spaced in lambda^(1/power). 1 is linear, the paper uses
        0.95, large powers approach a geometric grid.
    lambda_bar : float, default=0.0
        Soft threshold on the first-layer weights in each proximal step.
    lambda_weights : {"adaptive", "uniform"}, default="adaptive"
        Whether lambda is larger for columns that are worth little, by what they take off the
        error of rows not trained on, or the same for all (the paper's).
    ema_decay : float, default=0.9
        Decay of the moving average of skip and first-layer weights inside the proximal step;
        0 means no average.
    model_ema_decay : float, default=0.99
        Decay of the moving average of the whole network, which is evaluated beside the live
        weights; 0 means no average.
    optimizer : {"muon", "adamw"}, default="muon"
        What trains the networks that predict: Muon, which moves weight matrices in orthogonal
        directions and all other weights by AdamW, or AdamW alone (the paper's). The path always
        has AdamW, and where several networks predict, so have those that only select: they
        would not gain. Where one does, it is trained by this in all other stages.
    learning_rate : float, default=0.004
        Peak learning rate; networks that are trained by "muon" learn at twice this.
    path_learning_rate : float or "auto", default="auto"
        Learning rate on the path; "auto" is half of ``learning_rate``.
    schedule : {"cosine", "constant"}, default="cosine"
        Learning rate through a stage, the path apart: up and then down to nothing, or the same
        throughout (the paper's).
    weight_decay : float, default=0.01
        Weight decay, on inner weights only.
    batch_size : int or "auto", default="auto"
        Rows per step; "auto" is a tenth of the training rows, 32 to 64; then about 26 steps
        an epoch, up to 512 rows; beyond 131,072 rows 256 steps, up to 4,096 rows.
    max_epochs : int or "auto", default="auto"
        Epochs of the dense stage and of each member, at most, and 0.6 times as many of a
        refit; "auto" is epochs that make about 600 steps, from 30 to 100.
    max_epochs_per_lambda : int or "auto", default="auto"
        Epochs per lambda, at most; "auto" is epochs that make about 104 steps, from 1 to 8.
    patience : int, default=10
        Epochs without a better validation error after which a stage ends.
    selection : {"one_standard_error", "best"} or int, default="one_standard_error"
        Which columns are kept. Up to five supports of the path are compared, on validation rows
        and on training rows predicted by networks that have not seen them: the largest (of
        those allowed), that of the lowest error on the path, and others around the best so far.
        "one_standard_error" keeps the sparsest that is within one standard error of the best,
        of the difference paired over rows, and loses at most half a per cent of what the best
        explains; an int keeps the best with at most so many columns (the sparsest, if a given
        ``lambda_end`` stops the path before). "best" goes by validation rows alone: of the
        three supports of lowest error on the path and the largest, it keeps the one lowest once
        refitted; so are supports compared without ``refit``, or of fewer than 20 training rows.
        Unless an int says so, one network that validates worse than the dense stage is not
        kept; nor are several, on an ``eval_set`` of 100 rows or more, that are worse there by
        more than two standard errors of the difference: all columns are kept then, as may
        happen on a target that no column predicts.
    challenge : bool, default=True
        Whether a sparser support may challenge the one so chosen: that of the lowest error on
        the path or, if this is clearly higher, the chosen one itself without the columns that
        its network does not need. On either a network is trained as those that predict; if it
        is better on the sparser one by two standard errors of the paired difference, that is
        kept, and challenged in turn. It needs several members, supports compared by networks
        that have not seen the rows, and 100 validation rows.
    refit : bool, default=True
        Whether networks are trained once more without lambda. Several members (the default)
        are trained from scratch on the kept columns. With one, or ``selection="best"``, the
        path's network is trained on, and the better of before and after is kept. Without a
        refit, supports are compared and kept as the path leaves them.
    n_members : int or "auto", default="auto"
        Networks that predict together; "auto" is 4, and 1 without ``refit``. 1 predicts with
        the kept network, trained on with the rows that were held out for validation (unless
        they came as ``eval_set``). More are trained from scratch on the kept columns and
        averaged on the link scale. Each is validated on rows of its own, as many as
        ``validation_fraction`` says at most, or all on the ``eval_set``; if the kept network
        is better there by more than two standard errors, it predicts alone. An ``eval_set`` of
        fewer than 100 rows cannot tell: beside it, each is validated on rows of its own.
        The networks of the dense stage and the path then only select, at half the width (64
        units at least, where there are so many) and with more dropout (0.1 above ``dropout``,
        up to 0.3). More than 1 needs ``refit``.
    screening : "auto", bool or int, default="auto"
        Whether only the columns of the highest marginal score enter training: n / log(n) of
        them for n training rows, 100 at least, or this int. Columns left out are scored again
        on the residuals of the fitted model, and called back for another fit where that shows
        more than chance. "auto" screens where there are more columns than training rows, and
        more than 100. A
        column that matters only together with others may be missed.
    precision : {"float32", "bfloat16"}, default="float32"
        Of the backbone's matrix products during training; predictions are made in full
        precision. "bfloat16" pays on processors with instructions for it (AVX512-BF16, AMX,
        recent GPUs) and wide backbones; elsewhere it is many times slower.
    """

SHARED_ARGUMENTS = """\
validation_fraction : float, default=0.15
        Share of the rows held out for stopping and selection when ``fit`` gets no
        ``eval_set``; stratified for classifiers.
    eval_metric : str or None, default=None
        Validation error to stop and select by. None is the training loss. Others:
        {metrics}
    categorical_features : "auto" or array-like, default="auto"
        Columns to treat as categories besides those whose type says so (text, categorical):
        names, indices or a mask, for integer codes such as zip codes. "auto" adds none. The 64
        most frequent categories of a column have a code of their own; the others, those of
        fewer than 3 training rows (of 200 or more) and those never seen share one. A recipe's
        ``OneHot(max_categories=...)`` changes that.
    random_state : int, RandomState instance or None, default=None
        The one seed: split, bins, weights, batches, dropout. Pass an int for the same model
        every time (on a CPU); None takes a fresh seed. Global random states are left alone.
    device : str, default="auto"
        Where to train: "auto" is a CUDA device where there is one, else the CPU.
    n_threads : int or None, default=None
        Threads of torch during ``fit`` and ``predict``. None leaves the setting alone, but
        trains a small network by one thread: there is too little in a step to be shared. More
        threads than idle cores are many times slower than one, since they wait for each other.
    verbose : int, default=0
        0 is silent, 1 prints sizes that were "auto" and a line per stage and lambda, 2 also
        what else differs from ``Recipe()``, and a line per epoch."""

CALIBRATE_ARGUMENT = """\
calibrate : bool, default=True
        Whether several networks predict classes as surely as rows that they were not trained on
        allow: their outputs are multiplied by one factor, from 0.1 to 1, that has the least log
        loss there. Supports are then compared by outputs with a factor of their own, and each
        network is stopped where it is best with one, which is later: it goes on to learn classes
        apart after it has become too sure of them. One network predicts as it is."""

CLASS_WEIGHT_ARGUMENT = """\
class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn, multiplied with ``sample_weight``; None
        weighs them alike."""

REGRESSION_METRICS = '"mse" or "mae".'
CLASSIFICATION_METRICS = '"log_loss", "error" (share of wrong labels) or "brier".'

FITTED_ATTRIBUTES = """\
selected_features_ : ndarray of str
        Names of the columns kept (``x0``, ``x1``, ... for a table without names).
    support_ : ndarray of bool, shape (n_features_in_,)
        Mask of the columns kept.
    n_selected_ : int
        Number of columns kept.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Rise of the loss when a column is taken out of the network, on rows that it was not
        trained on, as a share of the sum; of several members the mean. Exactly 0 for removed
        columns; all 0 if none is kept. A kept column without which the loss does not rise has
        0, too; if that is so for all, they share alike. ``support_`` says what was kept.
    skip_weights_ : ndarray of shape (n_features_in_,) or (n_features_in_, n_classes)
        Skip weights; exactly 0 for removed columns. Of several members their mean size, since
        every member has signs of its own.
    lambda_ : float
        Lambda of the kept point; 0 for the dense stage. If a challenger that is no support of
        the path was kept, of the point that it was cut from.
    validation_loss_ : float
        Loss (or ``eval_metric``) of the kept network on the validation rows, refitted but not
        yet trained on them; a squared error is one of the standardised target. Of several
        members: all together on the ``eval_set``, or each on rows of its own.
    screening_ : ScreeningReport or None
        How many columns entered training and which were called back; None if all entered.
    path_ : LambdaPath
        Dense stage and all lambdas visited; ``path_.to_frame()`` gives a row each.
    history_ : History
        All epochs; ``history_.to_frame()`` gives a row each. Validation losses of members that are
        calibrated are those with the factor that these rows like best; the stage "final" has none,
        since it trains on these rows.
    n_iter_ : int
        Number of epochs in all.
    n_features_in_ : int
        Number of columns seen by ``fit``.
    feature_names_in_ : ndarray of str
        Their names, if the table has any."""


def documented(**parts: str) -> Callable[[type], type]:
    """Fill the named gaps of a class's docstring."""

    def fill(cls: type) -> type:
        for name, text in parts.items():
            cls.__doc__ = (cls.__doc__ or "").replace("{" + name + "}", text)
        return cls

    return fill
