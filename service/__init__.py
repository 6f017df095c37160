"""The shell: reads the ingest streams, folds with `projections`, commits to Redis."""
