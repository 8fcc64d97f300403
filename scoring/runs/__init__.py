"""Running scorers: a request becomes a run, which plans, computes here or on many machines, saves, and says how far it
is.
"""
