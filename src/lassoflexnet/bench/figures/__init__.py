"""Pictures of results, drawn from result files alone."""
