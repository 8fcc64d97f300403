"""Engines that ask a server over HTTP: critics over any OpenAI-compatible one, PRMs over vLLM's."""
