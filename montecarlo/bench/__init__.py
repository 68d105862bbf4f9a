"""Speed as ratios: the product against baselines that live here, measured in the same run."""
