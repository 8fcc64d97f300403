"""The board: a row a scorer and benchmark, how rows are arranged, and how a value is printed."""
