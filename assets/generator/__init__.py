"""Step-by-step solutions with one known error, made from typed steps.

A family (`generator.families`) writes a problem and a right solution as typed steps: an operation, its operands, where
each operand comes from (a premise or an earlier step), a unit and a sentence. An error (`generator.errors`) changes one
of these steps, the values after it are computed again from what now stands there, and only then does the solution
become text (`generator.render`). So the place of the error is known by construction, and every step after it follows
from the wrong one.

`generator.stream.cases` is the endless stream from which both the demo benchmark and a PRM's training set are taken.
Only the standard library is used, and equal seeds give equal cases on every platform.
"""
