"""Generative PRMs: models that write a verification and whose reward is the probability of a word at its end.

A family (ThinkPRM, R-PRM, GenPRM) turns a case into talks, one for each thing that can be asked apart from the others.
A talk asks, hears the answer and asks on, and ends with one reward a step or a reason. `scoring.runs.critic_runs` keeps
many of them in flight and saves what they came to beside critics' answers, as one row a vote.
"""
