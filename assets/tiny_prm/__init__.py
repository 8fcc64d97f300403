"""A process reward model small enough to ship: trained on the generator's stream, in the layout of Qwen's PRMs.

`tiny_prm.tokenizer` and `tiny_prm.network` say what it is, `tiny_prm.batches`, `tiny_prm.loss` and `tiny_prm.training`
how it learns, `tiny_prm.measuring` what it has learned, `tiny_prm.checkpoint` and `tiny_prm.card` what is written down.
`python assets/make_tiny_prm.py` does it all. Needs torch and transformers.
"""
