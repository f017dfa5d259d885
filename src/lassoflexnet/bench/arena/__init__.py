"""The arena: our default constructor and its presets against other methods' defaults."""
