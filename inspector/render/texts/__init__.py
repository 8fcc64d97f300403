"""Texts for a terminal: made harmless, wrapped, shortened, and small pictures of them."""
