"""Pictures of results: functions of values that return matplotlib axes."""

from lassoflexnet.plots.path import plot_path

__all__ = ["plot_path"]
