"""``python -m lassoflexnet.cli``."""

from lassoflexnet.cli import main

main()
