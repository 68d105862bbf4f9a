"""Special functions of the laws, in float64 and to any number of digits; each folder imports those above it only.

arguments   types of numbers, checks of arguments
numerics    tables of smooth functions, evaluation point by point
special     SymPy functions with a float64 and an mpmath side
zipf        the Zipf law: normaliser, tails, class sums, missing mass; sums over very many inputs
recall      pi_M, the bounds of Theorem 1, errors of single items, capacities at finite size
schemes     weights: the best ones, thresholds, powers, inputs seen often enough
sgd         the SGD map, its flow, fits to its weights, when to stop
moments     means and covariances of scores, by Wick's theorem
"""
