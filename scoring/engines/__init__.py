"""Engines: transformers, vLLM and servers. They run token ids and messages, and know nothing of cases.

It imports `scoring.workspace` and the layers below; torch, transformers and vLLM only in the file that wraps them.
Read `base.py` first: what an engine has to do.
"""
