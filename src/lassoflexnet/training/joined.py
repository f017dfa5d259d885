"""One stage of several networks at once, each on rows of its own.

Called by the workshop where networks are small: a step of all of them then takes less time than
their steps one after another. ``Stage`` is what each would do by itself.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from lassoflexnet.codes import Codes
from lassoflexnet.nn import Crew, Network, can_be_crew
from lassoflexnet.optim import Stepper
from lassoflexnet.training.averaging import ModelAverage, NoAverage, moment_rows
from lassoflexnet.training.data import Rows, TrainingData, n_batches
from lassoflexnet.training.evaluation import chunk_rows
from lassoflexnet.training.history import Epoch
from lassoflexnet.training.stage import Objective, Snapshot, StageSettings

# Multiplications of one network's step up to which joining was seen to pay, if ever less.
LARGEST_STEP = 1 << 27

# Cells of all their tables together: each network has a copy of its rows, of 5 bytes a cell.
MOST_CELLS = 1 << 24


def worth_joining(network: Network, settings: StageSettings, parts: Sequence[TrainingData]) -> bool:
    """Whether such networks can be trained as one on these data, and it pays."""
    if len(parts) < 2 or not network.n_tokens or not settings.max_epochs:
        return False
    if not can_be_crew(network) or math.isfinite(settings.gradient_clip):
        return False
    n_rows = sum(part.train.n_rows + part.validation.n_rows for part in parts)
    if n_rows * len(parts[0].train.codes.slot) > MOST_CELLS:
        return False
    n_weights = sum(p.numel() for p in network.parameters())
    return n_weights * min(settings.batch_size, parts[0].train.n_rows) < LARGEST_STEP


class JoinedRows(NamedTuple):
    """Rows of k networks: codes (k * p, n), target and weight (k, n).

    Those with fewer rows than others are filled up by their first one, without weight.
    """

    codes: Codes
    target: Tensor
    weight: Tensor
    n_rows: tuple[int, ...]

    @staticmethod
    def of(parts: Sequence[Rows]) -> "JoinedRows":
        """Put the rows of several tables side by side."""
        n = max(rows.n_rows for rows in parts)
        numbers = torch.arange(n, device=parts[0].target.device)
        full = [rows.at(numbers.where(numbers < rows.n_rows, 0)) for rows in parts]
        weight = torch.stack([rows.weight for rows in full])
        for row, rows in zip(weight, parts, strict=True):
            row[rows.n_rows :] = 0.0
        codes = Codes(
            torch.cat([rows.codes.slot for rows in full]),
            torch.cat([rows.codes.fraction for rows in full]),
        )
        target = torch.stack([rows.target for rows in full])
        return JoinedRows(codes, target, weight, tuple(rows.n_rows for rows in parts))

    def at(self, index: Tensor) -> "JoinedRows":
        """Some rows of each: (k, b)."""
        pieces = index.repeat_interleave(len(self.codes.slot) // len(index), dim=0)
        codes = Codes(self.codes.slot.gather(1, pieces), self.codes.fraction.gather(1, pieces))
        target, weight = self.target.gather(1, index), self.weight.gather(1, index)
        return JoinedRows(codes, target, weight, (index.shape[1],) * len(index))

    def batches(self, batch_size: int) -> list[Tensor]:
        """Row numbers of shuffled batches; networks with more rows leave out others each time."""
        fewest, device = min(self.n_rows), self.target.device
        order = torch.stack([torch.randperm(n, device=device)[:fewest] for n in self.n_rows])
        return list(order.tensor_split(n_batches(fewest, batch_size), dim=1))


class Verdict(NamedTuple):
    """Networks with their validation errors (k, n) and the means of these."""

    crew: Crew
    errors: Tensor
    losses: Tensor


class JoinedStage:
    """Runs the epochs of a stage on several networks.

    Ends when patience with all of them has ended, or with the budget; so a network may be
    better in the end than alone, where it would have been given up. Of the first ``n_alone``
    nothing is kept from then on.
    """

    def __init__(
        self,
        names: Sequence[str],
        networks: Sequence[Network],
        parts: Sequence[TrainingData],
        *,
        settings: StageSettings,
        objective: Objective,
        n_alone: int = 0,
    ) -> None:
        self.names = names
        self.networks = networks
        self.crew = Crew(networks)
        self.train = JoinedRows.of([part.train for part in parts])
        self.validation = JoinedRows.of([part.validation for part in parts])
        self.settings = settings
        self.objective = objective
        self.n_alone = n_alone

    def run(
        self, stepper: Stepper, average: ModelAverage[Crew] | NoAverage[Crew]
    ) -> list[Snapshot] | None:
        """Best of each network; None if a loss is not finite, for each to try by itself."""
        settings = self.settings
        best = [Snapshot(network, torch.empty(0), math.inf) for network in self.networks]
        rates = [group["lr"] for group in stepper.param_groups]
        for epoch in range(1, settings.max_epochs + 1):
            train_losses = self._epoch(epoch - 1, stepper, rates, average)
            if not torch.isfinite(train_losses).all():
                return None
            verdicts = self._evaluate(average) if settings.is_due(epoch) else []
            if not all(torch.isfinite(one.losses).all() for one in verdicts):
                return None
            self._record(epoch, train_losses, verdicts, stepper.param_groups[0]["lr"])
            for now in verdicts:
                best = [self._better(i, one, now, epoch) for i, one in enumerate(best)]
            if verdicts and all(self._given_up(one, epoch) for one in best):
                break
        return best

    def _epoch(
        self,
        n_done: int,
        stepper: Stepper,
        rates: list[float],
        average: ModelAverage[Crew] | NoAverage[Crew],
    ) -> Tensor:
        """Take one pass over the training rows; mean loss of each network."""
        self.crew.train()
        batches = self.train.batches(self.settings.batch_size)
        total = self.train.weight.new_zeros(len(self.networks))
        for i, index in enumerate(batches):
            done = (n_done + (i + 0.5) / len(batches)) / self.settings.max_epochs
            for group, rate in zip(stepper.param_groups, rates, strict=True):
                group["lr"] = rate * self.settings.schedule(done)
            rows = self.train.at(index)
            losses = (self._loss(self.crew(rows.codes), rows) * rows.weight).mean(dim=1)
            stepper.zero_grad()
            losses.sum().backward()
            stepper.step()
            average.update()
            total += losses.detach() * index.shape[1]
        return total / min(self.train.n_rows)

    def _loss(self, outputs: Tensor, rows: JoinedRows) -> Tensor:
        """Loss of each network's rows: (k, n)."""
        loss = self.objective.loss(outputs.flatten(0, 1), rows.target.flatten())
        return loss.view(rows.target.shape)

    @torch.no_grad()
    def _evaluate(self, average: ModelAverage[Crew] | NoAverage[Crew]) -> list[Verdict]:
        """Errors on the validation rows, live and averaged."""
        n = min(self.train.n_rows)
        codes = moment_rows(self.train.codes.rows(slice(0, n)))
        averaged = average.settle(codes)
        crews = [self.crew] if averaged is self.crew else [self.crew, averaged]
        return [self._verdict(crew) for crew in crews]

    def _verdict(self, crew: Crew) -> Verdict:
        crew.eval()
        rows, size = self.validation, chunk_rows(crew.layout.n_features)
        starts = range(0, rows.target.shape[1], size)
        outputs = torch.cat([crew(rows.codes.rows(slice(i, i + size))) for i in starts], dim=1)
        each = zip(outputs, rows.target, rows.weight, strict=True)
        errors = torch.stack([self.objective.errors(*one) for one in each])
        weight = rows.weight.double()
        return Verdict(crew, errors, (errors * weight).sum(dim=1) / weight.sum(dim=1))

    def _given_up(self, best: Snapshot, epoch: int) -> bool:
        """Whether patience with a network has ended."""
        return epoch - best.epoch >= self.settings.patience

    def _better(self, i: int, best: Snapshot, now: Verdict, epoch: int) -> Snapshot:
        """The network as it is now, if it was never better and is not given up."""
        loss, before = float(now.losses[i]), epoch - self.settings.evaluate_every
        if not loss < best.loss or (i < self.n_alone and self._given_up(best, before)):
            return best
        now.crew.copy_to(best.network, i)
        errors = now.errors[i, : self.validation.n_rows[i]].clone()
        return Snapshot(best.network, errors, loss, epoch)

    def _record(self, epoch: int, train: Tensor, verdicts: list[Verdict], rate: float) -> None:
        monitor, nothing = self.objective.monitor, torch.full_like(train, math.nan)
        live, averaged = (verdicts[at].losses if verdicts else nothing for at in (0, -1))
        for i, name in enumerate(self.names):
            row = Epoch(
                stage=name,
                lam=0.0,
                epoch=epoch,
                train_loss=float(train[i]),
                validation_loss=float(live[i]),
                average_loss=float(averaged[i]),
                n_features=self.networks[i].layout.n_features,
                learning_rate=rate,
                seconds=monitor.seconds(),
            )
            monitor.epoch(row)
