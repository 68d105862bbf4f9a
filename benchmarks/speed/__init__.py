"""Speed as ratios: the product against baselines that live here, measured in the same run.

make bench                              all figures
make bench FIGURES="sweep map"          some of them
"""
