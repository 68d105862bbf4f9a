"""The recall error of a linear associative memory at finite d, numerically exact: one integral, and how it is done.

Others call `recall_error` (and `recall_errors`, for laws) in `exact`; all else serves it. Given the embedding of the input
that is asked for, its error depends on the class sums S_y = sum of q^2 over the inputs of each output y, on its own weight
and on the Gram matrix of the outputs (formula in `exact`). What is left is a sum over inputs and an integral over normal
variables, in these steps:

1. `storage` turns the arguments into what the memory holds: a `Scheme` (Zipf law and powers of it, any N) or a `Table`.
2. `atoms` makes the sum over inputs short: inputs of one class and weight are one atom, far inputs come in blocks.
   `Choice` draws atoms with given chances.
3. Two kernels integrate the error of one atom. `bulk` is for errors that are frequent: exact in the noise of the atom's own
   class, quasi-Monte Carlo in the rest. `union_probability` is for rare errors: importance sampling over the wrong outputs
   that win. `pairs` tabulates for it the geometry in which one wrong output wins; `normals` makes chi variables and
   embeddings from normal ones, for both.
4. `steering` estimates each atom's error and sends it to one of the kernels. Estimates only steer samples: a wrong one
   costs accuracy, which the reported uncertainty shows, and makes no bias.
5. `parts` puts atoms and kernel together into integrands over the unit cube. Where the weights come from T samples,
   `samples` draws the counts; `own_count` is another way, for few inputs, which conditions on the count of the input.
6. `quadrature` integrates the parts by randomised quasi-Monte Carlo until the wanted error is reached or the work is spent.

Nothing in theory.functions depends on this package.
"""
