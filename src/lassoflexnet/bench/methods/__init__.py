"""Methods behind one signature: ours, and thin adapters of others."""
