"""The stress laboratory: solutions are rewritten by rule, and a scorer is held to what it may make of that."""
