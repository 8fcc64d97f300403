"""From notes to a taxonomy: what people noted, in categories, counted by scorer and by columns of the cases."""
