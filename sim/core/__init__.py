"""What every game shares: random numbers, batches, workers, datasets and manifests."""
