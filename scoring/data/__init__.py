"""Cases, rewards and scorers as frames and plain values, with the files that hold them and the errors that name them.

It imports nothing else of this project.
Read `schema.py` first: the columns of cases, rewards and answers.
"""
