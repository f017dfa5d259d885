"""Ways to rank columns before another method is trained on the best of them."""
