"""The models that give rewards: families of PRMs, prompts and answers of critics, and what identifies a checkpoint.

It imports `scoring.formats` and `scoring.data`, and no engine: an adapter takes a tokenizer and gives plain lists.
Read `prms/base.py` first: what a family has to do.
"""
