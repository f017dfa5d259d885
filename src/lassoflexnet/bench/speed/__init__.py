"""How fast we are: ratios measured side by side in one run. ``make bench-speed``."""
